//! `VG_CPU_FEATURES`, with which a user keeps the crate from using features that the CPU has.
//!
//! It holds `none`, or names of features with commas between them: those that may be used, besides what the crate does not compile
//! without. It is read once.

use std::format;
use std::string::String;
use std::sync::LazyLock;
use std::vec::Vec;

use super::{OPTIONAL, covers, has};

const VARIABLE: &str = "VG_CPU_FEATURES";

/// The features that may be used, or what is wrong with the variable.
static ALLOWED: LazyLock<Result<Vec<&str>, String>> = LazyLock::new(|| {
    match std::env::var_os(VARIABLE) {
        None => Ok(OPTIONAL.to_vec()),
        // What is not Unicode is no name: it is shown with replacement characters then.
        Some(value) => parse(&value.to_string_lossy(), has),
    }
    .map_err(|error| format!("{VARIABLE}: {error}"))
});

/// What is wrong with the variable, if something is.
pub(crate) fn check() -> Result<(), &'static str> {
    match &*ALLOWED {
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Whether all of the features may be used: none, if something is wrong with the variable.
pub(super) fn allows(features: &[&str]) -> bool {
    ALLOWED
        .as_ref()
        .is_ok_and(|allowed| covers(allowed, features))
}

fn parse(value: &str, has: impl Fn(&str) -> bool) -> Result<Vec<&'static str>, String> {
    if value == "none" {
        return Ok(Vec::new());
    }
    let names = value.split(',').map(|name| {
        let known = OPTIONAL.iter().find(|known| **known == name);
        let known = known.ok_or_else(|| {
            let names = OPTIONAL.join(", ");
            format!("no feature is called `{name}`: write `none`, or some of {names}")
        })?;
        if has(known) {
            Ok(*known)
        } else {
            Err(format!("this CPU does not have `{name}`"))
        }
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::ToOwned;

    use super::*;

    #[test]
    fn names_of_features_that_the_cpu_has() {
        let every = OPTIONAL.join(",");
        assert_eq!(parse(&every, |_| true).unwrap(), OPTIONAL);
        assert_eq!(parse("none", |_| true).unwrap(), [""; 0]);
        assert_eq!(parse("none", |_| false).unwrap(), [""; 0]);
        for name in OPTIONAL {
            assert_eq!(parse(name, |other| other == *name).unwrap(), [*name]);
            let twice = format!("{name},{name}");
            assert_eq!(parse(&twice, |_| true).unwrap(), [*name, *name]);
            let error = parse(name, |other| other != *name).unwrap_err();
            assert_eq!(error, format!("this CPU does not have `{name}`"));
        }
    }

    #[test]
    fn other_names_are_refused_and_named() {
        for wrong in [
            "", "NONE", "all", "sse2", "neon", " aes", "AES", "none", "é",
        ] {
            for value in [
                wrong.to_owned(),
                format!("aes,{wrong}"),
                format!("{wrong},aes"),
            ] {
                if value != "none" {
                    let error = parse(&value, |_| true).unwrap_err();
                    assert!(error.contains(&format!("`{wrong}`")), "{error}");
                    assert!(error.contains("aes"), "{error}");
                }
            }
        }
    }
}
