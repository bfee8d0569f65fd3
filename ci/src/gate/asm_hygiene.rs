//! No hand-written machine code in the library: what runs unproven has to be Rust.

use std::path::Path;

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::{Report, sources};

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("library files");
    for file in sources(root, "src", &["rs"])? {
        if file.path.starts_with("src/asm") {
            continue;
        }
        report.checked += 1;
        for (line, why) in violations(&file.text)
            .with_context(|| format!("cannot read {}", file.path.display()))?
        {
            report.refuse(format!("{}:{line}", file.path.display()), why);
        }
    }
    if root.join("build.rs").exists() {
        report.refuse("build.rs", "the library has no build script");
    }
    let manifest = std::fs::read_to_string(root.join("Cargo.toml")).context("Cargo.toml")?;
    for (number, line) in manifest.lines().enumerate() {
        let key = line.split('=').next().unwrap_or_default().trim();
        if matches!(key, "build" | "links") || key.starts_with("[build-dependencies") {
            report.refuse(
                format!("Cargo.toml:{}", number + 1),
                "the library has no build script",
            );
        }
    }
    Ok(report)
}

/// Lines and reasons. This reads tokens, so that a macro body hides nothing.
fn violations(source: &str) -> Result<Vec<(usize, String)>> {
    let tokens: TokenStream = source
        .parse()
        .map_err(|error| anyhow::anyhow!("not Rust: {error}"))?;
    let mut found = Vec::new();
    visit(tokens, false, &mut found);
    Ok(found)
}

/// `in_arch`: these tokens are the braces of a `use …::arch::{…}`.
fn visit(tokens: TokenStream, in_arch: bool, found: &mut Vec<(usize, String)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is = |i: usize, text: &str| tokens.get(i).is_some_and(|t| t.to_string() == text);
    let is_block = |i: usize| matches!(tokens.get(i), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace);
    for (i, token) in tokens.iter().enumerate() {
        let after_arch = i >= 3 && is(i - 3, "arch") && is(i - 2, ":") && is(i - 1, ":");
        let refused = match token.to_string().as_str() {
            "asm" => in_arch || after_arch || is(i + 1, "!"),
            "global_asm" | "naked_asm" => true,
            "include" => is(i + 1, "!"),
            "extern" => is_block(i + 1) || is_block(i + 2),
            _ => false,
        };
        if refused {
            let line = token.span().start().line;
            let what = match token.to_string().as_str() {
                "extern" => "`extern` block".to_owned(),
                macro_name => format!("`{macro_name}!`"),
            };
            found.push((
                line,
                format!("{what}: only src/asm has assembly, and Lean writes it"),
            ));
        }
        if let TokenTree::Group(group) = token {
            visit(group.stream(), in_arch || after_arch, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hand_written_machine_code_is_refused() {
        for source in [
            "fn f() { unsafe { asm!(\"nop\") } }",
            "use core::arch::asm as a;",
            "use core::arch::{naked_asm};",
            "use core::{arch::{self, asm as a}, fmt};",
            "core::arch::global_asm!(\"nop\");",
            "macro_rules! m { () => { core::arch::asm!(\"nop\") } }",
            "unsafe extern \"C\" { fn f(); }",
            "extern { fn f(); }",
            "mod m { mod n { unsafe extern \"C\" { static S: u8; } } }",
            "include!(\"code.rs\");",
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
            "use core::arch::x86_64::{__cpuid, _xgetbv};",
        ] {
            assert_eq!(violations(source).unwrap(), [], "{source}");
        }
    }
}
