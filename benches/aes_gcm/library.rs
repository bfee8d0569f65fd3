//! What a library does here, and leanseal.

use leanseal::aes_gcm::AesGcm;

pub const NONCE: [u8; 12] = [7; 12];
/// As long as that of a record of TLS 1.2.
pub const AAD: [u8; 13] = [3; 13];

pub type Tag = [u8; 16];

/// AES-GCM of one library. What fails panics: these programs call it with good arguments only.
pub trait Library {
    fn new(key: &[u8]) -> Self;

    /// Encrypts in place.
    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag;

    /// Decrypts in place.
    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag);

    /// Encrypts `slices`, one after the other, to `out`.
    fn gather(&self, nonce: &[u8; 12], aad: &[u8], slices: &[&[u8]], out: &mut [u8]) -> Tag {
        let mut rest = &mut *out;
        for slice in slices {
            let (first, others) = rest.split_at_mut(slice.len());
            first.copy_from_slice(slice);
            rest = others;
        }
        self.seal(nonce, aad, out)
    }
}

impl Library for AesGcm {
    fn new(key: &[u8]) -> Self {
        AesGcm::new(key).expect("a good key, on a CPU that has the kernels")
    }

    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
        self.encrypt_in_place(nonce, aad, data).expect("short")
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) {
        let opened = self.decrypt_in_place(nonce, aad, data, tag);
        opened.expect("the right tag");
    }

    fn gather(&self, nonce: &[u8; 12], aad: &[u8], slices: &[&[u8]], out: &mut [u8]) -> Tag {
        let sealed = self.encrypt(nonce, aad, slices, out);
        sealed.expect("short, and of the right length")
    }
}
