//! What several tests of the kernels need.
#![allow(dead_code)]

#[cfg(target_arch = "x86_64")]
pub mod aes;
pub mod features;
#[cfg(unix)]
pub mod guard;
pub mod kernels;

/// `len` bytes that look random and differ from one `seed` to the next.
pub fn bytes(len: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..len).map(|_| next()).collect()
}

/// Cuts `text` into slices of the given lengths, which add up to its own.
pub fn cut<'a>(mut text: &'a [u8], lengths: &[usize]) -> Vec<&'a [u8]> {
    let mut slices = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (slice, rest) = text.split_at(length);
        slices.push(slice);
        text = rest;
    }
    assert!(text.is_empty());
    slices
}
