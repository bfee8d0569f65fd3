//! AArch64: GNU syntax, and the decoder capstone.
//!
//! An instruction is its mnemonic and the tokens of its operands. The decoder's text is read like the kernel's, but for labels:
//! it prints addresses.

use anyhow::{Context, Result, bail, ensure};
use capstone::{
    Capstone, Endian, arch::BuildsCapstone, arch::BuildsCapstoneEndian, arch::arm64::ArchMode,
};

use super::{
    Code, Form,
    labels::{self, Labels},
    object::Relocation,
    source::Function,
    table,
};

/// Every instruction has this many bytes.
const SIZE: usize = 4;

#[derive(Debug, PartialEq, Eq)]
struct Instruction {
    mnemonic: String,
    operands: Vec<Token>,
}

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// A register, with its arrangement of lanes, or the name of a shift or an extension.
    Word(String),
    /// Modulo 2^64: the decoder writes some negative ones so.
    Immediate(i64),
    /// The number of a lane.
    Lane(u8),
    Punctuation(char),
    /// A branch to the instruction with this index; one past the last is the end.
    Target(usize),
}

/// An error says where the machine code differs from the text, if it does, or what it needs that is not declared.
pub fn check(function: &Function, code: &Code) -> Result<()> {
    let Some((directive, lines)) = function.lines.split_first() else {
        bail!("there are no instructions");
    };
    let (text, linked) = parse(lines)?;
    let found = decode(&code.bytes)?;
    for (i, (expected, found)) in text.iter().zip(&found).enumerate() {
        let at = i * SIZE;
        ensure!(
            expected == found,
            "instruction {i}, at {at:#x}, is {found:?}; the text: {expected:?}"
        );
    }
    let (expected, found) = (text.len(), found.len());
    ensure!(
        expected == found,
        "the code has {found} instructions, the text {expected}"
    );
    table::same(&linked, &code.relocations)?;
    for feature in needed(directive, &text)? {
        ensure!(
            function.features.iter().any(|declared| declared == feature),
            "the kernel needs {feature}, which is not declared"
        );
    }
    Ok(())
}

/// The forms of the instructions of a kernel.
pub fn forms(lines: &[String]) -> Result<Vec<Form>> {
    let (_directive, lines) = lines.split_first().context("there are no instructions")?;
    let forms = parse(lines)?.0.into_iter().map(|instruction| Form {
        operands: kinds(&instruction.operands),
        mnemonic: instruction.mnemonic,
    });
    Ok(forms.collect())
}

/// Operands without their numbers; lanes keep their arrangement.
fn kinds(operands: &[Token]) -> String {
    let mut text = String::new();
    for token in operands {
        match token {
            Token::Word(word) => text += &word_kind(word),
            Token::Immediate(_) | Token::Lane(_) => text.push('i'),
            Token::Punctuation(',') => text += ", ",
            Token::Punctuation(other) => text.push(*other),
            Token::Target(_) if text.is_empty() => text += "label",
            Token::Target(_) => text += ", label",
        }
    }
    text
}

/// A register without its number; other words as they are.
fn word_kind(word: &str) -> String {
    let (register, lanes) = word.split_at(word.find('.').unwrap_or(word.len()));
    let kind = register.trim_end_matches(|c: char| c.is_ascii_digit());
    let kind = match kind {
        "x" | "w" => "r",
        "lsl" => return "lsl ".to_owned(),
        other => other,
    };
    format!("{kind}{lanes}")
}

/// The CPU features that code needs at most. The assembler takes no instruction of an extension that the directive does not name,
/// and without a directive of its own a kernel would have that of the function before.
fn needed<'a>(directive: &'a str, code: &[Instruction]) -> Result<Vec<&'a str>> {
    let extensions = directive.strip_prefix(".arch armv8-a").with_context(|| {
        format!("`{directive}`: a kernel starts with `.arch armv8-a` and extensions")
    })?;
    // What is before the first `+` is no extension.
    let mut features: Vec<_> = extensions.split('+').collect();
    ensure!(
        features.remove(0).is_empty(),
        "`{directive}`: not an architecture"
    );
    let is_name = |name: &&str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    ensure!(
        features.iter().all(is_name),
        "`{directive}`: not a list of extensions"
    );
    if code.iter().flat_map(|i| &i.operands).any(Token::is_vector) {
        features.push("neon");
    }
    Ok(features)
}

/// What stands for the address of the table of constants, and the type of its relocation; the field itself is 0.
const TABLE: [(&str, &str, u32); 2] = [
    (
        "adrp ",
        ", vg_table",
        ::object::elf::R_AARCH64_ADR_PREL_PG_HI21.0,
    ),
    (
        "add ",
        ", :lo12:vg_table",
        ::object::elf::R_AARCH64_ADD_ABS_LO12_NC.0,
    ),
];

/// The instructions, and what the linker fills in.
fn parse(lines: &[String]) -> Result<(Vec<Instruction>, Vec<Relocation<i64>>)> {
    let (code, labels) = labels::split(lines)?;
    ensure!(!code.is_empty(), "there are no instructions");
    let (mut instructions, mut linked) = (Vec::new(), Vec::new());
    for (at, line) in code.iter().enumerate() {
        let of_table = TABLE.iter().find_map(|(start, end, kind)| {
            let before = line.strip_suffix(end)?;
            line.starts_with(start)
                .then(|| (format!("{before}, #0"), *kind))
        });
        if let Some((_, kind)) = of_table {
            let offset = u64::try_from(at * SIZE)?;
            linked.push(Relocation {
                offset,
                kind,
                to: 0,
            });
        }
        let text = of_table.as_ref().map_or(*line, |(text, _)| text);
        let read = written(text, at, &labels).with_context(|| format!("`{line}`"))?;
        instructions.push(read);
    }
    Ok((instructions, linked))
}

