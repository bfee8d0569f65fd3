//! The conditions of `#[cfg(…)]`.

use anyhow::{Result, ensure};
use proc_macro2::TokenStream;
use syn::{Expr, Lit, Meta, Token, parse::Parser, punctuated::Punctuated};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
    /// `unix`, or with a value `target_arch = "x86_64"`.
    Is(String, Option<String>),
}

impl Condition {
    /// What is between the parentheses of `cfg(…)`.
    pub fn parse(tokens: TokenStream) -> Result<Self> {
        Self::from_meta(syn::parse2(tokens)?)
    }

    fn from_meta(meta: Meta) -> Result<Self> {
        let name = |path: &syn::Path| {
            path.get_ident()
                .map(ToString::to_string)
                .unwrap_or_default()
        };
        match meta {
            Meta::Path(path) => Ok(Self::Is(name(&path), None)),
            Meta::NameValue(meta) => match meta.value {
                Expr::Lit(value) => match value.lit {
                    Lit::Str(text) => Ok(Self::Is(name(&meta.path), Some(text.value()))),
                    _ => anyhow::bail!("a condition compares with a string"),
                },
                _ => anyhow::bail!("a condition compares with a string"),
            },
            Meta::List(list) => {
                let parts = Punctuated::<Meta, Token![,]>::parse_terminated.parse2(list.tokens)?;
                let mut parts: Vec<_> = parts
                    .into_iter()
                    .map(Self::from_meta)
                    .collect::<Result<_>>()?;
                match name(&list.path).as_str() {
                    "all" => Ok(Self::All(parts)),
                    "any" => Ok(Self::Any(parts)),
                    "not" => {
                        ensure!(parts.len() == 1, "`not` has one condition");
                        Ok(Self::Not(Box::new(parts.remove(0))))
                    }
                    other => anyhow::bail!("`{other}(…)`: not a condition"),
                }
            }
        }
    }

    /// Whether it holds; none if that depends on what `is` does not know.
    pub fn holds(&self, is: &dyn Fn(&str, Option<&str>) -> Option<bool>) -> Option<bool> {
        // What decides a list alone, as soon as one part has it.
        let list = |parts: &[Self], decisive: bool| {
            let parts: Vec<_> = parts.iter().map(|part| part.holds(is)).collect();
            if parts.contains(&Some(decisive)) {
                Some(decisive)
            } else if parts.contains(&None) {
                None
            } else {
                Some(!decisive)
            }
        };
        match self {
            Self::All(parts) => list(parts, false),
            Self::Any(parts) => list(parts, true),
            Self::Not(part) => part.holds(is).map(|holds| !holds),
            Self::Is(name, value) => is(name, value.as_deref()),
        }
    }

    /// Whether it can hold on an architecture.
    pub fn admits(&self, architecture: &str) -> bool {
        let is = |name: &str, value: Option<&str>| match name {
            "target_arch" => Some(value == Some(architecture)),
            _ => None,
        };
        self.holds(&is) != Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Condition> {
        Condition::parse(text.parse().unwrap())
    }

    #[test]
    fn a_condition_admits_architectures() {
        for (text, x86_64, aarch64) in [
            ("unix", true, true),
            ("target_arch = \"x86_64\"", true, false),
            ("not(target_arch = \"x86_64\")", false, true),
            ("all(unix, target_arch = \"aarch64\")", false, true),
            ("any(unix, target_arch = \"aarch64\")", true, true),
            ("all()", true, true),
            ("any()", false, false),
            ("not(all(unix, target_arch = \"x86_64\"))", true, true),
            (
                "all(target_arch = \"x86_64\", target_arch = \"aarch64\")",
                false,
                false,
            ),
        ] {
            let condition = parse(text).unwrap();
            let found = (condition.admits("x86_64"), condition.admits("aarch64"));
            assert_eq!(found, (x86_64, aarch64), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused() {
        for text in [
            "",
            "unix = 1",
            "not(unix, windows)",
            "some(unix)",
            "unix windows",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
