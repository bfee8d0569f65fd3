//! Runs the cases.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::{
    cpu::{self, Cpu},
    fault,
    memory::{self, Playground},
    protocol::{Difference, Instruction, Job, Outcome, State, next_case, number, outcome_of_case},
};

/// How many differences are described; all are counted.
const DESCRIBED: usize = 20;

/// How often progress is shown.
const PROGRESS: Duration = Duration::from_secs(10);

/// `has` says whether the processor has a feature; none for what is no feature.
pub fn run(input: impl Read, mut output: impl Write, has: fn(&str) -> Option<bool>) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let job: Job = serde_json::from_str(&line).context("the first line is no job")?;
    let cpu = Cpu::new(&job.components)?;
    let mut outcome = Outcome {
        run: vec![0; job.instructions.len()],
        failed: vec![0; job.instructions.len()],
        lacking: lacking(&job.instructions, has)?,
        not_compared: cpu.not_compared(),
        ..Outcome::default()
    };
    let code = Code::place(&job.instructions)?;
    let mut playground = Playground::map(&job.memory)?;
    fault::report_faults()?;

    let start = Instant::now();
    let mut shown = start;
    let mut model = State::new(&job)?;
    while let Some(index) = next_case(&mut input, &mut model)? {
        let entry = code.entry(index).context("no such instruction")?;
        let before = model.clone();
        let jumps = outcome_of_case(&mut input, &mut model)?;
        if shown.elapsed() >= PROGRESS {
            let progress = &job.instructions[index].progress;
            eprintln!("{progress}, {} s", start.elapsed().as_secs());
            shown = Instant::now();
        }
        if !outcome.lacking[index].is_empty() {
            continue;
        }
        fault::RUNNING.store(index, Ordering::Relaxed);
        playground.load(&before)?;
        // SAFETY: `entry` is code that goes on at one of the exits, and what it touches is in `playground`, or it faults.
        let jumped = unsafe { cpu.run(entry, &before) };
        outcome.run[index] += 1;
        let differences = differences(&cpu, &job, &model, jumps, jumped, &mut playground)?;
        if !differences.is_empty() {
            outcome.failed[index] += 1;
        }
        for (what, model, processor) in differences {
            if outcome.differences.len() < DESCRIBED {
                outcome.differences.push(Difference {
                    instruction: index,
                    what,
                    model,
                    processor,
                    before: describe(&job, &before),
                });
            }
        }
    }
    ensure!(
        input.read(&mut [0])? == 0,
        "something follows after the end mark"
    );
    serde_json::to_writer(&mut output, &outcome)?;
    writeln!(output)?;
    Ok(())
}

fn lacking(
    instructions: &[Instruction],
    has: fn(&str) -> Option<bool>,
) -> Result<Vec<Vec<String>>> {
    let mut all = Vec::new();
    for instruction in instructions {
        let mut lacking = Vec::new();
        for feature in &instruction.features {
            // What nobody looks for would be lacking everywhere, and its forms never run.
            if !has(feature).with_context(|| format!("{feature}: no such feature"))? {
                lacking.push(feature.clone());
            }
        }
        all.push(lacking);
    }
    Ok(all)
}

/// What is different: its name, and what the model and the processor say.
fn differences(
    cpu: &Cpu,
    job: &Job,
    model: &State,
    jumps: bool,
    jumped: bool,
    playground: &mut Playground,
) -> Result<Vec<(String, String, String)>> {
    let mut found = Vec::new();
    if jumps != jumped {
        found.push(("jumps".to_owned(), jumps.to_string(), jumped.to_string()));
    }
    for (i, component) in job.components.iter().enumerate() {
        if let Some((model, processor)) = cpu.difference(i, model.component(i)) {
            found.push((component.name.clone(), model, processor));
        }
    }
    if let Some((address, model, processor)) = playground.difference(model)? {
        let text = |byte: u8| format!("{byte:02x}");
        found.push((
            format!("memory at {address:#x}"),
            text(model),
            text(processor),
        ));
    }
    Ok(found)
}

fn describe(job: &Job, state: &State) -> String {
    let mut text = format!("window {:#x}", state.window);
    for (i, component) in job.components.iter().enumerate() {
        let number = number(state.component(i));
        if number != "0" {
            // Writing to a String cannot fail.
            let _ = write!(text, ", {} {number}", component.name);
        }
    }
    text
}

/// All instructions in executable memory, each followed by a jump to an exit.
struct Code {
    entries: Vec<usize>,
}

const ALIGN: usize = 16;

impl Code {
    fn place(instructions: &[Instruction]) -> Result<Self> {
        let mut code = Vec::new();
        let mut entries = Vec::new();
        for instruction in instructions {
            let bytes = hex::decode(&instruction.code)?;
            let (next, target) = (instruction.next, instruction.target);
            ensure!(
                next <= bytes.len() && target.is_none_or(|t| t == bytes.len()),
                "an instruction and its code do not match"
            );
            entries.push(code.len());
            code.extend_from_slice(&bytes[..next]);
            code.extend_from_slice(&cpu::jump(cpu::exit(false)));
            if let Some(target) = target {
                let start = entries.last().copied().unwrap_or_default() + target;
                ensure!(code.len() <= start, "a jump that is too short");
                code.resize(start, 0);
                code.extend_from_slice(&cpu::jump(cpu::exit(true)));
            }
            code.resize(code.len().next_multiple_of(ALIGN), 0);
        }
        let start = memory::executable(&code)?;
        entries.iter_mut().for_each(|entry| *entry += start);
        Ok(Self { entries })
    }

    fn entry(&self, instruction: usize) -> Option<usize> {
        self.entries.get(instruction).copied()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(feature: &str) -> Result<serde_json::Value> {
        let job = json!({
            "components": [], "memory": {"base": 0x1000_0000, "length": 4096, "fill": 0, "window": 16},
            "instructions": [{"code": "00", "next": 1, "target": null, "features": [feature]}],
        });
        // One case, in which nothing changes.
        let cases = [0, 0, 0, 0, 255, 0, 255, 255, 255, 255, 255];
        let input = [format!("{job}\n").as_bytes(), &cases].concat();
        let mut output = Vec::new();
        run(&input[..], &mut output, |feature| {
            (feature == "lacking").then_some(false)
        })?;
        Ok(serde_json::from_slice(&output)?)
    }

    #[test]
    fn what_the_processor_lacks_is_named_and_not_run() {
        let found = found("lacking").unwrap();
        assert_eq!(found["lacking"], json!([["lacking"]]), "{found}");
        assert_eq!(found["run"], json!([0]), "{found}");
    }

    #[test]
    fn what_is_no_feature_is_an_error() {
        let error = found("mistyped").unwrap_err().to_string();
        assert_eq!(error, "mistyped: no such feature");
    }
}
