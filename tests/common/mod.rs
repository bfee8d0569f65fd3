//! What several tests of the kernels need.
#![allow(dead_code)]

pub mod backends;
pub mod calls;
pub mod features;
pub mod gcm;
#[cfg(unix)]
pub mod guard;
pub mod kernels;
pub mod random;
pub mod reference;

pub use random::bytes;

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
