//! The model of the processor against the processor.
//!
//! Lean evaluates the model on every form of every instruction, from edge and random states, and a program of this workspace
//! runs the printed instruction from the same states and compares all that is left.

pub mod assemble;
pub mod model;
pub mod platform;
mod runner;

use std::{collections::BTreeSet, thread};

use anyhow::{Context, Result, ensure};
use clap::Args;
use leanseal_cosim::protocol::Outcome;

use super::Report;
use model::{Machine, Models, Sample};
use platform::Platform;

#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    model: model::ModelOptions,
    /// Cases of each form
    #[arg(long, default_value_t = 1000)]
    cases: u64,
}

/// The result of a part of the forms.
struct Part {
    machine: Machine,
    samples: Vec<Sample>,
    outcome: Outcome,
}

/// What is known of a form.
#[derive(Default)]
struct Tally {
    instructions: u64,
    run: u64,
    failed: u64,
    lacking: BTreeSet<String>,
    linked: bool,
}

pub fn check(options: &Options) -> Result<Report> {
    let mut report = Report::of("forms of instructions");
    ensure!(options.cases > 0, "no cases");
    let models = Models::open(&options.model)?;
    for architecture in &models.architectures {
        let platform = Platform::of(&architecture.to_lowercase())?;
        runner::build(&platform)?;
        let jobs = options.model.program.jobs.max(1);
        let parts: Vec<Result<Part>> = thread::scope(|scope| {
            let runs: Vec<_> = (0..jobs)
                .map(|i| {
                    let (models, platform) = (&models, &platform);
                    scope.spawn(move || part(options, models, architecture, platform, i, jobs))
                })
                .collect();
            let ended = |run: thread::ScopedJoinHandle<_>| {
                run.join()
                    .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread ended")))
            };
            runs.into_iter().map(ended).collect()
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        conclude(options, architecture, &platform, &parts, &mut report)?;
    }
    Ok(report)
}

fn part(
    options: &Options,
    models: &Models,
    architecture: &str,
    platform: &Platform,
    index: usize,
    of: usize,
) -> Result<Part> {
    let mut arguments = vec!["cases".to_owned()];
    arguments.extend([options.cases, options.model.seed.into()].map(|n| n.to_string()));
    arguments.extend([index, of].map(|n| n.to_string()));
    let mut lean = models.start(architecture, &arguments)?;
    let (machine, samples) = lean.head()?;
    ensure!(
        machine.arch == architecture.to_lowercase(),
        "{architecture} prints for {}",
        machine.arch
    );
    let code = assemble::assemble(platform, &samples)?;
    let outcome = runner::run(platform, &machine, &samples, &code, lean.cases())?;
    lean.finish()?;
    Ok(Part {
        machine,
        samples,
        outcome,
    })
}

fn conclude(
    options: &Options,
    architecture: &str,
    platform: &Platform,
    parts: &[Part],
    report: &mut Report,
) -> Result<()> {
    let machine = &parts.first().context("no parts")?.machine;
    for constructor in machine.uncovered() {
        report.refuse(architecture, format!("no form of {constructor}"));
    }
    let mut tallies: Vec<Tally> = machine.forms.iter().map(|_| Tally::default()).collect();
    for part in parts {
        let outcome = &part.outcome;
        for (i, sample) in part.samples.iter().enumerate() {
            if let Some(tally) = sample.form.and_then(|form| tallies.get_mut(form)) {
                tally.instructions += 1;
                tally.run += outcome.run[i];
                tally.linked |= sample.linked;
                tally.failed += outcome.failed[i];
                tally.lacking.extend(outcome.lacking[i].iter().cloned());
            }
        }
        for difference in &outcome.differences {
            let text = part.samples.get(difference.instruction);
            let text = text.map(|s| s.lines.join("; ")).unwrap_or_default();
            eprintln!(
                "{architecture}: {text}: {}: model {}, processor {}; before: {}",
                difference.what, difference.model, difference.processor, difference.before
            );
        }
    }
    println!(
        "{architecture}, seed {}, on {}",
        options.model.seed,
        platform.processor()
    );
    println!(
        "{:>12} {:>10} {:>10}  form",
        "instructions", "cases", "passed"
    );
    let mut not_run = 0;
    for (form, tally) in machine.forms.iter().zip(&tallies) {
        let passed = tally.run - tally.failed;
        let (instructions, run) = (tally.instructions, tally.run);
        if tally.linked && run == 0 {
            println!(
                "{instructions:>12} {:>10} {:>10}  {form}: the linker fills in the address; the gates printer and machine-code check which",
                "NOT RUN", "-"
            );
            not_run += 1;
            continue;
        }
        if !tally.lacking.is_empty() && run == 0 {
            let lacking: Vec<_> = tally.lacking.iter().map(String::as_str).collect();
            let lacking = lacking.join(", ");
            println!(
                "{instructions:>12} {:>10} {:>10}  {form}: lacks {lacking}",
                "NOT RUN", "-"
            );
            not_run += 1;
            continue;
        }
        println!("{instructions:>12} {run:>10} {passed:>10}  {form}");
        if run != options.cases {
            report.refuse(form, format!("{run} cases, not {}", options.cases));
        } else if tally.failed > 0 {
            report.refuse(form, format!("{} of {run} cases differ", tally.failed));
        } else {
            report.checked += 1;
        }
    }
    let constructors = machine.constructors.len();
    println!(
        "{architecture}: {} forms of {constructors} constructors and of all jumps, {not_run} of them NOT RUN",
        tallies.len()
    );
    let left_out: BTreeSet<_> = parts.iter().flat_map(|p| &p.outcome.not_compared).collect();
    for what in left_out {
        println!("{architecture}: NOT COMPARED: {what}");
    }
    Ok(())
}
