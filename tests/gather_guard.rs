//! `gather::copy`, and each kernel, touches no byte beside its buffers: they start or end at pages that fault.
#![cfg(unix)]

mod common;

use common::bytes;
use common::guard::{Guarded, PLACES};
use common::kernels::with_each_copy;

const LONGEST: usize = 1024;

#[test]
fn one_slice_beside_a_guard_page() {
    let text = bytes(LONGEST, 1);
    let (mut source, mut out) = (Guarded::new(LONGEST), Guarded::new(LONGEST));
    for source_at in PLACES {
        for out_at in PLACES {
            for len in 0..=LONGEST {
                let source = source_at(&mut source, len);
                source.copy_from_slice(&text[..len]);
                with_each_copy(|name, copy| {
                    out.all().fill(0xa5);
                    copy(&[source], out_at(&mut out, len));
                    assert_eq!(out_at(&mut out, len), &text[..len], "{name}");
                    out_at(&mut out, len).fill(0xa5);
                    let untouched = out.all().iter().all(|&byte| byte == 0xa5);
                    assert!(untouched, "{name}, {len} bytes");
                });
            }
        }
    }
}

#[test]
fn three_slices_each_beside_a_guard_page() {
    let lengths = [
        0, 1, 3, 4, 7, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 80, 100, 128, 129,
    ];
    let mut pages = [
        Guarded::new(LONGEST),
        Guarded::new(LONGEST),
        Guarded::new(LONGEST),
    ];
    let mut out = Guarded::new(LONGEST);
    for place in PLACES {
        for first in lengths {
            for second in lengths {
                for third in lengths {
                    let [a, b, c] = &mut pages;
                    let slices =
                        [place(a, first), place(b, second), place(c, third)].map(|slice| {
                            let text = bytes(slice.len(), slice.len() as u64);
                            slice.copy_from_slice(&text);
                            &*slice
                        });
                    let out = place(&mut out, first + second + third);
                    with_each_copy(|name, copy| {
                        out.fill(0);
                        copy(&slices, out);
                        assert_eq!(out, slices.concat(), "{name}");
                    });
                }
            }
        }
    }
}
