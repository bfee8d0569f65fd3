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

/// What came of checking all modules.
#[derive(Debug)]
pub struct Checked {
    /// How many were checked now and not before.
    pub now: usize,
    /// The hashes of the .olean files, in the order of the graph.
    pub oleans: Vec<String>,
}

impl Checked {
    /// Refuses what is not as it was when it was checked: code of a module runs while it is checked.
    pub fn still_there(&self, graph: &Graph, cache: &Cache) -> Result<()> {
        for (module, hash) in graph.0.iter().zip(&self.oleans) {
            if cache.olean_hash(module)? != *hash {
                bail!(
                    "the compiled {} was changed after it was checked",
                    module.name
                );
            }
        }
        Ok(())
    }
}

/// Checks what has changed; an error when a module has an error or a warning.
pub fn check(
    graph: &Graph,
    lean: &Lean,
    root: &Path,
    cache: &Cache,
    jobs: usize,
) -> Result<Checked> {
    let modules = &graph.0;
    let oleans: Vec<_> = modules.iter().map(|m| cache.checked(m)).collect();
    let mut states: Vec<_> = oleans
        .iter()
        .map(|o| o.as_ref().map_or(State::Waiting, |_| State::Checked))
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
            oleans,
            done: 0,
            fatal: None,
        }),
        changed: Condvar::new(),
    };
    let checkers = (0..jobs.clamp(1, total.max(1)))
        .map(|n| Ok(lean.checker(root, cache.dir(), cache.aside(n)?)))
        .collect::<Result<Vec<_>>>()?;
    thread::scope(|scope| {
        for checker in checkers {
            scope.spawn(|| run.work(checker));
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
        (0, 0) => Ok(Checked {
            now: total,
            oleans: shared.oleans.into_iter().flatten().collect(),
        }),
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
    /// The hash of the .olean of each module that is checked.
    oleans: Vec<Option<String>>,
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
                Ok((messages, olean)) => {
                    shared.oleans[index] = olean;
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

    /// The messages about a module, and the hash of its .olean if it is right.
    fn check(
        &self,
        checker: &mut Checker,
        module: &Module,
    ) -> Result<(Vec<Message>, Option<String>)> {
        let new = self.cache.begin(module, checker.aside())?;
        let mut messages = checker.check(module, &new)?.messages;
        if messages.iter().any(Message::is_failure) {
            return Ok((messages, None));
        }
        if !new.is_file() {
            let file = module.path.display().to_string();
            messages.push(Message::error(&file, "Lean wrote no compiled module"));
            return Ok((messages, None));
        }
        let hash = self.cache.finish(module, &new)?;
        Ok((messages, Some(hash)))
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_compiled_module_that_was_changed_is_noticed_at_once_and_by_the_next_run() {
        let (root, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(root.path().join("TCB")).unwrap();
        fs::write(root.path().join("TCB/A.lean"), "").unwrap();
        let graph = Graph::load(root.path(), &["TCB.A".to_owned()], "toolchain").unwrap();
        let cache = Cache::open(dir.path().to_owned()).unwrap();
        let module = &graph.0[0];

        let new = cache.begin(module, &cache.aside(0).unwrap()).unwrap();
        fs::write(&new, "compiled").unwrap();
        let oleans = vec![cache.finish(module, &new).unwrap()];
        let checked = Checked { now: 1, oleans };
        checked.still_there(&graph, &cache).unwrap();
        assert!(cache.checked(module).is_some());

        fs::write(dir.path().join("TCB/A.olean"), "planted").unwrap();
        let error = checked.still_there(&graph, &cache).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the compiled TCB.A was changed after it was checked"
        );
        assert!(cache.checked(module).is_none());
    }
}
