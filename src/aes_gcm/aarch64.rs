//! The kernels for AArch64.
#![allow(unsafe_code)]

use crate::asm::aarch64::aes_gcm::*;
use crate::asm::aarch64::aes_gcm_open::{VG_AES_GCM_OPEN_FEATURES, vg_aes_gcm_open};
use crate::asm::aarch64::aes_gcm_seal::{VG_AES_GCM_SEAL_FEATURES, vg_aes_gcm_seal};
use crate::asm::{OpenArgs, SealArgs};
use crate::cpu;

/// Kernels that work together: what one writes into a context is what the next one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    /// AES and PMULL, which Rust calls `aes` together.
    Aes,
}

impl Backend {
    /// The fastest first.
    pub(super) const ALL: &[Self] = &[Self::Aes];

    pub(super) fn runs_here(self) -> bool {
        cpu::aes::get()
    }

    /// How much of a context `init` writes.
    #[cfg(test)]
    pub(super) const INIT_WRITTEN: usize = VG_AES_GCM_INIT_CTX_WRITTEN;

    /// The kernels write the first bytes of a context, so many.
    pub(super) const fn written(self) -> usize {
        const { assert!(VG_AES_GCM_INIT_CTX_WRITTEN <= VG_AES_GCM_PREPARE16_CTX_WRITTEN) };
        VG_AES_GCM_PREPARE16_CTX_WRITTEN
    }

    /// Writes the first bytes of the context of a key: `INIT_WRITTEN`.
    ///
    /// # Safety
    ///
    /// The backend runs here, `key` has 16, 24 or 32 bytes, and `context` is valid for reads and writes of 1024 bytes.
    pub(super) unsafe fn init(self, key: &[u8], context: *mut u8) {
        const { assert!(cpu::covers(cpu::aes::FEATURES, VG_AES_GCM_INIT_FEATURES)) };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_init(key.as_ptr(), key.len(), context) }
    }

    /// Writes what seals and opens faster into the context of a key, and so makes it the backend's own.
    ///
    /// # Safety
    ///
    /// The backend runs here, and the `init` of any backend wrote the context.
    pub(super) unsafe fn prepare(self, context: *mut u8) {
        const {
            assert!(cpu::covers(
                cpu::aes::FEATURES,
                VG_AES_GCM_PREPARE16_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_prepare16(context) }
    }

    /// Encrypts a message in place.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn seal(self, context: *const u8, args: &SealArgs) {
        const { assert!(cpu::covers(cpu::aes::FEATURES, VG_AES_GCM_SEAL_FEATURES)) };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_seal(context, args) }
    }

    /// Decrypts a message in place, if its tag is right.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn open(self, context: *const u8, args: &OpenArgs) -> bool {
        const { assert!(cpu::covers(cpu::aes::FEATURES, VG_AES_GCM_OPEN_FEATURES)) };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_open(context, args) != 0 }
    }
}
