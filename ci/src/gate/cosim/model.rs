//! The Lean programs `emitter/Cosim/<Architecture>.lean`, which evaluate the model, and what they write.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, ChildStdout, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use leanseal_cosim::protocol::{Area, Component};
use serde::{Deserialize, Serialize};

use crate::gate::program::{ProgramOptions, Programs};

#[derive(Debug, Args)]
pub struct ModelOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// Only this architecture, as its folder in TCB is named
    #[arg(long, value_name = "NAME")]
    arch: Option<String>,
    /// What random choices start from
    #[arg(long, default_value_t = 1)]
    pub seed: u32,
}

/// The models of a project, checked, and the Lean that evaluates them.
pub struct Models {
    programs: Programs,
    /// The architectures that can be run, by the names of their folders in TCB.
    pub architectures: Vec<String>,
}

impl Models {
    pub fn open(options: &ModelOptions) -> Result<Self> {
        let root = options.program.root.path()?;
        let mut architectures = Vec::new();
        for name in folders(&root.join("TCB"))? {
            let wanted = options.arch.as_ref().is_none_or(|arch| *arch == name);
            if wanted && root.join(format!("TCB/{name}/Isa.lean")).is_file() {
                let program = format!("emitter/Cosim/{name}.lean");
                ensure!(root.join(&program).is_file(), "{name} has no {program}");
                architectures.push(name);
            }
        }
        let modules: Vec<_> = architectures.iter().map(|a| module(a)).collect();
        Ok(Self {
            programs: Programs::open(&options.program, &modules)?,
            architectures,
        })
    }

    pub fn start(&self, architecture: &str, arguments: &[String]) -> Result<Running> {
        let mut child = self
            .programs
            .command(&module(architecture))?
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

fn module(architecture: &str) -> String {
    format!("emitter.Cosim.{architecture}")
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
    pub components: Vec<Component>,
    pub memory: Area,
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
    /// Directives that precede code with these features.
    pub prologue: Vec<String>,
    pub lines: Vec<String>,
    /// Whether the text reads back as what was printed.
    pub read: Option<bool>,
    /// Whether the linker fills in a part of it.
    #[serde(default)]
    pub linked: bool,
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
