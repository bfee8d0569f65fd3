//! What belongs to one architecture is used only under a condition that no other architecture meets.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::condition::Condition;
use crate::{files, gate::Report};

/// What was found below a root of a crate: the library, a test, a benchmark or an example.
#[derive(Debug, Default)]
pub struct Uses {
    /// Architectures.
    pub architectures: BTreeSet<String>,
    /// Modules of src/asm, as `x86_64::gather`.
    pub modules: BTreeSet<String>,
    /// Kernels named where only one architecture compiles, as `x86_64 vg_gather_copy`.
    pub kernels: BTreeSet<String>,
}

pub struct Walk<'a> {
    pub root: &'a Path,
    /// Those that the library supports.
    pub architectures: &'a [String],
    pub report: &'a mut Report,
}

impl Walk<'_> {
    /// Reads a root of a crate, and the modules that it has in files of their own.
    pub fn root_file(&mut self, path: &Path) -> Result<Uses> {
        let mut uses = Uses::default();
        let all = self.architectures.to_vec();
        let restricted = self.file(path, &all, &mut uses)?;
        // What runs on some architectures only has a reason for that.
        if restricted != all && uses.architectures.iter().ne(&restricted) {
            self.report.refuse(
                path.display(),
                format!(
                    "is for {} only, but uses {}",
                    list(&restricted),
                    list(&uses.architectures.iter().cloned().collect::<Vec<_>>())
                ),
            );
        }
        Ok(uses)
    }

    /// Gives back the architectures that the file's own condition leaves of `admitted`.
    fn file(&mut self, path: &Path, admitted: &[String], uses: &mut Uses) -> Result<Vec<String>> {
        self.report.checked += 1;
        let text = String::from_utf8(files::read(&self.root.join(path))?)
            .with_context(|| format!("{}", path.display()))?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| anyhow::anyhow!("{}: not Rust: {error}", path.display()))?;
        let tokens: Vec<_> = tokens.into_iter().collect();
        let mut admitted = admitted.to_vec();
        for window in tokens.windows(3) {
            if let [hash, mark, TokenTree::Group(group)] = window
                && hash.to_string() == "#"
                && mark.to_string() == "!"
                && let Some(condition) = cfg(group)?
            {
                admitted.retain(|architecture| condition.admits(architecture));
            }
        }
        self.tokens(path, &tokens, &admitted, uses)?;
        Ok(admitted)
    }

    fn tokens(
        &mut self,
        path: &Path,
        tokens: &[TokenTree],
        admitted: &[String],
        uses: &mut Uses,
    ) -> Result<()> {
        let is = |i: usize, text: &str| tokens.get(i).is_some_and(|t| t.to_string() == text);
        let mut i = 0;
        while let Some(token) = tokens.get(i) {
            if is(i, "#")
                && let Some(TokenTree::Group(group)) = tokens.get(i + 1)
            {
                if let Some(condition) = cfg(group)? {
                    let end = i + 2 + extent(&tokens[i + 2..]);
                    let mut fewer = admitted.to_vec();
                    fewer.retain(|architecture| condition.admits(architecture));
                    self.tokens(path, &tokens[i + 2..end], &fewer, uses)?;
                    i = end;
                } else {
                    i += 2;
                }
                continue;
            }
            if is(i, "mod")
                && let Some(TokenTree::Group(group)) = tokens.get(i + 2)
            {
                let inside = inline_module(self.root, path, &tokens[i + 1].to_string());
                let inner: Vec<_> = group.stream().into_iter().collect();
                self.tokens(&inside, &inner, admitted, uses)?;
                i += 3;
                continue;
            }
            if let TokenTree::Group(group) = token {
                let inner: Vec<_> = group.stream().into_iter().collect();
                self.tokens(path, &inner, admitted, uses)?;
            }
            if is(i, "mod") && is(i + 2, ";") {
                let module = module_file(self.root, path, &tokens[i + 1].to_string())?;
                self.file(&module, admitted, uses)?;
            }
            let place = || format!("{}:{}", path.display(), token.span().start().line);
            if is_assembly(&token.to_string()) && is(i + 1, "!") {
                match admitted {
                    [only] => _ = uses.architectures.insert(only.clone()),
                    _ => self.report.refuse(
                        place(),
                        format!("assembly, but this compiles for {}", list(admitted)),
                    ),
                }
            }
            if let [only] = admitted
                && token.to_string().starts_with("vg_")
                // There the kernels are, and nothing calls them.
                && !path.starts_with("src/asm")
            {
                uses.kernels.insert(format!("{only} {token}"));
            }
            if let Some(architecture) = self.owner(&token.to_string()) {
                if admitted != [architecture.as_str()] {
                    self.report.refuse(
                        place(),
                        format!(
                            "`{token}` is {architecture}'s, but this compiles for {}",
                            list(admitted)
                        ),
                    );
                }
                if is(i + 1, ":")
                    && is(i + 2, ":")
                    && let Some(name) = tokens.get(i + 3)
                {
                    uses.modules.insert(format!("{token}::{name}"));
                }
                uses.architectures.insert(architecture);
            }
            i += 1;
        }
        Ok(())
    }

    /// The architecture that alone has what a token names.
    fn owner(&self, token: &str) -> Option<String> {
        let name = match token {
            "is_x86_feature_detected" | "\"sysv64\"" => "x86_64",
            "is_aarch64_feature_detected" => "aarch64",
            name => name,
        };
        let mut known = self.architectures.iter();
        known.find(|&architecture| architecture == name).cloned()
    }
}

