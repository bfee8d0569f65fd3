//! `cargo gate vectors` on this project with errors planted in the vectors and in the specifications.

mod support;

use support::{Run, Tree, workspace};

const FOLDER: &str = "tests/vectors";

fn tree() -> Tree {
    let tree = Tree::copy_of_workspace();
    for entry in std::fs::read_dir(workspace().join(FOLDER)).expect("the vectors") {
        let name = entry.expect("a file").file_name();
        let path = format!("{FOLDER}/{}", name.to_str().expect("a name"));
        let text = std::fs::read_to_string(workspace().join(&path)).expect("a text");
        tree.write(&path, &text);
    }
    tree
}

fn gate(tree: &Tree) -> Run {
    let mut command = tree.tool();
    command
        .args(["gate", "vectors", "--root"])
        .arg(tree.path(""))
        .args(["--lean", "npm", "-j", "1"]);
    Run::of(command.output().expect("the tool runs"))
}

/// The values that differ.
fn differing(run: &Run) -> Vec<&str> {
    let lines = run.stderr.lines();
    let values = lines.filter_map(|l| l.split_once(": Spec says "));
    values.map(|(place, _)| place).collect()
}

#[test]
fn a_wrong_byte_in_a_vector_is_found_and_nothing_else() {
    let tree = tree();
    for (file, from, to) in [
        ("fips197.json", "8ecc720401002202", "8ecc720401002203"),
        ("fips197.json", "8ea2b7ca516745bf", "8ea2b7ca506745bf"),
        ("sp800-38a-ctr.json", "1abc932417521ca2", "1abc932417521ca3"),
        ("gcm-spec.json", "3612d2e79e3b0785", "2612d2e79e3b0785"),
    ] {
        tree.replace(&format!("{FOLDER}/{file}"), from, to);
    }
    let run = gate(&tree).failed();
    assert_eq!(
        differing(&run),
        [
            "fips197.json, appendix A.2",
            "fips197.json, appendix C.3",
            "gcm-spec.json, case 5, encryption with a tag of 16 bytes",
            "gcm-spec.json, case 5, encryption with a tag of 15 bytes",
            "gcm-spec.json, case 5, decryption with a tag of 16 bytes",
            "gcm-spec.json, case 5, decryption with a tag of 15 bytes",
            "sp800-38a-ctr.json, section F.5.3, encryption",
            "sp800-38a-ctr.json, section F.5.3, decryption",
        ]
    );
    run.says("tests/vectors/fips197.json: has the hash ")
        .says("gate vectors: 11 refused");
}

#[test]
fn a_wrong_specification_is_found() {
    let tree = tree();
    let from = "∧ tag = (fullTag ciph nonce aad ciphertext).take tag.length then";
    tree.replace("Spec/Gcm.lean", from, "then");
    let run = gate(&tree).failed();
    let differing = differing(&run);
    let wrong = |place: &&str| place.contains("wrong");
    assert!(differing.iter().all(wrong), "{differing:?}");
    // Each case has two wrong tags, 9 have additional data and 15 have text.
    assert_eq!(differing.len(), 2 * 18 + 9 + 15);
}
