//! `cargo gate machine-code` on a library whose kernels have tables of constants, as the test of the audit prints them.

mod support;

use support::{Run, Tree, workspace};

const ARCHITECTURES: [&str; 2] = ["x86_64", "aarch64"];

fn library() -> Tree {
    let tree = Tree::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"leanseal\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
        ),
        (
            "Cargo.lock",
            "version = 4\n\n[[package]]\nname = \"leanseal\"\nversion = \"0.0.0\"\n",
        ),
        (
            "src/lib.rs",
            "#![no_std]\n#![deny(warnings)]\npub mod asm;\n",
        ),
        (
            "src/asm/mod.rs",
            "#[cfg(target_arch = \"aarch64\")]\npub mod aarch64;\n#[cfg(target_arch = \"x86_64\")]\npub mod x86_64;\n",
        ),
        ("src/asm/x86_64/mod.rs", "pub mod lookup;\n"),
    ]);
    for file in ["x86_64/lookup.rs", "aarch64/lookup.rs", "aarch64/mod.rs"] {
        let fixture = workspace().join("ci/tests/fixtures/table").join(file);
        let text = std::fs::read_to_string(fixture).expect("a fixture");
        tree.write(&format!("src/asm/{file}"), &text);
    }
    tree
}

fn gate(tree: &Tree, rest: &[&str]) -> Run {
    let mut command = tree.tool();
    command.args(["gate", "machine-code", "--root", "."]);
    Run::of(command.args(rest).output().expect("the tool runs"))
}

/// The library that the gate built last.
fn rlib(architecture: &str) -> String {
    let target = match architecture {
        _ if architecture == std::env::consts::ARCH => String::new(),
        other => format!("{other}-unknown-linux-gnu/"),
    };
    format!("target/gate/machine-code/{target}release/libleanseal.rlib")
}

#[test]
fn a_table_has_the_bytes_of_the_text_and_its_address_is_where_the_text_has_it() {
    let tree = library();
    gate(&tree, &[]).passed();
    for architecture in ARCHITECTURES {
        let file = format!("src/asm/{architecture}/lookup.rs");
        let text = std::fs::read_to_string(tree.path(&file)).expect("a kernel");
        for (from, to, why) in [
            ("0x11, 0xfe,", "0x12, 0xfe,", "byte 16 of "),
            ("0x11, 0xfe,", "0x11, 0xff,", "byte 17 of "),
            ("0x11, 0xfe,", "0x11, 0xfe, 0x01,", "byte 18 of "),
            ("Table([\n", "Table([\n    0x01,\n", "byte 1 of "),
        ] {
            tree.replace(&file, from, to);
            gate(&tree, &["--rlib", &rlib(architecture)])
                .failed()
                .says(why);
            tree.write(&file, &text);
        }
        gate(&tree, &["--rlib", &rlib(architecture)]).passed();
    }
}

#[test]
fn what_the_library_has_besides_is_refused() {
    for (file, from, to, why) in [
        (
            "src/asm/x86_64/lookup.rs",
            "align(64)",
            "align(32)",
            "aligned to 32 bytes only",
        ),
        (
            "src/asm/x86_64/lookup.rs",
            "static VG_",
            "static mut VG_",
            "in memory that can be written",
        ),
        (
            "src/asm/x86_64/lookup.rs",
            "sym VG_LOOKUP_TABLE",
            "sym OTHER",
            "its table is OTHER",
        ),
        (
            "src/asm/x86_64/lookup.rs",
            "\"lea rax, [rip + {table}]\",",
            "\"lea rax, [rip + {table} + 1]\",",
            "vg_table + 1",
        ),
        (
            "src/asm/aarch64/mod.rs",
            "        $other\n",
            "        concat!($other, \"\\nnop\")\n",
            "instruction 1",
        ),
    ] {
        let tree = library();
        tree.replace(file, from, to);
        gate(&tree, &[]).failed().says(why);
    }
}
