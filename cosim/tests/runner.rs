//! The runner notices what is wrong, whoever is wrong.

#![cfg(target_arch = "x86_64")]

use std::{
    io::Write,
    process::{Command, Output, Stdio},
};

use serde_json::{Value, json};

const RAX: u8 = 0;
const RBX: u8 = 1;
const FLAGS: u8 = 2;
const WINDOW: u8 = 253;
const BYTE: u8 = 254;
const END: u8 = 255;
const END_OF_CASES: [u8; 4] = [0xff; 4];
const BASE: u64 = 0x1000_0000;

/// `add rax, rbx`, and `mov byte ptr [rbx], al`.
const CODE: [&str; 2] = ["4801d8", "8803"];

fn run(cases: &[u8]) -> Output {
    let instructions = CODE.map(
        |code| json!({"code": code, "next": code.len() / 2, "target": null, "features": ["sse2"]}),
    );
    let job = json!({
        "components": [{"name": "rax", "size": 8}, {"name": "rbx", "size": 8}, {"name": "flags", "size": 2}],
        "memory": {"base": BASE, "length": 4096, "fill": 0xa5, "window": 16},
        "instructions": instructions,
    });
    let mut child = Command::new(env!("CARGO_BIN_EXE_leanseal-cosim"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(format!("{job}\n").as_bytes()).unwrap();
    // It may have ended before it read everything.
    let _ = input.write_all(cases);
    drop(input);
    child.wait_with_output().unwrap()
}

fn word(component: u8, value: u64) -> Vec<u8> {
    [&[component][..], &value.to_le_bytes()].concat()
}

fn flags(value: u16) -> Vec<u8> {
    [&[FLAGS][..], &value.to_le_bytes()].concat()
}

fn case(instruction: u32, before: &[Vec<u8>], jumps: u8, after: &[Vec<u8>]) -> Vec<u8> {
    let (before, after) = (before.concat(), after.concat());
    [
        &instruction.to_le_bytes()[..],
        &before,
        &[END, jumps],
        &after,
        &[END],
    ]
    .concat()
}

fn outcome(cases: &[Vec<u8>]) -> Value {
    let output = run(&[&cases.concat()[..], &END_OF_CASES].concat());
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

/// The fields of a case of `add`: 1 + 2 = 3, with PF only, unless something is planted.
fn add(sum: u64, after: u16, jumps: u8) -> Vec<u8> {
    let before = [word(RAX, 1), word(RBX, 2), flags(0)];
    case(0, &before, jumps, &[word(RAX, sum), flags(after)])
}

fn store(address: u64, at: u8, value: u8) -> Vec<u8> {
    let before = [
        word(RAX, 0x77),
        word(RBX, address),
        word(WINDOW, BASE + 256),
    ];
    case(1, &before, 0, &[vec![BYTE, at, value]])
}

#[test]
fn a_right_model_passes() {
    let found = outcome(&[add(3, 0b0100, 0), store(BASE + 256 + 5, 5, 0x77)]);
    assert_eq!(found["run"], json!([1, 1]), "{found}");
    assert_eq!(found["failed"], json!([0, 0]), "{found}");
}

#[test]
fn an_undefined_flag_is_not_claimed() {
    // PF is set; 2 says undefined.
    assert_eq!(outcome(&[add(3, 0b1000, 0)])["failed"], json!([0, 0]));
}

#[test]
fn every_planted_error_is_found() {
    for (planted, what) in [
        (add(4, 0b0100, 0), "rax"),
        (add(3, 0b0000, 0), "flags"),
        (add(3, 0b0101, 0), "flags"),
        (add(3, 0b0100, 1), "jumps"),
        (store(BASE + 256 + 5, 5, 0x76), "memory at 0x10000105"),
        (store(BASE + 256 + 5, 6, 0x77), "memory at 0x10000105"),
        (store(BASE + 256 + 16, 5, 0xa5), "memory at 0x10000110"),
        (store(BASE + 4095, 5, 0xa5), "memory at 0x10000fff"),
    ] {
        let found = outcome(&[planted]);
        let differences = found["differences"].as_array().unwrap();
        assert_eq!(differences.len(), 1, "{what}: {found}");
        assert_eq!(differences[0]["what"], what, "{found}");
    }
}

#[test]
fn a_fault_names_its_instruction() {
    let found = outcome(&[store(BASE + 4096, 5, 0xa5)]);
    assert_eq!(found["fault"], 1, "{found}");
    assert_eq!(found["signal"], 11, "{found}");
}

#[test]
fn cases_that_are_cut_short_are_an_error() {
    let whole = add(3, 0b0100, 0);
    for length in [0, 3, 10, whole.len()] {
        let output = run(&whole[..length]);
        assert!(!output.status.success(), "{length}: {output:?}");
        assert!(output.stdout.is_empty());
    }
    let more = [&whole[..], &END_OF_CASES, &[0]].concat();
    assert!(!run(&more).status.success());
}
