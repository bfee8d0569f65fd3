//! Lean programs of the project that gates run.

use std::{path::PathBuf, process::Command};

use anyhow::Result;
use clap::Args;

use super::Root;
use crate::{
    check::{self, Cache},
    files,
    lean::{Choice, Lean},
    modules::{self, Graph},
};

#[derive(Debug, Args)]
pub struct ProgramOptions {
    #[command(flatten)]
    pub root: Root,
    /// The Lean to use; by default the official toolchain if it is installed, else npm's
    #[arg(long, value_enum)]
    lean: Option<Choice>,
    /// Where checked modules are kept [default: target/lean/checked in the root]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Lean processes at the same time
    #[arg(short, long, default_value_t = 2)]
    pub jobs: usize,
}

/// Programs that are checked, with what they import, and the Lean that runs them.
pub struct Programs {
    root: PathBuf,
    oleans: PathBuf,
    lean: Lean,
}

impl Programs {
    pub fn open(options: &ProgramOptions, modules: &[String]) -> Result<Self> {
        let root = options.root.path()?;
        let oleans = match &options.cache {
            Some(cache) => cache.clone(),
            None => root.join("target/lean/checked"),
        };
        files::create_dir(&oleans)?;
        let oleans = oleans.canonicalize()?;
        let lean = Lean::find(options.lean)?;
        let _lock = files::lock(&oleans)?;
        let graph = Graph::load(&root, modules, lean.identity())?;
        let cache = Cache::open(oleans.clone())?;
        check::check(&graph, &lean, &root, &cache, options.jobs)?;
        Ok(Self { root, oleans, lean })
    }

    /// Runs a module that has a `main`.
    pub fn command(&self, module: &str) -> Result<Command> {
        // These programs write to their standard output only: an empty folder is all that they may change.
        let nothing = self.oleans.join(".nothing");
        files::create_dir(&nothing)?;
        let mut command = self.lean.command(&nothing, &self.oleans);
        command
            // npm's build of Lean records a profile where it runs, and complains where it may not.
            .current_dir(&nothing)
            .arg("--run")
            .arg(self.root.join(modules::path_of(module, "lean")));
        Ok(command)
    }
}
