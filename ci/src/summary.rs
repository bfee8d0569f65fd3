//! What `cargo verify` says at the end.

use std::{
    collections::BTreeSet,
    fmt::{self, Write as _},
    path::Path,
    time::Duration,
};

use anyhow::Result;

use crate::{emission::Report, source_lines};

pub struct Summary<'a> {
    pub lean: String,
    /// If not, the axioms of the theorems in Lean's library are not known.
    pub library_has_proofs: bool,
    pub modules: usize,
    pub checked_now: usize,
    pub report: &'a Report,
    /// Folder and lines.
    pub lines: Vec<(&'static str, usize)>,
    pub asm: String,
    pub time: Duration,
}

/// The folders whose lines are worth knowing: what must be read, and what must not.
pub fn count_lines(root: &Path) -> Result<Vec<(&'static str, usize)>> {
    ["TCB", "Spec", "Impl", "Proof"]
        .into_iter()
        .map(|f| Ok((f, source_lines::count(root, f)?)))
        .collect()
}

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report {
            artifacts,
            theorems,
            replayed,
            library,
        } = self.report;
        let width = artifacts
            .iter()
            .map(|a| a.name.len())
            .max()
            .unwrap_or(0)
            .max("artifact".len());
        writeln!(
            f,
            "{:width$}  {:8}  {:>12}  features",
            "artifact", "arch", "instructions"
        )?;
        for a in artifacts {
            let features = if a.features.is_empty() {
                "baseline".to_owned()
            } else {
                a.features.join(", ")
            };
            writeln!(
                f,
                "{:width$}  {:8}  {:>12}  {features}",
                a.name, a.arch, a.instructions
            )?;
        }
        writeln!(f)?;
        let axioms: BTreeSet<_> = artifacts
            .iter()
            .flat_map(|a| &a.axioms)
            .map(String::as_str)
            .collect();
        let mut axioms = axioms.into_iter().collect::<Vec<_>>().join(", ");
        if axioms.is_empty() {
            axioms.push_str("none");
        }
        if !self.library_has_proofs {
            axioms.push_str(
                "; Lean's library is taken as it is: npm's package has no proofs of its theorems",
            );
        }
        let mut lines = String::new();
        for (folder, count) in &self.lines {
            write!(lines, "{folder} {count}, ")?;
        }
        for (what, value) in [
            ("Lean", self.lean.clone()),
            (
                "modules",
                format!(
                    "{} ({} checked now, {} unchanged)",
                    self.modules,
                    self.checked_now,
                    self.modules - self.checked_now
                ),
            ),
            ("theorems", theorems.to_string()),
            ("axioms", axioms),
            (
                "replayed",
                format!(
                    "{replayed} project constants through the kernel, on {library} of Lean's library"
                ),
            ),
            ("lines", format!("{lines}neither blank nor comment")),
            ("src/asm", self.asm.clone()),
            ("time", format!("{:.1} s", self.time.as_secs_f64())),
        ] {
            writeln!(f, "{what:9} {value}")?;
        }
        Ok(())
    }
}
