//! The `gather` example, run as a user runs it.
#![cfg(unix)]

mod common;

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::program::example;

fn gather() -> Command {
    example("gather")
}

#[track_caller]
fn assert_fails(output: &Output, message: &str) {
    assert_eq!(output.status.code(), Some(1));
    assert!(output.stdout.is_empty());
    assert_eq!(String::from_utf8_lossy(&output.stderr), message);
}

#[test]
fn concatenates_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = ["Cargo.toml", "LICENSE-APACHE", "/dev/null", "Cargo.toml"];
    let expected = files
        .map(|file| std::fs::read(root.join(file)).unwrap())
        .concat();
    let output = gather().args(files).output().unwrap();
    assert!(output.status.success());
    assert_eq!(output.stdout, expected);
    assert!(output.stderr.is_empty());
}

#[test]
fn without_arguments_says_how_to_use_it() {
    assert_fails(
        &gather().output().unwrap(),
        "gather: usage: gather FILE… > OUT\n",
    );
}

#[test]
fn names_the_file_it_cannot_read() {
    assert_fails(
        &gather()
            .args(["Cargo.toml", "no-such-file"])
            .output()
            .unwrap(),
        "gather: no-such-file: No such file or directory (os error 2)\n",
    );
    assert_fails(
        &gather().arg("src").output().unwrap(),
        "gather: src: Is a directory (os error 21)\n",
    );
}

#[test]
fn a_reader_that_stops_is_no_error() {
    let mut child = gather()
        .args(std::iter::repeat_n("LICENSE-APACHE", 100))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty());
}
