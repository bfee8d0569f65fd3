//! The registers of the machine around a call of a kernel.
#![allow(dead_code)]

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

/// What the registers for integer arguments hold at a call.
pub type Arguments = [*const u8; 6];

/// A number in such a register.
pub fn number(value: usize) -> *const u8 {
    std::ptr::without_provenance(value)
}

/// The arguments, and zeros in the registers that are left.
pub fn arguments(given: &[*const u8]) -> Arguments {
    let mut all = [std::ptr::null(); 6];
    all[..given.len()].copy_from_slice(given);
    all
}
