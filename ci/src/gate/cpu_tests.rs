//! The tests of the library, once for each choice of kernels that features of the CPU lead to.
//!
//! Which choices there are is not listed anywhere: the library is asked, with each set of features that this CPU has.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::{Report, sources};

const VARIABLE: &str = "VG_CPU_FEATURES";
/// The test that says what the library chooses, and the choice where there is no key.
const SELECTION: &str = "aes_gcm::key::tests::selection";
const NO_KEY: &str = "selected none";
/// These tests are macros of another crate, and panic where there is no key, as the traits are documented to.
const NEEDS_A_KEY: &str = "aead";

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("choices of kernels");
    let library = library_tests(root)?;
    let plan = Plan::new(|features| ask(&library, features))?;
    for (place, why) in &plan.violations {
        report.refuse(place, why);
    }
    for backend in &plan.impossible {
        println!("NOT TESTED: the backend {backend}, because this CPU cannot run it");
    }
    for (choice, features) in &plan.runs {
        println!("--- {VARIABLE}={features}: {}", choice.join(", "));
        let output = tests(root, choice, features)?;
        match passed(&output.text) {
            _ if !output.success => report.refuse(features, "a test fails, see above"),
            0 => report.refuse(features, "no test ran"),
            tests => {
                println!("{tests} tests pass");
                report.checked += 1;
            }
        }
    }
    Ok(report)
}

/// What the library answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Answer {
    /// Features that the CPU has.
    features: Vec<String>,
    /// Backends, and whether the CPU can run them with the features that are allowed.
    backends: Vec<(String, bool)>,
    choice: Vec<String>,
}

impl Answer {
    fn parse(text: &str) -> Result<Self> {
        let mut answer = Self::default();
        for line in text.lines() {
            let words: Vec<_> = line.split(' ').collect();
            match words[..] {
                ["feature", name] => answer.features.push(name.to_owned()),
                ["backend", name, runs @ ("true" | "false")] => {
                    answer.backends.push((name.to_owned(), runs == "true"));
                }
                ["selected", ..] => answer.choice.push(line.to_owned()),
                _ => {}
            }
        }
        ensure!(
            !answer.choice.is_empty(),
            "{SELECTION} says nothing: {text}"
        );
        Ok(answer)
    }
}

/// Which features to allow.
#[derive(Debug, Default)]
struct Plan {
    /// Each choice with the smallest set of features that leads to it.
    runs: BTreeMap<Vec<String>, String>,
    impossible: Vec<String>,
    violations: Vec<(String, &'static str)>,
}

impl Plan {
    /// `ask` is what the library answers with some features allowed, or with all.
    fn new(ask: impl Fn(Option<&str>) -> Result<Answer>) -> Result<Self> {
        let free = ask(None)?;
        ensure!(
            free.features.len() < 12,
            "too many features to try all sets"
        );
        let mut sets: Vec<Vec<&str>> = vec![vec![]];
        for feature in &free.features {
            let mut with = sets.clone();
            with.iter_mut().for_each(|set| set.push(feature));
            sets.extend(with);
        }
        sets.sort_by_key(Vec::len);
        let mut plan = Self::default();
        let mut chosen = Vec::new();
        for set in &sets {
            let features = if set.is_empty() {
                "none".to_owned()
            } else {
                set.join(",")
            };
            let answer = ask(Some(&features))?;
            chosen.extend(answer.choice.clone());
            plan.runs.entry(answer.choice).or_insert(features);
        }
        if !plan.runs.contains_key(&free.choice) {
            let place = format!("without {VARIABLE}");
            plan.violations
                .push((place, "another choice than with all features"));
        }
        for (backend, runs) in free.backends {
            if !runs {
                plan.impossible.push(backend);
            } else if !chosen.contains(&format!("selected {backend}")) {
                plan.violations
                    .push((backend, "no set of features selects it"));
            }
        }
        Ok(plan)
    }
}

/// The program of the library's unit tests.
fn library_tests(root: &Path) -> Result<PathBuf> {
    #[derive(Deserialize)]
    struct Message {
        executable: Option<PathBuf>,
    }
    // Tests run the examples, which cargo builds by itself only when it is to run all tests.
    let examples = cargo(root, "build").arg("--examples").status();
    let built = examples.context("cannot run cargo")?.success();
    ensure!(built, "the examples do not build");
    let output = cargo(root, "test")
        .args(["--lib", "--no-run", "--message-format=json"])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "the tests do not build");
    let text = String::from_utf8(output.stdout).context("cargo's output")?;
    let messages = text.lines().map(serde_json::from_str::<Message>);
    let programs: Vec<_> = messages
        .collect::<Result<_, _>>()
        .context("cargo's output")?;
    let mut programs = programs
        .into_iter()
        .filter_map(|message| message.executable);
    programs.next().context("cargo names no program of tests")
}

