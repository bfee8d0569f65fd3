//! `cargo verify` and `cargo emit` on small projects.

mod support;

use std::fs;

use support::{Run, Tree, workspace};

/// Prints one file for all modules it is given, as the real emitter does, and a report.
const EMITTER: &str = r#"
def report (axioms : String) : String :=
  "{\"artifacts\": [{\"name\": \"f\", \"arch\": \"x86_64\", \"file\": \"x86_64/f.rs\", \"module\": \"Artifacts.C\", \"instructions\": 7, " ++
  "\"features\": [\"sse2\"], \"axioms\": " ++ axioms ++ "}], \"theorems\": 1, \"replayed\": 2, \"library\": 3}"

def main (arguments : List String) : IO Unit := do
  match arguments with
  | out :: modules =>
    IO.FS.createDirAll s!"{out}/asm/x86_64"
    IO.FS.writeFile s!"{out}/asm/x86_64/f.rs" s!"// {modules}\n"
    IO.FS.writeFile s!"{out}/report.json" (report "[\"propext\"]")
    IO.Process.exit 0
  | [] => IO.Process.exit 1
"#;

const PROJECT: [(&str, &str); 5] = [
    ("TCB/A.lean", "def TCB.a := 1\n"),
    ("Spec/D.lean", "def Spec.d := 1\n"),
    (
        "Proof/B.lean",
        "import TCB.A\ntheorem Proof.b : TCB.a = 1 := rfl\n",
    ),
    ("Artifacts/C.lean", "import Proof.B\n"),
    ("emitter/Main.lean", EMITTER),
];

#[test]
fn a_project_is_checked_printed_and_compared_and_then_only_what_changed() {
    let tree = Tree::new(&PROJECT);
    let first = tree
        .verify()
        .failed()
        .says("missing: x86_64/f.rs")
        .says("src/asm is not what Lean prints");
    assert_eq!(
        first.checked(),
        ["Artifacts.C", "Proof.B", "Spec.D", "TCB.A", "emitter.Main"]
    );
    let emit = tree
        .run(&["emit"])
        .passed()
        .shows("src/asm   1 files written or removed");
    assert_eq!(emit.checked(), [""; 0]);
    assert_eq!(
        fs::read_to_string(tree.path("src/asm/x86_64/f.rs")).unwrap(),
        "// [Artifacts.C]\n"
    );
    let again = tree.verify().passed().says("5 of 5 modules are unchanged");
    let again = again
        .shows("official toolchain: NOT RUN")
        .shows("axioms    propext; Lean's library is taken as it is")
        .shows("theorems  1\n");
    again
        .shows("TCB 1, Spec 1, Impl 0, Proof 2")
        .shows("src/asm   equal to what Lean prints");

    tree.write("src/asm/x86_64/f.rs", "// edited\n");
    tree.write("src/asm/x86_64/old.rs", "");
    let differs = tree
        .verify()
        .failed()
        .says("not printed by Lean: x86_64/old.rs");
    differs.says("-// edited\n+// [Artifacts.C]\n");
    tree.run(&["emit"]).passed();

    tree.write(
        "Proof/B.lean",
        "import TCB.A\ntheorem Proof.b : 1 = TCB.a := rfl\n",
    );
    assert_eq!(tree.verify().passed().checked(), ["Artifacts.C", "Proof.B"]);

    // Entries that an interrupted or foreign program left.
    let (a, d) = (
        "target/lean/checked/TCB/A.olean",
        "target/lean/checked/Spec/D.checked",
    );
    let olean = fs::read(tree.path(a)).unwrap();
    fs::write(tree.path(a), &olean[..olean.len() / 2]).unwrap();
    tree.write(d, "{\"key\": \"");
    assert_eq!(
        tree.verify().passed().checked(),
        ["Artifacts.C", "Proof.B", "Spec.D", "TCB.A"]
    );
    tree.verify().passed().says("5 of 5 modules are unchanged");
}