fn is_assembly(token: &str) -> bool {
    matches!(token, "asm" | "naked_asm" | "global_asm")
}

fn list(architectures: &[String]) -> String {
    match architectures {
        [] => "no architecture".to_owned(),
        _ => architectures.join(", "),
    }
}

/// The condition of an attribute, `[cfg(…)]`.
fn cfg(attribute: &Group) -> Result<Option<Condition>> {
    let tokens: Vec<_> = attribute.stream().into_iter().collect();
    match &tokens[..] {
        [TokenTree::Ident(name), TokenTree::Group(condition)] if name == "cfg" => {
            Condition::parse(condition.stream()).map(Some)
        }
        _ => Ok(None),
    }
}

/// How many tokens an attribute's item has at most: up to its braces, its semicolon, or a comma. A comma inside `<…>` ends it too
/// early; what follows then has a condition too few, which is refused and never overlooked.
fn extent(tokens: &[TokenTree]) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(mark) => matches!(mark.as_char(), ';' | ','),
        _ => false,
    };
    let end = tokens.iter().position(ends);
    end.map_or(tokens.len(), |end| end + 1)
}

/// Where the module `name` of a file is.
fn module_file(root: &Path, file: &Path, name: &str) -> Result<PathBuf> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let stem = file
        .file_stem()
        .and_then(|s| s.to_str())
        .unwrap_or_default();
    // Roots of crates have their modules beside them.
    let nested = folder.join(stem);
    let beside = [folder.join(name), nested.join(name)];
    beside
        .iter()
        .flat_map(|place| [place.with_extension("rs"), place.join("mod.rs")])
        .find(|path| root.join(path).is_file())
        .with_context(|| format!("{}: no file of the module {name}", file.display()))
}

/// The file that stands for a module written in another file: one beside the files of the modules in it, if it has any.
fn inline_module(root: &Path, file: &Path, name: &str) -> PathBuf {
    let folder = file.parent().unwrap_or(Path::new(""));
    let nested = folder.join(file.file_stem().unwrap_or_default());
    [folder.join(name), nested.join(name)]
        .into_iter()
        .find(|place| root.join(place).is_dir())
        .map_or(file.to_owned(), |place| place.join("mod.rs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is refused in a test file with this text.
    fn refused(text: &str) -> Vec<String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("t.rs"), text).unwrap();
        std::fs::write(
            dir.path().join("m.rs"),
            "use leanseal::asm::x86_64::a::vg_a;",
        )
        .unwrap();
        let mut report = Report::of("files");
        let architectures = ["aarch64".to_owned(), "x86_64".to_owned()];
        let mut walk = Walk {
            root: dir.path(),
            architectures: &architectures,
            report: &mut report,
        };
        walk.root_file(Path::new("t.rs")).unwrap();
        report.violations
    }

    #[test]
    fn what_is_under_the_right_condition_is_fine() {
        for text in [
            "use leanseal::gather::copy;",
            "#![cfg(unix)] fn f() {}",
            "#![cfg(all(unix, target_arch = \"x86_64\"))] use leanseal::asm::x86_64::a::vg_a;",
            "#[cfg(target_arch = \"x86_64\")] mod m; fn f() {}",
            "#[cfg(target_arch = \"x86_64\")] #[test] fn f() { is_x86_feature_detected!(\"avx\"); }",
            "#[cfg(target_arch = \"x86_64\")] type F = extern \"sysv64\" fn();
             #[cfg(target_arch = \"aarch64\")] use leanseal::asm::aarch64::a;",
            "const A: &str = \"x86_64\"; // aarch64",
            "#![cfg(target_arch = \"aarch64\")] fn f() { naked_asm!(\"ret\") }",
        ] {
            assert_eq!(refused(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn what_compiles_for_too_many_or_too_few_is_refused() {
        for text in [
            "use leanseal::asm::x86_64::a::vg_a;",
            "mod m;",
            "#[cfg(unix)] mod m;",
            "#[cfg(target_arch = \"aarch64\")] mod m;",
            "#![cfg(unix)] use core::arch::aarch64::vaesq_u8;",
            "#[cfg(any(unix, target_arch = \"x86_64\"))] use leanseal::asm::{x86_64::a, Slice};",
            "fn f() { if is_x86_feature_detected!(\"avx\") {} }",
            "fn f() { core::arch::naked_asm!(\"ret\") }",
            "type F = extern \"sysv64\" fn();",
            "#[cfg(target_arch = \"x86_64\")] fn f() {} fn g() { x86_64::a() }",
            "#![cfg(target_arch = \"x86_64\")] use leanseal::gather::copy;",
            "#![cfg(not(target_arch = \"aarch64\"))] fn f() {}",
        ] {
            assert_ne!(refused(text), [""; 0], "{text}");
        }
    }
}
