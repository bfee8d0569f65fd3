//! Machine code against text, instruction by instruction and operand by operand.

use anyhow::{Context, Result, bail, ensure};
use iced_x86::{Decoder, DecoderOptions, OpKind, Register, RoundingControl};

use super::text::{Instruction, Memory, Operand};

/// The code that `bytes` are; an error says where they differ from `text`, if they do.
pub fn compare(text: &[Instruction], bytes: &[u8]) -> Result<Vec<iced_x86::Instruction>> {
    ensure!(!text.is_empty(), "there are no instructions");
    let code = decode(text.len(), bytes)?;
    let starts: Vec<u64> = code.iter().map(iced_x86::Instruction::ip).collect();
    for (i, (expected, found)) in text.iter().zip(&code).enumerate() {
        same(expected, found, &starts).with_context(|| {
            format!(
                "instruction {i}, at {:#x}, is `{found}`; the text: {expected:?}",
                found.ip()
            )
        })?;
    }
    Ok(code)
}

/// The first `count` instructions, if nothing but padding follows.
fn decode(count: usize, bytes: &[u8]) -> Result<Vec<iced_x86::Instruction>> {
    let mut decoder = Decoder::new(64, bytes, DecoderOptions::NONE);
    let mut code = Vec::with_capacity(count);
    for i in 0..count {
        ensure!(
            decoder.can_decode(),
            "the code ends after {i} instructions, the text has {count}"
        );
        let next = decoder.decode();
        ensure!(
            !next.is_invalid(),
            "there is no instruction at {:#x}",
            next.ip()
        );
        code.push(next);
    }
    let rest = &bytes[decoder.position()..];
    ensure!(
        rest.iter().all(|&byte| matches!(byte, 0x90 | 0xcc)),
        "there are {} bytes after the last instruction of the text",
        rest.len()
    );
    Ok(code)
}

fn same(expected: &Instruction, found: &iced_x86::Instruction, starts: &[u64]) -> Result<()> {
    let mnemonic = format!("{:?}", found.mnemonic()).to_lowercase();
    ensure!(
        mnemonic == expected.mnemonic,
        "the instruction is {mnemonic}"
    );
    ensure!(plain(found), "it has a prefix or decoration");
    let count = found.op_count() as usize;
    ensure!(count == expected.operands.len(), "it has {count} operands");
    let operands = |expected: &[Operand]| {
        expected.iter().enumerate().try_for_each(|(i, expected)| {
            operand(expected, found, i as u32, starts).with_context(|| format!("operand {i}"))
        })
    };
    operands(&expected.operands).or_else(|error| match exchanged(expected) {
        Some(other) if operands(&other).is_ok() => Ok(()),
        _ => Err(error),
    })
}

/// Whether the two sources can be exchanged: Lean proves it of the model, and the gate `printer` compares this list with what
/// is proven.
pub fn commutes(mnemonic: &str) -> bool {
    matches!(mnemonic, "vpxor" | "vpand" | "vpor" | "vpaddd" | "vpaddq")
}

/// The operands as LLVM encodes them: a second source that has no bit for its number in the short encoding, and a first one
/// that needs none, change places if nothing else does.
fn exchanged(text: &Instruction) -> Option<[Operand; 3]> {
    let needs_a_bit = |name: &str| number_of(name).map(|n| n >= 8);
    match &text.operands[..] {
        [to, Operand::Register(a), Operand::Register(b)]
            if commutes(&text.mnemonic)
                && needs_a_bit(a) == Some(false)
                && needs_a_bit(b) == Some(true) =>
        {
            let [a, b] = [a, b].map(|name| Operand::Register(name.clone()));
            Some([to.clone(), b, a])
        }
        _ => None,
    }
}

/// The number of a vector register.
fn number_of(name: &str) -> Option<u8> {
    let digits = name.strip_prefix("xmm").or(name.strip_prefix("ymm"))?;
    digits.parse().ok()
}

/// Without what the text cannot write: lock, rep, segments, and the decorations of EVEX.
fn plain(found: &iced_x86::Instruction) -> bool {
    let prefixes = found.has_lock_prefix()
        || found.has_rep_prefix()
        || found.has_repne_prefix()
        || found.segment_prefix() != Register::None;
    let decorations = found.has_op_mask()
        || found.zeroing_masking()
        || found.is_broadcast()
        || found.suppress_all_exceptions()
        || found.rounding_control() != RoundingControl::None;
    !prefixes && !decorations
}

