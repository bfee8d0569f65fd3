//! The Lean programs `emitter/Cosim/<Architecture>.lean`, which evaluate the model, and what they write.

use std::{
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, ChildStdout, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};

use crate::{
    check::{self, Cache},
    files,
    gate::Root,
    lean::{Choice, Lean},
    modules::Graph,
};

#[derive(Debug, Args)]
pub struct ModelOptions {
    #[command(flatten)]
    pub root: Root,
    /// The Lean to use; by default the official toolchain if it is installed, else npm's
    #[arg(long, value_enum)]
    lean: Option<Choice>,
    /// Where checked modules are kept [default: target/lean/checked in the root]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// What random choices start from
    #[arg(long, default_value_t = 1)]
    pub seed: u32,
    /// Lean processes at the same time
    #[arg(short, long, default_value_t = 2)]
    pub jobs: usize,
}

/// The models of a project, checked, and the Lean that evaluates them.
pub struct Models {
    root: PathBuf,
    oleans: PathBuf,
    lean: Lean,
    /// The architectures that can be run, by the names of their folders in TCB.
    pub architectures: Vec<String>,
    /// Those of TCB that have no program to evaluate them.
    pub without_program: Vec<String>,
}

impl Models {
    pub fn open(options: &ModelOptions) -> Result<Self> {
        let root = options.root.path()?;
        let (mut architectures, mut without_program) = (Vec::new(), Vec::new());
        for name in folders(&root.join("TCB"))? {
            if root.join(format!("TCB/{name}/Isa.lean")).is_file() {
                if root.join(program(&name)).is_file() {
                    architectures.push(name);
                } else {
                    without_program.push(name);
                }
            }
        }
        let oleans = match &options.cache {
            Some(cache) => cache.clone(),
            None => root.join("target/lean/checked"),
        };
        files::create_dir(&oleans)?;
        let oleans = oleans.canonicalize()?;
        let lean = Lean::find(options.lean)?;
        let _lock = files::lock(&oleans)?;
        let names: Vec<_> = architectures
            .iter()
            .map(|a| format!("emitter.Cosim.{a}"))
            .collect();
        let graph = Graph::load(&root, &names, lean.identity())?;
        let cache = Cache::open(oleans.clone())?;
        check::check(&graph, &lean, &root, &cache, options.jobs)?;
        Ok(Self {
            root,
            oleans,
            lean,
            architectures,
            without_program,
        })
    }

    pub fn start(&self, architecture: &str, arguments: &[String]) -> Result<Running> {
        // The program writes to its standard output only: an empty folder is all that it may change.
        let nothing = self.oleans.join(".cosim");
        files::create_dir(&nothing)?;
        let mut child = self
            .lean
            .command(&nothing, &self.oleans)
            .current_dir(&self.root)
            .arg("--run")
            .arg(self.root.join(program(architecture)))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run Lean")?;
        let output = child.stdout.take().context("no stdout")?;
        Ok(Running {
            child,
            output: BufReader::with_capacity(1 << 16, output),
        })
    }
}

fn program(architecture: &str) -> String {
    format!("emitter/Cosim/{architecture}.lean")
}

fn folders(dir: &Path) -> Result<Vec<String>> {
    let entries =
        std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The first line.
#[derive(Debug, Deserialize)]
pub struct Machine {
    pub arch: String,
    /// What the runner has to know, and this tool not.
    pub components: serde_json::Value,
    pub memory: serde_json::Value,
    /// Directives that precede code.
    pub prologue: Vec<String>,
    /// Of the type of instructions.
    pub constructors: Vec<String>,
    pub forms: Vec<String>,
    samples: usize,
}

impl Machine {
    /// The constructors that no form begins with.
    pub fn uncovered(&self) -> Vec<&str> {
        let has_form = |c: &str| self.forms.iter().any(|f| f.split(' ').next() == Some(c));
        let all = self.constructors.iter().map(String::as_str);
        all.filter(|c| !has_form(c)).collect()
    }
}

/// An instruction, or a jump and its labels.
#[derive(Debug, Serialize, Deserialize)]
pub struct Sample {
    /// None for code that is printed and not run.
    pub form: Option<usize>,
    #[serde(default)]
    pub features: Vec<String>,
    pub lines: Vec<String>,
    /// Whether the text reads back as what was printed.
    pub read: Option<bool>,
    /// The text with operands exchanged, if Lean has a proof that it does the same.
    pub commuted: Option<String>,
}

/// A Lean program that writes.
pub struct Running {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Running {
    /// The machine and its instructions: what precedes the cases.
    pub fn head(&mut self) -> Result<(Machine, Vec<Sample>)> {
        let machine: Machine = self.line()?;
        let samples = (0..machine.samples)
            .map(|_| self.line())
            .collect::<Result<Vec<Sample>>>()?;
        let known = |s: &Sample| s.form.is_some_and(|f| f < machine.forms.len());
        ensure!(samples.iter().all(known), "an instruction has no form");
        Ok((machine, samples))
    }

    /// The samples up to the end.
    pub fn rest(&mut self) -> Result<Vec<Sample>> {
        let mut text = String::new();
        self.output.read_to_string(&mut text)?;
        let lines = text.lines();
        lines.map(|l| Ok(serde_json::from_str(l)?)).collect()
    }

    fn line<T: for<'a> Deserialize<'a>>(&mut self) -> Result<T> {
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("Lean ended early");
        }
        serde_json::from_str(&line).with_context(|| format!("Lean wrote {}", line.trim()))
    }

    pub fn cases(&mut self) -> &mut impl Read {
        &mut self.output
    }

    pub fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        ensure!(status.success(), "the Lean program failed ({status})");
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended, or nobody will read what it writes.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