#[test]
fn an_error_a_warning_and_sorry_each_fail_with_file_and_line() {
    let tree = Tree::new(&PROJECT);
    tree.write("Spec/D.lean", "\ntheorem Spec.d : 1 = 2 :=\n  rfl\n");
    tree.write(
        "Proof/B.lean",
        "import TCB.A\ntheorem Proof.b : TCB.a = 2 := sorry\n",
    );
    tree.write(
        "Impl/E.lean",
        "theorem Impl.e (n : Nat) : True := trivial\n",
    );
    let run = tree.verify().failed().says("Spec/D.lean:3:2: error: ");
    let run = run.says("Proof/B.lean:2:8: warning: declaration uses `sorry`");
    let run = run.says("Impl/E.lean:1:16: warning: unused variable `n`");
    let run = run.says("3 of 6 modules failed, 1 that import them were not checked");
    assert!(!run.checked().contains(&"Artifacts.C"));
    let again = tree.verify().failed();
    assert_eq!(
        again.checked(),
        ["Impl.E", "Proof.B", "Spec.D"],
        "a failure is not remembered as success"
    );
}

#[test]
fn a_module_that_ends_the_process_is_an_error_of_that_module() {
    let tree = Tree::new(&[
        ("TCB/A.lean", "#eval (IO.Process.exit 3 : IO Unit)\n"),
        ("TCB/B.lean", "def b := 1\n"),
        ("TCB/C.lean", "import TCB.B\ndef c := b\n"),
    ]);
    let run = tree
        .verify()
        .failed()
        .says("TCB/A.lean:1:0: error: the Lean process ended");
    let run = run.says("1 of 3 modules failed");
    assert_eq!(run.checked(), ["TCB.A", "TCB.B", "TCB.C"]);
}

#[test]
fn code_of_a_module_cannot_change_files_or_speak_for_the_checker() {
    let tree = Tree::new(&[("TCB/A.lean", "def a := 1\n")]);
    tree.verify().failed();
    let olean = tree.path("target/lean/checked/TCB/A.olean");
    let compiled = fs::read(&olean).unwrap();
    let planting = format!(
        "import TCB.A\n#eval IO.FS.writeFile \"{0}\" \"planted\"\n#eval IO.FS.removeFile \"{0}\"\n",
        olean.display()
    );
    tree.write("Impl/Plants.lean", &planting);
    let says = "IO.println \"{\\\"finished\\\": true}\"";
    let speaking = format!(
        "#eval show IO Unit from do\n  let t ← IO.asTask (prio := .dedicated) ({says})\n  IO.ofExcept (← IO.wait t)\n\
         theorem wrong : 1 = 2 := rfl\n"
    );
    tree.write("Impl/Speaks.lean", &speaking);
    let run = tree.verify().failed();
    let run = run.says("Impl/Plants.lean:2:0: error: permission denied");
    let run = run.says("Impl/Plants.lean:3:0: error: permission denied");
    let run = run.says("{\"finished\": true}");
    run.says("Impl/Speaks.lean:4:25: error: ")
        .says("2 of 3 modules failed");
    assert_eq!(fs::read(olean).unwrap(), compiled);
}

#[test]
fn imports_that_cannot_be_followed_are_named_with_their_line() {
    let tree = Tree::new(&[
        ("TCB/A.lean", "import TCB.B\n"),
        ("TCB/B.lean", "\nimport TCB.A\n"),
    ]);
    tree.verify()
        .failed()
        .says("TCB/B.lean:2: error: import cycle: TCB.A → TCB.B → TCB.A");
    tree.write("TCB/B.lean", "-- import TCB.A\nimport Mathlib.Data\n");
    tree.verify()
        .failed()
        .says("TCB/B.lean:2: error: unknown module Mathlib.Data");
    tree.write("TCB/B.lean", "module\n");
    tree.verify()
        .failed()
        .says("TCB/B.lean:1: error: `module` in a header is not supported");
    tree.write("TCB/B.lean", "import Std.No.Such.Module\n");
    tree.verify()
        .failed()
        .says("TCB/B.lean:1:0: error: ")
        .says("Std.No.Such.Module");
    fs::write(tree.path("TCB/B.lean"), [0x2d, 0xff]).unwrap();
    tree.verify()
        .failed()
        .says("TCB/B.lean: error: not valid UTF-8");
}

#[test]
fn only_the_named_modules_are_checked() {
    let tree = Tree::new(&PROJECT);
    tree.write("Spec/D.lean", "wrong\n");
    let run = tree
        .run(&["verify", "Proof.B"])
        .passed()
        .shows("nothing else was checked");
    assert_eq!(run.checked(), ["Proof.B", "TCB.A"]);
    tree.run(&["verify", "Proof.No"])
        .failed()
        .says("unknown module Proof.No");
}

