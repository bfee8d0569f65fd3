//! `gather::copy`, and each kernel, gives what plain Rust gives; `gather::copy` refuses lengths that do not match.

mod common;

use common::kernels::with_each_copy;
use common::{bytes, cut};
use leanseal::gather::{LengthMismatch, copy};
use proptest::prelude::*;

/// Copies into a buffer with neighbours on both sides, and checks every byte of it.
fn check(slices: &[&[u8]]) {
    const MARGIN: usize = 160;
    let expected = slices.concat();
    let before = bytes(expected.len() + 2 * MARGIN, 99);
    let mut after = before.clone();
    after[MARGIN..][..expected.len()].copy_from_slice(&expected);

    with_each_copy(|name, copy| {
        let mut out = before.clone();
        copy(slices, &mut out[MARGIN..][..expected.len()]);
        assert_eq!(out, after, "{name}");
    });
}

#[test]
fn one_slice_of_every_length() {
    let text = bytes(1024, 1);
    for len in 0..=text.len() {
        check(&[&text[..len]]);
    }
}

#[test]
fn every_split_into_two_slices() {
    let text = bytes(200, 2);
    for len in 0..=text.len() {
        for at in 0..=len {
            check(&[&text[..at], &text[at..len]]);
        }
    }
}

#[test]
fn every_split_into_three_slices() {
    let text = bytes(70, 3);
    for len in 0..=text.len() {
        for second in 0..=len {
            for first in 0..=second {
                check(&[&text[..first], &text[first..second], &text[second..len]]);
            }
        }
    }
}

#[test]
fn every_offset_of_source_and_output() {
    let text = bytes(64 + 200, 4);
    for len in [
        0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 79, 127, 128, 129, 200,
    ] {
        for from in 0..64 {
            for to in 0..64 {
                let source = &text[from..][..len];
                with_each_copy(|name, copy| {
                    let mut out = [0; 64 + 200];
                    copy(&[source], &mut out[to..][..len]);
                    assert_eq!(
                        &out[to..][..len],
                        source,
                        "{name}: {len} bytes from offset {from} to {to}"
                    );
                });
            }
        }
    }
}

#[test]
fn any_number_of_slices() {
    for count in 0..=70 {
        let lengths: Vec<usize> = (0..count).map(|i| (i * 37 + count) % 90).collect();
        let text = bytes(lengths.iter().sum(), count as u64);
        check(&cut(&text, &lengths));
        check(&vec![&b""[..]; count]);
        check(&vec![&b"the same slice again"[..]; count]);
    }
}

#[test]
fn a_wrong_length_is_an_error_and_writes_nothing() {
    let text = bytes(300, 5);
    for count in [0, 1, 2, 7, 8, 9, 16, 17, 30] {
        let slices = vec![&text[..10]; count];
        let total = 10 * count;
        for out_len in [
            0,
            1,
            total.saturating_sub(1),
            total + 1,
            total + 10,
            2 * total,
            400,
        ] {
            if out_len == total {
                continue;
            }
            let mut out = vec![0xa5; out_len];
            let error = copy(&slices, &mut out).unwrap_err();
            assert_eq!(
                error,
                LengthMismatch {
                    slices: total,
                    out: out_len
                }
            );
            assert!(
                out.iter().all(|&byte| byte == 0xa5),
                "{count} slices into {out_len} bytes"
            );
        }
    }
}

#[test]
fn the_error_names_both_lengths() {
    let error: &dyn std::error::Error = &copy(&[b"abc", b"de"], &mut [0; 7]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the slices hold 5 bytes in all, but the output holds 7"
    );
}

/// One readable mapping, repeated until the lengths add up to 2^64 + 3: three bytes, if the sum wrapped.
#[cfg(all(unix, target_pointer_width = "64"))]
#[test]
fn a_total_beyond_the_address_space_is_an_error() {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

    const LEN: usize = 1 << 44;
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a new mapping at an address of the system's choice, readable for as long as `huge` is used.
    let map = unsafe { mmap_anonymous(std::ptr::null_mut(), LEN, ProtFlags::READ, flags) }.unwrap();
    let huge = unsafe { std::slice::from_raw_parts(map.cast::<u8>(), LEN) };

    let mut slices = vec![huge; 1 << 20];
    slices.push(b"abc");
    let mut out = [0xa5; 3];
    let error = copy(&slices, &mut out).unwrap_err();
    assert_eq!(
        error,
        LengthMismatch {
            slices: usize::MAX,
            out: 3
        }
    );
    assert_eq!(out, [0xa5; 3]);

    // SAFETY: the mapping from above; `slices` is not used again.
    unsafe { munmap(map, LEN) }.unwrap();
}

proptest! {
    #[test]
    fn same_as_concat(slices in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..40)) {
        let slices: Vec<&[u8]> = slices.iter().map(Vec::as_slice).collect();
        check(&slices);
    }

    #[test]
    fn other_lengths_are_refused(lengths in prop::collection::vec(0_usize..100, 0..40), out_len in 0_usize..3000) {
        let text = bytes(lengths.iter().sum(), 6);
        prop_assume!(out_len != text.len());
        let mut out = vec![0xa5; out_len];
        let error = LengthMismatch { slices: text.len(), out: out_len };
        prop_assert_eq!(copy(&cut(&text, &lengths), &mut out), Err(error));
        prop_assert!(out.iter().all(|&byte| byte == 0xa5));
    }
}