fn ask(program: &Path, features: Option<&str>) -> Result<Answer> {
    let mut command = Command::new(program);
    command.args([SELECTION, "--exact", "--ignored", "--nocapture"]);
    match features {
        Some(features) => command.env(VARIABLE, features),
        None => command.env_remove(VARIABLE),
    };
    let output = command.output().context("cannot run the tests")?;
    let text = String::from_utf8_lossy(&output.stdout);
    ensure!(output.status.success(), "{SELECTION} fails: {text}");
    Answer::parse(&text)
}

struct Output {
    success: bool,
    text: String,
}

fn tests(root: &Path, choice: &[String], features: &str) -> Result<Output> {
    let mut command = cargo(root, "test");
    command
        .args(["--lib", "--examples"])
        .env(VARIABLE, features);
    for file in sources(root, "tests", &["rs"])? {
        let name = file.path.file_stem().and_then(|stem| stem.to_str());
        let name = name.context("a name of a test")?;
        let is_root = file.path.parent() == Some(Path::new("tests"));
        let can_run = name != NEEDS_A_KEY || !choice.iter().any(|line| line == NO_KEY);
        if is_root && can_run {
            command.args(["--test", name]);
        }
    }
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        print!("{text}");
    }
    Ok(Output {
        success: output.status.success(),
        text,
    })
}

fn cargo(root: &Path, command: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(root).arg(command).args([
        "--package",
        "leanseal",
        "--locked",
        "--all-features",
    ]);
    cargo
}

/// How many tests passed, by the lines that say so.
fn passed(text: &str) -> usize {
    let counts = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("test result: ok. ")?;
        rest.split_once(" passed")?.0.parse::<usize>().ok()
    });
    counts.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A library with the backends `fast` and `slow`, which need these features, and `fast` first.
    fn library<'a>(
        has: &'a [&str],
        fast: &'a [&str],
        slow: &'a [&str],
    ) -> impl Fn(Option<&str>) -> Result<Answer> + 'a {
        move |allowed| {
            let runs = |needs: &[&str]| {
                needs.iter().all(|feature| {
                    let names = |list: &str| list.split(',').any(|name| name == *feature);
                    has.contains(feature) && allowed.is_none_or(names)
                })
            };
            let backends = [("fast", runs(fast)), ("slow", runs(slow))];
            let first = backends.iter().find(|(_, runs)| *runs);
            let mut text = format!("selected {}\n", first.map_or("none", |(name, _)| name));
            for feature in has {
                text += &format!("feature {feature}\n");
            }
            for (name, runs) in backends {
                text += &format!("backend {name} {runs}\n");
            }
            Answer::parse(&text)
        }
    }

    #[test]
    fn each_choice_is_run_once_with_as_few_features_as_lead_to_it() {
        let plan = Plan::new(library(&["a", "b", "c"], &["a", "b"], &["a"])).unwrap();
        let runs: Vec<_> = plan
            .runs
            .iter()
            .map(|(choice, set)| (&choice[0][..], &set[..]))
            .collect();
        let expected = [
            ("selected fast", "a,b"),
            ("selected none", "none"),
            ("selected slow", "a"),
        ];
        assert_eq!(runs, expected);
        assert!(plan.violations.is_empty() && plan.impossible.is_empty());
    }

    #[test]
    fn what_the_cpu_cannot_run_is_said() {
        let plan = Plan::new(library(&["a"], &["a", "b"], &["a"])).unwrap();
        assert_eq!(plan.impossible, ["fast"]);
        assert!(plan.violations.is_empty());
        assert_eq!(plan.runs.len(), 2);
    }

    #[test]
    fn a_backend_that_no_features_select_is_refused() {
        let plan = Plan::new(library(&["a", "b"], &["a"], &["a", "b"])).unwrap();
        assert_eq!(plan.violations[0].0, "slow");
    }

    #[test]
    fn a_variable_that_changes_what_all_features_select_is_refused() {
        let honest = library(&["a"], &["a"], &["b"]);
        let plan = Plan::new(|allowed: Option<&str>| {
            let allowed = allowed.map(|_| "none");
            honest(allowed)
        });
        assert!(!plan.unwrap().violations.is_empty());
    }

    #[test]
    fn an_answer_has_a_choice() {
        assert!(Answer::parse("").is_err());
        assert!(Answer::parse("running 0 tests\nfeature a\n").is_err());
    }

    #[test]
    fn tests_are_counted() {
        let line = "test result: ok. 12 passed; 0 failed; 1 ignored\n";
        assert_eq!(passed(&line.repeat(2)), 24);
        assert_eq!(passed("running 0 tests\n"), 0);
        assert_eq!(passed("test result: FAILED. 3 passed; 1 failed"), 0);
    }
}
