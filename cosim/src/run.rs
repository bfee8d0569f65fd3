//! Runs the cases.

use std::{
    fmt::Write as _,
    io::{BufRead, BufReader, Read, Write},
    sync::atomic::Ordering,
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

pub fn run(input: impl Read, mut output: impl Write) -> Result<()> {
    let mut input = BufReader::with_capacity(1 << 16, input);
    let mut line = String::new();
    input.read_line(&mut line)?;
    let job: Job = serde_json::from_str(&line).context("the first line is no job")?;
    let cpu = Cpu::new(&job.components)?;
    let mut outcome = Outcome {
        run: vec![0; job.instructions.len()],
        failed: vec![0; job.instructions.len()],
        lacking: job.instructions.iter().map(lacking).collect(),
        not_compared: cpu.not_compared(),
        ..Outcome::default()
    };
    let code = Code::place(&job.instructions)?;
    let mut playground = Playground::map(&job.memory)?;
    fault::report_faults()?;

    let mut model = State::new(&job)?;
    while let Some(index) = next_case(&mut input, &mut model)? {
        let entry = code.entry(index).context("no such instruction")?;
        let before = model.clone();
        let jumps = outcome_of_case(&mut input, &mut model)?;
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

fn lacking(instruction: &Instruction) -> Vec<String> {
    let features = instruction.features.iter();
    features.filter(|f| !cpu::has(f)).cloned().collect()
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
