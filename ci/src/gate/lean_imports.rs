//! Each Lean folder imports only what it may: specifications and the trusted base never depend on what is to be proven.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::Result;

use super::{
    Report, Source,
    lean_text::{Token, tokens},
    sources,
};
use crate::modules::FOLDERS;

/// The audit of the artifacts: code, not part of any proof.
fn is_audit(module: &str) -> bool {
    module == "TCB.Audit" || module.starts_with("TCB.Audit.")
}

/// Whether a module may import another one. With the code of Lean itself a proof could make terms that are none.
fn allowed(module: &str, import: &str) -> bool {
    let folder = first(module);
    match first(import) {
        "Init" | "Std" => true,
        "Lean" => folder == "emitter" || is_audit(module),
        "TCB" => !is_audit(import) || folder == "emitter" || is_audit(module),
        "Spec" => folder != "TCB",
        "Impl" => matches!(folder, "Impl" | "Proof" | "Artifacts" | "emitter"),
        "Proof" => matches!(folder, "Proof" | "Artifacts" | "emitter"),
        "Artifacts" => matches!(folder, "Artifacts" | "emitter"),
        "emitter" => folder == "emitter",
        _ => false,
    }
}

pub fn check(root: &Path) -> Result<Report> {
    let mut files = Vec::new();
    for folder in FOLDERS {
        files.extend(sources(root, folder, &["lean"])?);
    }
    Ok(check_files(&files))
}

fn check_files(files: &[Source]) -> Report {
    let mut report = Report::of("Lean files");
    let mut imports_of = BTreeMap::new();
    for file in files {
        report.checked += 1;
        let name = file
            .path
            .with_extension("")
            .to_string_lossy()
            .replace('/', ".");
        let found = tokens(&file.text);
        if let Some(word) = found.first().filter(|t| is_module_header(t)) {
            let place = format!("{}:{}", file.path.display(), word.line);
            report.refuse(
                place,
                format!("`{}` in the header: plain files only", word.text),
            );
        }
        let mut imported = BTreeSet::new();
        for (import, line) in imports(&found) {
            if !allowed(&name, &import) {
                let place = format!("{}:{line}", file.path.display());
                let importer = match first(&import) {
                    "Lean" | "TCB" => &name,
                    _ => first(&name),
                };
                report.refuse(place, format!("{importer} must not import {import}"));
            }
            imported.insert(import);
        }
        imports_of.insert(name, imported);
    }
    refuse_mixed_architectures(&imports_of, &mut report);
    report
}

fn first(module: &str) -> &str {
    module.split('.').next().unwrap_or(module)
}

fn is_module_header(token: &Token) -> bool {
    matches!(token.text, "module" | "prelude" | "public" | "meta")
}

/// Every `import M` of a file. `import` is a keyword, so it is looked for everywhere: a header can end early only by mistake.
fn imports(tokens: &[Token]) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for (i, token) in tokens.iter().enumerate() {
        if token.text == "import" && !token.quoted {
            let module = tokens[i + 1..]
                .iter()
                .find(|t| !matches!(t.text, "all" | "runtime"));
            let name = module.map_or("nothing", |t| t.text).replace(['«', '»'], "");
            found.push((name, token.line));
        }
    }
    found
}

