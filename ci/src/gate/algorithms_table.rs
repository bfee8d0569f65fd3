//! The README's table of kernels is what src/asm has.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, ensure};
use clap::Args;

use super::{
    Report, Root,
    machine_code::source::{Function, functions},
    sources,
};
use crate::files;

const START: &str = "<!-- written by `cargo gate algorithms-table --write` -->\n";
const END: &str = "<!-- end of the table -->\n";

#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    root: Root,
    /// Writes the table instead of comparing it
    #[arg(long)]
    write: bool,
}

pub fn check(options: &Options) -> Result<Report> {
    let root = options.root.path()?;
    let mut kernels = Vec::new();
    for file in sources(&root, "src/asm", &["rs"])? {
        kernels.extend(functions(&file)?);
    }
    let mut report = Report::of("kernels of the table");
    report.checked = kernels.len();
    let path = root.join("README.md");
    let readme = String::from_utf8(files::read(&path)?).context("README.md")?;
    let expected = replaced(&readme, &table(&kernels)?)?;
    if options.write {
        files::write_whole(&path, expected.as_bytes())?;
    } else if readme != expected {
        let at = readme.lines().zip(expected.lines());
        let line = at.take_while(|(old, new)| old == new).count() + 1;
        report.refuse(
            format!("README.md:{line}"),
            "the table of kernels is stale: cargo gate algorithms-table --write",
        );
    }
    Ok(report)
}

/// The text with another table between the marks.
fn replaced(readme: &str, table: &str) -> Result<String> {
    let marks = "README.md does not have the marks of the table, once each and in order";
    let (before, rest) = readme.split_once(START).context(marks)?;
    let (old, after) = rest.split_once(END).context(marks)?;
    ensure!(
        ![before, old, after]
            .iter()
            .any(|part| part.contains(START) || part.contains(END)),
        marks
    );
    Ok([before, START, table, END, after].concat())
}

/// A row for each contract, a column for each architecture, in the cells the kernels and the CPU features that they need.
fn table(kernels: &[Function]) -> Result<String> {
    let mut rows: BTreeMap<&str, (&str, BTreeMap<&str, Vec<String>>)> = BTreeMap::new();
    let mut architectures = BTreeSet::new();
    for kernel in kernels {
        let mut path = kernel.name.split("::").skip(1);
        let (architecture, name) = (path.next(), path.last());
        let (architecture, name) = architecture.zip(name).context("a kernel's path")?;
        let what = kernel.doc.lines().next().unwrap_or_default().trim();
        let contract = between(&kernel.doc, "Meets `", "`")
            .with_context(|| format!("{} says no contract", kernel.name))?;
        let features: Vec<_> = kernel.features.iter().map(|f| format!("`{f}`")).collect();
        architectures.insert(architecture);
        let (_, cells) = rows
            .entry(contract)
            .or_insert_with(|| (what, BTreeMap::new()));
        let cell = cells.entry(architecture).or_default();
        let needs = if features.is_empty() {
            "every CPU".to_owned()
        } else {
            features.join(", ")
        };
        cell.push(format!("`{name}` ({needs})"));
    }
    let mut lines = vec![
        row(["contract", "what it does"]
            .into_iter()
            .chain(architectures.iter().copied())),
        row(std::iter::repeat_n("---", 2 + architectures.len())),
    ];
    for (contract, (what, cells)) in &rows {
        let contract = format!("`{contract}`");
        let cells = architectures.iter().map(|architecture| {
            let kernels = cells.get(architecture).map(|cell| cell.join(", "));
            kernels.unwrap_or_else(|| "none".to_owned())
        });
        let cells: Vec<_> = [contract, (*what).to_owned()]
            .into_iter()
            .chain(cells)
            .collect();
        lines.push(row(cells.iter().map(String::as_str)));
    }
    Ok(lines.concat())
}

fn row<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(before)?;
    Some(rest.split_once(after)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &str, contract: &str, features: &[&str]) -> Function {
        Function {
            name: name.into(),
            lines: vec![],
            features: features.iter().map(|&f| f.into()).collect(),
            table: None,
            doc: format!(" Does it.\n\n Meets `{contract}`; proven by `P`.\n"),
        }
    }

    #[test]
    fn every_kernel_is_in_its_cell() {
        let kernels = [
            kernel("asm::x86_64::a::vg_a", "Spec.A", &["sse2"]),
            kernel("asm::x86_64::a::vg_a_avx", "Spec.A", &["avx", "aes"]),
            kernel("asm::aarch64::a::vg_a", "Spec.A", &["neon"]),
            kernel("asm::x86_64::b::vg_b", "Spec.B", &[]),
        ];
        assert_eq!(
            table(&kernels).unwrap(),
            "| contract | what it does | aarch64 | x86_64 |\n\
             | --- | --- | --- | --- |\n\
             | `Spec.A` | Does it. | `vg_a` (`neon`) | `vg_a` (`sse2`), `vg_a_avx` (`avx`, `aes`) |\n\
             | `Spec.B` | Does it. | none | `vg_b` (every CPU) |\n"
        );
        let mut without = kernel("asm::x86_64::b::vg_b", "Spec.B", &[]);
        without.doc = "Does it.".into();
        assert!(table(&[without]).is_err());
    }

    #[test]
    fn only_what_is_between_the_marks_changes() {
        let readme = format!("a\n{START}old\n{END}b\n");
        let new = format!("a\n{START}new\n{END}b\n");
        assert_eq!(replaced(&readme, "new\n").unwrap(), new);
        for marks in ["", START, END, &format!("{END}{START}"), &readme.repeat(2)] {
            assert!(replaced(marks, "new\n").is_err(), "{marks}");
        }
    }
}
