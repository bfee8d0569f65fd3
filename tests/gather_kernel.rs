//! The gather kernel itself: its ABI, what it leaves behind, and lists that the safe API cannot write.
#![cfg(all(unix, target_arch = "x86_64"))]

mod common;

use std::ptr::{dangling, dangling_mut, null, without_provenance};

use common::guard::Guarded;
use common::{bytes, cut};
use leanseal::asm::Slice;
use leanseal::asm::x86_64::gather::vg_gather_copy;

fn list(slices: &[&[u8]]) -> Vec<Slice> {
    slices
        .iter()
        .map(|slice| Slice {
            ptr: slice.as_ptr(),
            len: slice.len(),
        })
        .collect()
}

#[test]
fn no_slices_and_any_pointers() {
    for ptr in [null(), dangling(), without_provenance(usize::MAX - 7)] {
        // SAFETY: zero slices and zero bytes: nothing is accessed.
        unsafe { vg_gather_copy(ptr, 0, dangling_mut(), 0) };
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
    let mut out = vec![0; wild.len() * text.len()];
    // SAFETY: every slice that is not empty is `text`; `out` is as long as all of them.
    unsafe { vg_gather_copy(slices.as_ptr(), slices.len(), out.as_mut_ptr(), out.len()) };
    assert_eq!(out, text.repeat(wild.len()));
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
            let mut out = vec![0; count];
            // SAFETY: `pages` has room for `count` aligned entries, which are written before they are used.
            unsafe {
                for (i, byte) in text[..count].iter().enumerate() {
                    slices.add(i).write(Slice { ptr: byte, len: 1 });
                }
                vg_gather_copy(slices, count, out.as_mut_ptr(), out.len());
            }
            assert_eq!(out, &text[..count]);
        }
    }
}

/// The state of the machine around a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Machine {
    /// rbx, rbp, r12, r13, r14, r15, and by how much rsp changed.
    kept: [u64; 7],
    rflags: u64,
    mxcsr: u64,
    /// rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11.
    scratch: [u64; 9],
    xmm: [[u64; 2]; 16],
}

const CANARIES: u64 = 0x0123_4567_89ab_cde0;
const XMM_BEFORE: [u64; 2] = [u64::MAX; 2];
const DIRECTION: u64 = 1 << 10;
/// Round towards zero, flush to zero, all exceptions masked: no compiler sets this.
const MXCSR: u64 = 0xff80;

macro_rules! lines {
    ($($line:literal)*) => { concat!($($line, "\n"),*) };
}

/// Calls the kernel with canaries in the registers and `machine`'s rflags and MXCSR, and gives back the state it returns with.
///
/// # Safety
///
/// Those of [`vg_gather_copy`]; `machine` is valid.
#[unsafe(naked)]
unsafe extern "sysv64" fn observe(
    machine: *mut Machine,
    src: *const Slice,
    count: usize,
    dst: *mut u8,
    len: usize,
) {
    core::arch::naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
        "push rdi",
        "mov rbx, {canaries}",
        "lea rbp, [rbx + 1]", "lea r12, [rbx + 2]", "lea r13, [rbx + 3]",
        "lea r14, [rbx + 4]", "lea r15, [rbx + 5]",
        lines!(
            "pcmpeqd xmm0, xmm0" "pcmpeqd xmm1, xmm1" "pcmpeqd xmm2, xmm2" "pcmpeqd xmm3, xmm3"
            "pcmpeqd xmm4, xmm4" "pcmpeqd xmm5, xmm5" "pcmpeqd xmm6, xmm6" "pcmpeqd xmm7, xmm7"
            "pcmpeqd xmm8, xmm8" "pcmpeqd xmm9, xmm9" "pcmpeqd xmm10, xmm10"
            "pcmpeqd xmm11, xmm11" "pcmpeqd xmm12, xmm12" "pcmpeqd xmm13, xmm13"
            "pcmpeqd xmm14, xmm14" "pcmpeqd xmm15, xmm15"
        ),
        "mov [rdi + {kept} + 48], rsp",
        "ldmxcsr [rdi + {mxcsr}]",
        "push qword ptr [rdi + {rflags}]",
        "popfq",
        "mov rdi, rsi", "mov rsi, rdx", "mov rdx, rcx", "mov rcx, r8",
        "call {kernel}",
        // rax has to be kept too, and the flags before anything changes them.
        "xchg rax, [rsp]",
        "pushfq",
        "pop qword ptr [rax + {rflags}]",
        "cld",
        "stmxcsr [rax + {mxcsr}]",
        "sub [rax + {kept} + 48], rsp",
        "mov [rax + {kept}], rbx", "mov [rax + {kept} + 8], rbp",
        "mov [rax + {kept} + 16], r12", "mov [rax + {kept} + 24], r13",
        "mov [rax + {kept} + 32], r14", "mov [rax + {kept} + 40], r15",
        "pop qword ptr [rax + {scratch}]",
        "mov [rax + {scratch} + 8], rcx", "mov [rax + {scratch} + 16], rdx",
        "mov [rax + {scratch} + 24], rsi", "mov [rax + {scratch} + 32], rdi",
        "mov [rax + {scratch} + 40], r8", "mov [rax + {scratch} + 48], r9",
        "mov [rax + {scratch} + 56], r10", "mov [rax + {scratch} + 64], r11",
        lines!(
            "movdqu [rax + {xmm}], xmm0" "movdqu [rax + {xmm} + 16], xmm1"
            "movdqu [rax + {xmm} + 32], xmm2" "movdqu [rax + {xmm} + 48], xmm3"
            "movdqu [rax + {xmm} + 64], xmm4" "movdqu [rax + {xmm} + 80], xmm5"
            "movdqu [rax + {xmm} + 96], xmm6" "movdqu [rax + {xmm} + 112], xmm7"
            "movdqu [rax + {xmm} + 128], xmm8" "movdqu [rax + {xmm} + 144], xmm9"
            "movdqu [rax + {xmm} + 160], xmm10" "movdqu [rax + {xmm} + 176], xmm11"
            "movdqu [rax + {xmm} + 192], xmm12" "movdqu [rax + {xmm} + 208], xmm13"
            "movdqu [rax + {xmm} + 224], xmm14" "movdqu [rax + {xmm} + 240], xmm15"
        ),
        // The default, which Rust code runs with.
        "push 0x1f80",
        "ldmxcsr [rsp]",
        "pop rax",
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
        "ret",
        canaries = const CANARIES,
        kernel = sym vg_gather_copy,
        kept = const std::mem::offset_of!(Machine, kept),
        rflags = const std::mem::offset_of!(Machine, rflags),
        mxcsr = const std::mem::offset_of!(Machine, mxcsr),
        scratch = const std::mem::offset_of!(Machine, scratch),
        xmm = const std::mem::offset_of!(Machine, xmm),
    )
}

