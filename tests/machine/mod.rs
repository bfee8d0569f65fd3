//! The registers of the machine around a call of a kernel.

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub use aarch64::Machine;
#[cfg(target_arch = "x86_64")]
pub use x86_64::Machine;

/// 128 bits of each vector register before a call.
pub const ONES: [u64; 2] = [u64::MAX; 2];
