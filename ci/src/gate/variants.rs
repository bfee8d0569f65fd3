//! Every emitted kernel can be reached from the library's interface, and each backend is in its table and has a kernel for each task.
//!
//! That what calls a kernel is called itself is for rustc's lints on dead code, which `.ci/run` takes for errors; that each task has
//! an arm for each backend is for rustc too, as long as no arm is for whatever backend.

use std::{collections::BTreeMap, path::Path};

use anyhow::{Context, Result};
use syn::{
    Expr, ExprMatch, ImplItem, Item, ItemEnum, ItemImpl, Pat, Type,
    visit::{self, Visit},
};

use super::{Report, arch_gates, arch_gates::BUILDING_BLOCKS, sources};

const ENUM: &str = "Backend";
const TABLE: &str = "ALL";

pub fn check(root: &Path) -> Result<Report> {
    let mut report = Report::of("kernels and backends");
    let mut other = Report::default();
    let library = arch_gates::used_by_the_library(root, &mut other)?;
    for kernel in arch_gates::kernels(root)? {
        report.checked += 1;
        let exempt = BUILDING_BLOCKS.contains(&kernel.module.as_str());
        if !exempt && !kernel.is_in(&library) {
            report.refuse(kernel, "the library never calls it");
        }
    }
    let mut tables = 0;
    for file in sources(root, "src", &["rs"])? {
        if !file.path.starts_with("src/asm") {
            let items = syn::parse_file(&file.text)
                .with_context(|| format!("{}", file.path.display()))?
                .items;
            let (backends, violations) = backends(&items);
            report.checked += backends;
            tables += usize::from(backends > 0);
            for why in violations {
                report.refuse(file.path.display(), why);
            }
        }
    }
    if tables == 0 {
        report.refuse("src", "there is no table of backends");
    }
    Ok(report)
}

/// How many backends a file has, and what is wrong with its table and with what they do.
fn backends(items: &[Item]) -> (usize, Vec<String>) {
    let variants = items.iter().find_map(|item| match item {
        Item::Enum(item) if item.ident == ENUM => Some(names(item)),
        _ => None,
    });
    let Some(variants) = variants else {
        return (0, Vec::new());
    };
    let mut violations = Vec::new();
    let mut listed = None;
    for item in items {
        if let Item::Impl(item) = item
            && is_for_backends(item)
        {
            for item in &item.items {
                match item {
                    ImplItem::Const(item) if item.ident == TABLE => {
                        listed = Some(paths(&item.expr))
                    }
                    ImplItem::Fn(item) => {
                        let mut arms = Arms {
                            function: item.sig.ident.to_string(),
                            variants: &variants,
                            violations: &mut violations,
                        };
                        arms.visit_block(&item.block);
                    }
                    _ => {}
                }
            }
        }
    }
    let listed = listed.unwrap_or_default();
    for variant in &variants {
        match listed.get(variant) {
            None => violations.push(format!("`{TABLE}` does not have {variant}")),
            Some(1) => {}
            Some(_) => violations.push(format!("`{TABLE}` has {variant} more than once")),
        }
    }
    (variants.len(), violations)
}

fn names(item: &ItemEnum) -> Vec<String> {
    item.variants.iter().map(|v| v.ident.to_string()).collect()
}

fn is_for_backends(item: &ItemImpl) -> bool {
    matches!(&*item.self_ty, Type::Path(path) if path.path.is_ident(ENUM))
}

/// How often an expression names each variant.
fn paths(expr: &Expr) -> BTreeMap<String, usize> {
    struct Paths(BTreeMap<String, usize>);
    impl<'ast> Visit<'ast> for Paths {
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let last = path.segments.last().map(|part| part.ident.to_string());
            *self.0.entry(last.unwrap_or_default()).or_default() += 1;
            visit::visit_path(self, path);
        }
    }
    let mut paths = Paths(BTreeMap::new());
    paths.visit_expr(expr);
    paths.0
}

/// Every `match self` in a function has one arm for each backend.
struct Arms<'a> {
    function: String,
    variants: &'a [String],
    violations: &'a mut Vec<String>,
}

impl<'ast> Visit<'ast> for Arms<'_> {
    fn visit_expr_match(&mut self, expr: &'ast ExprMatch) {
        if matches!(&*expr.expr, Expr::Path(path) if path.path.is_ident("self")) {
            let mut found = Vec::new();
            for arm in &expr.arms {
                self.arm(&arm.pat, &mut found);
            }
            for variant in self.variants {
                if !found.contains(variant) {
                    let why = format!("`{}` has no arm for {variant}", self.function);
                    self.violations.push(why);
                }
            }
        }
        visit::visit_expr_match(self, expr);
    }
}

impl Arms<'_> {
    fn arm(&mut self, pattern: &Pat, found: &mut Vec<String>) {
        match pattern {
            Pat::Or(pattern) => pattern.cases.iter().for_each(|case| self.arm(case, found)),
            Pat::Path(path) if path.path.segments.len() > 1 => {
                let last = path.path.segments.last();
                found.extend(last.map(|part| part.ident.to_string()));
            }
            _ => {
                let why = format!("`{}` has an arm for whatever backend", self.function);
                self.violations.push(why);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn violations(all: &str, arms: &str) -> Vec<String> {
        let text = format!(
            "enum Backend {{ A, B }}
             impl Backend {{ const ALL: &[Self] = &[{all}]; fn f(self) {{ match self {{ {arms} }} }} }}"
        );
        let (backends, violations) = backends(&syn::parse_file(&text).unwrap().items);
        assert_eq!(backends, 2);
        violations
    }

    #[test]
    fn each_backend_is_listed_once_and_has_its_arm() {
        let (all, arms) = ("Self::A, Self::B", "Self::A => 1, Self::B => 2");
        assert_eq!(violations(all, arms), [""; 0]);
        assert_eq!(violations(all, "Self::A | Self::B => 1"), [""; 0]);
        for wrong in [
            "",
            "Self::A",
            "Self::A, Self::A",
            "Self::A, Self::B, Self::B",
        ] {
            assert_ne!(violations(wrong, arms), [""; 0], "{wrong}");
        }
        for wrong in [
            "Self::A => 1",
            "Self::A => 1, _ => 2",
            "Self::A => 1, b => 2",
        ] {
            assert_ne!(violations(all, wrong), [""; 0], "{wrong}");
        }
    }

    #[test]
    fn other_files_have_no_table() {
        let items = syn::parse_file("enum Other { A }").unwrap().items;
        assert_eq!(backends(&items).0, 0);
    }
}
