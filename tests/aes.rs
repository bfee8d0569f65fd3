//! The kernels of AES against the `aes` and `ctr` crates, on one block and in counter mode.
#![cfg(all(unix, target_arch = "x86_64"))]

#[allow(dead_code)]
mod common {
    pub mod aes;
    pub mod features;
    pub mod guard;
    pub mod random;
    pub mod x86_64;
}

use aes::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use common::aes::{Context, KEY_LENGTHS, can_run};
use common::guard::Guarded;
use common::random::bytes;
use ctr::Ctr32BE;
use leanseal::asm::x86_64::aes::{
    VG_AES_CTR32_AESNI_FEATURES, VG_AES_ENCRYPT_BLOCK_AESNI_FEATURES, vg_aes_ctr32_aesni,
    vg_aes_encrypt_block_aesni,
};

/// One block by the `aes` crate.
fn reference_block(key: &[u8], block: &mut [u8; 16]) {
    let block = block.into();
    match key.len() {
        16 => Aes128::new_from_slice(key).unwrap().encrypt_block(block),
        24 => Aes192::new_from_slice(key).unwrap().encrypt_block(block),
        _ => Aes256::new_from_slice(key).unwrap().encrypt_block(block),
    }
}

/// Counter mode by the `ctr` crate.
fn reference_ctr(key: &[u8], counter: &[u8; 16], data: &mut [u8]) {
    match key.len() {
        16 => Ctr32BE::<Aes128>::new_from_slices(key, counter)
            .unwrap()
            .apply_keystream(data),
        24 => Ctr32BE::<Aes192>::new_from_slices(key, counter)
            .unwrap()
            .apply_keystream(data),
        _ => Ctr32BE::<Aes256>::new_from_slices(key, counter)
            .unwrap()
            .apply_keystream(data),
    }
}

/// Counter mode by the kernel, in place.
fn ctr(context: &Context, counter: &[u8; 16], data: &mut [u8]) {
    assert!(data.len().is_multiple_of(16));
    // SAFETY: the CPU has the features, the context holds the round keys, and the data are whole blocks, borrowed mutably.
    unsafe {
        vg_aes_ctr32_aesni(
            context.as_ptr(),
            context.rounds(),
            counter.as_ptr(),
            data.as_mut_ptr(),
            data.len(),
        );
    }
}

#[test]
fn one_block() {
    if !can_run(
        "vg_aes_encrypt_block_aesni",
        VG_AES_ENCRYPT_BLOCK_AESNI_FEATURES,
    ) {
        return;
    }
    for len in KEY_LENGTHS {
        for seed in 0..200 {
            let key = bytes(len, seed);
            let mut expected: [u8; 16] = bytes(16, seed + 1000).try_into().unwrap();
            let mut block = expected;
            reference_block(&key, &mut expected);
            let context = Context::new(&key);
            // SAFETY: the CPU has the features, and the context holds the round keys.
            unsafe {
                vg_aes_encrypt_block_aesni(context.as_ptr(), context.rounds(), block.as_mut_ptr());
            }
            assert_eq!(block, expected, "key of {len} bytes, seed {seed}");
        }
    }
}

#[test]
fn counter_mode_at_every_number_of_blocks() {
    if !can_run("vg_aes_ctr32_aesni", VG_AES_CTR32_AESNI_FEATURES) {
        return;
    }
    for len in KEY_LENGTHS {
        let key = bytes(len, 3);
        let context = Context::new(&key);
        let counter: [u8; 16] = bytes(16, 4).try_into().unwrap();
        for blocks in (0..40).chain([63, 64, 65, 1000]) {
            let mut expected = bytes(16 * blocks, 5);
            let mut data = expected.clone();
            reference_ctr(&key, &counter, &mut expected);
            ctr(&context, &counter, &mut data);
            assert_eq!(data, expected, "key of {len} bytes, {blocks} blocks");
        }
    }
}

/// The counter has 32 bits, and the 96 before it stay as they are.
#[test]
fn the_counter_wraps() {
    if !can_run("vg_aes_ctr32_aesni", VG_AES_CTR32_AESNI_FEATURES) {
        return;
    }
    let key = bytes(16, 6);
    let context = Context::new(&key);
    for start in (u32::MAX - 20..=u32::MAX).chain([0, 0x00ff_fffe, 0x7fff_fffc]) {
        let mut counter = [0xff; 16];
        counter[12..].copy_from_slice(&start.to_be_bytes());
        let mut expected = bytes(16 * 24, 7);
        let mut data = expected.clone();
        reference_ctr(&key, &counter, &mut expected);
        ctr(&context, &counter, &mut data);
        assert_eq!(data, expected, "from {start:#x}");
    }
}

/// Neither the data nor the counter nor the context is left on either side.
#[test]
fn beside_guard_pages() {
    if !can_run("vg_aes_ctr32_aesni", VG_AES_CTR32_AESNI_FEATURES) {
        return;
    }
    let key = bytes(32, 8);
    let context = Context::new(&key);
    let mut pages = Guarded::new(16 * 40);
    let mut counters = Guarded::new(16);
    let mut contexts = Guarded::new(Context::SIZE);
    for place in [Guarded::first, Guarded::last] {
        let counter: &mut [u8] = place(&mut counters, 16);
        counter.copy_from_slice(&bytes(16, 9));
        let counter: &[u8; 16] = (&*counter).try_into().unwrap();
        let copy: &mut [u8] = place(&mut contexts, Context::SIZE);
        copy.copy_from_slice(context.bytes());
        for blocks in 0..40 {
            let mut expected = bytes(16 * blocks, 10);
            let data: &mut [u8] = place(&mut pages, 16 * blocks);
            data.copy_from_slice(&expected);
            reference_ctr(&key, counter, &mut expected);
            // SAFETY: as in `ctr`, with a copy of the context.
            unsafe {
                vg_aes_ctr32_aesni(
                    copy.as_ptr(),
                    context.rounds(),
                    counter.as_ptr(),
                    data.as_mut_ptr(),
                    data.len(),
                );
            }
            assert_eq!(data, expected, "{blocks} blocks");
        }
    }
}
