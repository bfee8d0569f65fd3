use super::*;

/// Every form of operand, assembled by hand from the manual.
const CODE: [(&str, u32); 28] = [
    (".arch armv8-a+aes", 0),
    ("cbz x1, 3f", 0xb4000301),
    ("2:", 0),
    ("ldp x4, x5, [x0]", 0xa9401404),
    ("cmp x5, #64", 0xf10100bf),
    ("ldp q2, q3, [x4, #32]", 0xad410c82),
    ("ldur q0, [x6, #-16]", 0x3cdf00c0),
    ("str q0, [x2]", 0x3d800040),
    ("add x6, x4, x5", 0x8b050086),
    ("ldrb w6, [x4]", 0x39400086),
    ("subs x5, x5, #1", 0xf10004a5),
    ("b.ne 2b", 0x54ffff01),
    ("mov x6, #65535", 0xd29fffe6),
    ("movi v3.16b, #0", 0x4f00e403),
    ("b 2b", 0x17fffff5),
    ("aese v0.16b, v31.16b", 0x4e284be0),
    ("pmull2 v0.1q, v1.2d, v2.2d", 0x4ee2e020),
    ("tbl v0.16b, {v1.16b}, v2.16b", 0x4e020020),
    ("ext v0.16b, v1.16b, v2.16b, #8", 0x6e024020),
    ("mov v0.16b, v1.16b", 0x4ea11c20),
    ("mov v0.d[1], x1", 0x4e181c20),
    ("mov w1, v0.s[3]", 0x0e1c3c01),
    ("dup v0.4s, v1.s[3]", 0x4e1c0420),
    ("ushr v0.2d, v1.2d, #63", 0x6f410420),
    ("movk x1, #1, lsl #16", 0xf2a00021),
    ("ldr q0, [x1], #-16", 0x3cdf0420),
    ("3:", 0),
    ("ret", 0xd65f03c0),
];

fn differs(lines: &[&str], bytes: &[u8]) -> Option<String> {
    refused(lines, bytes, &["aes", "neon"])
}

fn refused(lines: &[&str], bytes: &[u8], features: &[&str]) -> Option<String> {
    refused_linked(lines, bytes, features, Vec::new())
}

fn refused_linked(
    lines: &[&str],
    bytes: &[u8],
    features: &[&str],
    relocations: Vec<Relocation<i64>>,
) -> Option<String> {
    let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
    let function = Function {
        name: "asm::aarch64::m::vg_f".to_owned(),
        lines: owned(lines),
        features: owned(features),
        doc: String::new(),
        table: None,
    };
    let code = Code {
        bytes: bytes.to_vec(),
        relocations,
    };
    let error = check(&function, &code).err();
    error.map(|error| format!("{error:#}"))
}

fn lines() -> Vec<&'static str> {
    CODE.iter().map(|line| line.0).collect()
}

fn is_code(line: &str) -> bool {
    !line.starts_with('.') && !line.ends_with(':')
}

fn bytes() -> Vec<u8> {
    let code = CODE.iter().filter(|line| is_code(line.0));
    code.flat_map(|line| line.1.to_le_bytes()).collect()
}

#[test]
fn the_same_code_passes() {
    assert_eq!(differs(&lines(), &bytes()), None);
}

