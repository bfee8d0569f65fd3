//! Hashes, and files that are either whole or not there.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// SHA-256 of a sequence of parts; each part is length-prefixed, so that no two sequences collide by concatenation.
#[derive(Default)]
pub struct Hash(Sha256);

impl Hash {
    pub fn part(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    pub fn hex(self) -> String {
        hex::encode(self.0.finalize())
    }
}

pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

pub fn create_dir(path: &Path) -> Result<()> {
    fs::create_dir_all(path).with_context(|| format!("cannot create {}", path.display()))
}

pub fn rename(from: &Path, to: &Path) -> Result<()> {
    fs::rename(from, to)
        .with_context(|| format!("cannot rename {} to {}", from.display(), to.display()))
}

/// Removes a file or a folder with all that is in it; what is not there is no error.
pub fn remove(path: &Path) -> Result<()> {
    let removed = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => return Ok(()),
    };
    removed.with_context(|| format!("cannot remove {}", path.display()))
}

/// Writes a file aside and renames it, so that an interrupted run or a full disk leaves the old file or the new one.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> Result<()> {
        let dir = path.parent().context("no parent folder")?;
        fs::create_dir_all(dir)?;
        let mut aside = tempfile::NamedTempFile::new_in(dir)?;
        aside.write_all(bytes)?;
        aside.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Holds the exclusive lock on a folder until it is dropped; says so when it has to wait.
pub fn lock(dir: &Path) -> Result<File> {
    create_dir(dir)?;
    let path = dir.join(".lock");
    let file = File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    if fs4::FileExt::try_lock(&file).is_err() {
        eprintln!("waiting for another run that uses {}", dir.display());
        fs4::FileExt::lock(&file).with_context(|| format!("cannot lock {}", path.display()))?;
    }
    Ok(file)
}