fn operand(
    expected: &Operand,
    found: &iced_x86::Instruction,
    i: u32,
    starts: &[u64],
) -> Result<()> {
    let kind = found.op_kind(i);
    match expected {
        Operand::Register(name) => {
            ensure!(kind == OpKind::Register, "not a register");
            let register = name_of(found.op_register(i));
            ensure!(register == *name, "the register is {register}");
        }
        Operand::Immediate(value) => {
            // Code has the value modulo the size of what it is combined with.
            let bits = 8 * operand_bytes(found)?;
            let immediate = found.try_immediate(i).context("not an immediate")?;
            let modulus = 1_i128 << bits;
            ensure!(
                (-modulus / 2..modulus).contains(value)
                    && (i128::from(immediate) - value).rem_euclid(modulus) == 0,
                "the immediate is {immediate:#x}"
            );
        }
        Operand::Memory(expected) => {
            ensure!(kind == OpKind::Memory, "not in memory");
            let memory = memory(found);
            ensure!(memory == *expected, "the operand is {memory:?}");
        }
        Operand::Table => {
            let unlinked = found.is_ip_rel_memory_operand()
                && found.memory_index() == Register::None
                && found.ip_rel_memory_address() == found.next_ip();
            ensure!(
                kind == OpKind::Memory && unlinked && found.memory_size().size() == 0,
                "not an address that the linker fills in"
            );
        }
        Operand::Target(target) => {
            ensure!(kind == OpKind::NearBranch64, "not a jump");
            let address = starts.get(*target).context("jumps to the end")?;
            let to = found.near_branch64();
            ensure!(to == *address, "jumps to {to:#x}, not {address:#x}");
        }
    }
    Ok(())
}

pub fn name_of(register: Register) -> String {
    let name = format!("{register:?}").to_lowercase();
    // The low bytes of r8-r15: `r8l` is AMD's and iced's name, `r8b` the assembler's.
    match name.strip_suffix('l') {
        Some(number) if number.starts_with('r') => format!("{number}b"),
        _ => name,
    }
}

/// The size of the operand beside an immediate.
fn operand_bytes(found: &iced_x86::Instruction) -> Result<usize> {
    match found.op0_kind() {
        OpKind::Register if found.op0_register().is_gpr() => Ok(found.op0_register().size()),
        // Shuffles, shifts and the like: their immediate is one byte of its own.
        OpKind::Register => Ok(1),
        OpKind::Memory => Ok(found.memory_size().size()),
        _ => bail!("an immediate without an operand"),
    }
}