#[test]
fn every_planted_difference_is_found() {
    for (line, planted) in [
        (1, "cbz x2, 3f"),
        (1, "cbnz x1, 3f"),
        (1, "cbz w1, 3f"),
        (1, "cbz x1, 2f"),
        (3, "ldp x5, x4, [x0]"),
        (3, "ldp w4, w5, [x0]"),
        (3, "ldp x4, x5, [x0, #8]"),
        (3, "ldp x4, x5, [x0], #16"),
        (3, "ldp x4, x5, [x0, #0]!"),
        (3, "ldnp x4, x5, [x0]"),
        (3, "stp x4, x5, [x0]"),
        (4, "cmp x5, #63"),
        (4, "cmp w5, #64"),
        (4, "cmn x5, #64"),
        (4, "cmp x5, x4"),
        (5, "ldp q2, q3, [x4, #48]"),
        (5, "ldp q2, q3, [x5, #32]"),
        (5, "ldp d2, d3, [x4, #32]"),
        (6, "ldur q0, [x6, #16]"),
        (6, "ldr q0, [x6, #-16]!"),
        (7, "stur q0, [x2]"),
        (7, "str q1, [x2]"),
        (8, "add x6, x5, x4"),
        (8, "add x6, x4, x5, lsl #1"),
        (8, "add x6, x4, #5"),
        (8, "adds x6, x4, x5"),
        (9, "ldrh w6, [x4]"),
        (9, "ldrsb w6, [x4]"),
        (10, "sub x5, x5, #1"),
        (10, "subs x5, x5, #18446744073709551617"),
        (11, "b.eq 2b"),
        (11, "b.ne 3f"),
        (12, "mov x6, #65534"),
        (12, "mov w6, #65535"),
        (13, "movi v3.16b, #1"),
        (13, "movi v3.8b, #0"),
        (13, "movi v2.16b, #0"),
        (14, "b 3f"),
        (14, "bl 2b"),
        (15, "aese v31.16b, v0.16b"),
        (15, "aesd v0.16b, v31.16b"),
        (16, "pmull v0.1q, v1.1d, v2.1d"),
        (16, "pmull2 v0.8h, v1.16b, v2.16b"),
        (16, "pmull2 v0.1q, v2.2d, v1.2d"),
        (17, "tbl v0.16b, {v1.16b, v2.16b}, v2.16b"),
        (17, "tbx v0.16b, {v1.16b}, v2.16b"),
        (17, "tbl v0.8b, {v1.16b}, v2.8b"),
        (17, "tbl v0.16b, {v2.16b}, v1.16b"),
        (18, "ext v0.16b, v1.16b, v2.16b, #7"),
        (18, "ext v0.16b, v2.16b, v1.16b, #8"),
        (19, "mov v1.16b, v0.16b"),
        (19, "mvn v0.16b, v1.16b"),
        (20, "mov v0.d[0], x1"),
        (20, "mov v0.s[1], w1"),
        (21, "mov w1, v0.s[2]"),
        (21, "mov x1, v0.d[1]"),
        (22, "dup v0.4s, v1.s[2]"),
        (22, "dup v0.2d, v1.d[1]"),
        (22, "dup v0.4s, w1"),
        (23, "ushr v0.2d, v1.2d, #62"),
        (23, "sshr v0.2d, v1.2d, #63"),
        (23, "ushr v0.4s, v1.4s, #31"),
        (24, "movk x1, #1"),
        (24, "movk x1, #1, lsl #32"),
        (24, "movk w1, #1, lsl #16"),
        (25, "ldr q0, [x1, #-16]!"),
        (25, "ldur q0, [x1, #-16]"),
        (25, "ldr q0, [x1], #16"),
        (25, "ldr q0, [x1], x2"),
        (27, "ret\nret"),
        (27, "ret x1"),
    ] {
        let mut changed = lines();
        changed.splice(line..=line, planted.lines());
        assert!(differs(&changed, &bytes()).is_some(), "{planted}");
    }
}