#[test]
fn a_project_without_artifacts_or_emitter_does_not_pass() {
    let tree = Tree::new(&PROJECT[..3]);
    tree.verify()
        .failed()
        .says("there is no module under Artifacts");
    tree.write("Artifacts/C.lean", "");
    tree.verify()
        .failed()
        .says("there is no module emitter.Main");
}

#[test]
fn an_emitter_that_refuses_makes_it_fail() {
    let tree = Tree::new(&PROJECT);
    let refusing =
        "def main : IO Unit := do\n  IO.eprintln \"f is refused\"\n  IO.Process.exit 1\n";
    tree.write("emitter/Main.lean", refusing);
    tree.verify()
        .failed()
        .says("f is refused")
        .says("the emitter refused");
    tree.run(&["emit"]).failed().says("the emitter refused");
    assert!(!tree.path("src/asm").exists());
    tree.write("emitter/Main.lean", &EMITTER.replace("propext", "sorryAx"));
    tree.run(&["emit"])
        .failed()
        .says("f rests on the axiom sorryAx");
    assert!(!tree.path("src/asm").exists());
}

/// A stand-in for an installed toolchain: answers `--version`, and for a file what the real one answers with `--json`.
const FAKE_LEAN: &str = r#"#!/bin/sh
case "$*" in
  --version) echo "Lean (version VERSION, x86_64-unknown-linux-gnu, commit 0, Release)" ;;
  "--json -o "*TCB/Bad.lean)
    echo '{"severity":"error","fileName":"TCB/Bad.lean","pos":{"line":4,"column":2},"endPos":null,"kind":"x","data":"no"}'; exit 1 ;;
  "--json -o "*) echo "$LEAN_PATH" > "$3" ;;
esac
"#;

#[cfg(unix)]
#[test]
fn an_installed_official_toolchain_is_used_and_only_the_pinned_one() {
    use std::os::unix::fs::PermissionsExt;

    let tree = Tree::new(&[("TCB/Good.lean", ""), ("TCB/Bad.lean", "")]);
    let verify = || {
        let mut command = tree.tool();
        command
            .args(["verify", "--lean", "elan", "--root"])
            .arg(tree.path(""))
            .env("ELAN_HOME", tree.path("elan"));
        Run::of(command.output().unwrap())
    };
    verify().failed().says("not installed");
    let lean = "elan/toolchains/leanprover--lean4---v4.28.0/bin/lean";
    for (version, says) in [
        ("4.27.0", "not the pinned Lean 4.28.0"),
        ("4.28.0", "TCB/Bad.lean:4:2: error: no"),
    ] {
        tree.write(lean, &FAKE_LEAN.replace("VERSION", version));
        fs::set_permissions(tree.path(lean), fs::Permissions::from_mode(0o755)).unwrap();
        verify().failed().says(says);
    }
    let olean = fs::read_to_string(tree.path("target/lean/checked/TCB/Good.olean")).unwrap();
    assert_eq!(
        olean.trim(),
        tree.path("target/lean/checked")
            .canonicalize()
            .unwrap()
            .to_str()
            .unwrap()
    );
    assert!(!tree.path("target/lean/checked/TCB/Bad.olean").exists());
}

#[test]
fn the_runners_javascript_passes_its_tests() {
    // Installs and prepares npm's Lean, whose Node.js runs the tests.
    Tree::new(&PROJECT).run(&["verify", "TCB.A"]).passed();
    let packages = fs::read_dir(workspace().join("target/lean/npm"))
        .unwrap()
        .flatten();
    let node = packages
        .flat_map(|p| {
            ["x64", "arm64"].map(|arch| {
                p.path()
                    .join(format!("node_modules/node-linux-{arch}/bin/node"))
            })
        })
        .find(|node| node.is_file())
        .expect("the Node.js of npm's Lean");
    let mut command = std::process::Command::new(node);
    command
        .args(["--test", "test/*.test.js"])
        .current_dir(workspace().join("ci/lean"));
    Run::of(command.output().unwrap())
        .passed()
        .shows("fail 0\n");
}
