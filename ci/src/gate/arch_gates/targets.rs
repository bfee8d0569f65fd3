//! The library compiles where it has kernels, and elsewhere gives one error.
//!
//! For most targets there is no standard library here to compile with. But rustc knows the configuration of each, and with that
//! the conditions of the library are evaluated; one target is compiled for.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use syn::{Attribute, Item, Meta};

use super::condition::Condition;
use crate::{files, gate::Report};

const SUPPORTED: [&str; 8] = [
    "x86_64-unknown-linux-gnu",
    "x86_64-unknown-linux-musl",
    "x86_64-pc-windows-msvc",
    "x86_64-unknown-freebsd",
    "aarch64-unknown-linux-gnu",
    "aarch64-apple-darwin",
    "aarch64-linux-android",
    "aarch64-unknown-none",
];
const UNSUPPORTED: [&str; 11] = [
    "x86_64-unknown-linux-gnux32",
    // Without SSE: kernels and firmware.
    "x86_64-unknown-none",
    "x86_64-unknown-uefi",
    "aarch64_be-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu_ilp32",
    "aarch64-unknown-none-softfloat",
    "arm64ec-pc-windows-msvc",
    "i686-unknown-linux-gnu",
    "armv7-unknown-linux-gnueabihf",
    "riscv64gc-unknown-linux-gnu",
    "wasm32-unknown-unknown",
];

pub fn check(root: &Path, report: &mut Report) -> Result<()> {
    let lib = root.join("src/lib.rs");
    let text = String::from_utf8(files::read(&lib)?).context("src/lib.rs")?;
    let (condition, problems) = condition(&text)?;
    for problem in problems {
        report.refuse("src/lib.rs", problem);
    }
    for (targets, expected) in [(&SUPPORTED[..], true), (&UNSUPPORTED[..], false)] {
        for target in targets {
            let configuration = configuration(target)?;
            let is = |name: &str, value: Option<&str>| {
                let has = |known: &(String, Option<String>)| {
                    known.0 == name && known.1.as_deref() == value
                };
                Some(configuration.iter().any(has))
            };
            report.checked += 1;
            if condition.holds(&is) != Some(expected) {
                let not = if expected { "not " } else { "" };
                report.refuse("src/lib.rs", format!("{target} is {not}supported"));
            }
        }
    }
    report.checked += 1;
    let errors = compile_without_sse2(&lib)?;
    if !matches!(&errors[..], [error] if error.contains("x86-64") && error.contains("AArch64")) {
        report.refuse(
            "src/lib.rs",
            format!(
                "an unsupported target gives not one error that names the supported: {errors:?}"
            ),
        );
    }
    Ok(())
}

/// The condition that the error of the library negates, and the items that do not have it.
fn condition(text: &str) -> Result<(Condition, Vec<String>)> {
    let items = syn::parse_file(text).context("src/lib.rs")?.items;
    let mut negated = None;
    let mut modules = Vec::new();
    for item in &items {
        match item {
            Item::Macro(item) if item.mac.path.is_ident("compile_error") => {
                ensure!(negated.is_none(), "src/lib.rs has two `compile_error!`");
                negated = cfg(&item.attrs)?;
            }
            Item::Mod(item) => modules.push((item.ident.to_string(), cfg(&item.attrs)?)),
            _ => {}
        }
    }
    let Some(Condition::Not(condition)) = negated else {
        anyhow::bail!("src/lib.rs has no `#[cfg(not(…))] compile_error!(…)`");
    };
    let others = modules
        .into_iter()
        .filter(|(_, own)| own.as_ref() != Some(&condition));
    let problems = others.map(|(name, _)| {
        format!("the module {name} has not the condition that `compile_error!` negates")
    });
    Ok((*condition.clone(), problems.collect()))
}

/// The condition of an item that has one.
fn cfg(attributes: &[Attribute]) -> Result<Option<Condition>> {
    let mut conditions = Vec::new();
    for attribute in attributes {
        if let Meta::List(list) = &attribute.meta
            && list.path.is_ident("cfg")
        {
            conditions.push(Condition::parse(list.tokens.clone())?);
        }
    }
    ensure!(conditions.len() < 2, "an item has two conditions");
    Ok(conditions.pop())
}

/// What rustc sets for a target, without anything installed for it.
fn configuration(target: &str) -> Result<Vec<(String, Option<String>)>> {
    let output = Command::new("rustc")
        .args(["--print", "cfg", "--target", target])
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc does not know {target}");
    let text = String::from_utf8(output.stdout).context("what rustc prints")?;
    let read = |line: &str| match line.split_once('=') {
        Some((name, value)) => (name.to_owned(), Some(value.trim_matches('"').to_owned())),
        None => (line.to_owned(), None),
    };
    Ok(text.lines().map(read).collect())
}

/// The errors of a target that can be compiled for anywhere on x86-64, and that the library does not support.
fn compile_without_sse2(lib: &Path) -> Result<Vec<String>> {
    let folder = tempfile::tempdir().context("a temporary folder")?;
    let output = Command::new("rustc")
        .args(["--edition", "2024", "--crate-type", "lib"])
        .args(["--crate-name", "leanseal", "--emit", "metadata"])
        .args(["--target", "x86_64-unknown-linux-gnu"])
        .args(["-C", "target-feature=-sse2", "--error-format", "short"])
        .arg("--out-dir")
        .arg(folder.path())
        .arg(lib)
        .output()
        .context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let is_error = |line: &&str| line.contains("error") && !line.starts_with("error: aborting");
    Ok(text.lines().filter(is_error).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_has_the_condition_of_the_error() {
        let text = |own: &str| {
            format!("#[cfg(not(target_arch = \"x86_64\"))] compile_error!(\"no\"); {own} mod a;")
        };
        let problems = |own: &str| condition(&text(own)).unwrap().1.len();
        assert_eq!(problems("#[cfg(target_arch = \"x86_64\")]"), 0);
        assert_eq!(problems("#[cfg(target_arch = \"aarch64\")]"), 1);
        assert_eq!(problems("#[cfg(unix)]"), 1);
        assert_eq!(problems(""), 1);
        assert!(condition("mod a;").is_err());
        assert!(condition("#[cfg(unix)] compile_error!(\"\");").is_err());
        assert!(condition("compile_error!(\"\");").is_err());
    }
}
