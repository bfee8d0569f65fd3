//! Compiled modules that are still right. Beside `A/B.olean` lies `A/B.checked`, which names the sources it was made from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::{
    files::{self, Hash},
    modules::{Module, path_of},
};

/// Starts the name of the folder of a run for what is being written.
const ASIDE: &str = ".part-";

#[derive(Debug)]
pub struct Cache {
    dir: PathBuf,
    aside: TempDir,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Entry {
    key: String,
    olean: String,
}

impl Cache {
    /// The cache in a folder, for the run that holds the lock on it.
    pub fn open(dir: PathBuf) -> Result<Self> {
        // A run that was killed leaves its folder, and a Lean process that may still write there, so no two share one.
        for entry in fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(ASIDE) {
                files::remove(&entry.path())?;
            }
        }
        let aside = tempfile::Builder::new().prefix(ASIDE).tempdir_in(&dir);
        let aside = aside.with_context(|| format!("cannot write to {}", dir.display()))?;
        Ok(Self { dir, aside })
    }

    /// The folder for LEAN_PATH.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Whether the module was checked as it is now, and its .olean is the one that was written then.
    pub fn is_checked(&self, module: &Module) -> bool {
        let entry = fs::read(self.path(module, "checked")).ok();
        let Some(entry) = entry.and_then(|e| serde_json::from_slice::<Entry>(&e).ok()) else {
            return false;
        };
        let olean = fs::read(self.path(module, "olean"));
        entry.key == module.key && olean.is_ok_and(|o| Hash::default().part(o).hex() == entry.olean)
    }

    /// Where the module's new .olean is to be written. Until `finish`, the module is not checked.
    pub fn begin(&self, module: &Module) -> Result<PathBuf> {
        files::remove(&self.path(module, "checked"))?;
        Ok(self.aside.path().join(&module.name))
    }

    pub fn finish(&self, module: &Module) -> Result<()> {
        let aside = self.aside.path().join(&module.name);
        let olean = self.path(module, "olean");
        let entry = Entry {
            key: module.key.clone(),
            olean: Hash::default().part(files::read(&aside)?).hex(),
        };
        files::create_dir(olean.parent().unwrap_or(&self.dir))?;
        files::rename(&aside, &olean)?;
        files::write_whole(&self.path(module, "checked"), &serde_json::to_vec(&entry)?)
    }

    fn path(&self, module: &Module, extension: &str) -> PathBuf {
        self.dir.join(path_of(&module.name, extension))
    }
}
