//! A program with two versions of the library, linked as a whole and piece by piece.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use walkdir::WalkDir;

const PROGRAM: &str = r#"
fn main() {
    let out = (one::aes_gcm::AesGcm::new(&[0; 16]), two::aes_gcm::AesGcm::new(&[0; 16]));
    if let (Ok(one), Ok(two)) = out {
        let mut data = *b"text";
        let tag = one.encrypt_in_place(&[1; 12], b"aad", &mut data).unwrap();
        two.decrypt_in_place(&[1; 12], b"aad", &mut data, &tag).unwrap();
        assert_eq!(&data, b"text");
    }
    let mut out = [0; 4];
    one::gather::copy(&[b"te", b"xt"], &mut out).unwrap();
    two::gather::copy(&[&out[2..].to_vec(), b"te"], &mut out).unwrap();
    assert_eq!(&out, b"xtte");
}
"#;

/// The library with another version, and with its lock file's versions of what it depends on.
fn copy(to: &Path, version: &str) {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for entry in WalkDir::new(project.join("src")) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let path = to.join(entry.path().strip_prefix(project).unwrap());
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::copy(entry.path(), path).unwrap();
        }
    }
    let manifest = fs::read_to_string(project.join("Cargo.toml")).unwrap();
    let mut manifest: toml::Table = manifest.parse().unwrap();
    let workspace = manifest.remove("workspace").unwrap();
    for name in ["dev-dependencies", "bench", "test"] {
        manifest.remove(name);
    }
    let target = manifest["target"].as_table_mut().unwrap();
    for (_, target) in target.iter_mut() {
        target.as_table_mut().unwrap().remove("dev-dependencies");
    }
    let package = manifest["package"].as_table_mut().unwrap();
    package.insert("version".to_owned(), version.into());
    for (name, value) in workspace["package"].as_table().unwrap() {
        package.insert(name.clone(), value.clone());
    }
    fs::write(to.join("Cargo.toml"), manifest.to_string()).unwrap();
}

#[test]
fn two_versions_link_with_thin_and_fat_lto() {
    let dir = tempfile::tempdir().unwrap();
    copy(&dir.path().join("one"), "0.1.0");
    copy(&dir.path().join("two"), "0.2.0");
    fs::create_dir(dir.path().join("src")).unwrap();
    fs::write(dir.path().join("src/main.rs"), PROGRAM).unwrap();
    let manifest = "[package]\nname = \"program\"\nedition = \"2024\"\n[workspace]\nexclude = [\"one\", \"two\"]\n\
        [dependencies]\n\
        one = { path = \"one\", package = \"leanseal\" }\n\
        two = { path = \"two\", package = \"leanseal\" }\n\
        [profile.thin]\ninherits = \"release\"\nlto = \"thin\"\n\
        [profile.fat]\ninherits = \"release\"\nlto = \"fat\"\n";
    fs::write(dir.path().join("Cargo.toml"), manifest).unwrap();
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.lock");
    fs::copy(lock, dir.path().join("Cargo.lock")).unwrap();
    for profile in ["thin", "fat"] {
        let status = Command::new("cargo")
            .current_dir(dir.path())
            .args(["run", "--quiet", "--offline", "--profile", profile])
            .stdout(Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{profile}");
    }
}
