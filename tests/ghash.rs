//! The kernels that hash whole blocks, against the crate `ghash`.

mod common;

use common::backends::{GHASH_BLOCKS, GhashBlocks, Kernel, runnable};
use common::bytes;
use common::reference::{self, CONTEXT};

/// Hashes whole blocks with the kernel.
fn hash(kernel: Kernel<GhashBlocks>, context: &[u8; CONTEXT], y: &mut [u8; 16], data: &[u8]) {
    assert_eq!(data.len() % 16, 0);
    // SAFETY: `runnable` gave the kernel, and the context is prepared.
    unsafe { (kernel.function)(context.as_ptr(), y.as_mut_ptr(), data.as_ptr(), data.len()) };
}

#[test]
fn messages_of_many_lengths() {
    for kernel in runnable("vg_ghash_blocks", GHASH_BLOCKS) {
        for blocks in (0..70).chain([127, 128, 129, 1024, 4099]) {
            let key = bytes(16, blocks);
            // One more byte than the message, so that most blocks lie at odd addresses.
            let message = bytes(16 * blocks as usize + 1, blocks + 1);
            let mut y: [u8; 16] = bytes(16, blocks + 2).try_into().unwrap();
            let expected = reference::ghash(&reference::subkey(&key), y, &message[1..]);
            hash(kernel, &reference::prepared(&key), &mut y, &message[1..]);
            assert_eq!(y, expected, "{}, {blocks} blocks", kernel.name);
        }
    }
}

/// The hash goes on from where it was.
#[test]
fn messages_in_two_parts() {
    let key = bytes(16, 7);
    let context = reference::prepared(&key);
    let message = bytes(16 * 40, 8);
    let expected = reference::ghash(&reference::subkey(&key), [0; 16], &message);
    for kernel in runnable("vg_ghash_blocks", GHASH_BLOCKS) {
        for first in 0..=40 {
            let (a, b) = message.split_at(16 * first);
            let mut y = [0; 16];
            hash(kernel, &context, &mut y, a);
            hash(kernel, &context, &mut y, b);
            assert_eq!(y, expected, "{}, after {first} blocks", kernel.name);
        }
    }
}
