//! What is of one architecture compiles there and only there, and every kernel is used and tested.

mod condition;
mod targets;
mod uses;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{Report, machine_code::source::functions, sources};
use uses::{Uses, Walk};

/// Kernels that the library does not call yet: AES-GCM is to be built of them.
const BUILDING_BLOCKS: [&str; 4] = [
    "aarch64::aes",
    "x86_64::aes",
    "x86_64::aes_gcm",
    "x86_64::ghash",
];

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("files and targets");
    let modules = modules(root)?;
    let of = |module: &String| module.split("::").next().map(str::to_owned);
    let architectures: BTreeSet<_> = modules.iter().filter_map(of).collect();
    let architectures: Vec<_> = architectures.into_iter().collect();
    let mut walk = Walk {
        root,
        architectures: &architectures,
        report: &mut report,
    };
    let library = walk.root_file(Path::new("src/lib.rs"))?;
    let mut tests = Uses::default();
    for folder in ["tests", "benches", "examples"] {
        for path in roots(root, folder)? {
            let found = walk.root_file(&path)?;
            if folder == "tests" {
                tests.modules.extend(found.modules);
            }
        }
    }
    for module in &modules {
        for (uses, nobody) in [(&library, "nothing in the library"), (&tests, "no test")] {
            let exempt = nobody != "no test" && BUILDING_BLOCKS.contains(&module.as_str());
            let used = uses.modules.contains(module);
            if used && exempt {
                report.refuse(
                    format!("asm::{module}"),
                    "the library uses it: it is no building block any more".to_owned(),
                );
            } else if !used && !exempt {
                report.refuse(format!("asm::{module}"), format!("{nobody} uses it"));
            }
        }
    }
    targets::check(root, &mut report)?;
    Ok(report)
}

/// The modules of src/asm with kernels, as `x86_64::gather`.
fn modules(root: &Path) -> Result<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for file in sources(root, "src/asm", &["rs"])? {
        for function in functions(&file)? {
            let path = function.name.strip_prefix("asm::");
            let module = path.and_then(|path| path.rsplit_once("::"));
            found.insert(module.context("a kernel's path")?.0.to_owned());
        }
    }
    Ok(found)
}

/// The files of a folder that are crates of their own.
fn roots(root: &Path, folder: &str) -> Result<Vec<PathBuf>> {
    let files = sources(root, folder, &["rs"])?.into_iter();
    let is_root = |path: &PathBuf| path.parent() == Some(Path::new(folder));
    Ok(files.map(|file| file.path).filter(is_root).collect())
}
