//! Cryptographic kernels written, proven and printed by Lean 4.
//!
//! The assembly in this crate is printed by Lean from programs that are proven, on the level of single instructions, to compute
//! what their specification says, to stay inside their buffers, and to take the same time whatever the secret bytes are.
//! This is the safe interface to it:
//!
//! - [`aes_gcm::AesGcm`] encrypts and authenticates messages, and on x86-64 `aes_gcm::Encryptor` and `aes_gcm::Decryptor` do so piece by
//!   piece;
//! - [`gather::copy`] copies many slices into one buffer.
//!
//! The crate is `no_std`, allocates nothing and has no build script. It needs x86-64 with SSE2, or little-endian AArch64 with
//! Advanced SIMD, and uses AVX, AVX2, AES-NI, PCLMULQDQ, VAES and VPCLMULQDQ, or AES and PMULL, where the CPU and the operating system
//! have them.
//!
//! # Features
//!
//! None is on by default.
//!
//! - `aead`: the traits of the crate `aead` 0.6, for `aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm}`.
//! - `zeroize`: the types of keys implement the trait `ZeroizeOnDrop` of the crate `zeroize` 1. They are wiped when they are dropped
//!   with this feature or without it.
//! - `cpu-features-env`: the environment variable `VG_CPU_FEATURES` keeps the crate from using features of the CPU. It is `none`, or
//!   names with commas between them, as `avx,aes,pclmulqdq`: those that may be used if the CPU has them. With a name that is not known
//!   (`avx`, `avx2`, `aes`, `pclmulqdq`, `vaes`, `vpclmulqdq`; on AArch64 `aes`) or that the CPU lacks, [`aes_gcm::AesGcm::new`] gives an error that says so. It is read once, and needs the standard library.
#![no_std]
#![deny(unsafe_code)]

#[cfg(any(test, feature = "cpu-features-env"))]
extern crate std;

// Each module has the condition, so that other targets give this one error and no others.
#[cfg(not(any(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ),
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        target_endian = "little",
        target_feature = "neon"
    )
)))]
compile_error!(
    "leanseal has proven kernels only for x86-64 with 64-bit pointers and SSE2, and for little-endian AArch64 with 64-bit pointers and NEON"
);

#[cfg(any(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ),
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
pub mod aes_gcm;

#[cfg(any(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ),
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
pub mod gather;

#[cfg(any(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ),
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
mod cpu;

// The emitter formats it.
#[cfg(any(
    all(
        target_arch = "x86_64",
        target_pointer_width = "64",
        target_feature = "sse2"
    ),
    all(
        target_arch = "aarch64",
        target_pointer_width = "64",
        target_endian = "little",
        target_feature = "neon"
    )
))]
#[rustfmt::skip]
#[allow(unsafe_code)]
#[doc(hidden)]
pub mod asm;
