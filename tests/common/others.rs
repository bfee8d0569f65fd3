//! Other implementations of AES-GCM.

use aes_gcm::aead::array::ArraySize;
use aes_gcm::aead::consts::U16;
use aes_gcm::aes::{Aes128, Aes192, Aes256};
use aes_gcm::{AeadInOut, KeyInit, Nonce};

/// The crate `aes-gcm`: encrypts `data` in place and gives back its tag.
pub fn aes_gcm<N: ArraySize>(key: &[u8], nonce: &[u8], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
    fn apply<N: ArraySize, C: KeyInit + AeadInOut<NonceSize = N, TagSize = U16>>(
        key: &[u8],
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
    ) -> [u8; 16] {
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

/// The crate `graviola`, whose code is that of no other one. It has no keys of 24 bytes.
#[cfg(target_arch = "x86_64")]
pub fn graviola(key: &[u8], nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Option<[u8; 16]> {
    use std::is_x86_feature_detected as has;
    let needed = has!("aes") && has!("pclmulqdq") && has!("avx2") && has!("bmi1") && has!("adx");
    if !needed || key.len() == 24 {
        return None;
    }
    let mut tag = [0; 16];
    graviola::aead::AesGcm::new(key).encrypt(nonce, aad, data, &mut tag);
    Some(tag)
}

/// It is not compared with there.
#[cfg(target_arch = "aarch64")]
pub fn graviola(_: &[u8], _: &[u8; 12], _: &[u8], _: &mut [u8]) -> Option<[u8; 16]> {
    None
}
