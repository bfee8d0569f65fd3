use std::fs;

use super::*;

/// What the gate refuses of a kernel of these instructions, with these lists.
fn checked(arch: &str, lines: &[&str], files: &[(&str, &str)]) -> Result<Report> {
    let dir = tempfile::tempdir().unwrap();
    let write = |path: String, text: &str| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for (name, text) in [
        ("intel-doit.txt", "# moves\nmov\nvpxor\nshl r, i\npmuludq"),
        ("intel-mcdt.txt", "pmuludq"),
        ("arm-dit.txt", "mov\n"),
        ("allowed.txt", ""),
    ]
    .iter()
    .chain(files)
    {
        write(format!("{FOLDER}/{name}"), text);
    }
    if !lines.is_empty() {
        let lines: Vec<_> = lines.iter().map(|line| format!("\"{line}\"")).collect();
        let kernel = format!(
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() {{ core::arch::naked_asm!({}) }}
            pub const VG_F_FEATURES: &[&str] = &[];",
            lines.join(", ")
        );
        write(format!("src/asm/{arch}/m.rs"), &kernel);
    }
    check(dir.path())
}

#[track_caller]
fn refused(arch: &str, lines: &[&str], allowed: &str) -> Vec<String> {
    let report = checked(arch, lines, &[("allowed.txt", allowed)]).unwrap();
    report.violations
}

#[test]
fn listed_instructions_pass() {
    let report = checked(
        "x86_64",
        &["2:", "mov rax, 1", "mov rax, qword ptr [rdi]", "mov rcx, 2"],
        &[],
    );
    let report = report.unwrap();
    assert_eq!((report.checked, &report.violations[..]), (2, &[][..]));
    let lines = [".arch armv8-a", "mov x0, x1", "mov v0.16b, v1.16b"];
    let report = checked("aarch64", &lines, &[]).unwrap();
    assert_eq!((report.checked, &report.violations[..]), (2, &[][..]));
}

#[test]
fn an_instruction_on_no_list_is_refused() {
    assert_eq!(
        refused("x86_64", &["mov rax, 1", "div rcx"], ""),
        [
            "x86_64: div r: on no list in docs/timing, and not allowed there; asm::x86_64::m::vg_f has it"
        ]
    );
    let lines = [".arch armv8-a", "udiv x0, x1, x2"];
    let found = refused("aarch64", &lines, "");
    assert!(found[0].starts_with("aarch64: udiv r, r, r: on no list"));
    assert_eq!(found.len(), 1);
}

#[test]
fn a_form_that_is_not_listed_is_refused() {
    assert_eq!(refused("x86_64", &["shl rax, 3"], ""), [""; 0]);
    let found = refused("x86_64", &["shl rax, cl"], "");
    assert!(found[0].starts_with("x86_64: shl r, r: on no list"));
}

#[test]
fn what_depends_on_a_setting_is_refused_although_it_is_on_the_other_list() {
    let found = refused("x86_64", &["pmuludq xmm0, xmm1"], "");
    assert!(found[0].starts_with("x86_64: pmuludq x, x: on the MCDT list"));
    assert_eq!(found.len(), 1);
}

#[test]
fn an_allowance_is_for_one_architecture_and_one_doubt() {
    let code = ["pmuludq xmm0, xmm1"];
    let allowed = "x86_64 mcdt pmuludq: both factors are public";
    assert_eq!(refused("x86_64", &code, allowed), [""; 0]);
    let none = [".arch armv8-a", "ret"];
    assert_eq!(
        refused("aarch64", &none, "aarch64 unlisted ret: no data"),
        [""; 0]
    );
    for other in [
        "x86_64 unlisted pmuludq: r",
        "aarch64 mcdt pmuludq: r",
        "x86_64 mcdt pmuludqs: r",
    ] {
        // The instruction, and the allowance.
        assert_eq!(refused("x86_64", &code, other).len(), 2, "{other}");
    }
}

#[test]
fn an_allowance_that_nothing_needs_is_refused() {
    for (mnemonic, doubt, list) in [
        ("mov", "unlisted", "on no list"),
        ("vpmulld", "mcdt", "on the MCDT list"),
    ] {
        assert_eq!(
            refused(
                "x86_64",
                &["mov rax, 1"],
                &format!("x86_64 {doubt} {mnemonic}: r")
            ),
            [format!(
                "docs/timing: nothing needs the allowance for {mnemonic} of x86_64, as one {list}"
            )]
        );
    }
}

#[test]
fn no_kernel_and_no_list_are_failures() {
    assert!(
        checked("x86_64", &[], &[])
            .unwrap()
            .conclude("mcdt")
            .is_err()
    );
    let code = ["mov rax, 1"];
    for file in ["intel-doit.txt", "intel-mcdt.txt"] {
        assert!(checked("x86_64", &code, &[(file, "# nothing\n")]).is_err());
        assert!(checked("x86_64", &code, &[(file, "mov\nmov\n")]).is_err());
    }
    assert!(checked("riscv64", &code, &[]).is_err());
    assert!(check(tempfile::tempdir().unwrap().path()).is_err());
}

#[test]
fn an_allowance_has_a_reason_and_is_there_once() {
    for allowed in [
        "x86_64 unlisted ret",
        "x86_64 unlisted ret:",
        "x86_64 ret: r",
        "x86_64 other ret: r",
        "x86_64 unlisted ret: r\nx86_64 unlisted ret: s",
    ] {
        assert!(
            checked("x86_64", &["ret"], &[("allowed.txt", allowed)]).is_err(),
            "{allowed}"
        );
    }
}