/// An instruction of the text.
fn written(line: &str, at: usize, labels: &Labels) -> Result<Instruction> {
    let (mnemonic, operands) = line.split_once(' ').unwrap_or((line, ""));
    let target = |text: &str| labels.target(text, at);
    instruction(mnemonic, operands, &target)
}

fn decode(bytes: &[u8]) -> Result<Vec<Instruction>> {
    let decoder = Capstone::new()
        .arm64()
        .mode(ArchMode::Arm)
        .endian(Endian::Little)
        .build()
        .context("cannot start the decoder")?;
    let decoded = decoder.disasm_all(bytes, 0).context("cannot decode")?;
    // The decoder stops at what is no instruction.
    ensure!(
        decoded.len() * SIZE == bytes.len(),
        "there is no instruction at {:#x}",
        decoded.len() * SIZE
    );
    let address = |text: &str| {
        let address = usize::try_from(number(text)?)?;
        ensure!(
            address % SIZE == 0 && address <= bytes.len(),
            "a branch out of the kernel"
        );
        Ok(address / SIZE)
    };
    let read = |found: &capstone::Insn| {
        let mnemonic = found.mnemonic().context("no mnemonic")?;
        let operands = found.op_str().unwrap_or_default();
        instruction(mnemonic, operands, &address)
            .with_context(|| format!("the machine code has `{mnemonic} {operands}`"))
    };
    decoded.iter().map(read).collect()
}

impl Token {
    /// A register of Advanced SIMD, which the architecture has without an extension.
    fn is_vector(&self) -> bool {
        let Self::Word(word) = self else {
            return false;
        };
        let number = word.strip_prefix(['b', 'h', 's', 'd', 'q', 'v']);
        number.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    }
}

/// `target` reads where a branch goes.
fn instruction(
    mnemonic: &str,
    operands: &str,
    target: &dyn Fn(&str) -> Result<usize>,
) -> Result<Instruction> {
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.';
    ensure!(
        mnemonic.starts_with(|c: char| c.is_ascii_lowercase()) && mnemonic.chars().all(is_word),
        "not an instruction"
    );
    let (operands, target) = match branch(mnemonic, operands) {
        Some((before, place)) => (before, Some(Token::Target(target(place.trim())?))),
        None => (operands, None),
    };
    let mut operands = tokens(operands)?;
    operands.extend(target);
    Ok(Instruction {
        mnemonic: mnemonic.to_owned(),
        operands,
    })
}

/// What is before the target of a branch, and the target.
fn branch<'a>(mnemonic: &str, operands: &'a str) -> Option<(&'a str, &'a str)> {
    match mnemonic {
        "b" | "bl" => Some(("", operands)),
        "cbz" | "cbnz" | "tbz" | "tbnz" | "adr" => operands.rsplit_once(','),
        _ if mnemonic.starts_with("b.") || mnemonic.starts_with("bc.") => Some(("", operands)),
        _ => None,
    }
}

fn tokens(mut text: &str) -> Result<Vec<Token>> {
    let mut found = Vec::new();
    loop {
        text = text.trim_start();
        let Some(first) = text.chars().next() else {
            return Ok(found);
        };
        let end = |from: usize| {
            let rest = &text[from..];
            let inside = |c: char| c.is_ascii_alphanumeric() || c == '.';
            from + rest.find(|c: char| !inside(c)).unwrap_or(rest.len())
        };
        let length = match first {
            ',' | '[' | ']' | '{' | '}' | '!' => {
                found.push(Token::Punctuation(first));
                1
            }
            '#' => {
                let length = end(if text.starts_with("#-") { 2 } else { 1 });
                found.push(Token::Immediate(number(&text[..length])?));
                length
            }
            '0'..='9' if found.last() == Some(&Token::Punctuation('[')) => {
                let length = end(0);
                let lane = text[..length].parse();
                found.push(Token::Lane(
                    lane.with_context(|| format!("`{text}`: no lane"))?,
                ));
                length
            }
            'a'..='z' => {
                let length = end(0);
                found.push(Token::Word(text[..length].to_owned()));
                length
            }
            _ => bail!("`{text}`: not an operand"),
        };
        text = &text[length..];
    }
}

/// `#-16`, or as the decoder writes it, `#-0x10`.
fn number(text: &str) -> Result<i64> {
    let why = || format!("`{text}`: not a number");
    let unsigned = text.strip_prefix('#').with_context(why)?;
    let (negative, unsigned) = match unsigned.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, unsigned),
    };
    let (digits, radix) = match unsigned.strip_prefix("0x") {
        Some(rest) => (rest, 16),
        None => (unsigned, 10),
    };
    let value = u64::from_str_radix(digits, radix).with_context(why)?;
    ensure!(digits.bytes().all(|b| b.is_ascii_hexdigit()), why());
    if negative {
        i64::try_from(-i128::from(value)).with_context(why)
    } else {
        Ok(value.cast_signed())
    }
}

#[cfg(test)]
mod tests;
