//! Where each file of test vectors came from, and that it is as it came.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use walkdir::WalkDir;

use super::{EVALUATED, FOLDER};
use crate::{
    files,
    gate::{Report, sources},
};

const TABLE: &str = "README.md";
const HEADER: &str = "| file | source | date | sha256 |";

/// A row of the table.
#[derive(Debug)]
struct Row {
    source: String,
    date: String,
    sha256: String,
}

/// Refuses a file without a row that describes it or that nothing uses, and a row without a file.
pub fn check(root: &Path, report: &mut Report) -> Result<()> {
    let folder = root.join(FOLDER);
    let table = files::read(&folder.join(TABLE))?;
    let mut rows = rows(&String::from_utf8(table)?)
        .with_context(|| format!("{FOLDER}/{TABLE} has no table with the header {HEADER}"))?;
    let tests = sources(root, "tests", &["rs"])?;
    for entry in WalkDir::new(&folder).sort_by_file_name() {
        let entry = entry?;
        let name = entry.path().strip_prefix(&folder)?.to_string_lossy();
        if !entry.file_type().is_file() || name == TABLE {
            continue;
        }
        let place = format!("{FOLDER}/{name}");
        match rows.remove(name.as_ref()) {
            None => report.refuse(&place, format!("has no row in {TABLE}")),
            Some(row) => {
                let found = hex::encode(Sha256::digest(files::read(entry.path())?));
                if row.sha256 != found {
                    report.refuse(&place, format!("has the hash {found}, not that of {TABLE}"));
                }
                if row.source.is_empty() || !is_date(&row.date) {
                    report.refuse(&place, format!("has no source and date in {TABLE}"));
                }
            }
        }
        let literal = format!("{name}\"");
        if !EVALUATED.contains(&name.as_ref()) && !tests.iter().any(|t| t.text.contains(&literal)) {
            report.refuse(&place, "nothing uses it");
        }
    }
    for name in rows.keys() {
        report.refuse(format!("{FOLDER}/{TABLE}"), format!("there is no {name}"));
    }
    Ok(())
}

/// The rows by the names of their files; what has not four columns has no hash and is refused for that.
fn rows(text: &str) -> Option<BTreeMap<String, Row>> {
    let mut lines = text.lines().skip_while(|line| *line != HEADER);
    lines.next()?;
    let table = lines.skip(1).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let mut cells = line
            .trim_matches('|')
            .split('|')
            .map(|c| c.trim().to_owned());
        let mut cell = || cells.next().unwrap_or_default();
        let (file, source, date, sha256) = (cell(), cell(), cell(), cell());
        let row = Row {
            source,
            date,
            sha256,
        };
        (file, row)
    };
    Some(table.map(row).collect())
}

/// Year, month and day.
fn is_date(text: &str) -> bool {
    let parts: Vec<_> = text.split('-').collect();
    let digits =
        |part: &&str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    matches!(&parts[..], [y, m, d] if digits(y, 4) && digits(m, 2) && digits(d, 2))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// The hash of "{}".
    const HASH: &str = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a";

    fn violations(table: &str, files: &[(&str, &str)]) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        let table = format!("# Vectors\n\n{HEADER}\n| --- | --- | --- | --- |\n{table}\n");
        fs::write(folder.join(TABLE), table).unwrap();
        for (path, text) in files {
            fs::write(folder.join(path), text).unwrap();
        }
        let mut report = Report::default();
        check(dir.path(), &mut report).unwrap();
        report.violations
    }

    #[test]
    fn a_file_has_a_row_with_source_date_and_hash() {
        let name = EVALUATED[0];
        let file = (name, "{}");
        let row = |rest: &str| violations(&format!("| {name} | {rest} |"), &[file]);
        assert_eq!(row(&format!("NIST | 2026-11-30 | {HASH}")), [""; 0]);
        let missing = format!("tests/vectors/{name}: has no source and date in README.md");
        for rest in ["NIST | | ", "| 2026-11-30 |", "NIST | November | "] {
            assert_eq!(row(&format!("{rest}{HASH}"))[0], missing, "{rest}");
        }
        let wrong = format!("tests/vectors/{name}: has the hash {HASH}, not that of README.md");
        for rest in ["NIST | 2026-11-30 | 44136f", "NIST | 2026-11-30"] {
            assert_eq!(row(rest), [&*wrong], "{rest}");
        }
        let unknown = format!("tests/vectors/{name}: has no row in README.md");
        assert_eq!(violations("", &[file]), [unknown]);
    }

    #[test]
    fn a_row_has_a_file() {
        let row = format!("| gone.json | NIST | 2026-11-30 | {HASH} |");
        let gone = "tests/vectors/README.md: there is no gone.json";
        assert_eq!(violations(&row, &[]), [gone]);
    }

    #[test]
    fn a_file_is_used() {
        let row = format!("| other.json | NIST | 2026-11-30 | {HASH} |");
        let file = ("other.json", "{}");
        let unused = "tests/vectors/other.json: nothing uses it";
        assert_eq!(violations(&row, &[file]), [unused]);
        let test = ("../other.rs", "include_str!(\"vectors/other.json\")");
        assert_eq!(violations(&row, &[file, test]), [""; 0]);
        let test = ("../other.rs", "// other.json");
        assert_eq!(violations(&row, &[file, test]), [unused]);
    }

    #[test]
    fn a_folder_without_a_table_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        assert!(check(dir.path(), &mut Report::default()).is_err());
        let folder = dir.path().join(FOLDER);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(TABLE), "no table").unwrap();
        assert!(check(dir.path(), &mut Report::default()).is_err());
    }
}
