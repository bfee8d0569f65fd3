//! `aes_gcm::AesGcm` refuses what is wrong, and gives away no text then.

mod common;

use common::features::allowed;
use common::forms::{Form, Message, check_refused, new};
use common::reference::KEY_LENGTHS;
use common::{bytes, split};
use leanseal::aes_gcm::{AesGcm, Error, NewError, truncate};

#[test]
fn whatever_is_wrong_leaves_no_text() {
    let nonce = &bytes(12, 20)[..];
    let aad = &bytes(20, 21)[..];
    for len in [0, 1, 16, 100, 128, 300] {
        let Some(key) = new(&bytes(16, 19)) else {
            return;
        };
        let mut sealed = bytes(len, 22);
        let tag = key.encrypt_in_place(nonce, aad, &mut sealed).unwrap();
        let data = &sealed[..];
        let fails = |nonce: &[u8], aad: &[u8], data: &[u8], tag: &[u8]| {
            let sealed = Message { nonce, aad, data };
            let tag = tag.try_into().unwrap();
            check_refused(&key, sealed, tag, Error::TagMismatch);
        };
        each_bit_flipped(&tag, |tag| fails(nonce, aad, data, tag));
        each_bit_flipped(nonce, |nonce| fails(nonce, aad, data, &tag));
        each_bit_flipped(aad, |aad| fails(nonce, aad, data, &tag));
        each_bit_flipped(data, |data| fails(nonce, aad, data, &tag));
        fails(nonce, &aad[1..], data, &tag);
        fails(&nonce[1..], aad, data, &tag);
    }
}

#[test]
fn tags_of_every_length() {
    fn test<const N: usize>(key: &AesGcm, text: &[u8]) {
        let mut sealed = text.to_vec();
        let tag = key.encrypt_in_place(b"nonce", b"aad", &mut sealed).unwrap();
        let short = truncate::<N>(&tag);
        assert_eq!(short[..], tag[..N]);
        let open = |tag: &[u8; N]| {
            let (mut data, mut out) = (sealed.clone(), vec![0xa5; text.len()]);
            let opened = key.decrypt_in_place(b"nonce", b"aad", &mut data, tag);
            let again = key.decrypt(b"nonce", b"aad", &sealed, tag, &mut out);
            assert_eq!(opened, again);
            (opened, data, out)
        };
        assert_eq!(open(&short), (Ok(()), text.to_vec(), text.to_vec()));
        let refused = (Err(Error::TagMismatch), sealed.clone(), vec![0; text.len()]);
        each_bit_flipped(&short, |tag| {
            assert_eq!(open(tag.try_into().unwrap()), refused)
        });
    }
    let Some(key) = new(&bytes(24, 23)) else {
        return;
    };
    for len in [0, 1, 16, 100, 300] {
        let text = bytes(len, 24);
        test::<4>(&key, &text);
        test::<8>(&key, &text);
        test::<12>(&key, &text);
        test::<13>(&key, &text);
        test::<14>(&key, &text);
        test::<15>(&key, &text);
        test::<16>(&key, &text);
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
fn a_message_without_a_nonce_is_an_error() {
    let Some(key) = new(&[1; 16]) else { return };
    let message = Message {
        nonce: b"",
        aad: b"aad",
        data: b"as it was",
    };
    for form in Form::of(message) {
        let sealed = (form.seal)(&key, message);
        assert_eq!(sealed, Err(Error::EmptyNonce), "{}", form.name);
    }
    check_refused(&key, message, &[0; 16], Error::EmptyNonce);
    let (mut data, mut out) = (*b"as it was", [0xa5; 9]);
    let sealed = key.encrypt_in_place(b"", b"aad", &mut data);
    assert_eq!((sealed, &data), (Err(Error::EmptyNonce), b"as it was"));
    let sealed = key.encrypt(b"", b"aad", &[&data], &mut out);
    assert_eq!((sealed, out), (Err(Error::EmptyNonce), [0xa5; 9]));
    let opened = key.decrypt(b"", b"aad", &data, &[0; 16], &mut out);
    assert_eq!((opened, out), (Err(Error::EmptyNonce), [0xa5; 9]));
}

#[test]
fn an_output_of_another_length_is_an_error() {
    let Some(key) = new(&[4; 16]) else { return };
    for (len, out_len) in [(0, 1), (1, 0), (16, 15), (16, 17), (100, 1000), (1000, 100)] {
        let text = bytes(len, 27);
        let mut out = vec![0xa5; out_len];
        let error = Error::LengthMismatch {
            data: len,
            out: out_len,
        };
        let sealed = key.encrypt(b"nonce", b"aad", &split(&text), &mut out);
        assert_eq!(sealed, Err(error));
        let opened = key.decrypt(b"nonce", b"aad", &text, &[0; 16], &mut out);
        assert_eq!(opened, Err(error));
        assert_eq!(out, vec![0xa5; out_len]);
        let named = error.to_string();
        assert!(named.contains(&format!("{len} bytes")), "{named}");
        assert!(named.ends_with(&format!(" {out_len}")), "{named}");
    }
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

/// What the library needs, found in another way.
#[test]
fn the_cpu_is_supported_if_it_has_the_features() {
    #[cfg(target_arch = "x86_64")]
    let expected = is_x86_feature_detected!("aes")
        && is_x86_feature_detected!("pclmulqdq")
        && is_x86_feature_detected!("avx")
        && ["aes", "pclmulqdq", "avx"].into_iter().all(allowed);
    #[cfg(target_arch = "aarch64")]
    let expected = std::arch::is_aarch64_feature_detected!("aes") && allowed("aes");
    assert_eq!(AesGcm::new(&[0; 16]).is_ok(), expected);
}
