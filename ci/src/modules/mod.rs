//! The Lean modules of a source tree: where they are, what they import, and in which order they are checked.

mod graph;
mod header;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use walkdir::WalkDir;

pub use graph::{Graph, Module};

/// The folders of a project that hold Lean modules; a module's name is its path from the root.
pub const FOLDERS: [&str; 6] = ["TCB", "Spec", "Impl", "Proof", "Artifacts", "emitter"];

/// The roots of the modules that come with Lean.
pub fn is_library(module: &str) -> bool {
    matches!(
        module.split('.').next(),
        Some("Init" | "Std" | "Lean" | "Lake")
    )
}

/// `A.B` for `A/B.lean`, or for another extension.
pub fn path_of(module: &str, extension: &str) -> PathBuf {
    PathBuf::from(format!("{}.{extension}", module.replace('.', "/")))
}

/// The names of all modules under the folders of the project, sorted.
pub fn discover(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for folder in FOLDERS.iter().filter(|f| root.join(f).is_dir()) {
        for entry in WalkDir::new(root.join(folder)) {
            let entry = entry?;
            let path = entry.path().strip_prefix(root)?;
            if !entry.file_type().is_file() || path.extension().is_none_or(|e| e != "lean") {
                continue;
            }
            let Some(name) = path
                .with_extension("")
                .to_str()
                .map(|s| s.replace('/', "."))
            else {
                bail!("{} is not valid UTF-8", path.display());
            };
            if name.split('.').count() != path.components().count() {
                bail!(
                    "{}: no dots in the names of Lean files and folders",
                    path.display()
                );
            }
            found.push(name);
        }
    }
    found.sort();
    Ok(found)
}
