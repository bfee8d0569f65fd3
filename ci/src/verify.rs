//! `cargo verify` and `cargo emit`.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::{
    check::{self, Cache},
    files,
    lean::{Choice, Lean, workspace},
    modules::{self, Graph},
};

#[derive(Debug, Args)]
pub struct Options {
    /// The Lean to use; by default the official toolchain if it is installed, else npm's
    #[arg(long, value_enum)]
    lean: Option<Choice>,
    /// Modules checked at the same time
    #[arg(short, long, default_value_t = 2)]
    jobs: usize,
    /// The root of the project [default: this workspace]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Where checked modules are kept [default: target/lean/checked in the root]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Only checks these modules and what they import
    #[arg(value_name = "MODULE")]
    modules: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let root = options.root.clone().unwrap_or_else(workspace);
    let root = root
        .canonicalize()
        .with_context(|| format!("no folder {}", root.display()))?;
    let cache_dir = options
        .cache
        .clone()
        .unwrap_or_else(|| root.join("target/lean/checked"));
    files::create_dir(&cache_dir)?;
    let cache_dir = cache_dir.canonicalize()?;
    let lean = Lean::find(options.lean)?;
    let _lock = files::lock(&cache_dir)?;
    let cache = Cache::new(cache_dir);
    let names = if options.modules.is_empty() {
        modules::discover(&root)?
    } else {
        options.modules.clone()
    };
    let graph = Graph::load(&root, &names, lean.identity())?;
    check::check(&graph, &lean, &root, &cache, options.jobs)?;
    println!(
        "{} modules are checked ({})",
        graph.0.len(),
        lean.description()
    );
    Ok(())
}
