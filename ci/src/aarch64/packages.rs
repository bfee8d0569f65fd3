//! The tools, from Debian 12's packages: nothing comes from anywhere else, and the mirrors are those of this machine's apt.
//!
//! Debian's rustc conflicts with other toolchains when it is installed, and so does everything for a second architecture. So those
//! packages are only unpacked, into a folder, by an apt with a state of its own.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail, ensure};

use crate::files;

pub const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian's cross packages keep the C library of the target.
pub const LIBRARIES: &str = "/usr/aarch64-linux-gnu";
pub const EMULATOR: &str = "qemu-aarch64";

const LINKER_PACKAGES: [&str; 2] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"];
const SUITES: [&str; 2] = ["bookworm", "bookworm-security"];
/// Its emulator knows DIT; bookworm's own does not.
const EMULATOR_SUITE: &str = "bookworm-backports";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

pub fn linker_is_there() -> bool {
    let found = Command::new(LINKER)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found.is_ok_and(|status| status.success())
        && Path::new(LIBRARIES).join("lib/libc.so.6").exists()
}

/// The one thing that is installed in the system, because a C compiler finds its parts by fixed paths.
pub fn install_linker() -> Result<()> {
    if linker_is_there() {
        return Ok(());
    }
    eprintln!("installing {}", LINKER_PACKAGES.join(" and "));
    let why = || format!("{LINKER} is not there, and apt-get, as root, did not install it");
    output(Command::new("apt-get").args(["-qq", "update"])).with_context(why)?;
    output(
        Command::new("apt-get")
            .args(["-qq", "install", "-y", "--no-install-recommends"])
            .args(LINKER_PACKAGES)
            .env("DEBIAN_FRONTEND", "noninteractive"),
    )
    .with_context(why)?;
    ensure!(linker_is_there(), "{LINKER} does not run");
    Ok(())
}

/// Fills a folder with `rustc`, `rustdoc`, `clippy-driver` and the emulator.
pub fn unpack(dir: &Path) -> Result<()> {
    let start = Instant::now();
    eprintln!("fetching rustc for AArch64 and an emulator from Debian");
    let apt = Apt::new(&dir.join("apt"))?;
    let std = apt.dependency("libstd-rust-web-dev:amd64", "libstd-rust-web-1")?;
    let llvm = apt.dependency(&std, "libllvm")?;
    apt.download(&[
        "rustc-web:amd64",
        "rust-web-clippy:amd64",
        &std,
        &llvm,
        "libstd-rust-web-dev:amd64",
        "libstd-rust-web-dev:arm64",
    ])?;
    apt.download(&["-t", EMULATOR_SUITE, "qemu-user:amd64"])?;
    let root = dir.join("root");
    apt.extract(&root)?;
    files::remove(&apt.dir)?;

    let programs = root.join("usr/bin");
    files::rename(&programs.join(EMULATOR), &dir.join(EMULATOR))?;
    for other in fs::read_dir(&programs)?.flatten() {
        if other.file_name().to_string_lossy().starts_with("qemu-") {
            files::remove(&other.path())?;
        }
    }
    for tool in ["rustc", "rustdoc", "clippy-driver"] {
        start_script(dir, tool)?;
        output(Command::new(dir.join(tool)).arg("--version"))?;
    }
    output(Command::new(dir.join(EMULATOR)).arg("--version"))?;
    eprintln!("fetched in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// The tools do not find their own libraries in a folder that is not `/usr`.
fn start_script(dir: &Path, tool: &str) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let script = format!(
        "#!/bin/sh\nroot=$(dirname \"$0\")/root/usr\n\
         LD_LIBRARY_PATH=$root/lib/x86_64-linux-gnu exec \"$root/bin/{tool}\" \"$@\"\n"
    );
    let path = dir.join(tool);
    files::write_whole(&path, script.as_bytes())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("cannot make {} executable", path.display()))
}

/// An apt that knows two architectures, and no package as installed.
struct Apt {
    dir: std::path::PathBuf,
}

