//! The object code of every kernel is the emitted text, no more and no less.
//!
//! The text is read here without an assembler, the object code with a decoder that has nothing to do with rustc's, and the
//! two are compared as instructions. So a fault of the assembler, or anything between Lean's text and the library, shows.
//! The decoder also knows which CPU features the instructions need: those that the kernel declares, or fewer.
//!
//! What the linker fills in is compared too: only the address of the kernel's table of constants, and only where the text has it.
//! The bytes of the table are those of the text.

mod aarch64;
mod labels;
mod object;
pub mod source;
mod table;
mod x86_64;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use super::{Report, Root, sources};
use crate::aarch64::{Tools, host_cargo};
pub use object::Relocation;

#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    root: Root,
    /// Only checks the kernels of this library, for its architecture [default: the project's, built for every architecture]
    #[arg(long, value_name = "FILE")]
    rlib: Option<PathBuf>,
    /// Only checks the kernels for this architecture, as src/asm names it
    #[arg(long, value_name = "NAME", conflicts_with = "rlib")]
    arch: Option<String>,
}

/// Kernels of one architecture by their paths in the crate.
type Kernels = BTreeMap<String, source::Function>;

pub fn check(options: &Options) -> Result<Report> {
    let root = options.root.path()?;
    let mut report = Report::of("kernels");
    let mut expected = kernels(&root)?;
    if let Some(arch) = &options.arch {
        expected.retain(|name, _| name == arch);
    }
    match &options.rlib {
        Some(rlib) => {
            let library = read(rlib)?;
            let kernels = expected.remove(library.architecture).unwrap_or_default();
            compare(library, kernels, &mut report)?;
        }
        None => {
            for (architecture, kernels) in expected {
                let library = read(&build(&root, &architecture)?)?;
                ensure!(
                    library.architecture == architecture,
                    "the library that was built for {architecture} is for {}",
                    library.architecture
                );
                println!("{architecture}: {} kernels", kernels.len());
                compare(library, kernels, &mut report)?;
            }
        }
    }
    Ok(report)
}

/// The emitted kernels of each architecture: `src/asm` has a folder for each.
pub fn kernels(root: &Path) -> Result<BTreeMap<String, Kernels>> {
    let mut found: BTreeMap<String, Kernels> = BTreeMap::new();
    for file in sources(root, "src/asm", &["rs"])? {
        for function in source::functions(&file)? {
            let architecture = function.name.split("::").nth(1).unwrap_or_default();
            let kernels = found.entry(architecture.to_owned()).or_default();
            kernels.insert(function.name.clone(), function);
        }
    }
    Ok(found)
}

fn read(rlib: &Path) -> Result<object::Library> {
    let bytes = std::fs::read(rlib).with_context(|| format!("cannot read {}", rlib.display()))?;
    object::read(&bytes)
}

/// The machine code of a kernel.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Code {
    pub bytes: Vec<u8>,
    /// Addresses are counted from the start of the table of constants.
    pub relocations: Vec<Relocation<i64>>,
}

type Check = fn(&source::Function, &Code) -> Result<()>;

fn check_of(architecture: &str) -> Result<Check> {
    match architecture {
        "x86_64" => Ok(x86_64::check),
        "aarch64" => Ok(aarch64::check),
        other => bail!("{other}: this gate has no decoder for it"),
    }
}

/// An error says where machine code differs from lines of text, or what it needs that is not among the features.
pub fn check_lines(
    architecture: &str,
    lines: Vec<String>,
    features: Vec<String>,
    code: &Code,
) -> Result<()> {
    let function = source::Function {
        name: String::new(),
        lines,
        features,
        doc: String::new(),
        table: None,
    };
    check_of(architecture)?(&function, code)
}

/// Whether this gate lets two sources of an instruction change places.
pub fn may_commute(architecture: &str, line: &str) -> bool {
    let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
    architecture == "x86_64" && !operands.contains('[') && x86_64::compare::commutes(mnemonic)
}

/// An instruction without its numbers: the mnemonic and the kinds of its operands.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    pub mnemonic: String,
    /// `r` is a general register, `i` an immediate, `m` an address in memory.
    pub operands: String,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = format!("{} {}", self.mnemonic, self.operands);
        f.write_str(line.trim_end())
    }
}

/// The forms of the instructions of a kernel.
pub fn forms(architecture: &str, lines: &[String]) -> Result<Vec<Form>> {
    match architecture {
        "x86_64" => x86_64::forms(lines),
        "aarch64" => aarch64::forms(lines),
        other => bail!("{other}: this gate cannot read it"),
    }
}

fn compare(library: object::Library, mut expected: Kernels, report: &mut Report) -> Result<()> {
    let check = check_of(library.architecture)?;
    let mut statics = library.statics;
    for function in library.functions {
        match expected.remove(&function.name) {
            Some(text) => match table::check(&text, &mut statics)
                .and_then(|()| check(&text, &table::relative(&text, function)?))
            {
                Ok(()) => report.checked += 1,
                Err(error) => report.refuse(&text.name, format!("{error:#}")),
            },
            None => report.refuse(&function.name, "in the library once more than in src/asm"),
        }
    }
    for table in &statics {
        report.refuse(&table.name, "not the table of one kernel");
    }
    for name in expected.keys() {
        report.refuse(name, "in src/asm, but not in the library");
    }
    Ok(())
}

/// Builds the library as users do, and says where it is.
fn build(root: &Path, architecture: &str) -> Result<PathBuf> {
    let target_dir = root.join("target/gate/machine-code");
    let mut cargo = match architecture {
        _ if architecture == std::env::consts::ARCH => host_cargo("build", &target_dir),
        "aarch64" => Tools::prepare()?.cargo("build", &target_dir),
        _ => bail!("{architecture}: this gate knows no compiler for it here"),
    };
    let output = cargo
        .current_dir(root)
        .args(["--release", "--lib", "--quiet", "--locked"])
        .args(["--message-format", "json-render-diagnostics"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "the library does not build for {architecture}"
    );
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
