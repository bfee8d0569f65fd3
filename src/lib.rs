//! Cryptographic kernels written, proven and printed by Lean 4.
//!
//! The assembly in this crate is printed by Lean from programs that are proven, on the level of single instructions, to compute
//! what their specification says, to stay inside their buffers, and to take the same time whatever the secret bytes are.
//! This is the safe interface to it:
//!
//! - [`gather::copy`] copies many slices into one buffer.
//!
//! The crate is `no_std`, allocates nothing and has no build script. It needs x86-64 with SSE2, and uses AVX where the
//! CPU and the operating system have it.
#![no_std]
#![deny(unsafe_code)]

#[cfg(not(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_feature = "sse2"
)))]
compile_error!(
    "leanseal needs x86-64 with 64-bit pointers and SSE2: it has proven kernels for no other target"
);

#[cfg(all(
    target_arch = "x86_64",
    target_pointer_width = "64",
    target_feature = "sse2"
))]
pub mod gather;

#[cfg(target_arch = "x86_64")]
mod cpu;

// The emitter formats it.
#[rustfmt::skip]
#[allow(unsafe_code)]
#[doc(hidden)]
pub mod asm;