/// Also through modules that belong to no architecture.
fn refuse_mixed_architectures(
    imports_of: &BTreeMap<String, BTreeSet<String>>,
    report: &mut Report,
) {
    const ARCHITECTURES: [&str; 2] = ["X86_64", "AArch64"];
    let is_of = |module: &str, arch| module.split('.').any(|part| part == arch);
    for (arch, other) in ARCHITECTURES
        .into_iter()
        .zip(ARCHITECTURES.into_iter().rev())
    {
        for module in imports_of.keys().filter(|module| is_of(module, arch)) {
            let mut seen = BTreeSet::from([module]);
            let mut open = vec![module];
            while let Some(next) = open.pop() {
                for import in imports_of.get(next).into_iter().flatten() {
                    if seen.insert(import) {
                        open.push(import);
                    }
                }
            }
            if let Some(mixed) = seen.iter().find(|module| is_of(module, other)) {
                report.refuse(module, format!("of {arch}, but imports {mixed}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(files: &[(&str, &str)]) -> Vec<String> {
        let source = |&(path, text): &(&str, &str)| Source {
            path: path.into(),
            text: text.into(),
        };
        check_files(&files.iter().map(source).collect::<Vec<_>>()).violations
    }

    #[test]
    fn what_the_design_allows() {
        let files = [
            ("TCB/Mem.lean", "import Init\nimport Std.Data.HashMap"),
            ("TCB/Audit.lean", "import TCB.Audit.Walk"),
            ("TCB/Audit/Walk.lean", "import Lean\nimport Lean.Elab"),
            (
                "TCB/Isa.lean",
                "-- import Proof\nimport TCB.Mem\n/-! import Impl -/",
            ),
            ("Spec/Gather.lean", "import TCB.Isa\nimport Spec.Base"),
            (
                "Impl/Gather/X86_64.lean",
                "import Spec.Gather\nimport TCB.X86_64.Isa",
            ),
            (
                "Proof/Gather/X86_64.lean",
                "import Impl.Gather.X86_64\nimport Proof.Framework",
            ),
            (
                "Artifacts/All.lean",
                "import Proof.Gather.X86_64 import Proof.Gather.AArch64",
            ),
            (
                "emitter/Main.lean",
                "import Artifacts.All\nimport TCB.Audit\nimport Lean",
            ),
        ];
        assert_eq!(violations(&files), [""; 0]);
    }

    #[test]
    fn every_rule_refuses_its_violation() {
        for (path, import) in [
            ("TCB/A.lean", "Spec.A"),
            ("TCB/A.lean", "Impl.A"),
            ("TCB/A.lean", "Proof.A"),
            ("TCB/A.lean", "Lake"),
            ("Spec/A.lean", "Impl.A"),
            ("Spec/A.lean", "Proof.A"),
            ("Spec/A.lean", "Artifacts.A"),
            ("Impl/A.lean", "Proof.A"),
            ("Impl/A.lean", "Artifacts.A"),
            ("Proof/A.lean", "Artifacts.A"),
            ("Proof/A.lean", "emitter.Main"),
            ("Artifacts/A.lean", "emitter.Main"),
            ("Proof/A.lean", "Mathlib.Data.Nat.Basic"),
            ("Proof/A.lean", "Batteries"),
            ("Proof/A.lean", "Specification"),
            ("emitter/A.lean", "Aesop"),
        ] {
            let text = format!("/- header -/\nimport Init import\n  {import}");
            let folder = first(path.split('/').next().unwrap());
            assert_eq!(
                violations(&[(path, &text)]),
                [format!("{path}:2: {folder} must not import {import}")]
            );
        }
    }

    #[test]
    fn only_the_audit_and_the_emitter_import_the_code_of_lean() {
        for module in [
            "TCB.Mem",
            "TCB.Auditor",
            "Spec.A",
            "Impl.A",
            "Proof.A",
            "Artifacts.A",
        ] {
            let path = format!("{}.lean", module.replace('.', "/"));
            for import in ["Lean", "Lean.Elab.Command", "TCB.Audit", "TCB.Audit.Walk"] {
                assert_eq!(
                    violations(&[(&path, &format!("import {import}"))]),
                    [format!("{path}:1: {module} must not import {import}")]
                );
            }
        }
    }

    #[test]
    fn a_module_header_is_refused() {
        for word in ["module", "prelude", "public import Init"] {
            assert_eq!(violations(&[("Proof/A.lean", word)]).len(), 1);
        }
    }

    #[test]
    fn architectures_do_not_mix_even_indirectly() {
        let files = [
            ("Proof/X86_64/A.lean", "import Proof.Between"),
            ("Proof/Between.lean", "import Impl.AArch64.A"),
            ("Impl/AArch64/A.lean", ""),
            ("Spec/AArch64.lean", "import TCB.X86_64.Isa"),
        ];
        assert_eq!(
            violations(&files),
            [
                "Proof.X86_64.A: of X86_64, but imports Impl.AArch64.A",
                "Spec.AArch64: of AArch64, but imports TCB.X86_64.Isa",
            ]
        );
    }

    #[test]
    fn a_tree_without_lean_fails() {
        let report = check_files(&[]);
        assert!(report.conclude("lean-imports").is_err());
    }
}
