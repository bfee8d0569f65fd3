//! The file that is written.

use std::fs::{self, Permissions};
use std::io::{ErrorKind, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::Result;
use crate::pieces::of;

/// Where the output shall be: there is nothing there, or a regular file, which is not the key.
pub struct Output<'a> {
    path: &'a Path,
    /// Those of the file that is replaced.
    permissions: Option<Permissions>,
}

impl<'a> Output<'a> {
    pub fn new(path: &'a Path, key_file: &Path) -> Result<Self> {
        let permissions = match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_file() => Some(metadata.permissions()),
            Ok(_) => return Err(of(path)("not a regular file, and is not replaced").into()),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(of(path)(error).into()),
        };
        // A key file without a path of its own, such as a pipe, cannot be replaced.
        if let (Ok(output), Ok(key)) = (path.canonicalize(), key_file.canonicalize())
            && output == key
        {
            return Err(of(path)("the key file, and is not replaced").into());
        }
        Ok(Self { path, permissions })
    }

    pub fn create(self) -> Result<Writer<'a>> {
        let folder = self.path.parent();
        let folder = folder.filter(|folder| *folder != Path::new(""));
        let file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        let file = file.map_err(of(self.path))?;
        Ok(Writer { output: self, file })
    }
}

/// A file that takes its place when it is kept.
pub struct Writer<'a> {
    output: Output<'a>,
    file: NamedTempFile,
}

impl Writer<'_> {
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.file.write_all(bytes).map_err(of(self.output.path))?)
    }

    pub fn keep(self) -> Result<()> {
        let Output { path, permissions } = self.output;
        let file = self.file.as_file();
        if let Some(permissions) = permissions {
            file.set_permissions(permissions).map_err(of(path))?;
        }
        file.sync_all().map_err(of(path))?;
        self.file.persist(path).map_err(of(path))?;
        Ok(())
    }
}
