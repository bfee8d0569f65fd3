//! The kernels of AES against the crates `aes` and `ctr`: key contexts, one block, and counter mode.

mod common;

use common::backends::{CTR32, Ctr32, ENCRYPT_BLOCK, INIT, Kernel, runnable};
use common::bytes;
use common::reference::{self, CANARY, CONTEXT, KEY_LENGTHS, SUBKEY};

/// Counter mode by the kernel, in place.
fn ctr32(kernel: Kernel<Ctr32>, key: &[u8], counter: &[u8; 16], data: &mut [u8]) {
    assert!(data.len().is_multiple_of(16));
    let context = reference::context(key);
    // SAFETY: `runnable` gave the kernel, the context holds the round keys, and the data are whole blocks, borrowed mutably.
    unsafe {
        (kernel.function)(
            context.as_ptr(),
            reference::rounds(key),
            counter.as_ptr(),
            data.as_mut_ptr(),
            data.len(),
        );
    }
}

#[test]
fn contexts() {
    for kernel in runnable("vg_aes_gcm_init", INIT) {
        for len in KEY_LENGTHS {
            for seed in 0..200 {
                let key = bytes(len, seed);
                let expected = reference::context(&key);
                let mut context = [CANARY; CONTEXT];
                // SAFETY: `runnable` gave the kernel, the key has a length that AES has, and the context is as long as it must be.
                unsafe { (kernel.function)(key.as_ptr(), len, context.as_mut_ptr()) };
                let round_keys = 16 * (reference::rounds(&key) + 1);
                let what = format!("{}, key of {len} bytes, seed {seed}", kernel.name);
                assert_eq!(context[..round_keys], expected[..round_keys], "{what}");
                assert_eq!(context[SUBKEY..], expected[SUBKEY..], "{what}");
            }
        }
    }
}

#[test]
fn one_block() {
    for kernel in runnable("vg_aes_encrypt_block", ENCRYPT_BLOCK) {
        for len in KEY_LENGTHS {
            for seed in 0..200 {
                let key = bytes(len, seed);
                let context = reference::context(&key);
                let mut block: [u8; 16] = bytes(16, seed + 1000).try_into().unwrap();
                let expected = reference::encrypt_block(&key, &block);
                // SAFETY: `runnable` gave the kernel, and the context holds the round keys.
                unsafe {
                    (kernel.function)(
                        context.as_ptr(),
                        reference::rounds(&key),
                        block.as_mut_ptr(),
                    );
                }
                let name = kernel.name;
                assert_eq!(block, expected, "{name}, key of {len} bytes, seed {seed}");
            }
        }
    }
}

#[test]
fn counter_mode_at_every_number_of_blocks() {
    for kernel in runnable("vg_aes_ctr32", CTR32) {
        for len in KEY_LENGTHS {
            let key = bytes(len, 3);
            let counter: [u8; 16] = bytes(16, 4).try_into().unwrap();
            for blocks in (0..40).chain([63, 64, 65, 1000]) {
                let mut expected = bytes(16 * blocks, 5);
                let mut data = expected.clone();
                reference::ctr32(&key, &counter, &mut expected);
                ctr32(kernel, &key, &counter, &mut data);
                let name = kernel.name;
                assert_eq!(
                    data, expected,
                    "{name}, key of {len} bytes, {blocks} blocks"
                );
            }
        }
    }
}

/// The counter has 32 bits, and the 96 before it stay as they are.
#[test]
fn the_counter_wraps() {
    let key = bytes(16, 6);
    for kernel in runnable("vg_aes_ctr32", CTR32) {
        for start in (u32::MAX - 20..=u32::MAX).chain([0, 0x00ff_fffe, 0x7fff_fffc]) {
            let mut counter = [0xff; 16];
            counter[12..].copy_from_slice(&start.to_be_bytes());
            let mut expected = bytes(16 * 24, 7);
            let mut data = expected.clone();
            reference::ctr32(&key, &counter, &mut expected);
            ctr32(kernel, &key, &counter, &mut data);
            assert_eq!(data, expected, "{}, from {start:#x}", kernel.name);
        }
    }
}

/// What the other tests compare with, on the examples of FIPS 197, appendix A: their last round keys.
#[test]
fn the_reference_expands_keys() {
    for (key, last) in [
        (
            &0x2b7e1516_28aed2a6_abf71588_09cf4f3c_u128.to_be_bytes()[..],
            0xd014f9a8_c9ee2589_e13f0cc8_b6630ca6_u128,
        ),
        (
            &[
                &0x8e73b0f7_da0e6452_c810f32b_809079e5_u128.to_be_bytes()[..],
                &0x62f8ead2_522c6b7b_u64.to_be_bytes(),
            ]
            .concat(),
            0xe98ba06f_448c773c_8ecc7204_01002202,
        ),
        (
            &[
                0x603deb10_15ca71be_2b73aef0_857d7781_u128.to_be_bytes(),
                0x1f352c07_3b6108d7_2d9810a3_0914dff4_u128.to_be_bytes(),
            ]
            .concat(),
            0xfe4890d1_e6188d0b_046df344_706c631e,
        ),
    ] {
        let expanded = reference::expand_key(key);
        assert_eq!(expanded.len(), 16 * (reference::rounds(key) + 1));
        assert_eq!(expanded[expanded.len() - 16..], last.to_be_bytes());
    }
}
