//! The specifications against the test vectors of the standards.
//!
//! The files in `tests/vectors` are those that came from where their table says, and Lean evaluates `Spec` on them.

mod provenance;
mod questions;

use std::{io::Write, path::Path, process::Stdio};

use anyhow::{Context, Result, bail, ensure};

use super::{
    Report,
    program::{ProgramOptions, Programs},
};
use crate::files;
use questions::{Question, Vectors};

const FOLDER: &str = "tests/vectors";
const PROGRAM: &str = "emitter.Vectors";

/// The files that this gate evaluates the specifications on; tests use the others.
const EVALUATED: [&str; 3] = ["fips197.json", "gcm-spec.json", "sp800-38a-ctr.json"];

pub fn check(options: &ProgramOptions) -> Result<Report> {
    let root = options.root.path()?;
    let mut report = Report::of("values of test vectors");
    provenance::check(&root, &mut report)?;
    let mut questions = Vec::new();
    for name in EVALUATED {
        let found = read(&root, name)?.questions(name);
        let found = found.with_context(|| format!("{FOLDER}/{name}"))?;
        ensure!(!found.is_empty(), "{FOLDER}/{name}: no test vectors");
        println!("{name}: {} values", found.len());
        questions.extend(found);
    }
    let programs = Programs::open(options, &[PROGRAM.to_owned()])?;
    for (question, answer) in questions.iter().zip(&answers(&programs, &questions)?) {
        if *answer == question.expected {
            report.checked += 1;
        } else {
            let why = format!("Spec says {answer}, not {}", question.expected);
            report.refuse(&question.place, why);
        }
    }
    Ok(report)
}

fn read(root: &Path, name: &str) -> Result<Vectors> {
    let bytes = files::read(&root.join(FOLDER).join(name))?;
    serde_json::from_slice(&bytes).with_context(|| format!("{FOLDER}/{name}"))
}

/// What Lean answers, in order.
fn answers(programs: &Programs, questions: &[Question]) -> Result<Vec<String>> {
    let mut lean = programs
        .command(PROGRAM)?
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run Lean")?;
    let mut input = lean.stdin.take().context("no stdin")?;
    let text: String = questions.iter().map(|q| format!("{}\n", q.line)).collect();
    // From a thread of its own: Lean answers while it reads. An error here means that Lean ended, which is found below.
    let writer = std::thread::spawn(move || drop(input.write_all(text.as_bytes())));
    let output = lean.wait_with_output()?;
    if writer.join().is_err() {
        bail!("a thread ended");
    }
    let answers = String::from_utf8(output.stdout).context("what Lean wrote")?;
    let answers: Vec<_> = answers.lines().map(str::to_owned).collect();
    ensure!(
        output.status.success() && answers.len() == questions.len(),
        "Lean answered {} of {} questions ({})",
        answers.len(),
        questions.len(),
        output.status
    );
    Ok(answers)
}
