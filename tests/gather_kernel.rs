//! The gather kernels themselves: their ABI, what they leave behind, and lists that the safe API cannot write.
#![cfg(unix)]

mod common;
mod machine;

use std::ptr::{dangling, dangling_mut, null, without_provenance};

use common::guard::Guarded;
use common::kernels::{KERNELS, Kernel, list};
use common::{bytes, cut};
use leanseal::asm::Slice;
use machine::{Machine, ONES, arguments, number};

#[test]
fn no_slices_and_any_pointers() {
    for kernel in &*KERNELS {
        for ptr in [null(), dangling(), without_provenance(usize::MAX - 7)] {
            // SAFETY: zero slices and zero bytes: nothing is accessed.
            unsafe { (kernel.function)(ptr, 0, dangling_mut(), 0) };
        }
    }
}

#[test]
fn empty_slices_with_wild_pointers() {
    let text = bytes(100, 1);
    let wild: [*const u8; 6] = [
        null(),
        dangling(),
        without_provenance(usize::MAX),
        without_provenance(usize::MAX - 15),
        without_provenance(1 << 47),
        without_provenance(0xdead_beef_dead_beef),
    ];
    let mut slices = vec![];
    for ptr in wild {
        slices.push(Slice { ptr, len: 0 });
        slices.push(Slice {
            ptr: text.as_ptr(),
            len: text.len(),
        });
        slices.push(Slice { ptr, len: 0 });
    }
    for kernel in &*KERNELS {
        let mut out = vec![0; wild.len() * text.len()];
        // SAFETY: every slice that is not empty is `text`; `out` is as long as all of them.
        unsafe { (kernel.function)(slices.as_ptr(), slices.len(), out.as_mut_ptr(), out.len()) };
        assert_eq!(out, text.repeat(wild.len()), "{}", kernel.name);
    }
}

/// The list is read, and only the list.
#[test]
fn a_list_beside_a_guard_page() {
    let text = bytes(40, 2);
    let entry = size_of::<Slice>();
    let mut pages = Guarded::new(40 * entry);
    for place in [Guarded::first, Guarded::last] {
        for count in 0..=text.len() {
            let pages: &mut [u8] = place(&mut pages, count * entry);
            let slices: *mut Slice = pages.as_mut_ptr().cast();
            for kernel in &*KERNELS {
                let mut out = vec![0; count];
                // SAFETY: `pages` has room for `count` aligned entries, which are written before they are used.
                unsafe {
                    for (i, byte) in text[..count].iter().enumerate() {
                        slices.add(i).write(Slice { ptr: byte, len: 1 });
                    }
                    (kernel.function)(slices, count, out.as_mut_ptr(), out.len());
                }
                assert_eq!(out, &text[..count], "{}", kernel.name);
            }
        }
    }
}

/// Copies `slices`, checks the result, and gives back the state of the machine after the call.
fn machine_after(
    kernel: &Kernel,
    before: Machine,
    slices: &[Slice],
    expected: &[u8],
    out: &mut [u8],
) -> Machine {
    let mut machine = before;
    out.fill(0);
    // SAFETY: the slices of the callers are borrowed vectors, as long in all as `out`; `KERNELS` has only kernels that can run.
    unsafe {
        machine.call(
            kernel.function as *const (),
            &arguments(&[
                slices.as_ptr().cast(),
                number(slices.len()),
                out.as_mut_ptr(),
                number(out.len()),
            ]),
        )
    };
    assert_eq!(out, expected, "{}", kernel.name);
    machine
}

/// Lists of lengths that between them reach every part of the kernels.
fn length_lists() -> Vec<Vec<usize>> {
    let mut lists: Vec<_> = (0..=300).map(|len| vec![len]).collect();
    lists.extend([
        vec![],
        vec![0, 0],
        vec![3, 200, 7],
        vec![16, 15, 64],
        vec![32, 31, 128, 1],
        vec![1; 30],
    ]);
    lists
}

/// Every kernel with every list of lengths.
fn cases() -> impl Iterator<Item = (&'static Kernel, Vec<usize>)> {
    KERNELS
        .iter()
        .flat_map(|kernel| length_lists().into_iter().map(move |list| (kernel, list)))
}

#[test]
fn the_abi_is_kept() {
    for (kernel, lengths) in cases() {
        let text = bytes(lengths.iter().sum(), 3);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        for before in Machine::starts() {
            let after = machine_after(kernel, before, &slices, &text, &mut out);
            after.assert_kept(&before, &format!("{} {lengths:?}", kernel.name));
        }
    }
}

/// So no register that a kernel used holds what it copied, whole or half.
#[test]
fn vector_registers_are_cleared_or_untouched() {
    for (kernel, lengths) in cases() {
        let text = bytes(lengths.iter().sum(), 4);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        let after = machine_after(kernel, Machine::starts()[0], &slices, &text, &mut out);
        for (i, vector) in after.vectors().iter().enumerate() {
            assert!(
                matches!(*vector, [0, 0] | ONES),
                "vector register {i} is {vector:x?} after {} {lengths:?}",
                kernel.name
            );
        }
    }
}

/// Upper halves that are not zero make later SSE code slow; a kernel without AVX has no way to clear them.
#[cfg(target_arch = "x86_64")]
#[test]
fn upper_halves_are_cleared_with_avx_and_untouched_without() {
    if !is_x86_feature_detected!("avx") {
        return;
    }
    for (kernel, lengths) in cases() {
        let text = bytes(lengths.iter().sum(), 6);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        let after = machine_after(kernel, Machine::starts()[0], &slices, &text, &mut out);
        let expected = if kernel.features.contains(&"avx") {
            [0, 0]
        } else {
            ONES
        };
        assert_eq!(after.upper, [expected; 16], "{} {lengths:?}", kernel.name);
    }
}

/// Two copies with the same addresses and lengths leave the same machine behind, whatever the bytes are.
#[test]
fn nothing_of_the_text_stays_in_registers_or_flags() {
    for (kernel, lengths) in cases() {
        let mut text = bytes(lengths.iter().sum(), 5);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        let before = Machine::starts()[0];
        let first = machine_after(kernel, before, &slices, &text, &mut out);
        for byte in &mut text {
            *byte = !*byte;
        }
        let second = machine_after(kernel, before, &slices, &text, &mut out);
        assert_eq!(first, second, "{} {lengths:?}", kernel.name);
    }
}
