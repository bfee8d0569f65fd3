//! AArch64.

use super::{Arguments, ONES};

/// The state of the machine around a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// By how much x18 changed, which the platform may own, and x19 to x29.
    kept: [u64; 12],
    /// By how much sp changed.
    sp: u64,
    fpcr: u64,
    fpsr: u64,
    nzcv: u64,
    /// Whether there is PSTATE.DIT, as 0 or 1.
    has_dit: u64,
    dit: u64,
    /// x0 to x17.
    scratch: [u64; 18],
    v: [[u64; 2]; 32],
}

const CANARIES: u64 = 0x0123_4567_89ab_cde0;
/// Default NaNs, flush to zero, round towards zero: no compiler sets this.
const FPCR: u64 = 0x03c0_0000;
/// Saturation has occurred.
const FPSR: u64 = 1 << 27;
const DIT: u64 = 1 << 24;

impl Machine {
    /// Before a call, with no flag and with all flags set.
    pub fn starts() -> Vec<Self> {
        let has_dit = std::arch::is_aarch64_feature_detected!("dit");
        let with = |set: bool| Self {
            kept: std::array::from_fn(|i| if i == 0 { 0 } else { CANARIES + i as u64 }),
            sp: 0,
            fpcr: FPCR,
            fpsr: FPSR,
            nzcv: if set { 0xf << 28 } else { 0 },
            has_dit: has_dit.into(),
            dit: if set && has_dit { DIT } else { 0 },
            scratch: [0; 18],
            v: [ONES; 32],
        };
        [false, true].map(with).into()
    }

    /// What the kernel must preserve; `self` is the state after the call.
    #[track_caller]
    pub fn assert_kept(&self, before: &Self, call: &str) {
        assert_eq!(self.kept, before.kept, "{call}");
        assert_eq!(self.sp, 0, "{call}");
        let floating = |machine: &Self| (machine.fpcr, machine.fpsr, machine.dit);
        assert_eq!(floating(self), floating(before), "{call}");
        for i in 8..16 {
            assert_eq!(self.v[i][0], ONES[0], "d{i} after {call}");
        }
    }

    /// The vector registers.
    pub fn vectors(&self) -> &[[u64; 2]] {
        &self.v
    }

    /// What x0 holds.
    pub fn returned(&self) -> u64 {
        self.scratch[0]
    }

    /// Calls the kernel in this state, which becomes the one that it returns with.
    ///
    /// # Safety
    ///
    /// Those of the kernel.
    pub unsafe fn call(&mut self, kernel: *const (), arguments: &Arguments) {
        // SAFETY: the caller's; `starts` made this state.
        unsafe { observe(self, kernel, arguments) }
    }
}

/// The lines with every number of a vector register for `\i`.
macro_rules! for_each_vector_register {
    ($line:literal) => {
        concat!(
            ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n",
            $line,
            "\n.endr"
        )
    };
}

/// Calls `kernel` with the registers of `machine`, but for x0 to x17, and writes there what it returns with.
///
/// # Safety
///
/// Those of the kernel; `machine` is valid, and `machine.has_dit` is 0 unless there is PSTATE.DIT.
#[unsafe(naked)]
unsafe extern "C" fn observe(
    machine: *mut Machine,
    kernel: *const (),
    arguments: *const Arguments,
) {
    core::arch::naked_asm!(
        ".arch armv8-a",
        "stp x29, x30, [sp, #-192]!",
        "stp x19, x20, [sp, #16]", "stp x21, x22, [sp, #32]", "stp x23, x24, [sp, #48]",
        "stp x25, x26, [sp, #64]", "stp x27, x28, [sp, #80]",
        "stp d8, d9, [sp, #96]", "stp d10, d11, [sp, #112]",
        "stp d12, d13, [sp, #128]", "stp d14, d15, [sp, #144]",
        "mrs x9, fpcr", "stp x0, x9, [sp, #160]",
        for_each_vector_register!("ldr q\\i, [x0, #{v} + 16 * \\i]"),
        ".irp i, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29\n\
         ldr x\\i, [x0, #{kept} + 8 * (\\i - 18)]\n\
         .endr",
        "str x18, [x0, #{kept}]",
        "mov x9, sp", "str x9, [x0, #{sp}]",
        "ldr x9, [x0, #{fpcr}]", "msr fpcr, x9",
        "ldr x9, [x0, #{fpsr}]", "msr fpsr, x9",
        "ldr x9, [x0, #{nzcv}]", "msr nzcv, x9",
        "ldr x9, [x0, #{has_dit}]",
        "cbz x9, 2f",
        "ldr x9, [x0, #{dit}]", "msr S3_3_C4_C2_5, x9",
        "2:",
        "mov x9, x1", "mov x10, x2",
        "ldp x0, x1, [x10]", "ldp x2, x3, [x10, #16]", "ldp x4, x5, [x10, #32]",
        ".irp i, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17\n\
         mov x\\i, #0\n\
         .endr",
        "blr x9",
        "ldr x30, [sp, #160]",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n\
         str x\\i, [x30, #{scratch} + 8 * \\i]\n\
         .endr",
        "mrs x9, nzcv", "str x9, [x30, #{nzcv}]",
        "ldr x9, [x30, #{kept}]", "sub x9, x18, x9",
        ".irp i, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29\n\
         str x\\i, [x30, #{kept} + 8 * (\\i - 18)]\n\
         .endr",
        "str x9, [x30, #{kept}]",
        for_each_vector_register!("str q\\i, [x30, #{v} + 16 * \\i]"),
        "mov x9, sp", "ldr x10, [x30, #{sp}]", "sub x9, x9, x10", "str x9, [x30, #{sp}]",
        "mrs x9, fpcr", "str x9, [x30, #{fpcr}]",
        "mrs x9, fpsr", "str x9, [x30, #{fpsr}]",
        "ldr x9, [x30, #{has_dit}]",
        "cbz x9, 3f",
        "mrs x9, S3_3_C4_C2_5", "str x9, [x30, #{dit}]",
        "msr S3_3_C4_C2_5, xzr",
        "3:",
        "ldr x9, [sp, #168]", "msr fpcr, x9",
        "ldp x19, x20, [sp, #16]", "ldp x21, x22, [sp, #32]", "ldp x23, x24, [sp, #48]",
        "ldp x25, x26, [sp, #64]", "ldp x27, x28, [sp, #80]",
        "ldp d8, d9, [sp, #96]", "ldp d10, d11, [sp, #112]",
        "ldp d12, d13, [sp, #128]", "ldp d14, d15, [sp, #144]",
        "ldp x29, x30, [sp], #192",
        "ret",
        kept = const std::mem::offset_of!(Machine, kept),
        sp = const std::mem::offset_of!(Machine, sp),
        fpcr = const std::mem::offset_of!(Machine, fpcr),
        fpsr = const std::mem::offset_of!(Machine, fpsr),
        nzcv = const std::mem::offset_of!(Machine, nzcv),
        has_dit = const std::mem::offset_of!(Machine, has_dit),
        dit = const std::mem::offset_of!(Machine, dit),
        scratch = const std::mem::offset_of!(Machine, scratch),
        v = const std::mem::offset_of!(Machine, v),
    )
}
