//! x86-64.

use super::Arguments;

/// The state of the machine around a call.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Machine {
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
    pub upper: [[u64; 2]; 16],
}

const CANARIES: u64 = 0x0123_4567_89ab_cde0;
const DIRECTION: u64 = 1 << 10;
/// Round towards zero, flush to zero, all exceptions masked: no compiler sets this.
const MXCSR: u64 = 0xff80;

impl Machine {
    /// Before a call, with the direction flag clear and set.
    pub fn starts() -> Vec<Self> {
        let with = |rflags| Self {
            rflags,
            mxcsr: MXCSR,
            avx: is_x86_feature_detected!("avx").into(),
            ..Self::default()
        };
        [0x202, 0x202 | DIRECTION].map(with).into()
    }

    /// What the kernel must preserve; `self` is the state after the call.
    #[track_caller]
    pub fn assert_kept(&self, before: &Self, call: &str) {
        let kept = std::array::from_fn(|i| if i < 6 { CANARIES + i as u64 } else { 0 });
        assert_eq!(self.kept, kept, "{call}");
        let direction = self.rflags & DIRECTION;
        assert_eq!(direction, before.rflags & DIRECTION, "{call}");
        assert_eq!(self.mxcsr, MXCSR, "{call}");
    }

    /// The vector registers, or their lower halves.
    pub fn vectors(&self) -> &[[u64; 2]] {
        &self.xmm
    }

    /// What rax holds.
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
    kernel: *const (),
    arguments: *const Arguments,
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
        "mov r11, rsi", "mov r10, rdx",
        "mov rdi, [r10]", "mov rsi, [r10 + 8]", "mov rdx, [r10 + 16]",
        "mov rcx, [r10 + 24]", "mov r8, [r10 + 32]", "mov r9, [r10 + 40]",
        // Not `xor`, which would change the flags.
        "mov r10d, 0",
        "call r11",
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
