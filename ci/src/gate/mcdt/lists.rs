//! What the vendors say of the timing of instructions, and what is accepted without them.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
    path::Path,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{files, gate::machine_code::Form};

pub const FOLDER: &str = "docs/timing";
const ALLOWED: &str = "allowed.txt";

/// The lists of an architecture.
pub struct Lists {
    /// Instructions whose time is independent of data.
    independent: List,
    /// Those that have a setting to thank for that, or that may depend on data.
    mcdt: Option<List>,
}

/// Why an instruction needs an allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Doubt {
    Mcdt,
    Unlisted,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mcdt => "on the MCDT list",
            Self::Unlisted => "on no list",
        })
    }
}

impl Lists {
    pub fn read(root: &Path, architecture: &str) -> Result<Self> {
        let list = |name| List::read(root, name);
        Ok(match architecture {
            "x86_64" => Self {
                independent: list("intel-doit.txt")?,
                mcdt: Some(list("intel-mcdt.txt")?),
            },
            "aarch64" => Self {
                independent: list("arm-dit.txt")?,
                mcdt: None,
            },
            other => bail!("{other}: this gate has no list of a vendor for it"),
        })
    }

    /// None if the vendor promises, without a condition, that the time is independent of data.
    pub fn doubt(&self, form: &Form) -> Option<Doubt> {
        if self.mcdt.as_ref().is_some_and(|list| list.has(form)) {
            return Some(Doubt::Mcdt);
        }
        (!self.independent.has(form)).then_some(Doubt::Unlisted)
    }
}

/// Instructions: mnemonics, or a mnemonic with kinds of operands, which is that form only.
struct List(HashSet<String>);

impl List {
    fn read(root: &Path, name: &str) -> Result<Self> {
        let place = format!("{FOLDER}/{name}");
        let mut found = HashSet::new();
        for line in lines(&text(root, name)?) {
            ensure!(
                found.insert(line.to_owned()),
                "{place}: `{line}` stands there twice"
            );
        }
        ensure!(!found.is_empty(), "{place}: nothing is listed");
        Ok(Self(found))
    }

    fn has(&self, form: &Form) -> bool {
        self.0.contains(&form.mnemonic) || self.0.contains(&form.to_string())
    }
}

/// Why instructions are accepted, by architecture, doubt and mnemonic.
pub struct Allowances(BTreeMap<(String, Doubt, String), Allowance>);

struct Allowance {
    reason: String,
    used: bool,
}

impl Allowances {
    pub fn read(root: &Path) -> Result<Self> {
        let mut found = BTreeMap::new();
        for line in lines(&text(root, ALLOWED)?) {
            let (key, allowance) = allowance(line)
                .with_context(|| format!("{FOLDER}/{ALLOWED}: `{line}`: not an allowance"))?;
            ensure!(
                found.insert(key, allowance).is_none(),
                "{FOLDER}/{ALLOWED}: `{line}`: allowed twice"
            );
        }
        Ok(Self(found))
    }

    /// The reason, if there is one.
    pub fn reason(&mut self, architecture: &str, doubt: Doubt, form: &Form) -> Option<&str> {
        let key = (architecture.to_owned(), doubt, form.mnemonic.clone());
        let allowance = self.0.get_mut(&key)?;
        allowance.used = true;
        Some(&allowance.reason)
    }

    /// Those that nothing needs.
    pub fn unused(&self) -> impl Iterator<Item = String> {
        let unused = self.0.iter().filter(|(_, allowance)| !allowance.used);
        unused.map(|((architecture, doubt, mnemonic), _)| {
            format!("{mnemonic} of {architecture}, as one {doubt}")
        })
    }
}

fn allowance(line: &str) -> Option<((String, Doubt, String), Allowance)> {
    let (key, reason) = line.split_once(':')?;
    let [architecture, doubt, mnemonic] = key.split_whitespace().collect::<Vec<_>>()[..] else {
        return None;
    };
    let doubt = match doubt {
        "mcdt" => Doubt::Mcdt,
        "unlisted" => Doubt::Unlisted,
        _ => return None,
    };
    let reason = reason.trim().to_owned();
    let key = (architecture.to_owned(), doubt, mnemonic.to_owned());
    let used = false;
    (!reason.is_empty()).then_some((key, Allowance { reason, used }))
}

fn text(root: &Path, name: &str) -> Result<String> {
    let bytes = files::read(&root.join(FOLDER).join(name))?;
    String::from_utf8(bytes).with_context(|| format!("{FOLDER}/{name}"))
}

/// The lines that are no comment.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}
