//! Gates, run on the project and on small copies of it.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use tempfile::TempDir;

pub fn project() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

pub fn gate(name: &str, root: &Path, rest: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_leanseal-ci"))
        .args(["gate", name, "--root"])
        .arg(root)
        .args(rest)
        .output()
        .unwrap()
}

#[track_caller]
pub fn passes(output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

#[track_caller]
pub fn refuses(output: &Output, why: &str) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(stderr.contains(why), "no {why:?} in {stderr}");
}

/// A small project: what the gates read, and nothing else.
pub fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    copy("Cargo.toml", &dir);
    copy("Cargo.lock", &dir);
    for folder in ["src", "tests", "benches", "examples"] {
        for entry in walkdir::WalkDir::new(project().join(folder)) {
            let entry = entry.unwrap();
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(project()).unwrap();
                copy(path.to_str().unwrap(), &dir);
            }
        }
    }
    for file in ["README.md", "ci/Cargo.toml", "cosim/Cargo.toml"] {
        copy(file, &dir);
    }
    write(&dir, "ci/src/main.rs", "fn main() {}");
    write(&dir, "cosim/src/main.rs", "fn main() {}");
    write(&dir, "cosim/src/lib.rs", "");
    write(&dir, "TCB/Mem.lean", "set_option autoImplicit false");
    dir
}

pub fn copy(file: &str, dir: &TempDir) {
    let to = dir.path().join(file);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(project().join(file), to).unwrap();
}

pub fn write(dir: &TempDir, file: &str, text: &str) {
    let path = dir.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}
