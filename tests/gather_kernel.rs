//! The gather kernels themselves: their ABI, what they leave behind, and lists that the safe API cannot write.
#![cfg(all(unix, target_arch = "x86_64"))]

mod common;

use std::ptr::{dangling, dangling_mut, null, without_provenance};

use common::guard::Guarded;
use common::kernels::{KERNELS, Kernel, list};
use common::{bytes, cut};
use leanseal::asm::Slice;

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
    /// Whether there are ymm registers, as 0 or 1.
    avx: u64,
    /// The upper halves of the ymm registers.
    upper: [[u64; 2]; 16],
}

const CANARIES: u64 = 0x0123_4567_89ab_cde0;
/// Halves of vector registers before the call.
const ONES: [u64; 2] = [u64::MAX; 2];
const DIRECTION: u64 = 1 << 10;
/// Round towards zero, flush to zero, all exceptions masked: no compiler sets this.
const MXCSR: u64 = 0xff80;

/// The lines with every number of a vector register for `\i`.
macro_rules! for_each_vector_register {
    ($($line:literal)*) => {
        concat!(".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n", $($line, "\n",)* ".endr")
    };
}

/// Calls `kernel` with canaries in the registers and `machine`'s rflags and MXCSR, and gives back the state it returns with.
///
/// # Safety
///
/// Those of the kernel; `machine` is valid, and `machine.avx` is 0 unless there is AVX.
#[unsafe(naked)]
unsafe extern "sysv64" fn observe(
    machine: *mut Machine,
    src: *const Slice,
    count: usize,
    dst: *mut u8,
    len: usize,
    kernel: unsafe extern "sysv64" fn(*const Slice, usize, *mut u8, usize),
) {
    core::arch::naked_asm!(
        "push rbx", "push rbp", "push r12", "push r13", "push r14", "push r15",
        "push rdi",
        "mov rbx, {canaries}",
        "lea rbp, [rbx + 1]", "lea r12, [rbx + 2]", "lea r13, [rbx + 3]",
        "lea r14, [rbx + 4]", "lea r15, [rbx + 5]",
        for_each_vector_register!("pcmpeqd xmm\\i, xmm\\i"),
        "cmp qword ptr [rdi + {avx}], 0",
        "je 2f",
        for_each_vector_register!("vinsertf128 ymm\\i, ymm\\i, xmm\\i, 1"),
        "2:",
        "mov [rdi + {kept} + 48], rsp",
        "ldmxcsr [rdi + {mxcsr}]",
        "push qword ptr [rdi + {rflags}]",
        "popfq",
        "mov rdi, rsi", "mov rsi, rdx", "mov rdx, rcx", "mov rcx, r8",
        "call r9",
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
        for_each_vector_register!("movdqu [rax + {xmm} + 16 * \\i], xmm\\i"),
        "cmp qword ptr [rax + {avx}], 0",
        "je 3f",
        for_each_vector_register!("vextractf128 [rax + {upper} + 16 * \\i], ymm\\i, 1"),
        "vzeroupper",
        "3:",
        // The default, which Rust code runs with.
        "push 0x1f80",
        "ldmxcsr [rsp]",
        "pop rax",
        "pop r15", "pop r14", "pop r13", "pop r12", "pop rbp", "pop rbx",
        "ret",
        canaries = const CANARIES,
        kept = const std::mem::offset_of!(Machine, kept),
        rflags = const std::mem::offset_of!(Machine, rflags),
        mxcsr = const std::mem::offset_of!(Machine, mxcsr),
        scratch = const std::mem::offset_of!(Machine, scratch),
        xmm = const std::mem::offset_of!(Machine, xmm),
        avx = const std::mem::offset_of!(Machine, avx),
        upper = const std::mem::offset_of!(Machine, upper),
    )
}

/// Copies `slices`, checks the result, and gives back the state of the machine after the call.
fn machine_after(
    kernel: &Kernel,
    slices: &[Slice],
    expected: &[u8],
    out: &mut [u8],
    rflags: u64,
) -> Machine {
    let mut machine = Machine {
        rflags,
        mxcsr: MXCSR,
        avx: is_x86_feature_detected!("avx").into(),
        ..Machine::default()
    };
    out.fill(0);
    // SAFETY: the slices of the callers are borrowed vectors, as long in all as `out`; `KERNELS` has only kernels that can run.
    unsafe {
        observe(
            &mut machine,
            slices.as_ptr(),
            slices.len(),
            out.as_mut_ptr(),
            out.len(),
            kernel.function,
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
        for rflags in [0x202, 0x202 | DIRECTION] {
            let slices = list(&cut(&text, &lengths));
            let after = machine_after(kernel, &slices, &text, &mut out, rflags);
            let kept = std::array::from_fn(|i| if i < 6 { CANARIES + i as u64 } else { 0 });
            let name = kernel.name;
            assert_eq!(after.kept, kept, "{name} {lengths:?}");
            let direction = after.rflags & DIRECTION;
            assert_eq!(direction, rflags & DIRECTION, "{name} {lengths:?}");
            assert_eq!(after.mxcsr, MXCSR, "{name} {lengths:?}");
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
        let after = machine_after(kernel, &slices, &text, &mut out, 0x202);
        for (i, xmm) in after.xmm.iter().enumerate() {
            assert!(
                matches!(*xmm, [0, 0] | ONES),
                "xmm{i} is {xmm:x?} after {} {lengths:?}",
                kernel.name
            );
        }
    }
}

/// Upper halves that are not zero make later SSE code slow; a kernel without AVX has no way to clear them.
#[test]
fn upper_halves_are_cleared_with_avx_and_untouched_without() {
    if !is_x86_feature_detected!("avx") {
        return;
    }
    for (kernel, lengths) in cases() {
        let text = bytes(lengths.iter().sum(), 6);
        let mut out = vec![0; text.len()];
        let slices = list(&cut(&text, &lengths));
        let after = machine_after(kernel, &slices, &text, &mut out, 0x202);
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
        let first = machine_after(kernel, &slices, &text, &mut out, 0x202);
        for byte in &mut text {
            *byte = !*byte;
        }
        let second = machine_after(kernel, &slices, &text, &mut out, 0x202);
        assert_eq!(first, second, "{} {lengths:?}", kernel.name);
    }
}
