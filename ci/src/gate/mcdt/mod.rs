//! Every instruction of a kernel takes a time that is independent of data, as far as the vendors' lists say.
//!
//! That branches and addresses depend on nothing secret is proven; that the time of an instruction depends on nothing else is an
//! assumption about the processor, and this gate holds it against what the vendors promise. It reads src/asm, which the gate
//! machine-code compares with what the assembler made of it.

mod lists;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result};

use super::{
    Report,
    machine_code::{Form, forms, kernels},
};
use lists::{Allowances, FOLDER, Lists};

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("forms of instructions");
    let mut allowances = Allowances::read(root)?;
    for (architecture, kernels) in kernels(root)? {
        let lists = Lists::read(root, &architecture)?;
        let mut uses: BTreeMap<Form, (usize, String)> = BTreeMap::new();
        for (name, kernel) in kernels {
            for form in forms(&architecture, &kernel.lines).context(name.clone())? {
                uses.entry(form).or_insert((0, name.clone())).0 += 1;
            }
        }
        println!("{architecture}: how often each form is emitted");
        for (form, (count, kernel)) in &uses {
            let Some(doubt) = lists.doubt(form) else {
                println!("{count:>6}  {form}");
                report.checked += 1;
                continue;
            };
            match allowances.reason(&architecture, doubt, form) {
                Some(reason) => {
                    println!("{count:>6}  {form}: {doubt}, allowed: {reason}");
                    report.checked += 1;
                }
                None => report.refuse(
                    format!("{architecture}: {form}"),
                    format!("{doubt} in {FOLDER}, and not allowed there; {kernel} has it"),
                ),
            }
        }
    }
    for unused in allowances.unused() {
        report.refuse(FOLDER, format!("nothing needs the allowance for {unused}"));
    }
    Ok(report)
}

#[cfg(test)]
mod tests;
