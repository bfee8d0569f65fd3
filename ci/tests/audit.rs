//! The audit of artifacts and the reading back of what is printed: the real `TCB` and `emitter` on a tiny kernel, and on
//! fixtures that each break one rule. The first line of such a file says how it is refused.

mod support;

use std::{fs, path::PathBuf};

use support::{Tree, workspace};
use walkdir::WalkDir;

/// The Lean files below a folder: their paths in it, and their texts.
fn lean_files(folder: PathBuf) -> Vec<(String, String)> {
    let files = WalkDir::new(&folder).sort_by_file_name().into_iter();
    let files: Vec<_> = files
        .map(|entry| entry.expect("a folder that can be read").into_path())
        .filter(|path| path.extension().is_some_and(|e| e == "lean"))
        .map(|path| {
            let name = path.strip_prefix(&folder).expect("a path in the folder");
            let text = fs::read_to_string(&path).expect("a text");
            (name.to_string_lossy().into_owned(), text)
        })
        .collect();
    assert!(!files.is_empty(), "no Lean files in {}", folder.display());
    files
}

fn fixtures(kind: &str) -> Vec<(String, String)> {
    lean_files(workspace().join("ci/tests/fixtures/audit").join(kind))
}

fn add(tree: &Tree, files: &[(String, String)]) {
    for (path, text) in files {
        tree.write(path, text);
    }
}

fn remove(tree: &Tree, files: &[(String, String)]) {
    for (path, _) in files {
        fs::remove_file(tree.path(path)).expect("a file that was added");
    }
}

fn refusals(files: &[(String, String)]) -> Vec<&str> {
    let found: Vec<_> = files
        .iter()
        .filter_map(|(_, text)| text.lines().next()?.strip_prefix("-- "))
        .collect();
    assert!(!found.is_empty(), "no fixture says how it is refused");
    found
}

#[test]
fn only_what_is_proven_is_printed_and_only_as_it_is_proven() {
    let tree = Tree::new(&[]);
    for folder in ["TCB", "emitter"] {
        for (path, text) in lean_files(workspace().join(folder)) {
            // The vectors are of the algorithms of this project.
            if path == "Vectors.lean" {
                continue;
            }
            tree.write(&format!("{folder}/{path}"), &text);
        }
    }
    add(&tree, &fixtures("right"));
    tree.run(&["emit"])
        .passed()
        .says("reading back x86_64/tiny.rs");
    let printed = fs::read_to_string(tree.path("src/asm/x86_64/tiny.rs")).unwrap();
    for line in [
        "/// Meets `Spec.Tiny.contract`; proven by `Proof.Tiny.verified`.",
        "/// - `key` is valid for reads of 2 bytes.",
        "pub unsafe extern \"sysv64\" fn vg_tiny(key: *const u8) -> u32 {",
        "        \"jmp 23f\",",
        "pub const VG_TINY_FEATURES: &[&str] = &[\"sse2\"];",
    ] {
        assert!(
            printed.lines().any(|l| l == line),
            "{line} is not in {printed}"
        );
    }

    // What `tests/table.rs` compiles, and compares with its machine code.
    for path in ["x86_64/lookup.rs", "aarch64/lookup.rs", "aarch64/mod.rs"] {
        let printed = fs::read_to_string(tree.path("src/asm").join(path)).unwrap();
        let fixture = workspace().join("ci/tests/fixtures/table").join(path);
        assert_eq!(printed, fs::read_to_string(fixture).unwrap(), "{path}");
    }

    let wrong = fixtures("wrong");
    add(&tree, &wrong);
    let mut run = tree.verify().failed().says("the emitter refused");
    for refusal in refusals(&wrong) {
        run = run.says(&format!("refused: {refusal}"));
    }
    remove(&tree, &wrong);

    for kind in ["forged", "cleared"] {
        let unseen = fixtures(kind);
        add(&tree, &unseen);
        let mut run = tree.verify().failed().says("the emitter refused");
        for refusal in refusals(&unseen) {
            run = run.says(&format!("refused: {refusal}"));
        }
        remove(&tree, &unseen);
    }

    for (path, from, to) in [
        ("TCB/X86_64/Print.lean", "\"sysv64\"", "\"win64\""),
        ("TCB/Rust.lean", "\"*const u8\"", "\"*mut u8\""),
        ("TCB/Rust.lean", "align(64)", "align(32)"),
    ] {
        let right = fs::read_to_string(tree.path(path)).unwrap();
        assert!(right.contains(from), "{from} is not in {path}");
        tree.write(path, &right.replace(from, to));
        tree.verify()
            .failed()
            .says("refused: ")
            .says(".rs does not read back as vg_");
        tree.write(path, &right);
    }
    tree.verify().passed();
}
