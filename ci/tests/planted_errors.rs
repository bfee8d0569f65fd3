//! `cargo verify` refuses this very project as soon as something in it is wrong.

mod support;

use support::{Run, Tree};

fn copy_with(path: &str, from: &str, to: &str) -> Tree {
    let tree = Tree::copy_of_workspace();
    tree.replace(path, from, to);
    tree
}

/// Checks what the kernels for gathering are made of: after a change of `TCB` all modules of the project would take minutes.
fn verify_gather_with(path: &str, from: &str, to: &str) -> Run {
    copy_with(path, from, to).run(&["verify", "Artifacts.X86_64.Gather"])
}

#[test]
fn the_project_as_it_is_passes() {
    Tree::copy_of_workspace()
        .verify()
        .passed()
        .shows("src/asm   equal to what Lean prints");
}

#[test]
fn a_wrong_step_in_a_proof_is_refused() {
    let run = verify_gather_with(
        "Proof/Gather/X86_64.lean",
        "(congrArg Memory.bytes hm)",
        "hm",
    );
    run.failed()
        .says("Proof.Gather.X86_64 ")
        .says("error: Application type mismatch")
        .says("modules failed");
}

#[test]
fn a_frame_that_is_one_byte_short_is_refused() {
    let run = verify_gather_with(
        "TCB/Contract.lean",
        "(w.2.eval (t.args c s))).Contains",
        "(w.2.eval (t.args c s) - 1)).Contains",
    );
    run.failed()
        .says("Proof/Gather/Contract.lean:")
        .says("modules failed");
}

#[test]
fn a_kernel_that_leaves_a_secret_in_a_register_is_refused() {
    let run = verify_gather_with("Impl/Gather/X86_64.lean", ".pxor 3 3, ", "");
    run.failed()
        .says("Proof/Gather/X86_64.lean:")
        .says("modules failed");
}

#[test]
fn an_edited_instruction_is_refused() {
    let (from, to) = ("\"add rdx, 64\",", "\"add rdx, 32\",");
    let tree = copy_with("src/asm/x86_64/gather.rs", from, to);
    tree.verify()
        .failed()
        .says("differs: x86_64/gather.rs")
        .says("-        \"add rdx, 32\",\n+        \"add rdx, 64\",\n");
}
