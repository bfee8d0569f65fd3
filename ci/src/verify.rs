//! `cargo verify` and `cargo emit`.

use std::{path::PathBuf, time::Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    check::{self, Cache},
    compare::{self, Difference},
    emission::Emission,
    files,
    lean::{Choice, Lean, workspace},
    modules::{self, Graph},
    summary::{self, Summary},
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
}

/// What is done with `src/asm`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Compare,
    Write,
}

/// Checks everything; `modules` limits it to the check of these modules and of what they import.
pub fn run(options: &Options, mode: Mode, modules: &[String]) -> Result<()> {
    let start = Instant::now();
    let root = options.root.clone().unwrap_or_else(workspace);
    let root = root
        .canonicalize()
        .with_context(|| format!("no folder {}", root.display()))?;
    let oleans = options
        .cache
        .clone()
        .unwrap_or_else(|| root.join("target/lean/checked"));
    files::create_dir(&oleans)?;
    let oleans = oleans.canonicalize()?;
    let lean = Lean::find(options.lean)?;
    let _lock = files::lock(&oleans)?;

    let names = if modules.is_empty() {
        modules::discover(&root)?
    } else {
        modules.to_vec()
    };
    let graph = Graph::load(&root, &names, lean.identity())?;
    let cache = Cache::open(oleans)?;
    let checked = check::check(&graph, &lean, &root, &cache, options.jobs)?;
    if !modules.is_empty() {
        println!(
            "{} modules are right; nothing else was checked",
            graph.0.len()
        );
        return Ok(());
    }
    let emission = Emission::run(&graph, &checked, &lean, &root, &cache)?;
    let asm = root.join("src/asm");
    let differences = match mode {
        Mode::Compare => compare::compare(&asm, &emission.asm)?,
        Mode::Write => compare::update(&asm, &emission.asm)?,
    };
    let summary = Summary {
        lean: lean.description(),
        library_has_proofs: lean.library_has_proofs(),
        modules: graph.0.len(),
        checked_now: checked.now,
        report: &emission.report,
        lines: summary::count_lines(&root)?,
        asm: describe(&differences, mode),
        time: start.elapsed(),
    };
    if mode == Mode::Compare && !differences.is_empty() {
        eprintln!("src/asm, against what Lean prints:");
        differences.iter().for_each(|d| eprint!("{d}"));
    }
    print!("{summary}");
    if mode == Mode::Compare && !differences.is_empty() {
        bail!("src/asm is not what Lean prints: `cargo emit` writes it");
    }
    Ok(())
}

fn describe(differences: &[Difference], mode: Mode) -> String {
    match (differences.len(), mode) {
        (0, _) => "equal to what Lean prints".to_owned(),
        (n, Mode::Compare) => format!("{n} files DIFFER from what Lean prints"),
        (n, Mode::Write) => format!("{n} files written or removed"),
    }
}
