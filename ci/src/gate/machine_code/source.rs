//! The emitted functions, as they stand in src/asm.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use syn::{
    Attribute, Expr, ExprLit, Item, ItemFn, Lit, LitStr, Meta, Stmt, Token, parse::Parser,
    punctuated::Punctuated, spanned::Spanned,
};

use crate::gate::Source;

/// A kernel: its path in the crate, `asm::x86_64::gather::vg_gather_copy`, the lines of its code, and the CPU features that it declares.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub lines: Vec<String>,
    pub features: Vec<String>,
    /// Its documentation.
    pub doc: String,
}

/// The functions of a file of src/asm, which holds nothing else that runs.
pub fn functions(file: &Source) -> Result<Vec<Function>> {
    let module = module_path(&file.path)?;
    let items = syn::parse_file(&file.text)
        .with_context(|| format!("{}", file.path.display()))?
        .items;
    let mut found = Vec::new();
    for item in &items {
        let place = format!("{}:{}", file.path.display(), item.span().start().line);
        match item {
            Item::Fn(item) => found.push(function(item, &module, &items).context(place)?),
            Item::Use(_) | Item::Const(_) | Item::Struct(_) => {}
            Item::Mod(item) if item.content.is_none() => {}
            _ => bail!("{place}: only `use`, `mod`, `const`, `struct` and naked functions"),
        }
    }
    Ok(found)
}

/// `src/asm/x86_64/gather.rs` is `asm::x86_64::gather`.
fn module_path(path: &Path) -> Result<String> {
    let path = path.strip_prefix("src")?.with_extension("");
    let path = if path.ends_with("mod") {
        path.parent().context("no folder")?.to_owned()
    } else {
        path
    };
    Ok(path.to_str().context("not valid UTF-8")?.replace('/', "::"))
}

fn function(item: &ItemFn, module: &str, items: &[Item]) -> Result<Function> {
    let name = item.sig.ident.to_string();
    let naked = item.attrs.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| list.path.is_ident("unsafe") && list.tokens.to_string() == "naked")
    });
    ensure!(naked, "{name} is not a naked function");
    ensure!(name.starts_with("vg_"), "{name}: kernels are named vg_…");
    Ok(Function {
        lines: assembly(item).with_context(|| name.clone())?,
        features: features(&name, items)?,
        doc: item.attrs.iter().filter_map(doc).collect(),
        name: format!("{module}::{name}"),
    })
}

/// The line of documentation that an attribute is, if it is one.
fn doc(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) if meta.path.is_ident("doc") => Some(text.value() + "\n"),
        _ => None,
    }
}

/// The constant `<NAME>_FEATURES`.
fn features(function: &str, items: &[Item]) -> Result<Vec<String>> {
    let name = format!("{}_FEATURES", function.to_uppercase());
    let constant = items.iter().find_map(|item| match item {
        Item::Const(item) if item.ident == name => Some(&*item.expr),
        _ => None,
    });
    let list = match constant.with_context(|| format!("no constant {name}"))? {
        Expr::Reference(reference) => &*reference.expr,
        other => other,
    };
    let Expr::Array(list) = list else {
        bail!("{name} is not a list");
    };
    let texts = list.elems.iter().map(|element| match element {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Ok(text.value()),
        _ => bail!("{name} is not a list of strings"),
    });
    texts.collect()
}

/// The lines of the one `naked_asm!` that is the body.
fn assembly(item: &ItemFn) -> Result<Vec<String>> {
    let [statement] = &item.block.stmts[..] else {
        bail!("the body is not one `naked_asm!`");
    };
    let call = match statement {
        Stmt::Macro(statement) => &statement.mac,
        Stmt::Expr(Expr::Macro(expression), None) => &expression.mac,
        _ => bail!("the body is not one `naked_asm!`"),
    };
    ensure!(
        call.path
            .segments
            .last()
            .is_some_and(|last| last.ident == "naked_asm"),
        "the body is not one `naked_asm!`"
    );
    let strings = Punctuated::<LitStr, Token![,]>::parse_terminated
        .parse2(call.tokens.clone())
        .context("`naked_asm!` has operands or options, which this gate does not know")?;
    strings.iter().map(|line| template(&line.value())).collect()
}

/// The text that a template stands for: a brace is written twice, and anything else in braces is an operand.
fn template(text: &str) -> Result<String> {
    let mut found = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        ensure!(
            !matches!(c, '{' | '}') || rest.next() == Some(c),
            "`{text}` has an operand, which this gate does not know"
        );
        found.push(c);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Function>> {
        functions(&Source {
            path: "src/asm/x86_64/gather.rs".into(),
            text: text.into(),
        })
    }

    #[test]
    fn a_kernel_is_found_with_its_path_and_code() {
        let found = read(
            "//! Doc\nuse crate::asm::Slice;\n/// One.\n///\n/// Two.\n#[unsafe(naked)]\npub unsafe extern \"sysv64\" fn vg_f(a: u8) {
                core::arch::naked_asm!(\"2:\", \"jmp 2b\", \"ret\",)\n}\npub const VG_F_FEATURES: &[&str] = &[\"aes\", \"avx\"];",
        )
        .unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "asm::x86_64::gather::vg_f");
        assert_eq!(found[0].lines, ["2:", "jmp 2b", "ret"]);
        assert_eq!(found[0].features, ["aes", "avx"]);
        assert_eq!(found[0].doc, " One.\n\n Two.\n");
        assert_eq!(module_path(Path::new("src/asm/mod.rs")).unwrap(), "asm");
    }

    #[test]
    fn braces_are_written_twice() {
        let found = read(
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() { core::arch::naked_asm!(\"tbl v0.16b, {{v1.16b}}, v2.16b\") }
            pub const VG_F_FEATURES: &[&str] = &[];",
        );
        assert_eq!(found.unwrap()[0].lines, ["tbl v0.16b, {v1.16b}, v2.16b"]);
        for operand in ["{x}", "{", "}", "{{}", "{{{", "{}"] {
            assert!(template(operand).is_err(), "{operand}");
        }
    }

    #[test]
    fn a_kernel_declares_its_features() {
        let kernel =
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() { core::arch::naked_asm!(\"ret\") }";
        let with = |constant: &str| read(&format!("{kernel} {constant}"));
        assert!(with("pub const VG_F_FEATURES: &[&str] = &[];").is_ok());
        for constant in [
            "",
            "pub const VG_G_FEATURES: &[&str] = &[];",
            "pub const VG_F_FEATURES: &[&str] = VG_G_FEATURES;",
            "pub const VG_F_FEATURES: &[&str] = &[AVX];",
            "pub const VG_F_FEATURES: &[u8] = &[1];",
        ] {
            assert!(with(constant).is_err(), "{constant}");
        }
    }

    #[test]
    fn anything_else_that_runs_is_refused() {
        for text in [
            "pub fn vg_f() {}",
            "#[unsafe(naked)] pub extern \"C\" fn f() { core::arch::naked_asm!(\"ret\") }",
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() { core::arch::asm!(\"ret\") }",
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() { core::arch::naked_asm!(\"ret\", options(raw)) }",
            "#[unsafe(naked)] pub extern \"C\" fn vg_f() { core::arch::naked_asm!(\"ret\"); f() }",
            "core::arch::global_asm!(\"ret\");",
            "static S: u8 = 0;",
            "impl S { fn f() {} }",
            "mod m { fn f() {} }",
            "fn",
        ] {
            let features = "const F_FEATURES: &[&str] = &[]; const VG_F_FEATURES: &[&str] = &[];";
            assert!(read(&format!("{features} {text}")).is_err(), "{text}");
        }
    }
}
