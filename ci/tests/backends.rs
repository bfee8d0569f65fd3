//! The gates that look at the kernels which the library chooses, on trees with planted violations.

mod support;

use std::fs;

use support::gates::{gate, passes, refuses, tree, write};

#[test]
fn variants_refuses_what_cannot_be_reached() {
    passes(&gate("variants", tree().path(), &[]));
    const BACKENDS: &str = "src/aes_gcm/x86_64.rs";
    for (file, from, to, why) in [
        (
            "src/gather.rs",
            "vg_gather_copy_avx",
            "vg_gather_copy",
            "vg_gather_copy_avx: the library never calls it",
        ),
        (
            BACKENDS,
            "Self::AesNiVpclmul, ",
            "",
            "x86_64.rs: `ALL` does not have AesNiVpclmul",
        ),
        (
            BACKENDS,
            "Self::AesNiVpclmul, Self::AesNi]",
            "Self::AesNi, Self::AesNi]",
            "x86_64.rs: `ALL` has AesNi more than once",
        ),
        (
            BACKENDS,
            "            Self::AesNi => cpu",
            "            _ => cpu",
            "x86_64.rs: `runs_here` has an arm for whatever backend",
        ),
        (
            BACKENDS,
            "            Self::AesNi => cpu::aesni::get(),",
            "",
            "x86_64.rs: `runs_here` has no arm for AesNi",
        ),
    ] {
        let dir = tree();
        let text = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from:?} any more");
        write(&dir, file, &text.replace(from, to));
        refuses(&gate("variants", dir.path(), &[]), why);
    }

    let dir = tree();
    for file in [BACKENDS, "src/aes_gcm/aarch64.rs"] {
        fs::remove_file(dir.path().join(file)).unwrap();
        write(&dir, file, "");
    }
    refuses(&gate("variants", dir.path(), &[]), "no table of backends");
}

/// What is refused of a plan, and that each run is one, is in the gate's own unit tests.
#[test]
fn cpu_tests_fails_where_nothing_can_be_built() {
    let dir = tree();
    fs::remove_file(dir.path().join("Cargo.toml")).unwrap();
    refuses(
        &gate("cpu-tests", dir.path(), &[]),
        "the examples do not build",
    );
}
