//! `cargo gate asm-hygiene` on a small library with planted violations.

use std::process::Command;

mod support;

use support::{Run, Tree};

const MANIFEST: &str = "[package]\nname = \"leanseal\"\nedition = \"2024\"\n";

fn gate(files: &[(&str, &str)]) -> Run {
    let tree = Tree::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", "pub mod asm;\n"),
        ("src/asm/mod.rs", "core::arch::global_asm!(\"\");"),
        ("other.rs", ""),
        ("other/Cargo.toml", "[package]\nname = \"other\"\n"),
        ("other/src/lib.rs", ""),
    ]);
    for (path, text) in files {
        tree.write(path, text);
    }
    run(&tree)
}

fn run(tree: &Tree) -> Run {
    let mut command: Command = tree.tool();
    command
        .args(["gate", "asm-hygiene", "--root"])
        .arg(tree.path(""));
    Run::of(command.output().expect("the tool runs"))
}

#[test]
fn a_library_without_hand_written_assembly_passes() {
    gate(&[]).passed().shows("1 library files are fine");
}

#[test]
fn assembly_in_any_file_is_refused() {
    // Also where other gates expect build output.
    for path in ["src/fast.rs", "src/target/mod.rs", "src/.fast/mod.rs"] {
        gate(&[(path, "\nunsafe extern \"C\" { fn memcpy(); }")])
            .failed()
            .says(&format!("{path}:2: `extern`: "));
    }
}

#[cfg(unix)]
#[test]
fn a_link_is_refused() {
    let tree = Tree::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "mod fast;")]);
    tree.write("fast/mod.rs", "core::arch::global_asm!(\"\");");
    std::os::unix::fs::symlink("../fast", tree.path("src/fast")).expect("a link");
    run(&tree).failed().says("src/fast: a link");
}

#[test]
fn a_build_script_is_refused_however_it_is_named() {
    let named = |key: &str| format!("{MANIFEST}{key} = \"other.rs\"\n");
    let builds = format!("{MANIFEST}[build-dependencies]\nother = {{ path = \"other\" }}\n");
    gate(&[("build.rs", "fn main() {}")])
        .failed()
        .says("Cargo.toml: the library has no build script");
    for manifest in [named("build"), named("\"build\""), named("'build'")] {
        gate(&[("Cargo.toml", &manifest)])
            .failed()
            .says("Cargo.toml: the library has no build script");
    }
    gate(&[("Cargo.toml", &builds)])
        .failed()
        .says("Cargo.toml: other: no code beside src");
}

#[test]
fn code_beside_src_is_refused() {
    for (rest, why) in [
        ("[lib]\npath = \"other.rs\"\n", "the library is src/lib.rs"),
        (
            "[dependencies]\nother = { path = \"other\" }\n",
            "other: no code beside src",
        ),
        (
            "[target.'cfg(unix)'.dependencies.other]\npath = \"other\"\n",
            "other: no code beside src",
        ),
    ] {
        gate(&[("Cargo.toml", &format!("{MANIFEST}{rest}"))])
            .failed()
            .says(why);
    }
}
