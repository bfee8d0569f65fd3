//! The official toolchain, as elan installs it. It is only looked for: nothing here starts a download.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use super::{Message, Outcome, workspace};
use crate::modules::Module;

#[derive(Debug)]
pub struct Elan {
    lean: PathBuf,
    /// The first line of `lean --version`.
    pub version: String,
}

impl Elan {
    /// The toolchain that `lean-toolchain` pins, if it is installed.
    pub fn find() -> Result<Option<Self>> {
        let pin = workspace().join("lean-toolchain");
        let pinned =
            fs::read_to_string(&pin).with_context(|| format!("cannot read {}", pin.display()))?;
        let home = match env::var_os("ELAN_HOME") {
            Some(home) => PathBuf::from(home),
            None => PathBuf::from(env::var_os("HOME").unwrap_or_default()).join(".elan"),
        };
        // elan's own naming of the folders of its toolchains
        let folder = pinned.trim().replace('/', "--").replace(':', "---");
        let lean = home.join("toolchains").join(folder).join("bin/lean");
        if !lean.is_file() {
            return Ok(None);
        }
        let output = Command::new(&lean)
            .arg("--version")
            .output()
            .with_context(|| format!("cannot run {}", lean.display()))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.lines().next().unwrap_or_default().to_owned();
        let number = pinned.trim().rsplit(":v").next().unwrap_or_default();
        if !output.status.success() || !version.contains(&format!("version {number},")) {
            bail!(
                "{} is not the pinned Lean {number}: {version}",
                lean.display()
            );
        }
        Ok(Some(Self { lean, version }))
    }

    pub fn command(&self, oleans: &Path) -> Command {
        let mut command = Command::new(&self.lean);
        command.env("LEAN_PATH", oleans);
        command
    }

    pub fn check(
        &self,
        root: &Path,
        oleans: &Path,
        module: &Module,
        olean: &Path,
    ) -> Result<Outcome> {
        let output = self
            .command(oleans)
            .current_dir(root)
            .args(["--json", "-o"])
            .arg(olean)
            .arg(&module.path)
            .output()
            .with_context(|| format!("cannot run {}", self.lean.display()))?;
        let mut messages = Vec::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            match serde_json::from_str::<Message>(line) {
                Ok(message) => messages.push(message),
                Err(_) => eprintln!("{line}"),
            }
        }
        if !output.status.success() && !messages.iter().any(Message::is_failure) {
            let said = String::from_utf8_lossy(&output.stderr);
            let what = format!("Lean ended with {}: {}", output.status, said.trim());
            messages.push(Message::error(&module.path.display().to_string(), what));
        }
        Ok(Outcome { messages })
    }
}
