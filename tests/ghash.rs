//! The kernels that hash whole blocks, against the `ghash` crate.
#![cfg(target_arch = "x86_64")]

#[allow(dead_code)]
mod common {
    pub mod aes;
    pub mod features;
    pub mod random;
    pub mod x86_64;
}

use common::aes::{Context, can_run};
use common::random::bytes;
use ghash::GHash;
use ghash::universal_hash::{KeyInit, UniversalHash};
use leanseal::asm::x86_64::aes_gcm::{
    VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES, vg_aes_gcm_prepare16_pclmul_avx,
};
use leanseal::asm::x86_64::ghash::{
    VG_GHASH_BLOCKS_PCLMUL_AVX_FEATURES, vg_ghash_blocks_pclmul_avx,
};

/// The subkey for a key, and a prepared context.
fn prepared(key: &[u8]) -> ([u8; 16], [u8; Context::SIZE]) {
    use aes::cipher::BlockCipherEncrypt;
    let mut context = *Context::new(key).bytes();
    // SAFETY: the caller has made sure of the features, and the context is as long as it must be.
    unsafe { vg_aes_gcm_prepare16_pclmul_avx(context.as_mut_ptr()) };
    let mut subkey = Default::default();
    aes::Aes128::new_from_slice(key)
        .unwrap()
        .encrypt_block(&mut subkey);
    (subkey.into(), context)
}

/// Hashes whole blocks with the kernel.
fn hash(context: &[u8; Context::SIZE], y: &mut [u8; 16], data: &[u8]) {
    assert_eq!(data.len() % 16, 0);
    // SAFETY: the caller has made sure of the features, and the context is prepared.
    unsafe {
        vg_ghash_blocks_pclmul_avx(context.as_ptr(), y.as_mut_ptr(), data.as_ptr(), data.len())
    };
}

fn runs_here() -> bool {
    can_run(
        "vg_aes_gcm_prepare16_pclmul_avx",
        VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES,
    ) && can_run(
        "vg_ghash_blocks_pclmul_avx",
        VG_GHASH_BLOCKS_PCLMUL_AVX_FEATURES,
    )
}

#[test]
fn messages_of_many_lengths() {
    if !runs_here() {
        return;
    }
    for blocks in (0..70).chain([127, 128, 129, 1024, 4099]) {
        let (subkey, context) = prepared(&bytes(16, blocks));
        // One more byte than the message, so that most blocks lie at odd addresses.
        let message = bytes(16 * blocks as usize + 1, blocks + 1);
        let mut expected = GHash::new(&subkey.into());
        expected.update_padded(&message[1..]);
        let mut y = [0; 16];
        hash(&context, &mut y, &message[1..]);
        assert_eq!(y, <[u8; 16]>::from(expected.finalize()), "{blocks} blocks");
    }
}

/// The hash goes on from where it was.
#[test]
fn messages_in_two_parts() {
    if !runs_here() {
        return;
    }
    let (subkey, context) = prepared(&bytes(16, 7));
    let message = bytes(16 * 40, 8);
    let mut expected = GHash::new(&subkey.into());
    expected.update_padded(&message);
    let expected: [u8; 16] = expected.finalize().into();
    for first in 0..=40 {
        let (a, b) = message.split_at(16 * first);
        let mut y = [0; 16];
        hash(&context, &mut y, a);
        hash(&context, &mut y, b);
        assert_eq!(y, expected, "after {first} blocks");
    }
}
