//! The measuring programs of two revisions.

use std::{
    fs::File,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::files;

const PROGRAM: &str = "leanseal-compare";
const MANIFEST: &str = "benches/compare/Cargo.toml";

pub struct Builds {
    pub base: PathBuf,
    pub head: PathBuf,
    /// Another run would build other programs in the same place.
    _lock: File,
}

impl Builds {
    /// Of a revision of the project at `root`, and of its files as they are.
    pub fn make(root: &Path, revision: &str) -> Result<Self> {
        let folder = root.join("target/bench");
        files::create_dir(&folder)?;
        let lock = files::lock(&folder)?;
        let checkout = Checkout::new(root, folder.join("checkout"), revision)?;
        ensure!(
            checkout.path.join(MANIFEST).exists(),
            "{revision} has no {MANIFEST}: compare with a later revision"
        );
        Ok(Self {
            base: build(&checkout.path, &folder.join("base"))?,
            head: build(root, &folder.join("head"))?,
            _lock: lock,
        })
    }
}

/// Builds the measuring program without the libraries that need a C compiler.
fn build(source: &Path, target: &Path) -> Result<PathBuf> {
    let status = Command::new("cargo")
        .args([
            "build",
            "--release",
            "--locked",
            "--no-default-features",
            "--manifest-path",
        ])
        .arg(source.join(MANIFEST))
        .arg("--target-dir")
        .arg(target)
        .status()
        .context("cannot run cargo")?;
    ensure!(
        status.success(),
        "{} does not build",
        source.join(MANIFEST).display()
    );
    Ok(target.join("release").join(PROGRAM))
}

/// A revision in a folder of its own, which goes away with it.
struct Checkout<'a> {
    root: &'a Path,
    path: PathBuf,
}

impl<'a> Checkout<'a> {
    fn new(root: &'a Path, path: PathBuf, revision: &str) -> Result<Self> {
        let commit = format!("{revision}^{{commit}}");
        let known = git(root)
            .args([
                "rev-parse",
                "--verify",
                "--quiet",
                "--end-of-options",
                &commit,
            ])
            .stdout(Stdio::null())
            .status()
            .context("cannot run git")?;
        ensure!(known.success(), "no revision {revision}");
        // An interrupted run leaves it, and git still knows it.
        files::remove(&path)?;
        let checkout = Self { root, path };
        let added = git(root)
            .args(["worktree", "add", "--quiet", "--force", "--detach"])
            .arg(&checkout.path)
            .arg(&commit)
            .status()
            .context("cannot run git")?;
        ensure!(added.success(), "cannot check {revision} out");
        Ok(checkout)
    }
}

impl Drop for Checkout<'_> {
    fn drop(&mut self) {
        let mut remove = git(self.root);
        remove
            .args(["worktree", "remove", "--force"])
            .arg(&self.path);
        if !remove.status().is_ok_and(|status| status.success()) {
            eprintln!("cannot remove {}", self.path.display());
        }
    }
}

fn git(root: &Path) -> Command {
    let mut git = Command::new("git");
    git.arg("-C").arg(root);
    git
}
