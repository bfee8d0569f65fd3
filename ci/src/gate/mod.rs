//! Gates: checks of the tree that are neither proofs nor unit tests.

mod aarch64;
mod algorithms_table;
mod arch_gates;
mod asm_hygiene;
mod bench;
mod cosim;
mod cpu_tests;
mod lean_imports;
mod lean_speed;
mod lean_text;
mod machine_code;
mod mcdt;
mod printer;
mod program;
mod variants;
mod vectors;

use std::{
    fmt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand};
use walkdir::{DirEntry, WalkDir};

use crate::lean::workspace;

/// A check that `.ci/run` runs by name.
#[derive(Debug, Subcommand)]
pub enum Gate {
    /// Clippy and all tests of the library on AArch64, on several models of CPU
    Aarch64,
    /// The README's table of kernels is what src/asm has
    AlgorithmsTable(algorithms_table::Options),
    /// What is of one architecture compiles there and only there; other targets give one error
    ArchGates(Root),
    /// No hand-written assembly, extern block or build script in the library
    AsmHygiene(Root),
    /// What has become slower since a revision; not a part of .ci/run
    Bench(bench::Options),
    /// The model of the processor against the processor
    Cosim(cosim::Options),
    /// The tests, once for each choice of kernels that features of the CPU lead to
    CpuTests(Root),
    /// Each Lean folder imports only what it may
    LeanImports(Root),
    /// No option, tactic or attribute that hides slow or unproven Lean, and no file that is too long
    LeanSpeed(Root),
    /// The object code of every kernel is the emitted text
    MachineCode(machine_code::Options),
    /// The time of every instruction is independent of data, as the vendors list it
    Mcdt(Root),
    /// Every form that is printed assembles to that form and no other
    Printer(cosim::model::ModelOptions),
    /// Every kernel can be reached, and each backend has a kernel for each task
    Variants(Root),
    /// The specifications against the test vectors of the standards
    Vectors(program::ProgramOptions),
}

/// Where a gate looks.
#[derive(Debug, Args)]
pub struct Root {
    /// The root of the project [default: this workspace]
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Root {
    fn path(&self) -> Result<PathBuf> {
        let root = self.root.clone().unwrap_or_else(workspace);
        root.canonicalize()
            .with_context(|| format!("no folder {}", root.display()))
    }
}

/// Runs one gate; an error says what it refused.
pub fn run(gate: Gate) -> Result<()> {
    let (name, report) = match gate {
        Gate::Aarch64 => ("aarch64", aarch64::check()?),
        Gate::AlgorithmsTable(options) => ("algorithms-table", algorithms_table::check(&options)?),
        Gate::ArchGates(root) => ("arch-gates", arch_gates::check(&root.path()?)?),
        Gate::AsmHygiene(root) => ("asm-hygiene", asm_hygiene::check(&root.path()?)?),
        Gate::Bench(options) => ("bench", bench::check(&options)?),
        Gate::Cosim(options) => ("cosim", cosim::check(&options)?),
        Gate::CpuTests(root) => ("cpu-tests", cpu_tests::check(&root.path()?)?),
        Gate::LeanImports(root) => ("lean-imports", lean_imports::check(&root.path()?)?),
        Gate::LeanSpeed(root) => ("lean-speed", lean_speed::check(&root.path()?)?),
        Gate::MachineCode(options) => ("machine-code", machine_code::check(&options)?),
        Gate::Mcdt(root) => ("mcdt", mcdt::check(&root.path()?)?),
        Gate::Printer(options) => ("printer", printer::check(&options)?),
        Gate::Variants(root) => ("variants", variants::check(&root.path()?)?),
        Gate::Vectors(options) => ("vectors", vectors::check(&options)?),
    };
    report.conclude(name)
}

/// What a gate looked at and what it refused there.
#[derive(Debug, Default)]
struct Report {
    /// How many things were checked; none at all is a failure, because the gate then looked in the wrong place.
    checked: usize,
    /// What they are, for the closing line.
    things: &'static str,
    violations: Vec<String>,
}

impl Report {
    fn of(things: &'static str) -> Self {
        Self {
            things,
            ..Self::default()
        }
    }

    fn refuse(&mut self, place: impl fmt::Display, why: impl fmt::Display) {
        self.violations.push(format!("{place}: {why}"));
    }

    fn conclude(self, name: &str) -> Result<()> {
        for violation in &self.violations {
            eprintln!("{violation}");
        }
        match (self.violations.len(), self.checked) {
            (0, 0) => bail!("gate {name}: found no {} to check", self.things),
            (0, checked) => println!("gate {name}: {checked} {} are fine", self.things),
            (refused, _) => bail!("gate {name}: {refused} refused"),
        }
        Ok(())
    }
}

/// A source file of the project.
struct Source {
    /// From the root of the project.
    path: PathBuf,
    text: String,
}

/// The files below `folder` with one of the extensions, sorted; what is built or downloaded is left out.
fn sources(root: &Path, folder: &str, extensions: &[&str]) -> Result<Vec<Source>> {
    let written = |entry: &DirEntry| {
        let name = entry.file_name().to_str().unwrap_or_default();
        entry.depth() == 0 || !(name.starts_with('.') || matches!(name, "target" | "node_modules"))
    };
    let start = root.join(folder);
    let mut found = Vec::new();
    if !start.exists() {
        return Ok(found);
    }
    for entry in WalkDir::new(&start)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(written)
    {
        let entry = entry.with_context(|| format!("cannot list {}", start.display()))?;
        let extension = entry.path().extension().and_then(|e| e.to_str());
        if entry.file_type().is_file() && extension.is_some_and(|e| extensions.contains(&e)) {
            let text = std::fs::read_to_string(entry.path())
                .with_context(|| format!("cannot read {}", entry.path().display()))?;
            let path = entry.path().strip_prefix(root)?.to_owned();
            found.push(Source { path, text });
        }
    }
    Ok(found)
}
