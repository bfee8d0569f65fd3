//! The Intel text of a kernel, read without an assembler.

use anyhow::{Context, Result, bail, ensure};
use iced_x86::Register;

use super::{
    super::{
        Form,
        labels::{self, Labels, is_number},
    },
    compare::name_of,
};

/// One instruction as the text has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instruction {
    pub mnemonic: String,
    pub operands: Vec<Operand>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    Register(String),
    Immediate(i128),
    Memory(Memory),
    /// `[rip + vg_table]`: the table of constants
    Table,
    /// A jump to the instruction with this index; one past the last is the end.
    Target(usize),
}

/// `size ptr [base + index*scale + displacement]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// In bytes; none for `lea`, which accesses nothing.
    pub size: Option<usize>,
    pub base: Option<String>,
    pub index: Option<(String, u32)>,
    pub displacement: i64,
}

/// Reads the lines of one function.
pub fn parse(lines: &[String]) -> Result<Vec<Instruction>> {
    let (code, labels) = labels::split(lines)?;
    code.iter()
        .enumerate()
        .map(|(at, line)| instruction(line, at, &labels).with_context(|| format!("`{line}`")))
        .collect()
}

fn instruction(line: &str, at: usize, labels: &Labels) -> Result<Instruction> {
    let (mnemonic, rest) = line.split_once(' ').unwrap_or((line, ""));
    let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    ensure!(
        mnemonic.starts_with(|c: char| c.is_ascii_lowercase()) && mnemonic.chars().all(is_word),
        "not an instruction"
    );
    let operands = if rest.trim().is_empty() {
        Vec::new()
    } else if mnemonic.starts_with('j') {
        vec![Operand::Target(labels.target(rest.trim(), at)?)]
    } else {
        rest.split(',')
            .map(|text| operand(text.trim()))
            .collect::<Result<_>>()?
    };
    Ok(Instruction {
        mnemonic: mnemonic.to_owned(),
        operands,
    })
}

fn operand(text: &str) -> Result<Operand> {
    if text == "[rip + vg_table]" {
        return Ok(Operand::Table);
    }
    if let Some((size, address)) = text.split_once('[') {
        let address = address
            .strip_suffix(']')
            .context("`[` without `]` at the end")?;
        return Ok(Operand::Memory(memory(size.trim(), address)?));
    }
    if text.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        return Ok(Operand::Immediate(number(text)?));
    }
    ensure!(is_register(text), "`{text}`: not a register");
    Ok(Operand::Register(text.to_owned()))
}

/// A name; whether it is a register of the machine, the comparison with the machine code tells.
fn is_register(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn number(text: &str) -> Result<i128> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    ensure!(is_number(digits), "`{text}`: not a decimal number");
    text.parse().with_context(|| format!("`{text}`"))
}

fn memory(size: &str, address: &str) -> Result<Memory> {
    let size = match size {
        "" => None,
        "byte ptr" => Some(1),
        "word ptr" => Some(2),
        "dword ptr" => Some(4),
        "qword ptr" => Some(8),
        "xmmword ptr" => Some(16),
        "ymmword ptr" => Some(32),
        "zmmword ptr" => Some(64),
        _ => bail!("`{size}`: not a size"),
    };
    let mut memory = Memory {
        size,
        base: None,
        index: None,
        displacement: 0,
    };
    let signed = address.replace('-', "+ -");
    for (i, term) in signed
        .split('+')
        .map(str::trim)
        .filter(|t| !t.is_empty())
        .enumerate()
    {
        let term: String = term.split_whitespace().collect();
        if let Some((register, scale)) = term.split_once('*') {
            ensure!(
                is_register(register) && memory.index.is_none(),
                "`{term}`: not an index"
            );
            memory.index = Some((register.to_owned(), u32::try_from(number(scale)?)?));
        } else if is_register(&term) {
            match (&memory.base, &memory.index) {
                (None, _) if i == 0 => memory.base = Some(term),
                (Some(_), None) => memory.index = Some((term, 1)),
                _ => bail!("`{term}`: one register too many"),
            }
        } else {
            ensure!(memory.displacement == 0, "`{term}`: two displacements");
            memory.displacement = number(&term)?.try_into()?;
        }
    }
    Ok(memory)
}

