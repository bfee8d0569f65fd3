//! The functions of a library, as rustc assembled them.

use anyhow::{Context, Result, bail, ensure};
use object::{
    Architecture, BinaryFormat, Object, ObjectSection, ObjectSymbol, RelocationFlags,
    RelocationTarget, SectionFlags, SymbolKind, read::archive::ArchiveFile,
};

/// A function: its path in the crate and the bytes of its section.
#[derive(Debug)]
pub struct Function {
    pub name: String,
    pub bytes: Vec<u8>,
    /// To a static and a distance from its start, or elsewhere.
    pub relocations: Vec<Relocation<Option<(String, i64)>>>,
}

/// What the linker fills in.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Relocation<To> {
    /// Where, from the start of the function.
    pub offset: u64,
    /// The type in the ELF supplement of the architecture.
    pub kind: u32,
    /// Where the address lies that is filled in.
    pub to: To,
}

/// A static: its path in the crate, and its bytes.
#[derive(Debug)]
pub struct Static {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The largest power of 2 that its address is known to be a multiple of.
    pub align: u64,
    pub writable: bool,
}

/// The kernels of a library.
#[derive(Debug)]
pub struct Library {
    /// As `target_arch` names it.
    pub architecture: &'static str,
    pub functions: Vec<Function>,
    pub statics: Vec<Static>,
}

/// Every function named `vg_…` of an rlib.
pub fn read(rlib: &[u8]) -> Result<Library> {
    let archive = ArchiveFile::parse(rlib).context("not a library")?;
    let (mut functions, mut statics) = (Vec::new(), Vec::new());
    let mut called = Vec::new();
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
            kernels(&object, &mut functions, &mut called)?;
            tables(&object, &mut statics)?;
        }
    }
    for name in called {
        ensure!(
            functions.iter().any(|function| function.name == name),
            "{name} is called, but not defined in the library"
        );
    }
    Ok(Library {
        architecture: found.context("there is no object in the library")?,
        functions,
        statics,
    })
}

fn architecture(object: &object::File) -> Result<&'static str> {
    match (object.architecture(), object.is_little_endian()) {
        (Architecture::X86_64, true) => Ok("x86_64"),
        (Architecture::Aarch64, true) => Ok("aarch64"),
        (other, _) => bail!("there are no kernels for {other:?}"),
    }
}

/// The kernels that an object defines, and the names of those that it has from another one.
fn kernels(
    object: &object::File,
    found: &mut Vec<Function>,
    called: &mut Vec<String>,
) -> Result<()> {
    for symbol in object.symbols() {
        let mangled = symbol.name().context("a symbol has no name")?;
        let Some(name) = kernel_name(mangled) else {
            continue;
        };
        let Some(index) = symbol.section_index() else {
            called.push(name);
            continue;
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
        let relocations = section.relocations().map(|(offset, found)| {
            let RelocationFlags::Elf { r_type } = found.flags() else {
                bail!("{name} has a relocation that is not of ELF");
            };
            Ok(Relocation {
                offset,
                kind: r_type.0,
                to: target(object, &found)?,
            })
        });
        let relocations = relocations.collect::<Result<_>>()?;
        let bytes = section.data()?.to_vec();
        ensure!(
            symbol.size() == bytes.len() as u64,
            "{name} has {} bytes, but its section {}",
            symbol.size(),
            bytes.len()
        );
        found.push(Function {
            name,
            bytes,
            relocations,
        });
    }
    Ok(())
}

/// The static that a relocation is relative to, and how far from its start the address is. An assembler may take the start of
/// a section for a symbol there.
fn target(object: &object::File, relocation: &object::Relocation) -> Result<Option<(String, i64)>> {
    let RelocationTarget::Symbol(index) = relocation.target() else {
        return Ok(None);
    };
    let symbol = object.symbol_by_index(index)?;
    let mut found = object.symbols().filter(|other| {
        let same = other.index() == index || symbol.kind() == SymbolKind::Section;
        same && other.kind() == SymbolKind::Data
            && other.section_index().is_some()
            && other.section_index() == symbol.section_index()
            && other.address() == symbol.address()
    });
    let (Some(only), None) = (found.next(), found.next()) else {
        return Ok(None);
    };
    Ok(Some((path(only.name()?), relocation.addend())))
}

/// The statics whose names are those of tables.
fn tables(object: &object::File, found: &mut Vec<Static>) -> Result<()> {
    for symbol in object.symbols() {
        let name = path(symbol.name().context("a symbol has no name")?);
        let last = name.rsplit("::").next().unwrap_or_default();
        if !(last.starts_with("VG_") && last.ends_with("_TABLE")) {
            continue;
        }
        let index = symbol.section_index();
        let section =
            object.section_by_index(index.with_context(|| format!("{name} is not here"))?)?;
        let (start, size) = (symbol.address() - section.address(), symbol.size());
        let bytes = section
            .data_range(symbol.address(), size)?
            .with_context(|| format!("{name} has no bytes"))?;
        ensure!(
            section.relocations().next().is_none(),
            "{name} has relocations"
        );
        let align = match start {
            0 => section.align(),
            _ => section.align().min(1 << start.trailing_zeros()),
        };
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            bail!("{name} is not of ELF");
        };
        found.push(Static {
            name,
            bytes: bytes.to_vec(),
            align,
            writable: sh_flags.0 & object::elf::SHF_WRITE.0 != 0,
        });
    }
    Ok(())
}

/// The path in the crate of what has a mangled name.
fn path(mangled: &str) -> String {
    let full = format!("{:#}", rustc_demangle::demangle(mangled));
    let (_crate, path) = full.split_once("::").unwrap_or(("", &full));
    path.to_owned()
}

/// `asm::x86_64::gather::vg_gather_copy` from its mangled name, if this is a kernel.
fn kernel_name(mangled: &str) -> Option<String> {
    let path = path(mangled);
    path.rsplit("::").next()?.starts_with("vg_").then_some(path)
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
