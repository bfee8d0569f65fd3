//! What several tests of the kernels need.
#![allow(dead_code)]

pub mod backends;
pub mod calls;
pub mod features;
pub mod forms;
pub mod gcm;
#[cfg(unix)]
pub mod guard;
pub mod kernels;
pub mod others;
pub mod program;
pub mod random;
pub mod reference;
pub mod stream;

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

/// Cuts `text` into up to nine slices at places that look random, some of them empty; the same text is cut in the same way.
pub fn split(text: &[u8]) -> Vec<&[u8]> {
    let seed = text.iter().fold(text.len() as u64, |sum, &byte| {
        sum * 31 % 1_000_003 + u64::from(byte)
    });
    let places = bytes(9, seed);
    let mut rest = text;
    let mut slices = Vec::new();
    for place in &places[..usize::from(places[8] % 9)] {
        let (slice, after) = rest.split_at(usize::from(*place) * (rest.len() + 1) / 256);
        slices.push(slice);
        rest = after;
    }
    slices.push(rest);
    slices
}
