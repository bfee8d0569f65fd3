//! The state of an x86-64 processor, in and out. All general registers are the model's while an instruction runs, `rsp` too: the
//! program has no other thread and no signal handler but that of faults, which has a stack of its own.

use std::{arch::naked_asm, cell::UnsafeCell, mem::offset_of};

use anyhow::{Result, bail, ensure};

use crate::protocol::{Component, State, number};

/// The width of vector registers that is loaded and compared.
const YMM: usize = 32;
const XMM: usize = 16;

const REGISTERS: [&str; 16] = [
    "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
    "r14", "r15",
];

/// The bits of RFLAGS of CF, PF, AF, ZF, SF and OF, and that of DF.
const FLAGS: [(&str, u32); 6] = [
    ("cf", 0),
    ("pf", 2),
    ("af", 4),
    ("zf", 6),
    ("sf", 7),
    ("of", 11),
];
const DF: u32 = 10;
/// Reserved and always one; interrupts enabled, which a program cannot change.
const RFLAGS: u64 = 0x202;

#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Registers {
    vec: [[u8; YMM]; 16],
    gpr: [u64; 16],
    rflags: u64,
    mxcsr: u32,
    jumped: u32,
}

const ZERO: Registers = Registers {
    vec: [[0; YMM]; 16],
    gpr: [0; 16],
    rflags: 0,
    mxcsr: 0,
    jumped: 0,
};

/// What the trampoline finds without a register to address it.
#[repr(C, align(64))]
struct Shared {
    before: Registers,
    after: Registers,
    stack: u64,
    entry: usize,
}

struct Global(UnsafeCell<Shared>);

// SAFETY: the program has one thread.
unsafe impl Sync for Global {}

static SHARED: Global = Global(UnsafeCell::new(Shared {
    before: ZERO,
    after: ZERO,
    stack: 0,
    entry: 0,
}));

pub struct Cpu {
    parts: Vec<Part>,
    avx: bool,
}

/// Where a component is.
#[derive(Clone, Copy)]
enum Part {
    General(usize),
    Vector(usize),
    Mask,
    Flags,
    Direction,
    Mxcsr,
}

impl Cpu {
    pub fn new(components: &[Component]) -> Result<Self> {
        let parts = components.iter().map(part).collect::<Result<_>>()?;
        Ok(Self {
            parts,
            avx: is_x86_feature_detected!("avx"),
        })
    }

    /// What the model has and this program does not compare.
    pub fn not_compared(&self) -> Vec<String> {
        let bits = 8 * self.width();
        vec![
            format!("vector registers above {bits} bits"),
            "mask registers".to_owned(),
        ]
    }

    fn width(&self) -> usize {
        if self.avx { YMM } else { XMM }
    }

    /// Runs the code at `entry` from a state, and says which exit it took.
    ///
    /// # Safety
    /// The code ends at an exit and touches nothing that is in use.
    pub unsafe fn run(&self, entry: usize, state: &State) -> bool {
        // SAFETY: no other reference to it exists while this one does.
        let shared = unsafe { &mut *SHARED.0.get() };
        shared.entry = entry;
        shared.before.rflags = RFLAGS;
        for (i, &part) in self.parts.iter().enumerate() {
            load(part, state.component(i), &mut shared.before);
        }
        // SAFETY: the caller's promise; the trampolines keep what a function has to keep.
        unsafe {
            if self.avx {
                enter_ymm();
            } else {
                enter_xmm();
            }
        }
        self.after().jumped != 0
    }

    fn after(&self) -> &Registers {
        // SAFETY: only `run` writes to it, and no reference is kept over a call of it.
        unsafe { &(*SHARED.0.get()).after }
    }

    /// What the model and the processor have in a component after the instruction, if that is not the same.
    pub fn difference(&self, component: usize, model: &[u8]) -> Option<(String, String)> {
        let after = self.after();
        let compare =
            |model: &[u8], found: &[u8]| (model != found).then(|| (number(model), number(found)));
        match self.parts[component] {
            Part::General(i) => compare(model, &after.gpr[i].to_le_bytes()),
            Part::Vector(i) => compare(&model[..self.width()], &after.vec[i][..self.width()]),
            Part::Mask => None,
            Part::Direction => compare(model, &[(after.rflags >> DF & 1) as u8]),
            Part::Mxcsr => compare(model, &after.mxcsr.to_le_bytes()),
            Part::Flags => {
                let mut texts = (String::new(), String::new());
                let mut same = true;
                for (i, (name, bit)) in FLAGS.into_iter().enumerate() {
                    let found = after.rflags >> bit & 1;
                    let claimed = u64::from(flag(model, i));
                    same &= claimed > 1 || claimed == found;
                    let claimed = match claimed {
                        0 | 1 => claimed.to_string(),
                        _ => "-".to_owned(),
                    };
                    texts.0 += &format!("{name} {claimed} ");
                    texts.1 += &format!("{name} {found} ");
                }
                (!same).then_some(texts)
            }
        }
    }
}

