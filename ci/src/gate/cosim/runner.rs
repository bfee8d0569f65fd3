//! The program `cosim/`, which runs instructions on the processor.

use std::{
    io::{self, BufWriter, Read, Write},
    process::Stdio,
};

use anyhow::{Context, Result, bail, ensure};
use leanseal_cosim::protocol::{Answer, Instruction, Job, Outcome};

use super::{
    assemble::Code,
    model::{Machine, Sample},
    platform::Platform,
};

/// Builds it.
pub fn build(platform: &Platform) -> Result<()> {
    let status = platform.runner("build").status();
    let status = status.context("cannot run cargo")?;
    ensure!(status.success(), "the runner does not build");
    Ok(())
}

/// Runs the cases on the processor.
pub fn run(
    platform: &Platform,
    machine: &Machine,
    samples: &[Sample],
    code: &[Code],
    cases: &mut impl Read,
) -> Result<Outcome> {
    let instructions: Vec<_> = samples
        .iter()
        .zip(code)
        .map(|(sample, code)| {
            let length = code.target.unwrap_or(code.next);
            Instruction {
                code: hex::encode(&code.code.bytes[..length]),
                next: code.next,
                target: code.target,
                features: sample.features.clone(),
                progress: sample.form.map_or_else(String::new, |form| {
                    let (arch, of) = (&machine.arch, machine.forms.len());
                    format!("{arch}: form {} of {of}", form + 1)
                }),
            }
        })
        .collect();
    let job = Job {
        components: machine.components.clone(),
        memory: machine.memory.clone(),
        instructions,
    };
    let job = serde_json::to_string(&job)?;
    let mut child = platform
        .runner("run")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let mut input = BufWriter::new(child.stdin.take().context("no stdin")?);
    let sent = (|| {
        writeln!(input, "{job}")?;
        io::copy(cases, &mut input)?;
        input.flush()
    })();
    drop(input);
    let output = child.wait_with_output()?;
    ensure!(
        output.status.success(),
        "the runner failed ({})",
        output.status
    );
    match serde_json::from_slice(&output.stdout).context("the runner's output")? {
        Answer::Fault { fault, signal } => {
            let text = samples.get(fault).map(|s| s.lines.join("; "));
            bail!(
                "`{}` faults on the processor with signal {signal}, and not in the model",
                text.unwrap_or_default()
            )
        }
        Answer::Outcome(outcome) => {
            sent.context("the cases were not sent")?;
            let lengths = [
                outcome.run.len(),
                outcome.failed.len(),
                outcome.lacking.len(),
            ];
            ensure!(
                lengths.iter().all(|&l| l == samples.len()),
                "the runner's output does not match its input"
            );
            Ok(outcome)
        }
    }
}
