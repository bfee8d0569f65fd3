//! The gates as `.ci/run` runs them, on the project and on trees with planted violations.

mod support;

use std::fs;

use support::gates::{gate, passes, project, refuses, tree, write};
use tempfile::TempDir;

const RLIB: &str = "target/gate/machine-code/release/libleanseal.rlib";
const X86_64: &str = "src/asm/x86_64/gather.rs";
const AARCH64: &str = "src/asm/aarch64/gather.rs";

/// Changes the emitted text in one place.
fn replace(dir: &TempDir, kernel: &str, from: &str, to: &str) {
    let text = fs::read_to_string(dir.path().join(kernel)).unwrap();
    assert!(
        text.contains(from),
        "the kernel has no {from:?} any more: choose another"
    );
    write(dir, kernel, &text.replacen(from, to, 1));
}

#[test]
fn the_project_passes() {
    for name in [
        "algorithms-table",
        "arch-gates",
        "asm-hygiene",
        "lean-imports",
        "lean-speed",
        "mcdt",
        "variants",
    ] {
        passes(&gate(name, project(), &[]));
    }
}

#[test]
fn lean_gates_refuse_a_planted_violation_and_a_tree_without_lean() {
    let dir = tree();
    passes(&gate("lean-imports", dir.path(), &[]));
    passes(&gate("lean-speed", dir.path(), &[]));

    write(
        &dir,
        "Spec/A.lean",
        "import Proof.A\nset_option autoImplicit false",
    );
    refuses(
        &gate("lean-imports", dir.path(), &[]),
        "Spec/A.lean:1: Spec must not import Proof.A",
    );
    write(
        &dir,
        "Spec/A.lean",
        "set_option autoImplicit false\ntheorem t : 1 = 2 := sorry",
    );
    refuses(
        &gate("lean-speed", dir.path(), &[]),
        "Spec/A.lean:2: `sorry` is not allowed",
    );
    write(&dir, "src/long.rs", &"//\n".repeat(401));
    refuses(
        &gate("lean-speed", dir.path(), &[]),
        "src/long.rs: 401 lines",
    );

    fs::remove_dir_all(dir.path().join("Spec")).unwrap();
    fs::remove_dir_all(dir.path().join("TCB")).unwrap();
    refuses(
        &gate("lean-imports", dir.path(), &[]),
        "found no Lean files",
    );
    refuses(&gate("lean-speed", dir.path(), &[]), "no Lean files");
}

/// The library of an untouched tree, against texts that differ from it in one place, and the other way round.
#[test]
fn machine_code_refuses_every_planted_difference_on_x86_64() {
    let built = tree();
    passes(&gate("machine-code", built.path(), &["--arch", "x86_64"]));
    let rlib = built.path().join(RLIB);
    let rlib = ["--rlib", rlib.to_str().unwrap()];

    let load = "\"mov r8, qword ptr [rdi]\",";
    for (from, to) in [
        ("\"add rdi, 16\"", "\"add rdi, 8\""),
        ("\"add rdi, 16\"", "\"add rsi, 16\""),
        ("\"add rdi, 16\"", "\"add edi, 16\""),
        ("[r8 + 16]", "[r8 + 32]"),
        ("\"pxor xmm0, xmm0\",", ""),
        ("\"ret\",", "\"ret\", \"ret\","),
        ("\"ret\",", "\"pxor xmm4, xmm4\", \"ret\","),
        (load, "\"nop\", \"mov r8, qword ptr [rdi]\","),
        (
            "\"vmovdqu ymm0, ymmword ptr [r8]\"",
            "\"vmovdqu xmm0, xmmword ptr [r8]\"",
        ),
        ("\"vpxor xmm0, xmm0, xmm0\"", "\"pxor xmm0, xmm0\""),
        ("\"vzeroupper\",", ""),
        ("\"vzeroupper\",", "\"vzeroall\","),
        ("FEATURES: &[&str] = &[\"sse2\"]", "FEATURES: &[&str] = &[]"),
        (
            "FEATURES: &[&str] = &[\"avx\"]",
            "FEATURES: &[&str] = &[\"sse2\"]",
        ),
    ] {
        let dir = tree();
        replace(&dir, X86_64, from, to);
        refuses(
            &gate("machine-code", dir.path(), &rlib),
            "asm::x86_64::gather::vg_gather_copy",
        );
    }

    let dir = tree();
    replace(&dir, X86_64, "fn vg_gather_copy(", "fn vg_gather_copy_of(");
    replace(
        &dir,
        X86_64,
        "VG_GATHER_COPY_FEATURES",
        "VG_GATHER_COPY_OF_FEATURES",
    );
    let output = gate("machine-code", dir.path(), &rlib);
    refuses(
        &output,
        "vg_gather_copy: in the library once more than in src/asm",
    );
    refuses(
        &output,
        "vg_gather_copy_of: in src/asm, but not in the library",
    );

    let dir = tree();
    replace(&dir, X86_64, "\"add rdi, 16\"", "\"add rdi, 24\"");
    passes(&gate("machine-code", dir.path(), &["--arch", "x86_64"]));
    let changed = dir.path().join(RLIB);
    let changed = ["--rlib", changed.to_str().unwrap()];
    refuses(
        &gate("machine-code", built.path(), &changed),
        "the immediate is 0x18",
    );
}

