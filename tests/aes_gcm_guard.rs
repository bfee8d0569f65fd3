//! `aes_gcm::AesGcm` touches no byte beside its buffers: they start or end at pages that fault. And it takes any address.
#![cfg(unix)]

mod common;

use common::forms::new;
use common::guard::{Guarded, PLACES};
use common::{bytes, gcm};

const LONGEST: usize = 1024;

#[test]
fn buffers_of_every_length_beside_guard_pages() {
    let key_bytes = bytes(16, 1);
    let Some(key) = new(&key_bytes) else { return };
    let nonce = bytes(12, 2);
    let mut pages = [(); 3].map(|()| Guarded::new(LONGEST));
    for len in 0..=LONGEST {
        let (text, aad) = (bytes(len, 3), bytes(len % 40, 4));
        let mut sealed = text.clone();
        let expected = gcm::seal(&key_bytes, &nonce, &aad, &mut sealed);
        for place in PLACES {
            let [data, out, other] = &mut pages;
            let (data, out, other) = (place(data, len), place(out, len), place(other, len % 40));
            other.copy_from_slice(&aad);
            data.copy_from_slice(&text);
            let tag = key.encrypt(&nonce, other, &[data], out).unwrap();
            assert_eq!((tag, &*out), (expected, &sealed[..]), "{len}");
            let tag = key.encrypt_in_place(&nonce, other, data).unwrap();
            assert_eq!((tag, &*data), (expected, &sealed[..]), "{len}");
            key.decrypt(&nonce, other, data, &tag, out).unwrap();
            assert_eq!(out, text, "{len}");
            key.decrypt_in_place(&nonce, other, data, &tag).unwrap();
            assert_eq!(data, text, "{len}");
        }
    }
}

#[test]
fn buffers_at_every_address() {
    let key_bytes = bytes(32, 5);
    let Some(key) = new(&key_bytes) else { return };
    let mut memory = [0; 400];
    let aligned = memory.as_ptr().align_offset(64);
    for offset in 0..64 {
        for len in [1, 15, 64, 100, 271] {
            let text = bytes(len, 6);
            let mut sealed = text.clone();
            let expected = gcm::seal(&key_bytes, &[7; 12], b"aad", &mut sealed);
            memory.fill(0xa5);
            let data = &mut memory[aligned + offset..][..len];
            data.copy_from_slice(&text);
            let tag = key.encrypt_in_place(&[7; 12], b"aad", data).unwrap();
            assert_eq!((tag, &*data), (expected, &sealed[..]));
            key.decrypt_in_place(&[7; 12], b"aad", data, &tag).unwrap();
            assert_eq!(data, text);
            memory[aligned + offset..][..len].fill(0xa5);
            assert_eq!(memory, [0xa5; 400]);
        }
    }
}
