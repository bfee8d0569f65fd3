//! Every form that the printer prints, assembled alone, is the instruction that was printed and no other.
//!
//! The text is read back as the same instruction by the reader in TCB; the bytes are decoded by an independent decoder and
//! compared with the text; and no two instructions share a text or bytes. The only exception has a proof in Lean: where two
//! operands can be exchanged, LLVM exchanges them when that makes the encoding shorter.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use anyhow::{Result, ensure};

use super::{
    Report,
    cosim::{
        assemble::{self, Code},
        model::{Machine, ModelOptions, Models, Sample},
        platform::Platform,
    },
    machine_code::{check_lines, may_commute},
};

pub fn check(options: &ModelOptions) -> Result<Report> {
    let mut report = Report::of("printed instructions");
    let models = Models::open(options)?;
    for architecture in &models.architectures {
        let platform = Platform::of(&architecture.to_lowercase())?;
        let mut lean = models.start(architecture, &["list".into(), options.seed.to_string()])?;
        let (machine, mut samples) = lean.head()?;
        samples.extend(lean.rest()?);
        lean.finish()?;
        let code = assemble::assemble(&platform, &samples)?;
        inspect(&machine, &samples, &code, &mut report);
        println!(
            "{architecture}, seed {}: {} instructions of {} forms",
            options.seed,
            samples.len(),
            machine.forms.len()
        );
    }
    Ok(report)
}

fn inspect(machine: &Machine, samples: &[Sample], code: &[Code], report: &mut Report) {
    for constructor in machine.uncovered() {
        report.refuse(&machine.arch, format!("no form of {constructor}"));
    }
    let mut texts = HashMap::new();
    let mut encodings = HashMap::new();
    let mut places = Places::default();
    let mut printed = BTreeSet::new();
    for (sample, code) in samples.iter().zip(code) {
        let what = sample.lines.join("; ");
        let before = report.violations.len();
        if sample.read != Some(true) {
            report.refuse(&what, "does not read back as what was printed");
        }
        if texts.insert(what.clone(), ()).is_some() {
            report.refuse(&what, "two instructions have this text");
        }
        if let Some(other) = encodings.insert(&code.code, what.clone())
            && sample.commuted.as_ref() != Some(&other)
        {
            report.refuse(&what, format!("has the bytes of {other}"));
        }
        if let Err(error) = decodes(machine, sample, code) {
            report.refuse(&what, format!("{error:#}"));
        } else if let Some(form) = sample.form {
            printed.insert(form);
            places.note(form, &sample.lines[0]);
        }
        if report.violations.len() == before {
            report.checked += 1;
        }
    }
    for (form, name) in machine.forms.iter().enumerate() {
        if !printed.contains(&form) {
            report.refuse(name, "never printed");
        }
    }
    for ((form, place), registers) in &places.0 {
        let (found, all) = (registers.len(), count(&machine.arch, place, registers));
        if found != all {
            let why = format!("only {found} of {all} registers as {place}");
            report.refuse(&machine.forms[*form], why);
        }
    }
}

/// An error if the bytes are not what the lines say.
fn decodes(machine: &Machine, sample: &Sample, code: &Code) -> Result<()> {
    let lines = [&sample.prologue[..], &assemble::listing(sample)].concat();
    check_lines(&machine.arch, lines, sample.features.clone(), &code.code)?;
    ensure!(
        sample.commuted.is_some() || !may_commute(&machine.arch, &sample.lines[0]),
        "the machine-code gate lets its sources change places, and that is not proven"
    );
    Ok(())
}

/// How many registers can stand in a place.
fn count(architecture: &str, place: &str, registers: &BTreeSet<String>) -> usize {
    let is_vector = |r: &String| r.starts_with(['q', 'v']);
    match architecture {
        // The stack pointer is no index.
        "x86_64" if place == "index" => 15,
        "x86_64" => 16,
        _ if registers.iter().any(is_vector) => 32,
        // Neither X18 nor the stack pointer.
        _ => 30,
    }
}

/// Which registers stood in which place of which form.
#[derive(Default)]
struct Places(BTreeMap<(usize, String), BTreeSet<String>>);

impl Places {
    fn note(&mut self, form: usize, line: &str) {
        let Some((_, operands)) = line.split_once(' ') else {
            return;
        };
        let (outside, inside) = match operands.split_once('[') {
            Some((outside, rest)) => {
                let (inside, after) = rest.split_once(']').unwrap_or((rest, ""));
                (format!("{outside} {after}"), inside)
            }
            None => (operands.to_owned(), ""),
        };
        let operands = registers(&outside).enumerate();
        let operands = operands.map(|(i, name)| (format!("register {i}"), name));
        let addresses = ["base", "index"].map(str::to_owned);
        let addresses = addresses.into_iter().zip(registers(inside));
        for (place, name) in operands.chain(addresses) {
            let found = self.0.entry((form, place)).or_default();
            found.insert(name.to_owned());
        }
    }
}

/// The words that are neither numbers, nor sizes, nor shifts, nor the address of a table. Numbers, as in `16b`, are arrangements of
/// lanes too.
fn registers(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| {
        word.starts_with(|c: char| c.is_ascii_lowercase())
            && !matches!(
                *word,
                "byte"
                    | "dword"
                    | "qword"
                    | "xmmword"
                    | "ymmword"
                    | "zmmword"
                    | "ptr"
                    | "d"
                    | "s"
                    | "lsl"
                    | "rip"
                    | "lo12"
                    | "vg"
                    | "table"
            )
    })
}
