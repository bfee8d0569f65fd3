//! RustCrypto's `aes-gcm`.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes128Gcm, Aes256Gcm};

use super::library::{Library, Tag};
use super::participant::Participant;

/// For keys of one length.
pub struct RustCrypto<C>(C);

/// For keys of 128 or 256 bits.
pub fn participant(key_bits: usize) -> Participant {
    let of = match key_bits {
        128 => Participant::of::<RustCrypto<Aes128Gcm>>,
        _ => Participant::of::<RustCrypto<Aes256Gcm>>,
    };
    of("RustCrypto")
}

macro_rules! library {
    ($cipher:ty) => {
        impl Library for RustCrypto<$cipher> {
            fn new(key: &[u8]) -> Self {
                Self(KeyInit::new_from_slice(key).expect("the right length"))
            }

            fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
                let sealed = self
                    .0
                    .encrypt_inout_detached(nonce.into(), aad, data.into());
                sealed.expect("short").into()
            }

            fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) {
                let data = data.into();
                let opened = self
                    .0
                    .decrypt_inout_detached(nonce.into(), aad, data, tag.into());
                opened.expect("the right tag");
            }
        }
    };
}

library!(Aes128Gcm);
library!(Aes256Gcm);
