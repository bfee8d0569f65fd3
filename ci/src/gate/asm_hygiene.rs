//! No hand-written machine code in the library: what runs unproven has to be Rust.

use std::{
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use serde::Deserialize;
use walkdir::WalkDir;

use super::Report;
use crate::files;

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("library files");
    // Every file, whatever its name: `mod target;` reads a folder that other gates take for build output.
    for entry in WalkDir::new(root.join("src")).sort_by_file_name() {
        let entry = entry.context("cannot list src")?;
        let path = entry.path().strip_prefix(root)?;
        let place = path.display();
        if entry.path_is_symlink() {
            report.refuse(place, "a link: the library's files lie in src");
        } else if entry.file_type().is_file() && !path.starts_with("src/asm") {
            report.checked += 1;
            let text = String::from_utf8(files::read(entry.path())?);
            let text = text.with_context(|| format!("{place} is not text"))?;
            let found = violations(&text).with_context(|| format!("cannot read {place}"))?;
            for (line, why) in found {
                report.refuse(format!("{place}:{line}"), why);
            }
        }
    }
    for why in package(root)?.violations(root) {
        report.refuse("Cargo.toml", why);
    }
    Ok(report)
}

/// The library as cargo reads its manifest.
#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    links: Option<String>,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
struct Target {
    kind: Vec<String>,
    src_path: String,
}

#[derive(Debug, Deserialize)]
struct Dependency {
    name: String,
    /// None for what the library is linked with.
    kind: Option<String>,
    path: Option<String>,
}

fn package(root: &Path) -> Result<Package> {
    #[derive(Deserialize)]
    struct Metadata {
        packages: Vec<Package>,
    }
    let output = Command::new("cargo")
        .args(["metadata", "--no-deps", "--offline", "--format-version=1"])
        .arg("--manifest-path")
        .arg(root.join("Cargo.toml"))
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    ensure!(output.status.success(), "cargo does not read Cargo.toml");
    let metadata: Metadata = serde_json::from_slice(&output.stdout).context("cargo's output")?;
    let mut packages = metadata.packages.into_iter();
    let library = packages.find(|package| package.name == "leanseal");
    library.context("there is no package leanseal")
}

impl Package {
    fn violations(&self, root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let is = |target: &&Target, kind: &str| target.kind.iter().any(|k| k == kind);
        let builds = self.targets.iter().any(|t| is(&t, "custom-build"));
        if builds || self.links.is_some() {
            found.push("the library has no build script".to_owned());
        }
        let lib = self.targets.iter().find(|t| is(t, "lib"));
        if lib.is_none_or(|lib| Path::new(&lib.src_path) != root.join("src/lib.rs")) {
            found.push("the library is src/lib.rs".to_owned());
        }
        for dependency in &self.dependencies {
            let (name, kind) = (&dependency.name, dependency.kind.as_deref());
            if kind == Some("build") || kind.is_none() && dependency.path.is_some() {
                found.push(format!("{name}: no code beside src is part of the library"));
            }
        }
        found
    }
}

/// Lines and reasons. This reads tokens and no syntax tree, so that nothing hides in a macro: neither in its body nor in what it
/// is given. Names that make machine code are refused wherever they stand, unless what is beside them says that they are another's.
fn violations(source: &str) -> Result<Vec<(usize, String)>> {
    let tokens: TokenStream = source
        .parse()
        .map_err(|error| anyhow::anyhow!("not Rust: {error}"))?;
    let mut found = Vec::new();
    visit(tokens, &mut found);
    Ok(found)
}

fn visit(tokens: TokenStream, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let name = |i: usize| match tokens.get(i) {
        Some(TokenTree::Ident(name)) => name.to_string().trim_start_matches("r#").to_owned(),
        Some(TokenTree::Group(_)) | None => String::new(),
        Some(other) => other.to_string(),
    };
    let is_path = |i: usize| name(i) == ":" && name(i + 1) == ":";
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => visit(group.stream(), found),
            TokenTree::Ident(_) => {
                let before = |n: usize| i.checked_sub(n).map(&name).unwrap_or_default();
                let why = match name(i).as_str() {
                    // The module of this crate; the macro has nothing after its name but `!` or what ends an import.
                    "asm" if is_path(i + 1) || before(1) == "mod" => continue,
                    "asm" | "naked_asm" | "global_asm" => {
                        "assembly: only src/asm has it, and Lean writes it"
                    }
                    "extern" if name(i + 1) == "crate" => continue,
                    "extern" if is_string(tokens.get(i + 1)) && name(i + 2) == "fn" => continue,
                    "extern" => "an `extern` block, or what a macro may make one of",
                    "path" if is_path(i + 1) => continue,
                    "path" | "include" => "another file: the library's code is in src/**.rs",
                    "link_section" | "link_name" | "no_mangle" | "export_name" => {
                        "a name or a section of the object code"
                    }
                    _ => continue,
                };
                found.push((token.span().start().line, format!("`{token}`: {why}")));
            }
            _ => {}
        }
    }
}

/// Also in the invisible group that a macro puts around it.
fn is_string(token: Option<&TokenTree>) -> bool {
    match token {
        Some(TokenTree::Literal(literal)) => literal.to_string().starts_with('"'),
        Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::None => {
            is_string(g.stream().into_iter().next().as_ref())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_written_machine_code_is_refused() {
        for source in [
            "fn f() { unsafe { asm!(\"nop\") } }",
            "fn f() { unsafe { r#asm!(\"nop\") } }",
            "use core::arch::asm as a;",
            "use core::arch::r#asm as a;",
            "use core::arch as b; use b::asm as a;",
            "use core::arch::{naked_asm};",
            "use core::{arch::{self, asm as a}, fmt};",
            "core::arch::global_asm!(\"nop\");",
            "core::arch::r#global_asm!(\"nop\");",
            "macro_rules! m { () => { core::arch::asm!(\"nop\") } }",
            "macro_rules! m { ($a:ident) => { core::arch::$a!(\"nop\") } } m!(asm);",
            "unsafe extern \"C\" { fn f(); }",
            "extern { fn f(); }",
            "macro_rules! m { ($a:literal) => { unsafe extern $a { fn f(); } } }",
            "m! { extern }",
            "mod m { mod n { unsafe extern \"C\" { static S: u8; } } }",
            "include!(\"code.rs\");",
            "r#include!(\"code.rs\");",
            "use core::include as x;",
            "#[path = \"../code.rs\"] mod code;",
            "#[r#path = \"../code.rs\"] mod code;",
            "#[cfg_attr(all(), path = \"../code.rs\")] mod code;",
            "macro_rules! m { ($p:ident) => { #[$p = \"../code.rs\"] mod code; } } m!(path);",
            "#[unsafe(link_section = \".text\")] static CODE: [u8; 1] = [0xc3];",
        ] {
            let found = violations(&format!("// one\n{source}")).unwrap();
            assert_eq!(found.first().map(|v| v.0), Some(2), "{source}");
        }
    }

    #[test]
    fn what_only_looks_alike_is_fine() {
        for source in [
            "use crate::asm::x86_64::gather::vg_gather_copy;",
            "pub mod asm;",
            "/// `asm!(\"nop\")`\nfn f() { let s = \"global_asm!\"; }",
            "extern crate alloc;",
            "unsafe extern \"sysv64\" fn f(a: u8) {}",
            "type F = unsafe extern \"C\" fn(u8);",
            "use core::arch::x86_64::{__cpuid, _xgetbv};",
            "use std::path::Path;",
        ] {
            assert_eq!(violations(source).unwrap(), [], "{source}");
        }
    }
}
