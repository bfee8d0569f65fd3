//! The import graph of a project.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use anyhow::{Result, anyhow, bail};

use super::{
    header::{self, Import},
    is_library, path_of,
};
use crate::files::{self, Hash};

#[derive(Debug)]
pub struct Module {
    pub name: String,
    /// From the root of the project.
    pub path: PathBuf,
    /// Indices of the project modules that it imports: each is smaller than its own.
    pub imports: Vec<usize>,
    /// Everything of Lean's library that it or a module below it imports.
    pub library: BTreeSet<String>,
    /// Modules below it that have code which must run when they are imported.
    pub initializers: BTreeSet<String>,
    /// Stands for the source of this module and of all below it, and the toolchain.
    pub key: String,
    /// The length of the longest chain of modules that wait for this one.
    pub height: usize,
    runs_on_import: bool,
}

/// Modules in dependency order.
#[derive(Debug)]
pub struct Graph(pub Vec<Module>);

impl Graph {
    /// Reads the given modules and all that they import; `toolchain` goes into every key.
    pub fn load(root: &Path, names: &[String], toolchain: &str) -> Result<Self> {
        let mut loader = Loader {
            root,
            toolchain,
            modules: Vec::new(),
            known: HashMap::new(),
            open: Vec::new(),
        };
        for name in names {
            loader.visit(name, None)?;
        }
        let mut modules = loader.modules;
        for i in (0..modules.len()).rev() {
            for import in modules[i].imports.clone() {
                modules[import].height = modules[import].height.max(modules[i].height + 1);
            }
        }
        Ok(Self(modules))
    }
}

struct Loader<'a> {
    root: &'a Path,
    toolchain: &'a str,
    modules: Vec<Module>,
    known: HashMap<String, usize>,
    /// The chain of modules that are being read.
    open: Vec<String>,
}

impl Loader<'_> {
    fn visit(&mut self, name: &str, importer: Option<(&Path, usize)>) -> Result<usize> {
        if let Some(&known) = self.known.get(name) {
            return Ok(known);
        }
        let at = importer.map_or(String::new(), |(p, line)| {
            format!("{}:{line}: error: ", p.display())
        });
        if let Some(start) = self.open.iter().position(|m| m == name) {
            bail!(
                "{at}import cycle: {} → {name}",
                self.open[start..].join(" → ")
            );
        }
        let path = path_of(name, "lean");
        if !self.root.join(&path).is_file() {
            bail!("{at}unknown module {name}: there is no {}", path.display());
        }
        let source = files::read(&self.root.join(&path))?;
        let text = std::str::from_utf8(&source)
            .map_err(|_| anyhow!("{}: error: not valid UTF-8", path.display()))?;
        let header = header::imports(text)
            .map_err(|(line, why)| anyhow!("{}:{line}: error: {why}", path.display()))?;
        self.open.push(name.to_owned());
        let module = self.module(name, path, &source, text, &header)?;
        self.open.pop();
        self.modules.push(module);
        self.known.insert(name.to_owned(), self.modules.len() - 1);
        Ok(self.modules.len() - 1)
    }

    fn module(
        &mut self,
        name: &str,
        path: PathBuf,
        source: &[u8],
        text: &str,
        header: &[Import],
    ) -> Result<Module> {
        let mut hash = Hash::default().part(self.toolchain).part(name).part(source);
        let mut library = BTreeSet::from(["Init".to_owned()]);
        let mut imports = Vec::new();
        let mut initializers = BTreeSet::new();
        for import in header {
            if is_library(&import.module) {
                library.insert(import.module.clone());
                continue;
            }
            let index = self.visit(&import.module, Some((&path, import.line)))?;
            let below = &self.modules[index];
            hash = hash.part(&below.key);
            library.extend(below.library.iter().cloned());
            initializers.extend(below.initializers.iter().cloned());
            if below.runs_on_import {
                initializers.insert(below.name.clone());
            }
            imports.push(index);
        }
        Ok(Module {
            name: name.to_owned(),
            path,
            imports,
            library,
            initializers,
            key: hash.hex(),
            height: 0,
            runs_on_import: runs_on_import(text),
        })
    }
}

/// Whether a module declares code that runs on import (attributes, extensions). A wrong yes costs a second, a wrong no
/// makes its importers fail: so words are looked for, wherever they are.
fn runs_on_import(text: &str) -> bool {
    ["initialize ", "register_", "[init]", "[init ", "declare_"]
        .iter()
        .any(|w| text.contains(w))
}
