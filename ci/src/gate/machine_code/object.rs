//! The functions of a library, as rustc assembled them.

use anyhow::{Context, Result, bail, ensure};
use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, SymbolKind,
    read::archive::ArchiveFile,
};

/// A function: its path in the crate and the bytes of its section.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The kernels of a library.
#[derive(Debug)]
pub struct Library {
    /// As `target_arch` names it.
    pub architecture: &'static str,
    pub functions: Vec<Function>,
}

/// Every function named `vg_…` of an rlib.
pub fn read(rlib: &[u8]) -> Result<Library> {
    let archive = ArchiveFile::parse(rlib).context("not a library")?;
    let mut functions = Vec::new();
    let mut found = None;
    for member in archive.members() {
        let member = member?;
        if member.name().ends_with(b".o") {
            let object = object::File::parse(member.data(rlib)?)
                .with_context(|| format!("{}", String::from_utf8_lossy(member.name())))?;
            ensure!(
                object.format() == BinaryFormat::Elf,
                "only ELF objects can be read"
            );
            let architecture = architecture(&object)?;
            ensure!(
                *found.get_or_insert(architecture) == architecture,
                "objects of different architectures"
            );
            kernels(&object, &mut functions)?;
        }
    }
    Ok(Library {
        architecture: found.context("there is no object in the library")?,
        functions,
    })
}

fn architecture(object: &object::File) -> Result<&'static str> {
    match (object.architecture(), object.is_little_endian()) {
        (Architecture::X86_64, true) => Ok("x86_64"),
        (Architecture::Aarch64, true) => Ok("aarch64"),
        (other, _) => bail!("there are no kernels for {other:?}"),
    }
}

fn kernels(object: &object::File, found: &mut Vec<Function>) -> Result<()> {
    for symbol in object.symbols() {
        let mangled = symbol.name().context("a symbol has no name")?;
        let Some(name) = kernel_name(mangled) else {
            continue;
        };
        let Some(index) = symbol.section_index() else {
            bail!("{name} is called, but not defined in the library");
        };
        let section = object.section_by_index(index)?;
        ensure!(
            section.name()? == format!(".text.{mangled}") && symbol.address() == section.address(),
            "{name} does not start a section of its own"
        );
        let others = object.symbols().any(|other| {
            let same = other.index() == symbol.index() || other.kind() == SymbolKind::Section;
            // AArch64's mark for "code from here on"; data would have a mark of its own.
            let mark = other.name() == Ok("$x") && other.address() == symbol.address();
            !same && !mark && other.section_index() == Some(index)
        });
        ensure!(!others, "there is another symbol in the section of {name}");
        ensure!(
            section.relocations().next().is_none(),
            "{name} has relocations"
        );
        let bytes = section.data()?.to_vec();
        ensure!(
            symbol.size() == bytes.len() as u64,
            "{name} has {} bytes, but its section {}",
            symbol.size(),
            bytes.len()
        );
        found.push(Function { name, bytes });
    }
    Ok(())
}

/// `asm::x86_64::gather::vg_gather_copy` from its mangled name, if this is a kernel.
fn kernel_name(mangled: &str) -> Option<String> {
    let full = format!("{:#}", rustc_demangle::demangle(mangled));
    let (_crate, path) = full.split_once("::").unwrap_or(("", &full));
    path.rsplit("::")
        .next()?
        .starts_with("vg_")
        .then(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_both_manglings() {
        let name = Some("asm::x86_64::gather::vg_gather_copy".to_owned());
        for mangled in [
            "_ZN8leanseal3asm6x86_646gather14vg_gather_copy17h0123456789abcdefE",
            "_RNvNtNtNtCs1234_8leanseal3asm6x86_646gather14vg_gather_copy",
        ] {
            assert_eq!(kernel_name(mangled), name);
        }
        assert_eq!(kernel_name("vg_f"), Some("vg_f".into()));
        assert_eq!(kernel_name("memcpy"), None);
    }

    #[test]
    fn what_is_no_library_is_an_error() {
        assert!(read(b"").is_err());
        assert!(read(b"\x7fELF").is_err());
    }
}
