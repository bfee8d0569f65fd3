//! Compiled modules that are still right. Beside `A/B.olean` lies `A/B.checked`, which names the sources it was made from.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{
    files::{self, Hash},
    modules::{Module, path_of},
};

#[derive(Debug)]
pub struct Cache {
    dir: PathBuf,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Entry {
    key: String,
    olean: String,
}

impl Cache {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
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
        let aside = self.path(module, "part");
        files::remove(&aside)?;
        files::create_dir(aside.parent().unwrap_or(&self.dir))?;
        Ok(aside)
    }

    pub fn finish(&self, module: &Module) -> Result<()> {
        let aside = self.path(module, "part");
        let olean = Hash::default().part(files::read(&aside)?).hex();
        files::rename(&aside, &self.path(module, "olean"))?;
        let entry = serde_json::to_vec(&Entry {
            key: module.key.clone(),
            olean,
        })?;
        files::write_whole(&self.path(module, "checked"), &entry)
    }

    fn path(&self, module: &Module, extension: &str) -> PathBuf {
        self.dir.join(path_of(&module.name, extension))
    }
}
