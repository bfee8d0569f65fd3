//! `aes_gcm::AesGcm` against two other implementations, for every length of a text.

mod common;

use aes_gcm::aead::array::ArraySize;
use aes_gcm::aead::consts::{U1, U8, U12, U13, U16, U32, U60};
use common::features::not_tested;
use common::forms::{Key, Message, check, new};
use common::reference::KEY_LENGTHS;
use common::{bytes, gcm, others};

/// What all of them do with the lengths `from..=2048` in steps, and with two lengths of additional data for each.
fn compare(from: usize, step: usize) {
    let mut compared = false;
    let keys = KEY_LENGTHS.map(|len| bytes(len, 16));
    let new_keys = [0, 1, 2].map(|i| new(&keys[i]));
    // On AArch64 the tests are mostly emulated, which takes ten times as long.
    let chosen =
        |len: &usize| !cfg!(target_arch = "aarch64") || *len <= 400 || len.is_multiple_of(13);
    for len in (from..=2048).step_by(step).filter(chosen) {
        let text = bytes(len, len as u64);
        for aad_len in [len % 65, (7 * len + 20) % 65] {
            let i = (len / 4 + aad_len) % keys.len();
            let (key, aad) = (&keys[i], bytes(aad_len, 17));
            compare_one::<U12>(key, &new_keys[i], &aad, &text);
            let nonce = bytes(12, 15).try_into().unwrap();
            let mut sealed = text.clone();
            if let Some(tag) = others::graviola(key, &nonce, &aad, &mut sealed) {
                let mut again = text.clone();
                assert_eq!(tag, gcm::seal(key, &nonce, &aad, &mut again), "{len}");
                assert_eq!(sealed, again, "{len}");
                compared = true;
            }
        }
    }
    if !compared {
        not_tested("graviola", "it does not run on this CPU");
    }
}

fn compare_one<N: ArraySize>(key: &[u8], new: &Option<Key>, aad: &[u8], text: &[u8]) {
    let nonce = bytes(N::USIZE, 15);
    let mut sealed = text.to_vec();
    let tag = gcm::seal(key, &nonce, aad, &mut sealed);
    let mut again = text.to_vec();
    let other = others::aes_gcm::<N>(key, &nonce, aad, &mut again);
    assert_eq!((tag, &sealed), (other, &again), "{}", text.len());
    if let Some(key) = new {
        let text = Message {
            nonce: &nonce,
            aad,
            data: text,
        };
        check(key, text, &sealed, &tag);
    }
}

// In four parts, for cores to share.

#[test]
fn lengths_that_are_a_multiple_of_4() {
    compare(0, 4);
}

#[test]
fn lengths_that_are_1_more() {
    compare(1, 4);
}

#[test]
fn lengths_that_are_2_more() {
    compare(2, 4);
}

#[test]
fn lengths_that_are_3_more() {
    compare(3, 4);
}

#[test]
fn nonces_of_several_lengths() {
    for key_len in KEY_LENGTHS {
        let key = bytes(key_len, 16);
        let new = new(&key);
        for len in 0..=300 {
            let (aad, text) = (bytes((5 * len) % 65, 17), bytes(len, 18));
            match len % 6 {
                0 => compare_one::<U1>(&key, &new, &aad, &text),
                1 => compare_one::<U8>(&key, &new, &aad, &text),
                2 => compare_one::<U13>(&key, &new, &aad, &text),
                3 => compare_one::<U16>(&key, &new, &aad, &text),
                4 => compare_one::<U32>(&key, &new, &aad, &text),
                _ => compare_one::<U60>(&key, &new, &aad, &text),
            }
        }
    }
}
