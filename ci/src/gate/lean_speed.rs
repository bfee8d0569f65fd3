//! Nothing that hides a slow proof or stands in for one, and no file too long to review.
//!
//! This reads words, to give a place and a reason early. What a proof really rests on, the axiom audit finds.

use std::path::Path;

use anyhow::Result;

use super::{
    Report, Source,
    lean_text::{Token, tokens},
    sources,
};

const LONGEST: usize = 400;

/// Where these rules hold; the emitter is not part of any proof.
const PROVEN: [&str; 5] = ["TCB", "Spec", "Impl", "Proof", "Artifacts"];

/// Words that give up on a proof, or believe something without the kernel.
const FORBIDDEN: [&str; 14] = [
    "admit",
    "axiom",
    "bv_decide",
    "csimp",
    "extern",
    "implemented_by",
    "native_decide",
    "ofReduceBool",
    "ofReduceNat",
    "skipKernelTC",
    "sorry",
    "sorryAx",
    "trustCompiler",
    "unsafe",
];

/// Words that run code of a module's own while it is checked: such code can write compiled modules, and what is in them.
const RUNNING: [&str; 14] = [
    "BaseIO",
    "EIO",
    "IO",
    "builtin_initialize",
    "by_elab",
    "elab",
    "elab_rules",
    "eval",
    "initialize",
    "run_cmd",
    "run_elab",
    "run_meta",
    "run_tac",
    "unsafeIO",
];

/// Options that let a slow proof pass.
const LIMITS: [&str; 4] = [
    "maxHeartbeats",
    "maxRecDepth",
    "maxSynthPendingDepth",
    "synthInstance",
];

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("source files");
    for file in sources(root, ".", &["lean", "rs", "js", "cjs", "mjs"])? {
        report.checked += 1;
        check_length(&file, &mut report);
    }
    let mut lean_files = 0;
    for folder in PROVEN.into_iter().chain(["emitter"]) {
        for file in sources(root, folder, &["lean"])? {
            lean_files += 1;
            check_lean(&file, &mut report);
        }
    }
    if lean_files == 0 {
        report.refuse(root.display(), "no Lean files");
    }
    Ok(report)
}

/// Emitted kernels are as long as they are.
fn check_length(file: &Source, report: &mut Report) {
    let lines = file.text.lines().count();
    if lines > LONGEST && !file.path.starts_with("src/asm") {
        report.refuse(
            file.path.display(),
            format!("{lines} lines, more than {LONGEST}"),
        );
    }
}