impl Apt {
    fn new(dir: &Path) -> Result<Self> {
        for folder in ["lists/partial", "cache/archives/partial", "parts", "debs"] {
            files::create_dir(&dir.join(folder))?;
        }
        let [main, security] = SUITES.map(mirror);
        let (main, security) = (main?, security?);
        let [release, updates] = SUITES;
        let sources = format!(
            "deb [arch=amd64,arm64 signed-by={KEYS}] {security} {updates} main\n\
             deb [arch=amd64 signed-by={KEYS}] {main} {release} main\n\
             deb [arch=amd64 signed-by={KEYS}] {main} {EMULATOR_SUITE} main\n"
        );
        let place = dir.display();
        let configuration = format!(
            "Dir::Etc::sourcelist \"{place}/sources.list\";\n\
             Dir::Etc::sourceparts \"{place}/parts\";\n\
             Dir::Etc::preferencesparts \"{place}/parts\";\n\
             Dir::State::lists \"{place}/lists\";\n\
             Dir::State::status \"{place}/status\";\n\
             Dir::Cache \"{place}/cache\";\n\
             APT::Architectures {{ \"amd64\"; \"arm64\"; }};\n\
             APT::Sandbox::User \"root\";\n\
             Acquire::Languages \"none\";\n\
             Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n\
             Acquire::Retries \"3\";\n"
        );
        files::write_whole(&dir.join("sources.list"), sources.as_bytes())?;
        files::write_whole(&dir.join("apt.conf"), configuration.as_bytes())?;
        files::write_whole(&dir.join("status"), b"")?;
        let apt = Self {
            dir: dir.to_owned(),
        };
        output(apt.command("apt-get").args(["-qq", "update"]))?;
        Ok(apt)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("APT_CONFIG", self.dir.join("apt.conf"))
            .current_dir(self.dir.join("debs"));
        command
    }

    /// The package that `package` depends on and that starts with `prefix`: its version is in its name.
    fn dependency(&self, package: &str, prefix: &str) -> Result<String> {
        let text = output(self.command("apt-cache").args(["depends", package]))?;
        let name = depends(&text, prefix)
            .with_context(|| format!("{package} does not depend on {prefix}…"))?;
        Ok(format!("{name}:amd64"))
    }

    fn download(&self, arguments: &[&str]) -> Result<()> {
        output(
            self.command("apt-get")
                .args(["-qq", "download"])
                .args(arguments),
        )?;
        Ok(())
    }

    fn extract(&self, root: &Path) -> Result<()> {
        for package in fs::read_dir(self.dir.join("debs"))? {
            output(
                self.command("dpkg")
                    .arg("-x")
                    .arg(package?.path())
                    .arg(root),
            )?;
        }
        Ok(())
    }
}

/// The first package in what `apt-cache depends` says that starts with `prefix`.
fn depends<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("Depends: "))
        .map(|name| name.split(':').next().unwrap_or(name))
        .find(|name| name.starts_with(prefix))
}

/// Where this machine's apt has a suite from.
fn mirror(suite: &str) -> Result<String> {
    let format = "$(RELEASE) $(REPO_URI)";
    let text = output(Command::new("apt-get").args([
        "indextargets",
        "--format",
        format,
        "Created-By: Packages",
    ]))?;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let found = lines.find(|(release, _)| *release == suite);
    found.map(|(_, uri)| uri.to_owned()).with_context(|| {
        format!(
            "apt has no source for {suite}: the tools for AArch64 come from Debian 12's packages"
        )
    })
}

/// What a command prints; if it fails, the error says what it said.
fn output(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output().with_context(|| {
        format!("{program} cannot be run: the tools for AArch64 come from Debian's packages")
    })?;
    if !output.status.success() {
        let arguments: Vec<_> = command.get_args().map(|a| a.to_string_lossy()).collect();
        bail!(
            "{program} {} failed ({}): {}",
            arguments.join(" "),
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    String::from_utf8(output.stdout).with_context(|| format!("what {program} prints"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_with_the_version_in_its_name_is_found() {
        let text = "libstd-rust-web-dev\n  Depends: libc6\n  Suggests: libllvm9\n |Depends: libllvm1:any\n  Depends: libllvm22:arm64\n";
        assert_eq!(depends(text, "libllvm"), Some("libllvm22"));
        assert_eq!(depends(text, "libstd"), None);
    }

    #[test]
    fn a_command_that_fails_or_is_missing_says_so() {
        let mut failing = Command::new("sh");
        let error = output(failing.args(["-c", "echo why >&2; exit 3"])).unwrap_err();
        assert!(format!("{error:#}").ends_with("(exit status: 3): why"));
        let error = output(&mut Command::new("no-such-program")).unwrap_err();
        assert!(format!("{error:#}").starts_with("no-such-program cannot be run"));
    }
}