fn part(component: &Component) -> Result<Part> {
    let name = component.name.as_str();
    let index = |rest: &str, count| rest.parse().ok().filter(|i| *i < count);
    let (part, size) = if let Some(i) = REGISTERS.iter().position(|r| *r == name) {
        (Part::General(i), 8)
    } else if let Some(i) = name.strip_prefix('v').and_then(|i| index(i, 16)) {
        (Part::Vector(i), 64)
    } else if name.strip_prefix('k').and_then(|i| index(i, 8)).is_some() {
        (Part::Mask, 8)
    } else {
        match name {
            "flags" => (Part::Flags, 2),
            "df" => (Part::Direction, 1),
            "mxcsr" => (Part::Mxcsr, 4),
            _ => bail!("{name} is unknown here"),
        }
    };
    ensure!(component.size == size, "{name} of {} bytes", component.size);
    Ok(part)
}

fn load(part: Part, value: &[u8], to: &mut Registers) {
    match part {
        Part::General(i) => to.gpr[i] = little_endian(value),
        Part::Vector(i) => to.vec[i].copy_from_slice(&value[..YMM]),
        Part::Mask => (),
        Part::Direction => to.rflags |= u64::from(value[0] & 1) << DF,
        Part::Mxcsr => to.mxcsr = little_endian(value) as u32,
        Part::Flags => {
            for (i, (_, bit)) in FLAGS.into_iter().enumerate() {
                to.rflags |= u64::from(flag(value, i) & 1) << bit;
            }
        }
    }
}

/// A flag: 0, 1, or 2 if it is undefined.
fn flag(value: &[u8], i: usize) -> u8 {
    value[i / 4] >> (i % 4 * 2) & 3
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |n, &b| n << 8 | u64::from(b))
}

/// Whether the processor has a feature that the model names; none for any other name.
pub fn has(feature: &str) -> Option<bool> {
    match feature {
        "sse2" => Some(is_x86_feature_detected!("sse2")),
        "avx" => Some(is_x86_feature_detected!("avx")),
        "avx2" => Some(is_x86_feature_detected!("avx2")),
        "aes" => Some(is_x86_feature_detected!("aes")),
        "pclmulqdq" => Some(is_x86_feature_detected!("pclmulqdq")),
        "vaes" => Some(is_x86_feature_detected!("vaes")),
        "vpclmulqdq" => Some(is_x86_feature_detected!("vpclmulqdq")),
        _ => None,
    }
}

/// The address where code goes on that jumped, or did not.
pub fn exit(jumped: bool) -> usize {
    if jumped {
        exit_after_jump as *const () as usize
    } else {
        exit_after_fall as *const () as usize
    }
}

/// A jump to any address that changes no register: `jmp [rip]`, and the address.
pub fn jump(to: usize) -> Vec<u8> {
    [&[0xff, 0x25, 0, 0, 0, 0][..], &to.to_le_bytes()].concat()
}

#[unsafe(naked)]
unsafe extern "C" fn exit_after_fall() {
    naked_asm!(
        "mov dword ptr [rip + {shared} + {jumped}], 0",
        "jmp {leave}",
        shared = sym SHARED,
        jumped = const offset_of!(Shared, after.jumped),
        leave = sym leave,
    )
}

#[unsafe(naked)]
unsafe extern "C" fn exit_after_jump() {
    naked_asm!(
        "mov dword ptr [rip + {shared} + {jumped}], 1",
        "jmp {leave}",
        shared = sym SHARED,
        jumped = const offset_of!(Shared, after.jumped),
        leave = sym leave,
    )
}

