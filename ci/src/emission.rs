//! Runs the project's own Lean program that audits every artifact and prints it: `emitter/Main.lean`.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use walkdir::WalkDir;

use crate::{
    check::{Cache, Checked},
    files::{self, Hash},
    lean::Lean,
    modules::Graph,
};

pub const EMITTER: &str = "emitter.Main";
/// The emitter refuses an artifact that rests on any other; so does this tool.
const AXIOMS: [&str; 3] = ["Classical.choice", "Quot.sound", "propext"];

/// What the emitter says about what it printed.
#[derive(Debug, Deserialize)]
pub struct Report {
    pub artifacts: Vec<Artifact>,
    /// Theorems of the project.
    pub theorems: usize,
    /// Constants of the project that went through the kernel again.
    pub replayed: usize,
    /// Constants of Lean's library that these rest on.
    pub library: usize,
}

#[derive(Debug, Deserialize)]
pub struct Artifact {
    pub name: String,
    pub arch: String,
    pub file: PathBuf,
    pub instructions: usize,
    pub features: Vec<String>,
    pub axioms: BTreeSet<String>,
}

#[derive(Debug)]
pub struct Emission {
    /// What `src/asm` must be.
    pub asm: PathBuf,
    pub report: Report,
}

impl Emission {
    /// Audits and prints all artifacts, unless that was done for the modules as they are. All modules must be checked.
    pub fn run(
        graph: &Graph,
        checked: &Checked,
        lean: &Lean,
        root: &Path,
        cache: &Cache,
    ) -> Result<Self> {
        let artifacts: Vec<_> = graph
            .0
            .iter()
            .filter(|m| m.name.starts_with("Artifacts."))
            .collect();
        ensure!(!artifacts.is_empty(), "there is no module under Artifacts");
        let Some(emitter) = graph.0.iter().find(|m| m.name == EMITTER) else {
            bail!("there is no module {EMITTER}");
        };
        checked.still_there(graph, cache)?;
        let mut key = Hash::default().part(&emitter.key);
        for module in &artifacts {
            key = key.part(&module.key);
        }
        for olean in &checked.oleans {
            key = key.part(olean);
        }
        let key = key.hex();
        let oleans = cache.dir();
        let dir = oleans.join(".emitted");
        if let Ok(emission) = Self::open(&dir, &key) {
            return Ok(emission);
        }
        let aside = oleans.join(".emitted.part");
        files::remove(&aside)?;
        files::create_dir(&aside)?;
        eprintln!(
            "auditing and printing {} modules of artifacts",
            artifacts.len()
        );
        let status = lean
            .command(&aside, oleans)
            .current_dir(&aside)
            .arg("--run")
            .arg(root.join(&emitter.path))
            .arg(&aside)
            .args(artifacts.iter().map(|m| &m.name))
            .status()
            .context("cannot run Lean")?;
        ensure!(status.success(), "the emitter refused ({status})");
        files::write_whole(
            &aside.join("key"),
            format!("{key} {}", content_hash(&aside)?).as_bytes(),
        )?;
        files::remove(&dir)?;
        files::rename(&aside, &dir)?;
        Self::open(&dir, &key)
    }

    fn open(dir: &Path, key: &str) -> Result<Self> {
        let recorded = fs::read_to_string(dir.join("key"))?;
        ensure!(
            recorded == format!("{key} {}", content_hash(dir)?),
            "not the emission of these modules"
        );
        let path = dir.join("report.json");
        let report: Report = serde_json::from_slice(&files::read(&path)?)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let asm = dir.join("asm");
        ensure!(
            !report.artifacts.is_empty(),
            "the emitter printed no artifact"
        );
        for artifact in &report.artifacts {
            ensure!(
                asm.join(&artifact.file).is_file(),
                "{} was not printed",
                artifact.file.display()
            );
            if let Some(axiom) = artifact
                .axioms
                .iter()
                .find(|a| !AXIOMS.contains(&a.as_str()))
            {
                bail!("{} rests on the axiom {axiom}", artifact.name);
            }
        }
        Ok(Self { asm, report })
    }
}

fn content_hash(dir: &Path) -> Result<String> {
    let mut hash = Hash::default().part(files::read(&dir.join("report.json"))?);
    for entry in WalkDir::new(dir.join("asm")).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let name = entry.path().strip_prefix(dir)?.to_string_lossy();
            hash = hash.part(name.as_bytes()).part(files::read(entry.path())?);
        }
    }
    Ok(hash.hex())
}