/// The instruction without its numbers.
pub fn form(instruction: &Instruction) -> Result<Form> {
    let kinds = instruction.operands.iter().map(|operand| {
        Ok(match operand {
            Operand::Register(name) => kind(name)?,
            Operand::Immediate(_) => "i",
            Operand::Memory(_) => "m",
            Operand::Table => "table",
            Operand::Target(_) => "label",
        })
    });
    Ok(Form {
        mnemonic: instruction.mnemonic.clone(),
        operands: kinds.collect::<Result<Vec<_>>>()?.join(", "),
    })
}

/// The kind of a register, as iced-x86 knows it.
fn kind(name: &str) -> Result<&'static str> {
    let register = Register::values().find(|&register| name_of(register) == name);
    Ok(match register {
        Some(register) if register.is_gpr() => "r",
        Some(register) if register.is_xmm() => "x",
        Some(register) if register.is_ymm() => "y",
        Some(register) if register.is_zmm() => "z",
        Some(register) if register.is_k() => "k",
        _ => bail!("`{name}`: not a register that this gate knows"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<Vec<Instruction>> {
        parse(&text.lines().map(str::to_owned).collect::<Vec<_>>())
    }

    fn one(text: &str) -> Vec<Operand> {
        parse_text(text).unwrap().remove(0).operands
    }

    #[test]
    fn operands() {
        use Operand::*;
        assert_eq!(
            one("mov rax, -12"),
            [Register("rax".into()), Immediate(-12)]
        );
        assert_eq!(
            one("mov rax, 18446744073709551615")[1],
            Immediate(u64::MAX.into())
        );
        assert_eq!(one("ret"), []);
        let of = |size, base: &str, index: Option<(&str, u32)>, displacement| {
            Memory(super::Memory {
                size,
                base: Some(base.into()),
                index: index.map(|(name, scale)| (name.into(), scale)),
                displacement,
            })
        };
        assert_eq!(
            one("movzx eax, byte ptr [r8]")[1],
            of(Some(1), "r8", None, 0)
        );
        assert_eq!(one("lea r8, [r9 + 8]")[1], of(None, "r9", None, 8));
        assert_eq!(
            one("movdqu xmmword ptr [rdx + r9 - 16], xmm0"),
            [
                of(Some(16), "rdx", Some(("r9", 1)), -16),
                Register("xmm0".into())
            ]
        );
        assert_eq!(
            one("mov rax, qword ptr [rdi + rsi*8 + 16]")[1],
            of(Some(8), "rdi", Some(("rsi", 8)), 16)
        );
    }

    #[test]
    fn forms() {
        for (text, expected) in [
            ("ret", "ret"),
            ("mov r8b, 7", "mov r, i"),
            ("movzx eax, byte ptr [r8 + 1]", "movzx r, m"),
            ("vaesenc ymm1, ymm2, ymmword ptr [rdi]", "vaesenc y, y, m"),
            ("vmovq rax, xmm15", "vmovq r, x"),
            ("lea rax, [rip + vg_table]", "lea r, table"),
            ("2:\njne 2b", "jne label"),
        ] {
            let found = form(&parse_text(text).unwrap()[0]).unwrap();
            assert_eq!(found.to_string(), expected);
        }
        for text in ["mov cr0, rax", "mov ds, ax", "mov spam, rax"] {
            assert!(form(&parse_text(text).unwrap()[0]).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_an_instruction_is_refused() {
        for text in [
            ".p2align 4",
            "name:",
            "\n",
            "mov rax, 0x10",
            "mov rax, {x}",
            "mov rax, [rdi",
            "mov rax, qword [rdi]",
            "mov rax, [rdi + rsi + rdx]",
            "mov rax, [rdi + 8 + 8]",
            "add rax, 1; ret",
            "lock add rax, 1",
            "mov rax, $1",
            "nop # comment",
        ] {
            assert!(parse_text(text).is_err(), "{text}");
        }
    }
}
