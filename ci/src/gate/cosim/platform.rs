//! What assembles and runs code of an architecture: this machine, or tools that emulate another.

use std::{env, fs, process::Command};

use anyhow::{Result, bail};

use crate::{
    aarch64::{self, CPUS, Tools, host_cargo},
    lean::workspace,
};

pub enum Platform {
    Host,
    Emulated(Tools),
}

impl Platform {
    pub fn of(architecture: &str) -> Result<Self> {
        match architecture {
            env::consts::ARCH => Ok(Self::Host),
            "aarch64" => Ok(Self::Emulated(Tools::prepare()?)),
            _ => bail!("{architecture} does not run here"),
        }
    }

    pub fn rustc(&self) -> Command {
        match self {
            Self::Host => Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())),
            Self::Emulated(tools) => tools.rustc(),
        }
    }

    /// `cargo build` or `cargo run` of the runner.
    pub fn runner(&self, command: &str) -> Command {
        let mut cargo = match self {
            Self::Host => host_cargo(command, &workspace().join("target/gate/cosim")),
            Self::Emulated(tools) => tools.cargo(command, &aarch64::target_dir()),
        };
        cargo.current_dir(workspace()).args([
            "--release",
            "--quiet",
            "--package",
            "leanseal-cosim",
        ]);
        cargo
    }

    /// What runs the code.
    pub fn processor(&self) -> String {
        match self {
            Self::Host => processor(),
            Self::Emulated(_) => format!("QEMU (CPU model {}), no hardware", CPUS[0]),
        }
    }
}

/// What the processor calls itself.
fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    name.unwrap_or_else(|| "a processor without a name".to_owned())
}
