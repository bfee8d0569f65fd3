//! The emitted functions, as they stand in src/asm.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use syn::{
    Attribute, Expr, ExprLit, Ident, Item, ItemFn, Lit, LitStr, Meta, Stmt, Token, parenthesized,
    parse::{Parse, ParseStream, Parser},
    punctuated::Punctuated,
    spanned::Spanned,
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
    pub table: Option<Table>,
}

/// The table of constants of a kernel: its path in the crate, and its bytes.
#[derive(Debug)]
pub struct Table {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The functions of a file of src/asm, which holds nothing else that runs.
pub fn functions(file: &Source) -> Result<Vec<Function>> {
    let module = module_path(&file.path)?;
    let items = syn::parse_file(&file.text)
        .with_context(|| format!("{}", file.path.display()))?
        .items;
    let mut found = Vec::new();
    let mut statics = Vec::new();
    for item in &items {
        let place = format!("{}:{}", file.path.display(), item.span().start().line);
        match item {
            Item::Fn(item) => found.push(function(item, &module, &items).context(place)?),
            Item::Static(item) => statics.push((format!("{module}::{}", item.ident), place)),
            Item::Macro(item) if item.ident.as_ref().is_some_and(|name| name == BY_FORMAT) => {}
            Item::Use(_) | Item::Const(_) | Item::Struct(_) => {}
            Item::Mod(item) if item.content.is_none() => {}
            _ => bail!("{place}: only `use`, `mod`, `const`, `struct`, tables and naked functions"),
        }
    }
    for (name, place) in statics {
        let mut tables = found.iter().filter_map(|f: &Function| f.table.as_ref());
        ensure!(
            tables.any(|table| table.name == name),
            "{place}: not the table of a kernel"
        );
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
    let (lines, table) = assembly(item).with_context(|| name.clone())?;
    let table = match table {
        Some(table) => {
            ensure!(
                table == format!("{}_TABLE", name.to_uppercase()),
                "{name}: its table is {table}"
            );
            let bytes = bytes(&table, items).with_context(|| table.clone())?;
            Some(Table {
                name: format!("{module}::{table}"),
                bytes,
            })
        }
        None => None,
    };
    Ok(Function {
        lines,
        table,
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

/// The bytes of a table.
fn bytes(name: &str, items: &[Item]) -> Result<Vec<u8>> {
    let value = items.iter().find_map(|item| match item {
        Item::Static(item) if item.ident == name => Some(&*item.expr),
        _ => None,
    });
    let Expr::Call(call) = value.context("there is no such table")? else {
        bail!("not a table");
    };
    let Some(Expr::Array(list)) = call.args.first() else {
        bail!("not a table of bytes");
    };
    let bytes = list.elems.iter().map(|element| match element {
        Expr::Lit(ExprLit {
            lit: Lit::Int(byte),
            ..
        }) => Ok(byte.base10_parse()?),
        _ => bail!("not a table of bytes"),
    });
    bytes.collect()
}

/// The macro that chooses between the text of an instruction for most formats of objects and that for Mach-O.
const BY_FORMAT: &str = "by_format";

/// A line of a template: braces are written twice, and `{table}` stands for the address of the table of constants, which lines
/// call `vg_table`.
fn line(template: &str) -> Option<String> {
    let mut line = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        line.push_str(&rest[..at]);
        rest = &rest[at..];
        let (from, to) = [("{{", "{"), ("}}", "}"), ("{table}", "vg_table")]
            .into_iter()
            .find(|(from, _)| rest.starts_with(from))?;
        line.push_str(to);
        rest = &rest[from.len()..];
    }
    Some(line + rest)
}

/// An argument of `naked_asm!`.
enum Argument {
    Line(String),
    Table(String),
}

impl Parse for Argument {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let of = |template: &LitStr| match line(&template.value()) {
            Some(line) if !template.value().contains("vg_table") => Ok(Self::Line(line)),
            _ => Err(input.error("a template with operands that this gate does not know")),
        };
        if input.peek(LitStr) {
            return of(&input.parse()?);
        }
        let word: Ident = input.parse()?;
        if word == BY_FORMAT && input.peek(Token![!]) {
            let texts = input.parse::<Token![!]>().and_then(|_| {
                let texts;
                parenthesized!(texts in input);
                Punctuated::<LitStr, Token![,]>::parse_terminated(&texts)
            })?;
            // The objects that this gate reads are no Mach-O.
            return match texts.first() {
                Some(template) if texts.len() == 2 => of(template),
                _ => Err(input.error("not two texts")),
            };
        }
        if word != "table" {
            return Err(input.error("an operand or option that this gate does not know"));
        }
        input.parse::<Token![=]>()?;
        let kind: Ident = input.parse()?;
        if kind != "sym" {
            return Err(input.error("the table is not a symbol"));
        }
        Ok(Self::Table(input.parse::<Ident>()?.to_string()))
    }
}

/// The lines of the one `naked_asm!` that is the body, and its table.
fn assembly(item: &ItemFn) -> Result<(Vec<String>, Option<String>)> {
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
    let arguments = Punctuated::<Argument, Token![,]>::parse_terminated
        .parse2(call.tokens.clone())
        .context("`naked_asm!` has operands or options that this gate does not know")?;
    let (mut lines, mut table) = (Vec::new(), None);
    for argument in arguments {
        match argument {
            Argument::Line(line) => lines.push(line),
            Argument::Table(name) => {
                ensure!(table.replace(name).is_none(), "two tables");
            }
        }
    }
    Ok((lines, table))
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
            assert!(line(operand).is_none(), "{operand}");
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

    #[test]
    fn a_kernel_has_the_table_that_is_its_operand() {
        let with = |arguments: &str, statics: &str| {
            read(&format!(
                "#[unsafe(naked)] pub extern \"C\" fn vg_f() {{ core::arch::naked_asm!(\"ret\", {arguments}) }}
                pub const VG_F_FEATURES: &[&str] = &[]; {statics}"
            ))
        };
        let table = "static VG_F_TABLE: Table<2> = Table([0x01, 0xfe]);";
        let operand = "\"lea rax, [rip + {table}]\", \"{{k1}}\", table = sym VG_F_TABLE";
        let found = with(operand, table).unwrap().remove(0);
        assert_eq!(found.lines, ["ret", "lea rax, [rip + vg_table]", "{k1}"]);
        let found = found.table.unwrap();
        assert_eq!(found.name, "asm::x86_64::gather::VG_F_TABLE");
        assert_eq!(found.bytes, [1, 0xfe]);
        let found = with(
            "by_format!(\"a {table}\", \"b\"), table = sym VG_F_TABLE",
            table,
        );
        assert_eq!(found.unwrap()[0].lines, ["ret", "a vg_table"]);
        for (arguments, statics) in [
            ("", table),
            (operand, ""),
            (
                "table = sym VG_G_TABLE",
                "static VG_G_TABLE: Table<1> = Table([1]);",
            ),
            ("table = sym VG_F_TABLE, table = sym VG_F_TABLE", table),
            ("tables = sym VG_F_TABLE", table),
            ("table = const VG_F_TABLE", table),
            (
                "table = sym VG_F_TABLE",
                "static VG_F_TABLE: [u8; 1] = [1];",
            ),
            (
                "table = sym VG_F_TABLE",
                "static VG_F_TABLE: Table<1> = Table([256]);",
            ),
            (
                "table = sym VG_F_TABLE",
                "static VG_F_TABLE: Table<1> = Table([X]);",
            ),
            ("\"{other}\", table = sym VG_F_TABLE", table),
            ("\"vg_table\", table = sym VG_F_TABLE", table),
            ("by_format!(\"a\"), table = sym VG_F_TABLE", table),
            ("other!(\"a\", \"b\"), table = sym VG_F_TABLE", table),
        ] {
            assert!(with(arguments, statics).is_err(), "{arguments} {statics}");
        }
    }
}
