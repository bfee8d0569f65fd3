//! The state of an AArch64 processor, in and out. The model has all general registers but X18, which so can address the state here
//! while an instruction runs; the stack pointer is the model's.

use std::{
    arch::{is_aarch64_feature_detected, naked_asm},
    cell::UnsafeCell,
    mem::offset_of,
};

use anyhow::{Result, bail, ensure};

use crate::protocol::{Component, State, number};

/// The bits of NZCV of N, Z, C and V.
const FLAGS: [(&str, u32); 4] = [("n", 31), ("z", 30), ("c", 29), ("v", 28)];
/// The bit of PSTATE.DIT in its register.
const DIT: u32 = 24;

#[repr(C, align(16))]
#[derive(Clone, Copy)]
struct Registers {
    vec: [u128; 32],
    /// X0-X30; the element of X18 is not used.
    gpr: [u64; 31],
    sp: u64,
    nzcv: u64,
    fpcr: u64,
    fpsr: u64,
    dit: u64,
    jumped: u64,
}

const ZERO: Registers = Registers {
    vec: [0; 32],
    gpr: [0; 31],
    sp: 0,
    nzcv: 0,
    fpcr: 0,
    fpsr: 0,
    dit: 0,
    jumped: 0,
};

/// What the trampoline reads and writes.
#[repr(C, align(16))]
struct Shared {
    before: Registers,
    after: Registers,
    stack: u64,
    entry: usize,
    has_dit: u64,
}

struct Global(UnsafeCell<Shared>);

// SAFETY: the program has one thread.
unsafe impl Sync for Global {}

static SHARED: Global = Global(UnsafeCell::new(Shared {
    before: ZERO,
    after: ZERO,
    stack: 0,
    entry: 0,
    has_dit: 0,
}));

pub struct Cpu {
    parts: Vec<Part>,
    has_dit: bool,
}

/// Where a component is.
#[derive(Clone, Copy)]
enum Part {
    General(usize),
    Vector(usize),
    Stack,
    Flags,
    Fpcr,
    Fpsr,
    Dit,
}

impl Cpu {
    pub fn new(components: &[Component]) -> Result<Self> {
        let parts = components.iter().map(part).collect::<Result<_>>()?;
        Ok(Self {
            parts,
            has_dit: is_aarch64_feature_detected!("dit"),
        })
    }

    /// What the model has and this program does not compare.
    pub fn not_compared(&self) -> Vec<String> {
        let dit = (!self.has_dit).then(|| "PSTATE.DIT, which this processor lacks".to_owned());
        dit.into_iter().collect()
    }

    /// Runs the code at `entry` from a state, and says which exit it took.
    ///
    /// # Safety
    /// The code ends at an exit and touches nothing that is in use.
    pub unsafe fn run(&self, entry: usize, state: &State) -> bool {
        // SAFETY: no other reference to it exists while this one does.
        let shared = unsafe { &mut *SHARED.0.get() };
        shared.entry = entry;
        shared.has_dit = self.has_dit.into();
        for (i, &part) in self.parts.iter().enumerate() {
            load(part, state.component(i), &mut shared.before);
        }
        // SAFETY: the caller's promise; the trampoline keeps what a function has to keep.
        unsafe { enter() };
        self.after().jumped != 0
    }

    fn after(&self) -> &Registers {
        // SAFETY: only `run` writes to it, and no reference is kept over a call of it.
        unsafe { &(*SHARED.0.get()).after }
    }

    /// What the model and the processor have in a component after the instruction, if that is not the same.
    pub fn difference(&self, component: usize, model: &[u8]) -> Option<(String, String)> {
        let after = self.after();
        let compare = |found: &[u8]| (model != found).then(|| (number(model), number(found)));
        match self.parts[component] {
            Part::General(i) => compare(&after.gpr[i].to_le_bytes()),
            Part::Vector(i) => compare(&after.vec[i].to_le_bytes()),
            Part::Stack => compare(&after.sp.to_le_bytes()),
            Part::Fpcr => compare(&after.fpcr.to_le_bytes()),
            Part::Fpsr => compare(&after.fpsr.to_le_bytes()),
            Part::Dit if self.has_dit => compare(&[(after.dit >> DIT & 1) as u8]),
            Part::Dit => None,
            Part::Flags => {
                let flags = FLAGS.iter().enumerate();
                let packed = flags.fold(0, |all, (i, (_, bit))| {
                    all | ((after.nzcv >> bit & 1) as u8) << (2 * i)
                });
                compare(&[packed])
            }
        }
    }
}