/// The same with the cross compiler's library.
#[test]
fn machine_code_refuses_every_planted_difference_on_aarch64() {
    let built = tree();
    passes(&gate("machine-code", built.path(), &["--arch", "aarch64"]));
    let rlib = built
        .path()
        .join("target/gate/machine-code/aarch64-unknown-linux-gnu/release/libleanseal.rlib");
    let rlib = ["--rlib", rlib.to_str().unwrap()];
    passes(&gate("machine-code", built.path(), &rlib));

    for (from, to) in [
        ("\"add x0, x0, #16\"", "\"add x0, x0, #8\""),
        ("\"add x0, x0, #16\"", "\"add x1, x0, #16\""),
        ("\"add x0, x0, #16\"", "\"adds x0, x0, #16\""),
        ("\"ldp q0, q1, [x4]\"", "\"ldp q1, q0, [x4]\""),
        ("[x4, #32]", "[x4, #48]"),
        ("\"movi v0.16b, #0\",", ""),
        ("\"ret\",", "\"ret\", \"ret\","),
        ("\"b.hs 25b\"", "\"b.lo 25b\""),
        ("\"b.hs 25b\"", "\"b.hs 21b\""),
        ("\".arch armv8-a\",", ""),
        ("\".arch armv8-a\",", "\".arch armv8-a+sve\","),
        ("FEATURES: &[&str] = &[\"neon\"]", "FEATURES: &[&str] = &[]"),
    ] {
        let dir = tree();
        replace(&dir, AARCH64, from, to);
        refuses(
            &gate("machine-code", dir.path(), &rlib),
            "asm::aarch64::gather::vg_gather_copy",
        );
    }

    let dir = tree();
    fs::remove_file(dir.path().join(AARCH64)).unwrap();
    refuses(
        &gate("machine-code", dir.path(), &rlib),
        "asm::aarch64::gather::vg_gather_copy: in the library once more than in src/asm",
    );
}

#[test]
fn machine_code_without_kernels_fails() {
    let dir = tree();
    fs::remove_dir_all(dir.path().join("src/asm")).unwrap();
    write(&dir, "src/lib.rs", "//! Empty\n#![no_std]");
    refuses(
        &gate("machine-code", dir.path(), &[]),
        "found no kernels to check",
    );
}

#[test]
fn arch_gates_refuses_what_compiles_for_the_wrong_targets() {
    passes(&gate("arch-gates", tree().path(), &[]));
    for (file, from, to, why) in [
        (
            "src/lib.rs",
            "target_endian = \"little\",",
            "",
            "aarch64_be-unknown-linux-gnu is supported",
        ),
        (
            "src/lib.rs",
            "target_pointer_width = \"64\",",
            "",
            "x86_64-unknown-linux-gnux32 is supported",
        ),
        (
            "src/lib.rs",
            "target_feature = \"neon\"",
            "target_os = \"linux\"",
            "aarch64-unknown-none is not supported",
        ),
        (
            "src/lib.rs",
            "little-endian AArch64 with",
            "others with",
            "gives not one error that names the supported",
        ),
        (
            "tests/common/backends/mod.rs",
            "#[cfg(target_arch = \"aarch64\")]",
            "",
            "tests/common/backends/mod.rs:",
        ),
        (
            "benches/gather.rs",
            "use std::hint::black_box;",
            "#![cfg(target_arch = \"x86_64\")] use std::hint::black_box;",
            "benches/gather.rs: is for x86_64 only, but uses no architecture",
        ),
        (
            "tests/common/backends/x86_64.rs",
            "kernel!(vg_gather_copy_avx,",
            "kernel!(vg_gather_copy,",
            "asm::x86_64::gather::vg_gather_copy_avx: no test uses it",
        ),
        (
            "src/gather.rs",
            "aarch64::gather::{",
            "aarch64::scatter::{",
            "asm::aarch64::gather: nothing in the library uses it",
        ),
    ] {
        let dir = tree();
        let text = fs::read_to_string(dir.path().join(file)).unwrap();
        assert!(text.contains(from), "{file} has no {from:?} any more");
        write(&dir, file, &text.replace(from, to));
        refuses(&gate("arch-gates", dir.path(), &[]), why);
    }

    let dir = tree();
    let text = fs::read_to_string(dir.path().join("src/lib.rs")).unwrap();
    write(&dir, "src/lib.rs", &format!("{text}\npub mod more;"));
    write(&dir, "src/more.rs", "");
    refuses(
        &gate("arch-gates", dir.path(), &[]),
        "the module more has not the condition",
    );
}

#[test]
fn algorithms_table_is_stale_when_a_kernel_changes() {
    let dir = tree();
    passes(&gate("algorithms-table", dir.path(), &[]));
    replace(
        &dir,
        X86_64,
        "FEATURES: &[&str] = &[\"avx\"]",
        "FEATURES: &[&str] = &[\"avx2\"]",
    );
    refuses(
        &gate("algorithms-table", dir.path(), &[]),
        "the table of kernels is stale",
    );
    passes(&gate("algorithms-table", dir.path(), &["--write"]));
    passes(&gate("algorithms-table", dir.path(), &[]));
    let readme = fs::read_to_string(dir.path().join("README.md")).unwrap();
    assert!(readme.contains("`vg_gather_copy_avx` (`avx2`)"));
}
