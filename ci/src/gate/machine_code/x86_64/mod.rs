//! x86-64: Intel syntax, and the decoder iced-x86.

pub mod compare;
mod features;
mod text;

use anyhow::Result;

use super::{Code, Form, object::Relocation, source::Function, table};

/// An error says where the machine code differs from the text, if it does, or what it needs that is not declared.
pub fn check(function: &Function, code: &Code) -> Result<()> {
    let text = text::parse(&function.lines)?;
    let instructions = compare::compare(&text, &code.bytes)?;
    let linked = text.iter().zip(&instructions);
    let linked = linked.filter(|(text, _)| text.operands.contains(&text::Operand::Table));
    // The distance from the end of the instruction, in its last 4 bytes.
    let expected: Vec<_> = linked
        .map(|(_, found)| Relocation {
            offset: found.next_ip() - 4,
            kind: ::object::elf::R_X86_64_PC32.0,
            to: -4,
        })
        .collect();
    table::same(&expected, &code.relocations)?;
    features::check(&function.features, &instructions)
}

/// The forms of the instructions of a kernel.
pub fn forms(lines: &[String]) -> Result<Vec<Form>> {
    text::parse(lines)?.iter().map(text::form).collect()
}