fn part(component: &Component) -> Result<Part> {
    let name = component.name.as_str();
    let index = |rest: &str, count| rest.parse().ok().filter(|i| *i < count);
    let general = name.strip_prefix('x').and_then(|i| index(i, 31));
    let (part, size) = if let Some(i) = general.filter(|&i| i != 18) {
        (Part::General(i), 8)
    } else if let Some(i) = name.strip_prefix('v').and_then(|i| index(i, 32)) {
        (Part::Vector(i), 16)
    } else {
        match name {
            "sp" => (Part::Stack, 8),
            "nzcv" => (Part::Flags, 1),
            "fpcr" => (Part::Fpcr, 8),
            "fpsr" => (Part::Fpsr, 8),
            "dit" => (Part::Dit, 1),
            _ => bail!("{name} is unknown here"),
        }
    };
    ensure!(component.size == size, "{name} of {} bytes", component.size);
    Ok(part)
}

fn load(part: Part, value: &[u8], to: &mut Registers) {
    let number = value.iter().rev().fold(0, |n, &b| n << 8 | u128::from(b));
    let word = number as u64;
    match part {
        Part::General(i) => to.gpr[i] = word,
        Part::Vector(i) => to.vec[i] = number,
        Part::Stack => to.sp = word,
        Part::Fpcr => to.fpcr = word,
        Part::Fpsr => to.fpsr = word,
        Part::Dit => to.dit = (word & 1) << DIT,
        Part::Flags => {
            let flags = FLAGS.iter().enumerate();
            to.nzcv = flags.fold(0, |all, (i, (_, bit))| all | (word >> (2 * i) & 1) << bit);
        }
    }
}

