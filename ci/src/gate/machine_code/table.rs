//! Tables of constants: what the library has, and what kernels make of their addresses.

use anyhow::{Context, Result, bail, ensure};

use super::{
    Code,
    object::{Function, Relocation, Static},
    source,
};

/// What tables are aligned to.
const ALIGNMENT: u64 = 64;

/// An error if the library has no such table as the text of the kernel says. It is taken from `statics`.
pub fn check(text: &source::Function, statics: &mut Vec<Static>) -> Result<()> {
    let Some(table) = &text.table else {
        return Ok(());
    };
    let name = &table.name;
    let place = statics.iter().position(|found| found.name == *name);
    let found =
        statics.swap_remove(place.with_context(|| format!("{name} is not in the library"))?);
    ensure!(!found.writable, "{name} is in memory that can be written");
    ensure!(
        found.align >= ALIGNMENT,
        "{name} is aligned to {} bytes only",
        found.align
    );
    // Rust pads the table to a multiple of its alignment.
    let padded = table.bytes.len().next_multiple_of(ALIGNMENT as usize);
    ensure!(
        found.bytes.len() == padded,
        "{name} has {} bytes in the library",
        found.bytes.len()
    );
    let differs = table
        .bytes
        .iter()
        .zip(&found.bytes)
        .position(|(a, b)| a != b);
    if let Some(i) = differs {
        bail!(
            "byte {i} of {name} is {:#04x}; the text: {:#04x}",
            found.bytes[i],
            table.bytes[i]
        );
    }
    Ok(())
}

/// The machine code of a kernel, where all addresses are relative to its table.
pub fn relative(text: &source::Function, function: Function) -> Result<Code> {
    let relocations = function.relocations.into_iter().map(|relocation| {
        let to = match (relocation.to, &text.table) {
            (Some((name, addend)), Some(table)) if name == table.name => addend,
            (to, _) => {
                let to = to.map_or("elsewhere".to_owned(), |(name, _)| name);
                bail!(
                    "the linker fills in an address at {:#x}: {to}",
                    relocation.offset
                );
            }
        };
        Ok(Relocation {
            offset: relocation.offset,
            kind: relocation.kind,
            to,
        })
    });
    Ok(Code {
        relocations: relocations.collect::<Result<_>>()?,
        bytes: function.bytes,
    })
}

/// An error if the linker fills in something else than expected.
pub fn same(expected: &[Relocation<i64>], found: &[Relocation<i64>]) -> Result<()> {
    if let Some(other) = found.iter().find(|r| !expected.contains(r)) {
        bail!("the linker fills in what the text does not say: {other:?}");
    }
    if let Some(missing) = expected.iter().find(|r| !found.contains(r)) {
        bail!("the linker does not fill in {missing:?}");
    }
    ensure!(
        found.len() == expected.len(),
        "the linker fills in something twice"
    );
    Ok(())
}