#[test]
fn moved_and_dropped_instructions_are_found() {
    for i in (0..CODE.len()).filter(|&i| is_code(CODE[i].0)) {
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
fn what_the_text_cannot_say_is_found() {
    const RET: [u8; 4] = [0xc0, 0x03, 0x5f, 0xd6];
    let text = [".arch armv8-a", "ret"];
    assert_eq!(differs(&text, &RET), None);
    // Padding, half an instruction, two instructions, none.
    assert!(differs(&text, &[RET, [0; 4]].concat()).is_some());
    assert!(differs(&text, &[&RET[..], &[0xc0, 0x03]].concat()).is_some());
    assert!(differs(&text, &[RET, RET].concat()).is_some());
    assert!(differs(&text, &[]).is_some());
    assert!(differs(&text, &[0xff; 4]).is_some());
    assert!(differs(&[".arch armv8-a"], &[]).is_some());
}

#[test]
fn a_kernel_says_for_which_architecture_it_is() {
    const RET: [u8; 4] = [0xc0, 0x03, 0x5f, 0xd6];
    for text in [
        &["ret"][..],
        &[".p2align 2", "ret"],
        &[".arch armv9-a", "ret"],
        &[".arch armv8-ab", "ret"],
        &[".arch armv8-a+", "ret"],
        &["ret", ".arch armv8-a"],
        &[".arch armv8-a", ".arch_extension sve", "ret"],
        &[".arch armv8-a ; nop", "ret"],
        &[".arch armv8-a+aes ; nop", "ret"],
        &[],
    ] {
        assert!(differs(text, &RET).is_some(), "{text:?}");
    }
}

#[test]
fn what_is_not_an_instruction_is_refused() {
    for line in [
        "name:",
        "",
        "mov x0, 1",
        "mov x0, v1.d[256]",
        "mov x0, #0x",
        "mov x0, #+1",
        "mov x0, #--1",
        "mov x0, {x}; ret",
        "b name",
        "b 2f",
        "nop // comment",
        "ADD x0, x0, x1",
    ] {
        assert!(parse(&[line.to_owned()]).is_err(), "{line}");
    }
}

#[test]
fn what_a_kernel_needs_must_be_declared() {
    for (directive, line, code, features) in [
        (
            ".arch armv8-a",
            "ldr q0, [x1]",
            0x3dc00020_u32,
            &["neon"][..],
        ),
        (".arch armv8-a", "str d0, [x1]", 0xfd000020, &["neon"]),
        (".arch armv8-a", "movi v3.16b, #0", 0x4f00e403, &["neon"]),
        (
            ".arch armv8-a+aes",
            "aese v0.16b, v1.16b",
            0x4e284820,
            &["aes", "neon"],
        ),
        (
            ".arch armv8-a+aes+sha3",
            "ret",
            0xd65f03c0,
            &["aes", "sha3"],
        ),
    ] {
        let text = [directive, line];
        assert_eq!(refused(&text, &code.to_le_bytes(), features), None);
        for i in 0..features.len() {
            let mut fewer = features.to_vec();
            let name = fewer.remove(i);
            let found = refused(&text, &code.to_le_bytes(), &fewer);
            let found = found.unwrap_or_else(|| panic!("{line} needs {name}"));
            assert!(found.contains(&format!("needs {name}")), "{found}");
        }
    }
    let text = [".arch armv8-a", "ldp x4, x5, [x0]"];
    assert_eq!(refused(&text, &0xa940_1404_u32.to_le_bytes(), &[]), None);
}

#[test]
fn only_the_address_of_the_table_is_filled_in_and_only_where_the_text_has_it() {
    let text = [
        ".arch armv8-a",
        "adrp x3, vg_table",
        "add x4, x3, :lo12:vg_table",
        "ret",
    ];
    let bytes = [0x9000_0003_u32, 0x9100_0064, 0xd65f_03c0].map(u32::to_le_bytes);
    let at = |offset, kind, to| Relocation { offset, kind, to };
    let differs = |lines: &[&str], bytes: &[[u8; 4]], found: &[_]| {
        refused_linked(lines, &bytes.concat(), &[], found.to_vec()).is_some()
    };
    let right = [at(0, 0x113, 0), at(4, 0x115, 0)];
    assert!(!differs(&text, &bytes, &right));
    for wrong in [
        &[][..],
        &right[..1],
        &[right[0].clone(), at(4, 0x115, 64)],
        &[right[0].clone(), at(8, 0x115, 0)],
        &[right[0].clone(), at(4, 0x116, 0)],
        &[right[0].clone(), right[1].clone(), right[1].clone()],
        &[right[0].clone(), right[1].clone(), at(8, 0x11b, 0)],
    ] {
        assert!(differs(&text, &bytes, wrong), "{wrong:?}");
    }
    // The fields are not 0; or the text has other registers, or no table.
    let mut filled = bytes;
    filled[1][2] = 0x04;
    assert!(differs(&text, &filled, &right));
    for (line, other) in [
        (1, "adrp x4, vg_table"),
        (1, "adr x3, vg_table"),
        (1, "adrp x3, #0"),
        (2, "add x4, x4, :lo12:vg_table"),
        (2, "add x4, x3, #0"),
        (2, "add x4, x3, vg_table"),
    ] {
        let mut lines = text;
        lines[line] = other;
        assert!(differs(&lines, &bytes, &right), "{other}");
    }
}

#[test]
fn forms_have_no_numbers() {
    for (text, expected) in [
        ("ret", "ret"),
        ("movk x1, #1, lsl #16", "movk r, i, lsl i"),
        ("mov v0.d[1], x1", "mov v.d[i], r"),
        ("tbl v0.16b, {v1.16b}, v2.16b", "tbl v.16b, {v.16b}, v.16b"),
        ("ldr q0, [x1], #-16", "ldr q, [r], i"),
        ("ldp w4, w5, [x0, #8]", "ldp r, r, [r, i]"),
        ("adrp x0, vg_table", "adrp r, i"),
        ("2:\nb.ne 2b", "b.ne label"),
        ("2:\ncbz x1, 2b", "cbz r, label"),
    ] {
        let lines = ".arch armv8-a\n".to_owned() + text;
        let lines: Vec<_> = lines.lines().map(str::to_owned).collect();
        let found = forms(&lines).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), expected);
    }
}