/// A function that loads the vector registers as wide as the processor has them, and returns through `leave`.
macro_rules! trampoline {
    ($enter:ident, $mov:literal, $reg:literal, $clear:literal) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $enter() {
            naked_asm!(
                "push rbx",
                "push rbp",
                "push r12",
                "push r13",
                "push r14",
                "push r15",
                "sub rsp, 8",
                "stmxcsr dword ptr [rsp]",
                ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                concat!($mov, " ", $reg, "\\i, [rip + {shared} + {vec} + 32*\\i]"),
                ".endr",
                "call {run}",
                ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15",
                concat!($mov, " [rip + {shared} + {after} + 32*\\i], ", $reg, "\\i"),
                ".endr",
                $clear,
                "ldmxcsr dword ptr [rsp]",
                "add rsp, 8",
                "pop r15",
                "pop r14",
                "pop r13",
                "pop r12",
                "pop rbp",
                "pop rbx",
                "ret",
                shared = sym SHARED,
                vec = const offset_of!(Shared, before.vec),
                after = const offset_of!(Shared, after.vec),
                run = sym run_general,
            )
        }
    };
}

trampoline!(enter_ymm, "vmovdqu", "ymm", "vzeroupper");
trampoline!(enter_xmm, "movdqu", "xmm", "");

/// Loads all but the vector registers and goes to the code.
#[unsafe(naked)]
unsafe extern "C" fn run_general() {
    naked_asm!(
        "mov qword ptr [rip + {shared} + {stack}], rsp",
        "ldmxcsr dword ptr [rip + {shared} + {mxcsr}]",
        "push qword ptr [rip + {shared} + {rflags}]",
        "popfq",
        "mov rax, [rip + {shared} + {gpr} + 8*0]",
        "mov rcx, [rip + {shared} + {gpr} + 8*1]",
        "mov rdx, [rip + {shared} + {gpr} + 8*2]",
        "mov rbx, [rip + {shared} + {gpr} + 8*3]",
        "mov rsp, [rip + {shared} + {gpr} + 8*4]",
        "mov rbp, [rip + {shared} + {gpr} + 8*5]",
        "mov rsi, [rip + {shared} + {gpr} + 8*6]",
        "mov rdi, [rip + {shared} + {gpr} + 8*7]",
        "mov r8, [rip + {shared} + {gpr} + 8*8]",
        "mov r9, [rip + {shared} + {gpr} + 8*9]",
        "mov r10, [rip + {shared} + {gpr} + 8*10]",
        "mov r11, [rip + {shared} + {gpr} + 8*11]",
        "mov r12, [rip + {shared} + {gpr} + 8*12]",
        "mov r13, [rip + {shared} + {gpr} + 8*13]",
        "mov r14, [rip + {shared} + {gpr} + 8*14]",
        "mov r15, [rip + {shared} + {gpr} + 8*15]",
        "jmp qword ptr [rip + {shared} + {entry}]",
        shared = sym SHARED,
        stack = const offset_of!(Shared, stack),
        entry = const offset_of!(Shared, entry),
        gpr = const offset_of!(Shared, before.gpr),
        rflags = const offset_of!(Shared, before.rflags),
        mxcsr = const offset_of!(Shared, before.mxcsr),
    )
}

/// Stores all but the vector registers, before anything changes them or the flags, and returns from `run_general`.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!(
        "mov [rip + {shared} + {gpr} + 8*0], rax",
        "mov [rip + {shared} + {gpr} + 8*1], rcx",
        "mov [rip + {shared} + {gpr} + 8*2], rdx",
        "mov [rip + {shared} + {gpr} + 8*3], rbx",
        "mov [rip + {shared} + {gpr} + 8*4], rsp",
        "mov [rip + {shared} + {gpr} + 8*5], rbp",
        "mov [rip + {shared} + {gpr} + 8*6], rsi",
        "mov [rip + {shared} + {gpr} + 8*7], rdi",
        "mov [rip + {shared} + {gpr} + 8*8], r8",
        "mov [rip + {shared} + {gpr} + 8*9], r9",
        "mov [rip + {shared} + {gpr} + 8*10], r10",
        "mov [rip + {shared} + {gpr} + 8*11], r11",
        "mov [rip + {shared} + {gpr} + 8*12], r12",
        "mov [rip + {shared} + {gpr} + 8*13], r13",
        "mov [rip + {shared} + {gpr} + 8*14], r14",
        "mov [rip + {shared} + {gpr} + 8*15], r15",
        "mov rsp, [rip + {shared} + {stack}]",
        "pushfq",
        "pop qword ptr [rip + {shared} + {rflags}]",
        "cld",
        "stmxcsr dword ptr [rip + {shared} + {mxcsr}]",
        "ret",
        shared = sym SHARED,
        stack = const offset_of!(Shared, stack),
        gpr = const offset_of!(Shared, after.gpr),
        rflags = const offset_of!(Shared, after.rflags),
        mxcsr = const offset_of!(Shared, after.mxcsr),
    )
}
