//! The `seal` example, run as a user runs it.
#![cfg(unix)]

mod common;

use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

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

    fn command(&self, command: &str, key: &str, input: &str, output: &str) -> Command {
        let mut example = example("seal");
        example.args([command, "--key-file", key, input, output]);
        example.current_dir(self.0.path());
        example
    }

    fn run(&self, command: &str, key: &str, input: &str, output: &str) -> Output {
        self.command(command, key, input, output).output().unwrap()
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
        is_failure(self.run(command, key, input, "out"), message);
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

/// Exit code 1, and one line that starts so.
#[track_caller]
fn is_failure(run: Output, message: &str) {
    assert_eq!(run.status.code(), Some(1));
    let error = String::from_utf8(run.stderr).unwrap();
    assert!(error.starts_with(&format!("seal: {message}")), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
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
    is_failure(run, "none/out: No such file");
    let run = example("seal").output().unwrap();
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stderr.starts_with(b"seal: usage: "));
}

#[test]
fn what_has_no_length_is_sealed() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    for len in [0, 100, 2_500_001] {
        let mut seal = folder.command("seal", "key", "/dev/stdin", "sealed");
        let mut seal = seal.stdin(Stdio::piped()).spawn().unwrap();
        let mut pipe = seal.stdin.take().unwrap();
        pipe.write_all(&bytes(len, 6)).unwrap();
        drop(pipe);
        assert!(seal.wait().unwrap().success());
        folder.succeeds("open", "sealed", "out");
        assert!(folder.read("out") == bytes(len, 6));
    }
    // The kernel says that it has no bytes.
    #[cfg(target_os = "linux")]
    {
        folder.succeeds("seal", "/proc/version", "sealed");
        folder.succeeds("open", "sealed", "out");
        assert_eq!(folder.read("out"), fs::read("/proc/version").unwrap());
    }
}

#[test]
fn only_regular_files_are_opened() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    let mut open = folder.command("open", "key", "/dev/stdin", "out");
    let open = open.stdin(Stdio::piped()).stderr(Stdio::piped());
    let run = open.spawn().unwrap().wait_with_output().unwrap();
    is_failure(run, "/dev/stdin: not a regular file");
    is_failure(
        folder.run("open", "key", ".", "out"),
        ".: not a regular file",
    );
    assert!(!folder.path("out").exists());
}

#[test]
fn nothing_is_written_before_all_is_verified() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    folder.write("in", &bytes(2_500_001, 7));
    folder.succeeds("seal", "in", "sealed");
    let mut sealed = folder.read("sealed");
    // No file can be written there, which is told only when one is to be.
    let message = "none/out: No such file";
    is_failure(folder.run("open", "key", "sealed", "none/out"), message);
    *sealed.last_mut().unwrap() ^= 1;
    folder.write("sealed", &sealed);
    let message = "sealed: the tag is wrong: ";
    is_failure(folder.run("open", "key", "sealed", "none/out"), message);
    folder.fails("open", "key", "sealed", message);
}

#[test]
fn only_regular_files_are_replaced() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    folder.write("in", b"text");
    folder.succeeds("seal", "in", "sealed");
    folder.write("target", b"as it was");
    fs::create_dir(folder.path("folder")).unwrap();
    symlink("target", folder.path("link")).unwrap();
    symlink("nothing", folder.path("dangling")).unwrap();
    let made = Command::new("mkfifo").arg(folder.path("fifo")).status();
    assert!(made.unwrap().success());
    let state = |name: &str| {
        let file = folder.path(name).symlink_metadata().unwrap();
        (file.ino(), file.mode(), file.ctime(), file.ctime_nsec())
    };
    let entries = || fs::read_dir(folder.0.path()).unwrap().count();
    for output in ["folder", "link", "dangling", "fifo"] {
        for (command, input) in [("seal", "in"), ("open", "sealed")] {
            let before = (state(output), entries());
            let run = folder.run(command, "key", input, output);
            is_failure(run, &format!("{output}: not a regular file"));
            assert_eq!((state(output), entries()), before);
        }
    }
    assert_eq!(folder.read("target"), b"as it was");

    let mode = |name| folder.path(name).metadata().unwrap().mode() & 0o777;
    for new in [0o640, 0o444] {
        fs::set_permissions(folder.path("target"), Permissions::from_mode(new)).unwrap();
        folder.succeeds("open", "sealed", "target");
        assert_eq!(
            (folder.read("target"), mode("target")),
            (b"text".into(), new)
        );
    }
}

#[test]
fn the_key_is_not_replaced() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    folder.write("in", b"text");
    symlink("key", folder.path("alias")).unwrap();
    let files = folder.files();
    for (key, output) in [("key", "key"), ("key", "./key"), ("alias", "key")] {
        let run = folder.run("seal", key, "in", output);
        is_failure(run, &format!("{output}: the key file"));
        assert_eq!(folder.files(), files);
    }
}

#[test]
fn texts_that_are_too_long_are_not_begun() {
    let Some(folder) = Folder::new(32) else {
        return;
    };
    let file = File::create(folder.path("long")).unwrap();
    let longest = (1 << 36) - 32;
    for (command, len) in [("seal", longest + 1), ("open", longest + 1 + 12 + 16)] {
        // All of it is a hole.
        file.set_len(len).unwrap();
        // The output, which cannot be made, is not come to.
        let run = folder.run(command, "key", "long", "none/out");
        is_failure(run, "long: the text is longer than 2^36 - 32 bytes");
    }
}
