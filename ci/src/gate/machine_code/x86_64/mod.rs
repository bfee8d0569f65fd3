//! x86-64: Intel syntax, and the decoder iced-x86.

mod compare;
mod features;
mod text;

use anyhow::Result;

use super::source::Function;

/// An error says where the machine code differs from the text, if it does, or what it needs that is not declared.
pub fn check(function: &Function, bytes: &[u8]) -> Result<()> {
    let code = compare::compare(&text::parse(&function.lines)?, bytes)?;
    features::check(&function.features, &code)
}