/// Whether the processor has a feature that the model names; none for any other name.
pub fn has(feature: &str) -> Option<bool> {
    match feature {
        "neon" => Some(is_aarch64_feature_detected!("neon")),
        "aes" => Some(is_aarch64_feature_detected!("aes") && is_aarch64_feature_detected!("pmull")),
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

/// A jump to any address that changes X18 only: `ldr x18, #8`, `br x18`, and the address.
pub fn jump(to: usize) -> Vec<u8> {
    let [load, branch] = [0x5800_0052_u32, 0xd61f_0240].map(u32::to_le_bytes);
    [&load[..], &branch, &to.to_le_bytes()].concat()
}

macro_rules! exits {
    ($($name:ident, $jumped:literal;)*) => {$(
        #[unsafe(naked)]
        unsafe extern "C" fn $name() {
            naked_asm!(
                "adrp x18, {shared}",
                "add x18, x18, :lo12:{shared}",
                "add x18, x18, {after}",
                "str x0, [x18, {gpr}]",
                "str x1, [x18, {gpr} + 8]",
                concat!("mov x0, ", $jumped),
                "str x0, [x18, {jumped}]",
                "b {leave}",
                shared = sym SHARED,
                after = const offset_of!(Shared, after),
                gpr = const offset_of!(Registers, gpr),
                jumped = const offset_of!(Registers, jumped),
                leave = sym leave,
            )
        }
    )*};
}

exits! {
    exit_after_fall, "0";
    exit_after_jump, "1";
}

/// Keeps what a function has to keep, loads everything and goes to the code.
#[unsafe(naked)]
unsafe extern "C" fn enter() {
    naked_asm!(
        "sub sp, sp, 192",
        "stp x19, x20, [sp, 0]",
        "stp x21, x22, [sp, 16]",
        "stp x23, x24, [sp, 32]",
        "stp x25, x26, [sp, 48]",
        "stp x27, x28, [sp, 64]",
        "stp x29, x30, [sp, 80]",
        "stp d8, d9, [sp, 96]",
        "stp d10, d11, [sp, 112]",
        "stp d12, d13, [sp, 128]",
        "stp d14, d15, [sp, 144]",
        "mrs x0, fpcr",
        "mrs x1, fpsr",
        "stp x0, x1, [sp, 160]",
        "adrp x18, {shared}",
        "add x18, x18, :lo12:{shared}",
        "mov x0, sp",
        "str x0, [x18, {stack}]",
        "ldr x0, [x18, {has_dit}]",
        "cbz x0, 2f",
        "ldr x0, [x18, {dit}]",
        "msr S3_3_C4_C2_5, x0",
        "2:",
        "ldr x0, [x18, {nzcv}]",
        "msr nzcv, x0",
        "ldr x0, [x18, {fpcr}]",
        "msr fpcr, x0",
        "ldr x0, [x18, {fpsr}]",
        "msr fpsr, x0",
        "ldr x0, [x18, {sp}]",
        "mov sp, x0",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "ldr q\\i, [x18, 16*\\i]",
        ".endr",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
        "ldr x\\i, [x18, {gpr} + 8*\\i]",
        ".endr",
        "ldr x18, [x18, {entry}]",
        "br x18",
        shared = sym SHARED,
        stack = const offset_of!(Shared, stack),
        has_dit = const offset_of!(Shared, has_dit),
        entry = const offset_of!(Shared, entry),
        gpr = const offset_of!(Registers, gpr),
        sp = const offset_of!(Registers, sp),
        nzcv = const offset_of!(Registers, nzcv),
        fpcr = const offset_of!(Registers, fpcr),
        fpsr = const offset_of!(Registers, fpsr),
        dit = const offset_of!(Registers, dit),
    )
}

/// Stores everything but X0 and X1, which are stored, and returns from `enter`. X18 is the address of the state after.
#[unsafe(naked)]
unsafe extern "C" fn leave() {
    naked_asm!(
        ".irp i, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",
        "str x\\i, [x18, {gpr} + 8*\\i]",
        ".endr",
        ".irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",
        "str q\\i, [x18, 16*\\i]",
        ".endr",
        "mov x0, sp",
        "str x0, [x18, {sp}]",
        "mrs x0, nzcv",
        "str x0, [x18, {nzcv}]",
        "mrs x0, fpcr",
        "str x0, [x18, {fpcr}]",
        "mrs x0, fpsr",
        "str x0, [x18, {fpsr}]",
        "sub x1, x18, {after}",
        "ldr x0, [x1, {has_dit}]",
        "cbz x0, 2f",
        "mrs x0, S3_3_C4_C2_5",
        "str x0, [x18, {dit}]",
        "msr S3_3_C4_C2_5, xzr",
        "2:",
        "ldr x0, [x1, {stack}]",
        "mov sp, x0",
        "ldp x0, x1, [sp, 160]",
        "msr fpcr, x0",
        "msr fpsr, x1",
        "ldp x19, x20, [sp, 0]",
        "ldp x21, x22, [sp, 16]",
        "ldp x23, x24, [sp, 32]",
        "ldp x25, x26, [sp, 48]",
        "ldp x27, x28, [sp, 64]",
        "ldp x29, x30, [sp, 80]",
        "ldp d8, d9, [sp, 96]",
        "ldp d10, d11, [sp, 112]",
        "ldp d12, d13, [sp, 128]",
        "ldp d14, d15, [sp, 144]",
        "add sp, sp, 192",
        "ret",
        stack = const offset_of!(Shared, stack),
        has_dit = const offset_of!(Shared, has_dit),
        after = const offset_of!(Shared, after),
        gpr = const offset_of!(Registers, gpr),
        sp = const offset_of!(Registers, sp),
        nzcv = const offset_of!(Registers, nzcv),
        fpcr = const offset_of!(Registers, fpcr),
        fpsr = const offset_of!(Registers, fpsr),
        dit = const offset_of!(Registers, dit),
    )
}
