//! Printed text, as the assembler inside rustc assembles it: the one that users' kernels go through.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write as _,
    fs,
};

use anyhow::{Context, Result, bail, ensure};
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget};

use super::{model::Sample, platform::Platform};
use crate::gate::machine_code::{self, Relocation};

/// What stands for the address of the table of constants of a kernel.
const TABLE: &str = "vg_table";

/// Room between a jump and its target, in instructions: the runner puts its own code there.
pub const ROOM: usize = 32;

/// The code of a sample.
#[derive(Debug)]
pub struct Code {
    /// All of it: the lines of `listing`.
    pub code: machine_code::Code,
    /// Where the first line ends.
    pub next: usize,
    /// Where the last label stands.
    pub target: Option<usize>,
}

/// What is assembled for a sample. A jump gets room before the label at its end, and something to jump to.
pub fn listing(sample: &Sample) -> Vec<String> {
    let mut lines = sample.lines.clone();
    if let Some(last) = lines.len().checked_sub(1).filter(|&last| last > 0) {
        if lines[last].ends_with(':') {
            let room = vec!["nop".to_owned(); ROOM];
            lines.splice(last..last, room);
        }
        lines.push("ret".to_owned());
    }
    lines
}

/// Assembles all samples.
pub fn assemble(platform: &Platform, samples: &[Sample]) -> Result<Vec<Code>> {
    let mut text = String::new();
    for (i, sample) in samples.iter().enumerate() {
        let lines = listing(sample);
        let last_label = lines.iter().rposition(|line| line.ends_with(':'));
        for directive in &sample.prologue {
            text += directive;
            text.push('\n');
        }
        // Writing to a String cannot fail.
        let _ = writeln!(text, "leanseal_start_{i}:");
        for (k, line) in lines.iter().enumerate() {
            if k == 1 {
                let _ = writeln!(text, "leanseal_next_{i}:");
            }
            if Some(k) == last_label && k > 0 {
                let _ = writeln!(text, "leanseal_target_{i}:");
            }
            let _ = writeln!(text, "{line}");
        }
        let _ = writeln!(text, "leanseal_end_{i}:");
    }
    let object = object_of(platform, &text)?;
    let object = object::File::parse(&*object).context("rustc's object")?;
    let symbols = symbols(&object)?;
    let section = object
        .section_by_name(".text")
        .context("the object has no .text")?;
    let data = section.data()?;
    let relocations = relocations(&object, &section)?;
    let mut found = Vec::new();
    for (i, sample) in samples.iter().enumerate() {
        let of = |what: &str| {
            symbols
                .get(format!("leanseal_{what}_{i}").as_str())
                .copied()
        };
        let start = of("start").context("a symbol is missing")?;
        let end = of("end").context("a symbol is missing")?;
        let bytes = data.get(start..end).context("a symbol is outside .text")?;
        ensure!(
            !bytes.is_empty(),
            "`{}` is no code",
            sample.lines.join("; ")
        );
        found.push(Code {
            code: machine_code::Code {
                bytes: bytes.to_vec(),
                relocations: relocations
                    .range(start as u64..end as u64)
                    .map(|(offset, found)| Relocation {
                        offset: offset - start as u64,
                        ..found.clone()
                    })
                    .collect(),
            },
            next: of("next").unwrap_or(end) - start,
            target: of("target").map(|target| target - start),
        });
    }
    Ok(found)
}

/// What the linker would fill in: addresses in the table.
fn relocations(
    object: &object::File,
    section: &object::Section,
) -> Result<BTreeMap<u64, Relocation<i64>>> {
    let mut found = BTreeMap::new();
    for (offset, relocation) in section.relocations() {
        let (RelocationTarget::Symbol(index), RelocationFlags::Elf { r_type }) =
            (relocation.target(), relocation.flags())
        else {
            bail!("a relocation that printed text does not make");
        };
        let name = object.symbol_by_index(index)?.name()?;
        ensure!(name == TABLE, "printed text refers to {name}");
        let relocation = Relocation {
            offset,
            kind: r_type.0,
            to: relocation.addend(),
        };
        ensure!(
            found.insert(offset, relocation).is_none(),
            "two relocations in one place"
        );
    }
    Ok(found)
}

fn symbols<'a>(object: &'a object::File) -> Result<HashMap<&'a str, usize>> {
    let mut found = HashMap::new();
    for symbol in object.symbols() {
        found.insert(symbol.name()?, usize::try_from(symbol.address())?);
    }
    Ok(found)
}

fn object_of(platform: &Platform, text: &str) -> Result<Vec<u8>> {
    let dir = tempfile::tempdir()?;
    fs::write(dir.path().join("code.s"), text)?;
    fs::write(
        dir.path().join("code.rs"),
        "#![no_std]\ncore::arch::global_asm!(include_str!(\"code.s\"), options(raw));\n",
    )?;
    let output = platform
        .rustc()
        .current_dir(dir.path())
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "obj"])
        .args(["-C", "codegen-units=1", "-o", "code.o", "code.rs"])
        .output()
        .context("cannot run rustc")?;
    let said = String::from_utf8_lossy(&output.stderr);
    let beginning: Vec<_> = said.lines().take(40).collect();
    ensure!(
        output.status.success(),
        "the assembler refuses printed text:\n{}",
        beginning.join("\n")
    );
    fs::read(dir.path().join("code.o")).context("rustc wrote no object")
}