fn check_lean(file: &Source, report: &mut Report) {
    let tokens = tokens(&file.text);
    let mut refuse = |token: &Token, why: String| {
        report.refuse(format!("{}:{}", file.path.display(), token.line), why);
    };
    let starts = |i: usize, words: &[&str]| {
        let ahead = tokens.get(i..i + words.len()).unwrap_or_default();
        ahead.len() == words.len() && ahead.iter().zip(words).all(|(t, word)| t.text == *word)
    };
    let starts_command = |i: usize| i > 0 && tokens[i - 1].text == "#" && tokens[i].joined;
    if PROVEN.iter().any(|folder| file.path.starts_with(folder)) {
        let names_are_data =
            file.path.starts_with("TCB/Audit") || file.path.starts_with("TCB/Audit.lean");
        for (i, token) in tokens.iter().enumerate() {
            let word = token.last().trim_matches(['«', '»']);
            let mention = token.quoted || token.text.contains('«');
            if FORBIDDEN.contains(&word) && !(mention && names_are_data) {
                refuse(token, format!("`{}` is not allowed", token.text));
            }
            // `eval` is a good name, and only a command after `#`.
            let runs = |part: &str| {
                let part = part.trim_matches(['«', '»', '!']);
                RUNNING.contains(&part) && (part != "eval" || starts_command(i))
            };
            if !names_are_data && token.text.split('.').any(runs) {
                refuse(token, format!("`{}` runs code", token.text));
            }
            if LIMITS
                .iter()
                .any(|limit| token.text.split('.').any(|part| part == *limit))
                && !(mention && names_are_data)
            {
                refuse(
                    token,
                    format!("`{}`: make the proof faster instead", token.text),
                );
            }
            if starts(i, &["decide", ":=", "true"]) {
                refuse(
                    token,
                    "`decide := true`: use `decide` where it is needed".into(),
                );
            }
            if starts(i, &["+", "decide"]) && tokens[i + 1].joined && !token.joined {
                refuse(token, "`+decide`: use `decide` where it is needed".into());
            }
        }
    }
    if !(0..tokens.len()).any(|i| starts(i, &["set_option", "autoImplicit", "false"])) {
        report.refuse(file.path.display(), "no `set_option autoImplicit false`");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(path: &str, text: &str) -> Vec<String> {
        let file = Source {
            path: path.into(),
            text: format!("{text}\nset_option autoImplicit false\n"),
        };
        let mut report = Report::default();
        check_lean(&file, &mut report);
        check_length(&file, &mut report);
        report.violations
    }

    #[test]
    fn every_forbidden_word_is_refused_with_its_place() {
        for text in [
            "theorem t : p := sorry",
            "  admit",
            "by native_decide",
            "by bv_decide",
            "axiom choice : p",
            "@[implemented_by f] def g := 1",
            "@[extern \"c\"] def g := 1",
            "@[simp, csimp] theorem t : a = b := rfl",
            "unsafe def f := 1",
            "set_option debug.skipKernelTC true",
            "exact Lean.ofReduceBool a b c",
            "set_option maxHeartbeats 0",
            "set_option maxRecDepth 9999 in",
            "set_option synthInstance.maxHeartbeats 9",
            "simp (decide := true)",
            "simp (config := { decide := true })",
            "simp +decide [h]",
            "s!\"{(sorry : Nat)}\"",
            "`(tactic| sorry)",
            "#eval f",
            "#eval! f",
            "run_cmd f",
            "run_meta f",
            "run_elab f",
            "run_tac f",
            "def x := by_elab f",
            "initialize x : Nat ← f",
            "builtin_initialize f",
            "elab \"f\" : tactic => g",
            "local elab_rules : tactic | `(tactic| f) => g",
            "@[command_elab a] def f : IO Unit := g",
            "def f := IO.FS.writeFile a b",
            "def f : «IO» Unit := g",
            "def f := g (m := _root_.BaseIO)",
        ] {
            for folder in PROVEN {
                let path = format!("{folder}/A.lean");
                let found = violations(&path, &format!("-- one\n{text}"));
                assert_eq!(found.len(), 1, "{text}: {found:?}");
                assert!(found[0].starts_with(&format!("{path}:2: ")), "{found:?}");
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_are_fine() {
        for text in [
            "-- sorry, no axiom",
            "/-! native_decide is not used; set_option maxHeartbeats neither -/",
            "def s := \"unsafe extern\"",
            "theorem sorry_free : p := h",
            "by decide +kernel",
            "have := a + decide p",
            "let decide := truth",
            "| .axiomInfo _ => isUnsafe",
            "simp only [isa, eval, isa.eval]",
            "local macro \"elab\" : tactic => `(tactic| rfl)",
            "macro_rules | `(tactic| f) => `(tactic| rfl)",
        ] {
            assert_eq!(violations("Proof/A.lean", text), [""; 0], "{text}");
        }
    }

    #[test]
    fn the_audit_and_the_emitter_may_name_what_they_refuse() {
        let text = "def refused := [`sorryAx, ``Lean.ofReduceBool, .«unsafe», `maxRecDepth]";
        assert_eq!(violations("TCB/Audit.lean", text), [""; 0]);
        assert_eq!(violations("TCB/Audit/Names.lean", text), [""; 0]);
        assert_eq!(violations("emitter/Main.lean", text), [""; 0]);
        assert_eq!(violations("TCB/Artifact.lean", text).len(), 4);
        assert_eq!(violations("TCB/Audit.lean", "exact sorry").len(), 1);
        let text = "abbrev AuditM := StateT (Array String) IO";
        assert_eq!(violations("TCB/Audit/Project.lean", text), [""; 0]);
        assert_eq!(violations("TCB/AuditM.lean", text).len(), 1);
    }

    #[test]
    fn auto_implicit_has_to_be_off() {
        for text in [
            "",
            "-- set_option autoImplicit false",
            "set_option autoImplicit true",
        ] {
            let file = Source {
                path: "emitter/A.lean".into(),
                text: text.into(),
            };
            let mut report = Report::default();
            check_lean(&file, &mut report);
            assert_eq!(
                report.violations,
                ["emitter/A.lean: no `set_option autoImplicit false`"]
            );
        }
    }

    #[test]
    fn long_files_are_refused_unless_emitted() {
        let text = "\n".repeat(LONGEST);
        assert_eq!(violations("Proof/A.lean", &text).len(), 1);
        assert_eq!(violations("Proof/A.lean", &text[2..]).len(), 0);
        assert_eq!(violations("src/asm/x86_64/a.rs", &text).len(), 0);
    }
}
