//! The `seal` example, run as a user runs it.
#![cfg(unix)]

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use common::features::not_tested;
use common::program::example;
use common::reference::KEY_LENGTHS;
use common::{bytes, forms};
use tempfile::TempDir;

/// A folder with a key, and what a user does there.
struct Folder(TempDir);

impl Folder {
    /// Nothing where no kernel can run.
    fn new(key_len: usize) -> Option<Self> {
        if cfg!(target_arch = "aarch64") {
            not_tested("the example seal", "AArch64 has no kernels for it");
            return None;
        }
        forms::new(&[0; 16])?;
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("key", &bytes(key_len, 1));
        Some(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn run(&self, command: &str, key: &str, input: &str, output: &str) -> Output {
        let mut example = example("seal");
        example.args([command, "--key-file", key, input, output]);
        example.current_dir(self.0.path()).output().unwrap()
    }

    #[track_caller]
    fn succeeds(&self, command: &str, input: &str, output: &str) {
        let run = self.run(command, "key", input, output);
        assert!(run.status.success(), "{run:?}");
        assert!(run.stdout.is_empty() && run.stderr.is_empty(), "{run:?}");
    }

    /// Exit code 1, one line that starts so, and no file more or less.
    #[track_caller]
    fn fails(&self, command: &str, key: &str, input: &str, message: &str) {
        let files = self.files();
        let run = self.run(command, key, input, "out");
        assert_eq!(run.status.code(), Some(1));
        let error = String::from_utf8(run.stderr).unwrap();
        assert!(error.starts_with(&format!("seal: {message}")), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert_eq!(self.files(), files);
    }

    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths
            .map(|path| (path.clone(), fs::read(path).unwrap()))
            .collect();
        files.sort();
        files
    }
}

#[test]
fn files_are_sealed_and_opened() {
    for key_len in KEY_LENGTHS {
        let Some(folder) = Folder::new(key_len) else {
            return;
        };
        for len in [0, 1, 100, 1 << 20, 2_500_001] {
            folder.write("in", &bytes(len, 2));
            folder.succeeds("seal", "in", "sealed");
            assert_eq!(folder.read("sealed").len(), 12 + len + 16);
            folder.succeeds("open", "sealed", "out");
            assert!(folder.read("out") == bytes(len, 2));
        }
        folder.succeeds("seal", "in", "again");
        assert!(
            folder.read("again") != folder.read("sealed"),
            "one nonce twice"
        );
        // A file may take the place of the one that it was made of.
        folder.succeeds("open", "again", "again");
        assert!(folder.read("again") == folder.read("in"));
    }
}

#[test]
fn what_is_not_authentic_is_not_written() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    folder.write("in", &bytes(1000, 3));
    folder.succeeds("seal", "in", "sealed");
    folder.write("other", &bytes(32, 4));
    let sealed = folder.read("sealed");
    for out in [None, Some(b"as it was")] {
        if let Some(text) = out {
            folder.write("out", text);
        }
        folder.fails(
            "open",
            "other",
            "sealed",
            "sealed: the tag is wrong: another key",
        );
        for len in [28, 29, 500, sealed.len() - 1] {
            folder.write("cut", &sealed[..len]);
            folder.fails("open", "key", "cut", "cut: the tag is wrong: ");
        }
        for len in [0, 1, 12, 27] {
            folder.write("cut", &sealed[..len]);
            folder.fails("open", "key", "cut", "cut: too short");
        }
        for place in [0, 11, 12, 500, sealed.len() - 1] {
            let mut changed = sealed.clone();
            changed[place] ^= 1;
            folder.write("changed", &changed);
            folder.fails("open", "key", "changed", "changed: the tag is wrong: ");
        }
    }
}

#[test]
fn what_is_wrong_is_named() {
    let Some(folder) = Folder::new(16) else {
        return;
    };
    folder.write("in", b"text");
    for len in [0, 15, 17, 33, 64] {
        folder.write("bad key", &bytes(len, 5));
        folder.fails(
            "seal",
            "bad key",
            "in",
            "bad key: a key of AES has 16, 24 or 32 bytes",
        );
    }
    folder.fails("seal", "none", "in", "none: No such file or directory");
    folder.fails("seal", "key", "none", "none: No such file or directory");
    folder.fails(
        "close",
        "key",
        "in",
        "usage: seal seal|open --key-file KEY IN OUT",
    );
    let run = folder.run("seal", "key", "in", "none/out");
    assert_eq!(run.status.code(), Some(1));
    let error = String::from_utf8(run.stderr).unwrap();
    assert!(error.starts_with("seal: none/out: No such file"), "{error}");
    let run = example("seal").output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stderr.starts_with(b"seal: usage: "));
}
