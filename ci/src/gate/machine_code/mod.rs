//! The object code of every kernel is the emitted text, no more and no less.
//!
//! The text is read here without an assembler, the object code with a decoder that has nothing to do with rustc's, and the
//! two are compared as instructions. So a fault of the assembler, or anything between Lean's text and the library, shows.
//! The decoder also knows which CPU features the instructions need: those that the kernel declares, or fewer.

mod compare;
mod features;
mod object;
mod source;
mod text;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::{Report, Root, sources};

#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    root: Root,
    /// The library to read [default: the project's, which is built]
    #[arg(long, value_name = "FILE")]
    rlib: Option<PathBuf>,
}

pub fn check(options: &Options) -> Result<Report> {
    let root = options.root.path()?;
    let rlib = match &options.rlib {
        Some(rlib) => rlib.clone(),
        None => build(&root)?,
    };
    let library =
        std::fs::read(&rlib).with_context(|| format!("cannot read {}", rlib.display()))?;
    let mut report = Report::of("kernels");

    let mut expected = BTreeMap::new();
    for file in sources(&root, "src/asm", &["rs"])? {
        for function in source::functions(&file)? {
            expected.insert(function.name.clone(), function);
        }
    }
    for function in object::functions(&library)? {
        match expected.remove(&function.name) {
            Some(text) => match same(&text, &function.bytes) {
                Ok(()) => report.checked += 1,
                Err(error) => report.refuse(&function.name, format!("{error:#}")),
            },
            None => report.refuse(&function.name, "in the library once more than in src/asm"),
        }
    }
    for name in expected.keys() {
        report.refuse(name, "in src/asm, but not in the library");
    }
    Ok(report)
}

fn same(text: &source::Function, bytes: &[u8]) -> Result<()> {
    let code = compare::compare(&text.code, bytes)?;
    features::check(&text.features, &code)
}

/// Builds the library as users do, and says where it is.
fn build(root: &Path) -> Result<PathBuf> {
    let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root)
        .args(["build", "--release", "--lib", "--quiet"])
        .args(["--target-dir", "target/gate/machine-code"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the library does not build");
    for line in output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter(|line| !line.is_empty())
    {
        let message: serde_json::Value = serde_json::from_slice(line).context("cargo's output")?;
        let files = message["filenames"].as_array().into_iter().flatten();
        let rlib = files
            .filter_map(|file| file.as_str())
            .find(|file| file.ends_with(".rlib"));
        if let Some(rlib) = rlib.filter(|_| message["target"]["name"] == "leanseal") {
            return Ok(rlib.into());
        }
    }
    bail!("cargo names no library that it built")
}
