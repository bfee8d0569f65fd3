//! AArch64 on an x86-64 machine: cargo with a cross compiler, and an emulator that runs what it builds.

mod packages;

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::{
    files::{self, Hash},
    lean::workspace,
};

const TARGET: &str = "aarch64-unknown-linux-gnu";
/// Models of the emulator: every feature that it knows, a server without DIT, and the oldest core that it has with AES.
pub const CPUS: [&str; 3] = ["max", "neoverse-n1", "cortex-a57"];

/// The emulator reads the model of its CPU from this variable.
pub const CPU: &str = "QEMU_CPU";

/// `cargo aarch64`.
#[derive(Debug, Args)]
pub struct Options {
    /// The model of the emulated CPU
    #[arg(long, value_name = "MODEL", default_value = CPUS[0])]
    cpu: String,
    /// What cargo does: `test`, `build --release`, `clippy` and so on
    #[arg(
        value_name = "CARGO ARGUMENT",
        required = true,
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<String>,
}

/// Runs a cargo command for AArch64.
pub fn run(options: &Options) -> Result<()> {
    let tools = Tools::prepare()?;
    let (command, rest) = options.arguments.split_first().context("no command")?;
    let mut cargo = match command.as_str() {
        "clippy" => tools.clippy(),
        command => tools.cargo(command, &target_dir()),
    };
    let status = cargo
        .env(CPU, &options.cpu)
        .args(rest)
        .status()
        .context("cannot run cargo")?;
    ensure!(status.success(), "cargo {command} failed for AArch64");
    Ok(())
}

/// Where the tools are.
#[derive(Debug)]
pub struct Tools {
    dir: PathBuf,
}

impl Tools {
    /// Sets up what is not yet there, in a folder aside that gets its name when it is complete.
    pub fn prepare() -> Result<Self> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("the tools for AArch64 are set up on Linux on x86-64 only");
        }
        let home = workspace().join("target/aarch64");
        let recipe = Hash::default().part(include_bytes!("packages.rs")).hex();
        let dir = home.join("tools").join(&recipe[..16]);
        if !(dir.is_dir() && packages::linker_is_there()) {
            let _lock = files::lock(&home)?;
            packages::install_linker()?;
            if !dir.is_dir() {
                install(&dir)?;
            }
        }
        Ok(Self { dir })
    }

    /// A cargo command that builds with these tools, and runs what it builds in the emulator; more arguments may follow.
    pub fn cargo(&self, command: &str, target_dir: &Path) -> Command {
        // Names and no paths where cargo or the tests split at spaces.
        let paths = env::var_os("PATH").unwrap_or_default();
        let paths = [self.dir.clone()]
            .into_iter()
            .chain(env::split_paths(&paths));
        let variable = |name: &str| {
            let target = TARGET.replace('-', "_").to_uppercase();
            format!("CARGO_TARGET_{target}_{name}")
        };
        let mut cargo = host_cargo(command, target_dir);
        cargo
            .env("PATH", env::join_paths(paths).unwrap_or_default())
            .env("RUSTC", self.dir.join("rustc"))
            .env("RUSTDOC", self.dir.join("rustdoc"))
            .env(variable("LINKER"), packages::LINKER)
            .env(variable("RUNNER"), packages::EMULATOR)
            .env(CPU, CPUS[0])
            .env("QEMU_LD_PREFIX", packages::LIBRARIES)
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .args(["--target", TARGET]);
        cargo
    }

    /// The compiler alone.
    pub fn rustc(&self) -> Command {
        let mut rustc = Command::new(self.dir.join("rustc"));
        rustc.args(["--target", TARGET]);
        rustc
    }

    /// `cargo clippy` that denies warnings, of the same release as the compiler.
    pub fn clippy(&self) -> Command {
        let mut cargo = self.cargo("check", &target_dir());
        cargo
            .env("RUSTC_WORKSPACE_WRAPPER", self.dir.join("clippy-driver"))
            .env(
                "CLIPPY_ARGS",
                "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__",
            );
        cargo
    }
}

/// Where the gates and `cargo aarch64` build.
pub fn target_dir() -> PathBuf {
    workspace().join("target/aarch64/build")
}

/// A cargo command for this machine, with the cargo that runs this program.
pub fn host_cargo(command: &str, target_dir: &Path) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([command, "--target-dir"]).arg(target_dir);
    cargo
}

fn install(dir: &Path) -> Result<()> {
    let tools = dir.parent().context("no parent folder")?;
    // Tools of earlier recipes are of no use any more.
    files::remove(tools)?;
    let aside = dir.with_extension("part");
    files::create_dir(&aside)?;
    packages::unpack(&aside)?;
    files::rename(&aside, dir)
}
