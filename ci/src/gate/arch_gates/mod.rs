//! What is of one architecture compiles there and only there, and every kernel is used and tested.

mod condition;
mod targets;
mod uses;

use std::{
    collections::BTreeSet,
    fmt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::{Report, machine_code::source::functions, sources};
pub(super) use uses::Uses;
use uses::Walk;

/// Kernels that the library does not call yet: AES-GCM is to be built of them.
pub(super) const BUILDING_BLOCKS: [&str; 4] = [
    "aarch64::aes",
    "aarch64::ghash",
    "x86_64::aes",
    "x86_64::ghash",
];

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("files and targets");
    let kernels = kernels(root)?;
    let modules: BTreeSet<_> = kernels.iter().map(|kernel| kernel.module.clone()).collect();
    let architectures = architectures(&kernels);
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
                tests.kernels.extend(found.kernels);
            }
        }
    }
    for module in &modules {
        let exempt = BUILDING_BLOCKS.contains(&module.as_str());
        let place = format!("asm::{module}");
        match (library.modules.contains(module), exempt) {
            (true, true) => report.refuse(
                place,
                "the library uses it: it is no building block any more",
            ),
            (false, false) => report.refuse(place, "nothing in the library uses it"),
            _ => {}
        }
    }
    for kernel in &kernels {
        if !kernel.is_in(&tests) {
            report.refuse(kernel, "no test uses it");
        }
    }
    targets::check(root, &mut report)?;
    Ok(report)
}

/// What the library uses of src/asm.
pub(super) fn used_by_the_library(root: &Path, report: &mut Report) -> Result<Uses> {
    let architectures = architectures(&kernels(root)?);
    let mut walk = Walk {
        root,
        architectures: &architectures,
        report,
    };
    walk.root_file(Path::new("src/lib.rs"))
}

pub(super) struct Kernel {
    /// In src/asm, as `x86_64::gather`.
    pub(super) module: String,
    pub(super) name: String,
}

impl Kernel {
    fn architecture(&self) -> &str {
        self.module.split("::").next().unwrap_or_default()
    }

    pub(super) fn is_in(&self, uses: &Uses) -> bool {
        let Self { name, .. } = self;
        uses.kernels
            .contains(&format!("{} {name}", self.architecture()))
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "asm::{}::{}", self.module, self.name)
    }
}

fn architectures(kernels: &[Kernel]) -> Vec<String> {
    let names = kernels
        .iter()
        .map(|kernel| kernel.architecture().to_owned());
    names.collect::<BTreeSet<_>>().into_iter().collect()
}

pub(super) fn kernels(root: &Path) -> Result<Vec<Kernel>> {
    let mut found = Vec::new();
    for file in sources(root, "src/asm", &["rs"])? {
        for function in functions(&file)? {
            let path = function.name.strip_prefix("asm::");
            let path = path.and_then(|path| path.rsplit_once("::"));
            let (module, name) = path.context("a kernel's path")?;
            let (module, name) = (module.to_owned(), name.to_owned());
            found.push(Kernel { module, name });
        }
    }
    Ok(found)
}

/// The files of a folder that are crates of their own.
fn roots(root: &Path, folder: &str) -> Result<Vec<PathBuf>> {
    let files = sources(root, folder, &["rs"])?.into_iter();
    let folder = Path::new(folder);
    let is_root = |path: &PathBuf| {
        let beside = path.parent().and_then(Path::parent) == Some(folder);
        path.parent() == Some(folder) || (beside && path.ends_with("main.rs"))
    };
    Ok(files.map(|file| file.path).filter(is_root).collect())
}
