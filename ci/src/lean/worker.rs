//! A process of npm's Lean that checks many modules, so that Lean's library is loaded once.

use std::{
    collections::BTreeSet,
    fs,
    hash::{BuildHasher, Hasher, RandomState},
    io::{BufRead, BufReader, Read, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;

use super::{Message, Outcome, npm::Npm};
use crate::modules::Module;

/// A process above this is replaced: the memory of WebAssembly ends at 2 GB, and loaded modules are never freed.
const MAX_RESIDENT_MB: u64 = 1600;
const TIME_LIMIT: Duration = Duration::from_secs(15 * 60);
/// How the runner says that a file is incomplete and the process therefore ends.
const CANNOT_WRITE: &str = "cannot write: ";
/// How much of a dead process's stderr is shown.
const SHOWN_STDERR: usize = 2000;

#[derive(Debug)]
pub struct Worker<'a> {
    npm: &'a Npm,
    root: &'a Path,
    oleans: &'a Path,
    aside: PathBuf,
    process: Option<Process>,
}

impl<'a> Worker<'a> {
    pub fn new(npm: &'a Npm, root: &'a Path, oleans: &'a Path, aside: PathBuf) -> Self {
        Self {
            npm,
            root,
            oleans,
            aside,
            process: None,
        }
    }

    pub fn aside(&self) -> &Path {
        &self.aside
    }

    pub fn fitness(&self, module: &Module) -> usize {
        match &self.process {
            Some(p) if !p.fits(module) => 0,
            Some(p) if p.loaded.contains(&library(module)) => 2,
            _ => 1,
        }
    }

    pub fn check(&mut self, module: &Module, olean: &Path) -> Result<Outcome> {
        let token = token();
        let job = json!({
            "token": token, "module": module.name, "source": self.root.join(&module.path), "olean": olean, "library": library(module),
        });
        self.process = self.process.take().filter(|p| p.fits(module));
        loop {
            let process = match &mut self.process {
                Some(process) => process,
                None => self.process.insert(Process::start(
                    self.npm.worker_command(&self.aside, self.oleans),
                    module,
                )?),
            };
            let fresh = process.loaded.is_empty();
            let answer = process.check(&job, &token);
            process.loaded.insert(library(module));
            process.ran_untrusted |= !is_trusted(module);
            if process.resident_mb() > MAX_RESIDENT_MB {
                self.process = None;
            }
            let file = module.path.display().to_string();
            let mut messages = match answer {
                Ok(messages) => messages,
                Err(failure) => {
                    self.process = None;
                    if let Some(line) = failure.what.lines().find(|l| l.contains(CANNOT_WRITE)) {
                        bail!("{}: {}", module.name, line.trim());
                    }
                    // State left by earlier modules can end a process on a module that is fine by itself.
                    if !fresh && failure.retry {
                        continue;
                    }
                    vec![Message::error(&file, failure.what)]
                }
            };
            for message in &mut messages {
                message.file_name.clone_from(&file);
            }
            return Ok(Outcome { messages });
        }
    }
}

/// The library modules to load for a module; all of Lean is loaded when any of it is, less would save nothing.
fn library(module: &Module) -> Vec<String> {
    if module.library.contains("Lean") {
        return vec!["Lean".to_owned()];
    }
    module.library.iter().cloned().collect()
}

/// What the audit and the emitter are made of: compiled where no code of other modules ran before.
fn is_trusted(module: &Module) -> bool {
    matches!(
        module.name.split('.').next(),
        Some("TCB" | "Spec" | "emitter")
    )
}

/// What the code of a module cannot guess; the keys of the standard library's hashes are random.
fn token() -> String {
    let random = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", random(), random())
}

struct Failure {
    what: String,
    retry: bool,
}

#[derive(Debug)]
struct Process {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
    /// The library sets of the modules that it checked.
    loaded: BTreeSet<Vec<String>>,
    /// Measured: code of an imported module only runs if the first job of a process imports it.
    initializers: BTreeSet<String>,
    ran_untrusted: bool,
}

/// A line of LeanWorker.lean.
#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Finished { token: String, finished: bool },
    Message { token: String, message: Message },
}

impl Process {
    fn start(mut command: Command, first: &Module) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a Lean process")?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().context("no stdout")?;
        let stderr = child.stderr.take().context("no stderr")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let stderr = thread::spawn(move || tail(stderr));
        let initializers = first.initializers.clone();
        Ok(Self {
            child,
            stdin,
            lines,
            stderr: Some(stderr),
            loaded: BTreeSet::new(),
            initializers,
            ran_untrusted: false,
        })
    }

    fn fits(&self, module: &Module) -> bool {
        module.initializers.is_subset(&self.initializers)
            && !(self.ran_untrusted && is_trusted(module))
    }

    fn check(&mut self, job: &serde_json::Value, expected: &str) -> Result<Vec<Message>, Failure> {
        let sent = self
            .stdin
            .as_mut()
            .is_some_and(|to| writeln!(to, "{job}").is_ok());
        if !sent {
            return Err(self.died());
        }
        let deadline = Instant::now() + TIME_LIMIT;
        let mut messages = Vec::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return Err(self.died()),
                Err(RecvTimeoutError::Timeout) => {
                    let what = format!("not checked after {} s", TIME_LIMIT.as_secs());
                    return Err(Failure { what, retry: false });
                }
            };
            match serde_json::from_str(&line) {
                Ok(Answer::Message { token, message }) if token == expected => {
                    messages.push(message);
                }
                Ok(Answer::Finished { token, finished }) if token == expected => {
                    if !finished && !messages.iter().any(Message::is_failure) {
                        let what = "Lean did not finish this module and gave no reason".to_owned();
                        return Err(Failure { what, retry: true });
                    }
                    return Ok(messages);
                }
                // Printed by code of the module.
                _ => eprintln!("{line}"),
            }
        }
    }

    fn died(&mut self) -> Failure {
        drop(self.stdin.take());
        let status = self
            .child
            .wait()
            .map_or_else(|e| e.to_string(), |s| s.to_string());
        let said = self
            .stderr
            .take()
            .and_then(|t| t.join().ok())
            .unwrap_or_default();
        Failure {
            what: format!("the Lean process ended ({status}): {}", said.trim()),
            retry: true,
        }
    }

    fn resident_mb(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let resident = status.ok().and_then(|text| {
            let line = text.lines().find_map(|l| l.strip_prefix("VmRSS:"))?;
            line.trim().split(' ').next()?.parse::<u64>().ok()
        });
        resident.unwrap_or(0) >> 10
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Lean ends at the end of its input, but not in the middle of a module.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn tail(mut from: impl Read) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(n @ 1..) = from.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..n]);
        kept.drain(..kept.len().saturating_sub(SHOWN_STDERR));
    }
    String::from_utf8_lossy(&kept).into_owned()
}
