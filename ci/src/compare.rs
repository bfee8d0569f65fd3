//! Compares a folder with what it should be, and makes it so.

use std::{
    collections::BTreeSet,
    fmt, fs,
    path::{Path, PathBuf},
};

use anyhow::Result;
use similar::TextDiff;
use walkdir::WalkDir;

use crate::files;

/// A file that is not as it should be; its path is relative to the folder.
#[derive(Debug, PartialEq, Eq)]
pub enum Difference {
    Missing(PathBuf),
    Extra(PathBuf),
    /// With a unified diff from what is there to what should be.
    Differs(PathBuf, String),
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(path) => writeln!(f, "missing: {}", path.display()),
            Self::Extra(path) => writeln!(f, "not printed by Lean: {}", path.display()),
            Self::Differs(path, diff) => write!(f, "differs: {}\n{diff}", path.display()),
        }
    }
}

pub fn compare(actual: &Path, expected: &Path) -> Result<Vec<Difference>> {
    let (there, wanted) = (tree(actual)?, tree(expected)?);
    let mut found = Vec::new();
    for path in there.union(&wanted) {
        if !there.contains(path) {
            found.push(Difference::Missing(path.clone()));
        } else if !wanted.contains(path) {
            found.push(Difference::Extra(path.clone()));
        } else {
            let (old, new) = (
                files::read(&actual.join(path))?,
                files::read(&expected.join(path))?,
            );
            if old != new {
                found.push(Difference::Differs(path.clone(), diff(&old, &new)));
            }
        }
    }
    Ok(found)
}

/// Makes `actual` equal to `expected`, file by file, and returns what was different.
pub fn update(actual: &Path, expected: &Path) -> Result<Vec<Difference>> {
    let differences = compare(actual, expected)?;
    for difference in &differences {
        match difference {
            Difference::Missing(path) | Difference::Differs(path, _) => {
                files::write_whole(&actual.join(path), &files::read(&expected.join(path))?)?;
            }
            Difference::Extra(path) => {
                files::remove(&actual.join(path))?;
                // Fails for the first folder that still has something in it.
                let folders = path
                    .ancestors()
                    .skip(1)
                    .filter(|p| !p.as_os_str().is_empty());
                let _ = folders
                    .map(|p| fs::remove_dir(actual.join(p)))
                    .find(Result::is_err);
            }
        }
    }
    Ok(differences)
}

/// The files under a folder; none if there is no folder.
fn tree(dir: &Path) -> Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    if dir.exists() {
        for entry in WalkDir::new(dir) {
            let entry = entry?;
            if !entry.file_type().is_dir() {
                found.insert(entry.path().strip_prefix(dir)?.to_owned());
            }
        }
    }
    Ok(found)
}

fn diff(old: &[u8], new: &[u8]) -> String {
    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
    let diff = TextDiff::from_lines(old.as_ref(), new.as_ref());
    diff.unified_diff()
        .header("as it is", "as Lean prints it")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            crate::files::write_whole(&dir.path().join(path), text.as_bytes()).unwrap();
        }
        dir
    }

    #[test]
    fn equal_folders_have_no_difference() {
        let (a, b) = (folder(&[("x/y.rs", "1\n")]), folder(&[("x/y.rs", "1\n")]));
        assert_eq!(compare(a.path(), b.path()).unwrap(), []);
    }

    #[test]
    fn each_kind_of_difference_is_found_and_removed() {
        let actual = folder(&[
            ("same", "s"),
            ("x/old/extra", ""),
            ("x/changed", "one\ntwo\nthree\n"),
        ]);
        let expected = folder(&[
            ("same", "s"),
            ("x/changed", "one\n2\nthree\n"),
            ("new/missing", "m"),
        ]);
        let found = compare(actual.path(), expected.path()).unwrap();
        let text: String = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.len(), 3);
        assert!(text.contains("missing: new/missing\n"), "{text}");
        assert!(
            text.contains("not printed by Lean: x/old/extra\n"),
            "{text}"
        );
        assert!(text.contains("differs: x/changed\n"), "{text}");
        assert!(text.contains(" one\n-two\n+2\n three\n"), "{text}");

        assert_eq!(update(actual.path(), expected.path()).unwrap(), found);
        assert_eq!(compare(actual.path(), expected.path()).unwrap(), []);
        assert!(!actual.path().join("x/old").exists());
    }

    #[test]
    fn a_folder_that_is_not_there_misses_every_file() {
        let expected = folder(&[("a", "")]);
        let found = compare(&expected.path().join("none"), expected.path()).unwrap();
        assert_eq!(found, [Difference::Missing("a".into())]);
    }
}
