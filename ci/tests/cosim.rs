//! `cargo gate cosim` and `cargo gate printer` on this project with errors planted in the model and the printer.

mod support;

use support::{Run, Tree};

fn gate(tree: &Tree, arguments: &[&str]) -> Run {
    let mut command = tree.tool();
    command.args(["gate", arguments[0], "--root"]);
    command
        .arg(tree.path(""))
        .args(["--lean", "npm", "-j", "1"]);
    Run::of(
        command
            .args(&arguments[1..])
            .output()
            .expect("the tool runs"),
    )
}

/// The forms that have a case that did not pass.
fn differing(run: &Run) -> Vec<&str> {
    let lines = run.stderr.lines().filter(|l| l.ends_with(" differ"));
    lines.filter_map(|l| l.split(':').next()).collect()
}

#[test]
fn semantic_errors_in_the_model_are_caught_and_nothing_else_is() {
    let tree = Tree::copy_of_workspace();
    let isa = "TCB/X86_64/Isa.lean";
    // `cmp` computes carry as if it added.
    tree.replace(
        isa,
        "| .cmp => s.setFlags (subFlags x y)",
        "| .cmp => s.setFlags fun f => if f = .cf then addFlags x y f else subFlags x y f",
    );
    // A VEX load keeps the bits above 128, and a legacy SSE load clears them.
    tree.replace(
        isa,
        "w.bytes fun bs => s.setVec d (ofBytes 512 bs)",
        "w.bytes fun bs => s.setXmm d (ofBytes 128 bs)",
    );
    tree.replace(
        isa,
        "a 16 fun bs => s.setXmm d (ofBytes 128 bs)",
        "a 16 fun bs => s.setVec d (ofBytes 512 bs)",
    );
    // AArch64's carry is the opposite of x86-64's borrow.
    tree.replace("TCB/AArch64/Isa.lean", "c := !x.ult y", "c := x.ult y");
    let run = gate(&tree, &["cosim", "--cases", "32"]).failed();
    let differing = differing(&run);
    let planted = [
        "alu cmp ",
        "movdquLoad ",
        "vmovdquLoad ",
        "alu subs ",
        "cmp ",
    ];
    for form in planted {
        assert!(
            differing.iter().any(|d| d.starts_with(form)),
            "{form}: {}",
            run.stderr
        );
    }
    for form in &differing {
        assert!(
            planted.iter().any(|p| form.starts_with(p)),
            "{form}: {}",
            run.stderr
        );
    }
    run.says("flags: model cf ").says("refused");
}

#[test]
fn printed_text_that_means_something_else_is_refused() {
    let tree = Tree::copy_of_workspace();
    let print = "TCB/X86_64/Print.lean";
    // Prints one register for another, and drops a displacement.
    tree.replace(print, "| .r8 => \"r8\"", "| .r8 => \"r9\"");
    tree.replace(
        print,
        "| .negSucc n => s!\" - {n + 1}\"",
        "| .negSucc _ => \"\"",
    );
    gate(&tree, &["printer", "--arch", "X86_64"])
        .failed()
        .says("does not read back as what was printed")
        .says("two instructions have this text")
        .says("has the bytes of ")
        .says("only 15 of 16 registers as base");
}

#[test]
fn a_register_that_printer_and_reader_call_by_another_name_is_caught() {
    let tree = Tree::copy_of_workspace();
    for (file, from, to) in [
        ("Print", ".x9 => 9 ", ".x9 => 19 "),
        ("Print", ".x19 => 19 ", ".x19 => 9 "),
        ("Parse", "(9, .x9)", "(19, .x9)"),
        ("Parse", "(19, .x19)", "(9, .x19)"),
    ] {
        tree.replace(&format!("TCB/AArch64/{file}.lean"), from, to);
    }
    gate(&tree, &["cosim", "--arch", "AArch64", "--cases", "32"])
        .failed()
        // The address is in the other register.
        .says("19]` faults on the processor with signal 11, and not in the model");
}
