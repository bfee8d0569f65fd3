//! The kernels for the architecture at hand, by what they do: each is tested whichever of them the crate would choose.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::*;
use leanseal::asm::{
    OpenArgs, SealArgs, SealGatherArgs, Slice, StreamArgs, StreamFinishArgs, StreamInitArgs,
    StreamVerifyArgs,
};
#[cfg(target_arch = "x86_64")]
pub use x86_64::*;

use super::features::{can_run, not_tested};

/// A kernel.
#[derive(Clone, Copy)]
pub struct Kernel<F> {
    pub name: &'static str,
    pub features: &'static [&'static str],
    pub function: F,
}

/// The kernel of a name with the features that it needs.
macro_rules! kernel {
    ($function:ident, $features:expr) => {
        $crate::common::backends::Kernel {
            name: stringify!($function),
            features: $features,
            function: $function,
        }
    };
}
use kernel;

/// The type of functions that kernels are.
#[cfg(target_arch = "x86_64")]
macro_rules! function {
    ($($argument:ty),* $(=> $result:ty)?) => { unsafe extern "sysv64" fn($($argument),*) $(-> $result)? };
}
/// The type of functions that kernels are.
#[cfg(target_arch = "aarch64")]
macro_rules! function {
    ($($argument:ty),* $(=> $result:ty)?) => { unsafe extern "C" fn($($argument),*) $(-> $result)? };
}

/// The list, its length, the buffer, its length.
pub type GatherCopy = function!(*const Slice, usize, *mut u8, usize);
/// The key, its length, the context.
pub type Init = function!(*const u8, usize, *mut u8);
/// The context.
pub type Prepare16 = function!(*mut u8);
/// The context, the rounds, the block.
pub type EncryptBlock = function!(*const u8, usize, *mut u8);
/// The context, the rounds, the counter block, the data, their length.
pub type Ctr32 = function!(*const u8, usize, *const u8, *mut u8, usize);
/// The context, the hash so far, the data, their length.
pub type GhashBlocks = function!(*const u8, *mut u8, *const u8, usize);
/// The context, the message.
pub type Seal = function!(*const u8, *const SealArgs);
/// The context, the message and the slices of its text.
pub type SealGather = function!(*const u8, *const SealGatherArgs);
/// The context, the message; whether its tag is right.
pub type Open = function!(*const u8, *const OpenArgs => u32);
/// The context, the nonce and the additional data, the state.
pub type StreamInit = function!(*const u8, *const StreamInitArgs);
/// The context, the state, the piece.
pub type StreamPiece = function!(*const u8, *const StreamArgs);
/// The context, the state, the tag.
pub type StreamFinish = function!(*const u8, *const StreamFinishArgs);
/// The context, the state, the tag; whether it is right.
pub type StreamVerify = function!(*const u8, *const StreamVerifyArgs => u32);

/// Those that this CPU can run; the others are named on the standard error of the test, and so is `what` if there is none at all.
pub fn runnable<F: Copy>(what: &str, kernels: &[Kernel<F>]) -> Vec<Kernel<F>> {
    if kernels.is_empty() {
        not_tested(what, "this architecture has no kernel for it yet");
    }
    let can_run = |kernel: &&Kernel<F>| can_run(kernel.name, kernel.features);
    kernels.iter().filter(can_run).copied().collect()
}
