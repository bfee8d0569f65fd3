//! What `VG_CPU_FEATURES` changes, in processes of their own because it is read once.

mod common;

use common::program::command;
use leanseal::aes_gcm::{AesGcm, NewError};

const VARIABLE: &str = "VG_CPU_FEATURES";
const MARK: &str = "new: ";

/// The optional features that `AesGcm::new` needs.
const NEEDED: &[&str] = if cfg!(target_arch = "x86_64") {
    &["avx", "aes", "pclmulqdq"]
} else {
    &["aes"]
};

/// Says what `AesGcm::new` gives; the tests below run it.
#[test]
#[ignore = "it tests nothing"]
fn child() {
    match AesGcm::new(&[0; 16]) {
        Ok(_) => println!("{MARK}a key"),
        Err(NewError::UnsupportedCpu) => println!("{MARK}unsupported"),
        Err(error) => println!("{MARK}{error}"),
    }
    let mut out = [0; 40];
    leanseal::gather::copy(&[&[7; 40]], &mut out).unwrap();
    assert_eq!(out, [7; 40]);
}

/// What `child` says, with the variable set or without it.
fn outcome(value: Option<&str>) -> String {
    let mut command = command(&std::env::current_exe().unwrap());
    command.args(["child", "--exact", "--ignored", "--nocapture"]);
    match value {
        Some(value) => command.env(VARIABLE, value),
        None => command.env_remove(VARIABLE),
    };
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, said) = text.split_once(MARK).unwrap();
    said.lines().next().unwrap().to_owned()
}

#[test]
fn it_only_restricts() {
    assert_eq!(outcome(Some("none")), "unsupported");
    let free = outcome(None);
    if free == "a key" {
        assert_eq!(outcome(Some(&NEEDED.join(","))), free);
        let fewer = NEEDED[1..].join(",");
        if !fewer.is_empty() {
            assert_eq!(outcome(Some(&fewer)), "unsupported");
        }
    } else {
        assert_eq!(free, "unsupported");
    }
}

#[test]
fn a_name_that_is_not_known_is_an_error() {
    for (value, name) in [
        ("", ""),
        ("aes512", "aes512"),
        ("none,", "none"),
        ("AVX", "AVX"),
    ] {
        let said = outcome(Some(value));
        let start = format!("VG_CPU_FEATURES: no feature is called `{name}`: ");
        assert!(said.starts_with(&start), "{said}");
    }
}
