//! Checks modules in dependency order, several at a time, and only those that changed.

mod cache;

use std::{
    path::Path,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use anyhow::{Result, bail};

pub use cache::Cache;

use crate::{
    lean::{Checker, Lean, Message},
    modules::{Graph, Module},
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Waiting,
    Running,
    Checked,
    Failed,
}

/// Checks what has changed and returns how many modules that were; an error when a module has an error or a warning.
pub fn check(graph: &Graph, lean: &Lean, root: &Path, cache: &Cache, jobs: usize) -> Result<usize> {
    let modules = &graph.0;
    let mut states: Vec<_> = modules
        .iter()
        .map(|m| {
            if cache.is_checked(m) {
                State::Checked
            } else {
                State::Waiting
            }
        })
        .collect();
    // A module below may have been changed and changed back while the one above was checked against the change.
    for i in 0..modules.len() {
        if modules[i]
            .imports
            .iter()
            .any(|&j| states[j] == State::Waiting)
        {
            states[i] = State::Waiting;
        }
    }
    let total = states.iter().filter(|s| **s == State::Waiting).count();
    if total < modules.len() {
        eprintln!(
            "{} of {} modules are unchanged",
            modules.len() - total,
            modules.len()
        );
    }
    let run = Run {
        modules,
        cache,
        total,
        shared: Mutex::new(Shared {
            states,
            done: 0,
            fatal: None,
        }),
        changed: Condvar::new(),
    };
    thread::scope(|scope| {
        for _ in 0..jobs.clamp(1, total.max(1)) {
            scope.spawn(|| run.work(lean.checker(root, cache.dir())));
        }
    });
    let shared = run
        .shared
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = shared.fatal {
        return Err(error);
    }
    let count = |state| shared.states.iter().filter(|s| **s == state).count();
    match (count(State::Failed), count(State::Waiting)) {
        (0, 0) => Ok(total),
        (failed, 0) => bail!("{failed} of {} modules failed", modules.len()),
        (failed, waiting) => bail!(
            "{failed} of {} modules failed, {waiting} that import them were not checked",
            modules.len()
        ),
    }
}

struct Run<'a> {
    modules: &'a [Module],
    cache: &'a Cache,
    total: usize,
    shared: Mutex<Shared>,
    changed: Condvar,
}

struct Shared {
    states: Vec<State>,
    done: usize,
    /// An error of the machinery, not of a module: everything stops.
    fatal: Option<anyhow::Error>,
}

impl Run<'_> {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, mut checker: Checker) {
        while let Some(index) = self.take(&checker) {
            let module = &self.modules[index];
            let start = Instant::now();
            let result = self.check(&mut checker, module);
            let mut shared = self.lock();
            shared.done += 1;
            shared.states[index] = match result {
                Ok(messages) => {
                    let failed = messages.iter().any(Message::is_failure);
                    let verdict = if failed { " FAILED" } else { "" };
                    let seconds = start.elapsed().as_secs_f64();
                    eprintln!(
                        "[{}/{}] {} {seconds:.2} s{verdict}",
                        shared.done, self.total, module.name
                    );
                    messages.iter().for_each(|m| eprintln!("{m}"));
                    if failed {
                        State::Failed
                    } else {
                        State::Checked
                    }
                }
                Err(error) => {
                    shared.fatal.get_or_insert(error);
                    State::Failed
                }
            };
            self.changed.notify_all();
        }
    }

    fn check(&self, checker: &mut Checker, module: &Module) -> Result<Vec<Message>> {
        let aside = self.cache.begin(module)?;
        let messages = checker.check(module, &aside)?.messages;
        if !messages.iter().any(Message::is_failure) {
            self.cache.finish(module)?;
        }
        Ok(messages)
    }

    /// The next module for a checker: the one it fits best, then the one that most others wait for.
    fn take(&self, checker: &Checker) -> Option<usize> {
        let mut shared = self.lock();
        loop {
            if shared.fatal.is_some() {
                return None;
            }
            let ready = |i: &usize| {
                let imports = &self.modules[*i].imports;
                shared.states[*i] == State::Waiting
                    && imports.iter().all(|&j| shared.states[j] == State::Checked)
            };
            let best = (0..self.modules.len())
                .filter(ready)
                .max_by_key(|&i| (checker.fitness(&self.modules[i]), self.modules[i].height));
            if let Some(index) = best {
                shared.states[index] = State::Running;
                return Some(index);
            }
            if !shared.states.contains(&State::Running) {
                return None;
            }
            shared = self
                .changed
                .wait(shared)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}
