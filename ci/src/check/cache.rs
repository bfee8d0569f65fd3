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

    /// The hash of the module's .olean, if it was checked as it is now, and that is the file that was written then.
    pub fn checked(&self, module: &Module) -> Option<String> {
        let entry = fs::read(self.path(module, "checked")).ok()?;
        let entry: Entry = serde_json::from_slice(&entry).ok()?;
        let hash = self.olean_hash(module).ok()?;
        (entry.key == module.key && hash == entry.olean).then_some(hash)
    }

    /// The hash of the module's .olean as it is now.
    pub fn olean_hash(&self, module: &Module) -> Result<String> {
        hash_of(&self.path(module, "olean"))
    }

    /// The folder to which the checker of this number writes: none can touch what another writes.
    pub fn aside(&self, checker: usize) -> Result<PathBuf> {
        let aside = self.aside.path().join(checker.to_string());
        files::create_dir(&aside)?;
        Ok(aside)
    }

    /// Where the module's new .olean is to be written. Until `finish`, the module is not checked.
    pub fn begin(&self, module: &Module, aside: &Path) -> Result<PathBuf> {
        files::remove(&self.path(module, "checked"))?;
        let new = aside.join(&module.name);
        files::remove(&new)?;
        Ok(new)
    }

    /// Takes the module's new .olean over, and returns its hash.
    pub fn finish(&self, module: &Module, new: &Path) -> Result<String> {
        let olean = self.path(module, "olean");
        files::create_dir(olean.parent().unwrap_or(&self.dir))?;
        files::rename(new, &olean)?;
        let entry = Entry {
            key: module.key.clone(),
            olean: hash_of(&olean)?,
        };
        files::write_whole(&self.path(module, "checked"), &serde_json::to_vec(&entry)?)?;
        Ok(entry.olean)
    }

    fn path(&self, module: &Module, extension: &str) -> PathBuf {
        self.dir.join(path_of(&module.name, extension))
    }
}

fn hash_of(path: &Path) -> Result<String> {
    Ok(Hash::default().part(files::read(path)?).hex())
}