/// Copies `slices`, checks the result, and gives back the state of the machine after the call.
fn machine_after(slices: &[Slice], expected: &[u8], out: &mut [u8], rflags: u64) -> Machine {
    let mut machine = Machine {
        rflags,
        mxcsr: MXCSR,
        ..Machine::default()
    };
    out.fill(0);
    // SAFETY: the slices of the callers are borrowed vectors, as long in all as `out`.
    unsafe {
        observe(
            &mut machine,
            slices.as_ptr(),
            slices.len(),
            out.as_mut_ptr(),
            out.len(),
        )
    };
    assert_eq!(out, expected);
    machine
}

/// Lists of lengths that between them reach every part of the kernel.
fn length_lists() -> Vec<Vec<usize>> {
    let mut lists: Vec<_> = (0..=150).map(|len| vec![len]).collect();
    lists.extend([
        vec![],
        vec![0, 0],
        vec![3, 200, 7],
        vec![16, 15, 64],
        vec![1; 30],
    ]);
    lists
}

#[test]
fn the_abi_is_kept() {
    for lengths in length_lists() {
        let text = bytes(lengths.iter().sum(), 3);
        let mut out = vec![0; text.len()];
        for rflags in [0x202, 0x202 | DIRECTION] {
            let slices = list(&cut(&text, &lengths));
            let after = machine_after(&slices, &text, &mut out, rflags);
            let kept = std::array::from_fn(|i| if i < 6 { CANARIES + i as u64 } else { 0 });
            assert_eq!(after.kept, kept, "{lengths:?}");
            assert_eq!(after.rflags & DIRECTION, rflags & DIRECTION, "{lengths:?}");
            assert_eq!(after.mxcsr, MXCSR, "{lengths:?}");
        }
    }
}

#[test]
fn vector_registers_are_cleared_or_untouched() {
    for lengths in length_lists() {
        let text = bytes(lengths.iter().sum(), 4);
        let mut out = vec![0; text.len()];
        let after = machine_after(&list(&cut(&text, &lengths)), &text, &mut out, 0x202);
        for (i, xmm) in after.xmm.iter().enumerate() {
            assert!(
                matches!(*xmm, [0, 0] | XMM_BEFORE),
                "xmm{i} is {xmm:x?} after {lengths:?}"
            );
        }
    }
}

/// Two copies with the same addresses and lengths leave the same machine behind, whatever the bytes are.
#[test]
fn nothing_of_the_text_stays_in_registers_or_flags() {
    for lengths in length_lists() {
        let mut text = bytes(lengths.iter().sum(), 5);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        let first = machine_after(&slices, &text, &mut out, 0x202);
        for byte in &mut text {
            *byte = !*byte;
        }
        let second = machine_after(&slices, &text, &mut out, 0x202);
        assert_eq!(first, second, "{lengths:?}");
    }
}