fn memory(found: &iced_x86::Instruction) -> Memory {
    let some = |register: Register| (register != Register::None).then(|| name_of(register));
    let index = some(found.memory_index());
    let size = found.memory_size().size();
    Memory {
        size: (size != 0).then_some(size),
        base: some(found.memory_base()),
        index: index.map(|name| (name, found.memory_index_scale())),
        displacement: found.memory_displacement64() as i64,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::text, *};

    /// Every form of operand, assembled by hand from the manual.
    const CODE: [(&str, &[u8]); 16] = [
        ("test rsi, rsi", &[0x48, 0x85, 0xf6]),
        ("je 3f", &[0x74, 0x2c]),
        ("2:", &[]),
        ("mov r9, qword ptr [rdi + 8]", &[0x4c, 0x8b, 0x4f, 0x08]),
        (
            "movdqu xmm0, xmmword ptr [r8 + r9 - 16]",
            &[0xf3, 0x43, 0x0f, 0x6f, 0x44, 0x08, 0xf0],
        ),
        (
            "movdqu xmmword ptr [rdx + rsi*8], xmm1",
            &[0xf3, 0x0f, 0x7f, 0x0c, 0xf2],
        ),
        ("mov rax, 1", &[0x48, 0xc7, 0xc0, 0x01, 0x00, 0x00, 0x00]),
        ("add rdx, -64", &[0x48, 0x83, 0xc2, 0xc0]),
        (
            "mov r10d, 4294967295",
            &[0x41, 0xba, 0xff, 0xff, 0xff, 0xff],
        ),
        ("jne 2b", &[0x75, 0xdd]),
        ("3:", &[]),
        (
            "vmovdqu ymm1, ymmword ptr [r8 + 32]",
            &[0xc4, 0xc1, 0x7e, 0x6f, 0x48, 0x20],
        ),
        ("vmovdqu xmmword ptr [rdx], xmm1", &[0xc5, 0xfa, 0x7f, 0x0a]),
        ("vpxor xmm1, xmm2, xmm3", &[0xc5, 0xe9, 0xef, 0xcb]),
        ("vzeroupper", &[0xc5, 0xf8, 0x77]),
        ("ret", &[0xc3]),
    ];

    fn differs(lines: &[&str], bytes: &[u8]) -> Option<String> {
        let lines: Vec<_> = lines.iter().map(|&line| line.to_owned()).collect();
        let text = text::parse(&lines).unwrap();
        compare(&text, bytes)
            .err()
            .map(|error| format!("{error:#}"))
    }

    fn lines() -> Vec<&'static str> {
        CODE.iter().map(|line| line.0).collect()
    }

    fn bytes() -> Vec<u8> {
        // The forward jump skips what lies between it and `3:`.
        let mut bytes: Vec<u8> = CODE.iter().flat_map(|line| line.1).copied().collect();
        let before: usize = CODE[..10].iter().map(|line| line.1.len()).sum();
        bytes[4] = (before - 5) as u8;
        bytes
    }

    #[test]
    fn the_same_code_passes_also_with_padding() {
        assert_eq!(differs(&lines(), &bytes()), None);
        assert_eq!(differs(&lines(), &[bytes(), vec![0xcc; 15]].concat()), None);
    }

    #[test]
    fn every_planted_difference_is_found() {
        for (line, planted) in [
            (0, "test rsi, rdi"),
            (0, "cmp rsi, rsi"),
            (0, "test esi, esi"),
            (1, "jne 3f"),
            (2, "4:\nnop\n2:"),
            (3, "mov r9, qword ptr [rdi + 16]"),
            (3, "mov r9, qword ptr [rdi]"),
            (3, "mov r9, qword ptr [rsi + 8]"),
            (3, "mov r9d, dword ptr [rdi + 8]"),
            (3, "lea r9, [rdi + 8]"),
            (4, "movdqu xmm1, xmmword ptr [r8 + r9 - 16]"),
            (4, "movdqu xmm0, xmmword ptr [r9 + r8 - 16]"),
            (4, "movdqu xmm0, xmmword ptr [r8 + r9 + 16]"),
            (4, "movdqa xmm0, xmmword ptr [r8 + r9 - 16]"),
            (4, "vmovdqu xmm0, xmmword ptr [r8 + r9 - 16]"),
            (5, "movdqu xmmword ptr [rdx + rsi*4], xmm1"),
            (5, "movdqu xmmword ptr [rdx], xmm1"),
            (5, "movdqu xmm1, xmmword ptr [rdx + rsi*8]"),
            (6, "mov eax, 1"),
            (6, "mov rax, 2"),
            (6, "mov rax, -1"),
            (6, "mov rax, 4294967297"),
            (7, "add rdx, 64"),
            (7, "sub rdx, -64"),
            (7, "add rdx, 18446744073709551616"),
            (8, "mov r10d, 4294967294"),
            (8, "mov r10, 4294967295"),
            (9, "jne 3f"),
            (9, "jne 2b\nnop"),
            (11, "vmovdqu ymm0, ymmword ptr [r8 + 32]"),
            (11, "vmovdqu xmm1, xmmword ptr [r8 + 32]"),
            (11, "vmovdqu ymm1, xmmword ptr [r8 + 32]"),
            (11, "vmovdqa ymm1, ymmword ptr [r8 + 32]"),
            (11, "vmovdqu ymmword ptr [r8 + 32], ymm1"),
            (12, "vmovdqu ymmword ptr [rdx], ymm1"),
            (12, "movdqu xmmword ptr [rdx], xmm1"),
            (13, "vpxor xmm1, xmm3, xmm2"),
            (13, "vpxor xmm2, xmm2, xmm3"),
            (13, "vpxor ymm1, ymm2, ymm3"),
            (13, "vpxor xmm1, xmm2"),
            (13, "pxor xmm1, xmm3"),
            (13, "vpor xmm1, xmm2, xmm3"),
            (14, "vzeroall"),
            (14, "vzeroupper xmm0"),
            (15, "ret\nret"),
        ] {
            let mut changed = lines();
            changed.splice(line..=line, planted.lines());
            // Labels that a change takes away make no valid text; these changes keep all of them.
            assert!(differs(&changed, &bytes()).is_some(), "{planted}");
        }
    }

    #[test]
    fn sources_may_change_places_only_where_that_is_proven_and_shorter() {
        // vpxor xmm0, xmm9, xmm1 in two bytes of prefix, ymm, vpaddd
        for (text, bytes) in [
            ("vpxor xmm0, xmm1, xmm9", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpxor xmm0, xmm9, xmm1", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpxor ymm0, ymm1, ymm9", &[0xc5, 0xb5, 0xef, 0xc1]),
            ("vpaddd xmm0, xmm1, xmm9", &[0xc5, 0xb1, 0xfe, 0xc1]),
        ] {
            assert_eq!(differs(&[text], bytes), None, "{text}");
        }
        for (text, bytes) in [
            // another register, another place, another operation
            ("vpxor xmm1, xmm0, xmm9", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpxor xmm9, xmm1, xmm0", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpxor xmm0, xmm1, xmm8", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpxor ymm0, ymm1, ymm9", &[0xc5, 0xb1, 0xef, 0xc1]),
            ("vpor xmm0, xmm1, xmm9", &[0xc5, 0xb1, 0xef, 0xc1]),
            // not commutative
            ("vpunpcklqdq xmm0, xmm1, xmm9", &[0xc5, 0xb1, 0x6c, 0xc1]),
            ("vpandn xmm0, xmm1, xmm9", &[0xc5, 0xb1, 0xdf, 0xc1]),
            // not shorter
            ("vpxor xmm1, xmm2, xmm3", &[0xc5, 0xe1, 0xef, 0xca]),
        ] {
            assert!(differs(&[text], bytes).is_some(), "{text}");
        }
    }

    #[test]
    fn moved_and_dropped_instructions_are_found() {
        for i in (0..CODE.len()).filter(|&i| !CODE[i].1.is_empty()) {
            let mut dropped = lines();
            dropped.remove(i);
            assert!(
                differs(&dropped, &bytes()).is_some(),
                "without {}",
                CODE[i].0
            );
            if i + 1 < CODE.len() {
                let mut swapped = lines();
                swapped.swap(i, i + 1);
                assert!(differs(&swapped, &bytes()).is_some(), "{} later", CODE[i].0);
            }
        }
    }

    #[test]
    fn the_address_of_the_table_is_left_to_the_linker() {
        let lea = |text: &str, distance| differs(&[text], &[0x48, 0x8d, 0x05, distance, 0, 0, 0]);
        let text = "lea rax, [rip + vg_table]";
        assert_eq!(lea(text, 0), None);
        assert!(lea(text, 1).is_some());
        assert!(lea("lea rcx, [rip + vg_table]", 0).is_some());
        assert!(lea("lea rax, [rdi]", 0).is_some());
        assert!(differs(&[text], &[0x48, 0x8d, 0x07]).is_some());
    }

    #[test]
    fn what_the_text_cannot_say_is_found() {
        assert!(differs(&["add rax, 1"], &[0xf0, 0x48, 0x83, 0xc0, 0x01]).is_some());
        assert!(differs(&["ret"], &[0xf3, 0xc3]).is_some());
        assert!(differs(&["mov rax, qword ptr [rdi]"], &[0x64, 0x48, 0x8b, 0x07]).is_some());
        assert!(differs(&["mov rax, qword ptr [rdi]"], &[0x67, 0x48, 0x8b, 0x07]).is_some());
        assert!(differs(&["ret"], &[0xc3, 0x00]).is_some());
        assert!(differs(&["ret"], &[0xc3, 0xc3]).is_some());
        assert!(differs(&["ret"], &[]).is_some());
        assert!(differs(&["ret"], &[0x06]).is_some());
        assert!(differs(&[], &[]).is_some());
    }
}
