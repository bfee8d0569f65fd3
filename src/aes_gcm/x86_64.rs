//! The kernels for x86-64.
#![allow(unsafe_code)]

use crate::asm::x86_64::aes_gcm::*;
use crate::asm::x86_64::aes_gcm_open::{VG_AES_GCM_OPEN_AESNI_FEATURES, vg_aes_gcm_open_aesni};
use crate::asm::x86_64::aes_gcm_open_vaes::{VG_AES_GCM_OPEN_VAES_FEATURES, vg_aes_gcm_open_vaes};
use crate::asm::x86_64::aes_gcm_seal::{VG_AES_GCM_SEAL_AESNI_FEATURES, vg_aes_gcm_seal_aesni};
use crate::asm::x86_64::aes_gcm_seal_gather::{
    VG_AES_GCM_SEAL_GATHER_AESNI_FEATURES, vg_aes_gcm_seal_gather_aesni,
};
use crate::asm::x86_64::aes_gcm_seal_vaes::{VG_AES_GCM_SEAL_VAES_FEATURES, vg_aes_gcm_seal_vaes};
use crate::asm::x86_64::aes_gcm_stream::*;
use crate::asm::x86_64::aes_gcm_stream_decrypt::{
    VG_AES_GCM_STREAM_DECRYPT_AESNI_FEATURES, vg_aes_gcm_stream_decrypt_aesni,
};
use crate::asm::x86_64::aes_gcm_stream_encrypt::{
    VG_AES_GCM_STREAM_ENCRYPT_AESNI_FEATURES, vg_aes_gcm_stream_encrypt_aesni,
};
use crate::asm::{
    OpenArgs, SealArgs, SealGatherArgs, StreamArgs, StreamFinishArgs, StreamInitArgs,
    StreamVerifyArgs,
};
use crate::cpu;

/// Kernels that work together: what one writes into a context is what the next one reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    /// VAES, VPCLMULQDQ and AVX2; lists of slices and messages in pieces as with `AesNi`.
    Vaes,
    /// AES-NI, PCLMULQDQ and AVX; the powers of the hash subkey by VPCLMULQDQ.
    AesNiVpclmul,
    /// AES-NI, PCLMULQDQ and AVX.
    AesNi,
}

impl Backend {
    /// The fastest first.
    pub(super) const ALL: &[Self] = &[Self::Vaes, Self::AesNiVpclmul, Self::AesNi];

    pub(super) fn runs_here(self) -> bool {
        match self {
            Self::Vaes => cpu::vaes::get(),
            Self::AesNiVpclmul => cpu::aesni::get() && cpu::vpclmul::get(),
            Self::AesNi => cpu::aesni::get(),
        }
    }

    /// How much of a context `init` writes.
    #[cfg(test)]
    pub(super) const INIT_WRITTEN: usize = VG_AES_GCM_INIT_CTX_WRITTEN;

    /// The kernels write the first bytes of a context, so many.
    pub(super) const fn written(self) -> usize {
        const { assert!(VG_AES_GCM_INIT_CTX_WRITTEN <= VG_AES_GCM_PREPARE16_PCLMUL_AVX_CTX_WRITTEN) };
        const { assert!(VG_AES_GCM_INIT_CTX_WRITTEN <= VG_AES_GCM_PREPARE16_VPCLMUL_CTX_WRITTEN) };
        match self {
            Self::Vaes | Self::AesNiVpclmul => VG_AES_GCM_PREPARE16_VPCLMUL_CTX_WRITTEN,
            Self::AesNi => VG_AES_GCM_PREPARE16_PCLMUL_AVX_CTX_WRITTEN,
        }
    }

    /// Writes the first bytes of the context of a key: `INIT_WRITTEN`.
    ///
    /// # Safety
    ///
    /// The backend runs here, `key` has 16, 24 or 32 bytes, and `context` is valid for reads and writes of 1024 bytes.
    pub(super) unsafe fn init(self, key: &[u8], context: *mut u8) {
        const { assert!(cpu::covers(cpu::aesni::FEATURES, VG_AES_GCM_INIT_FEATURES)) };
        const { assert!(cpu::covers(cpu::vaes::FEATURES, cpu::aesni::FEATURES)) };
        const { assert!(cpu::covers(cpu::vaes::FEATURES, cpu::vpclmul::FEATURES)) };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_init(key.as_ptr(), key.len(), context) };
    }

    /// Writes what seals and opens faster into the context of a key, and so makes it the backend's own.
    ///
    /// # Safety
    ///
    /// The backend runs here, and the `init` of any backend wrote the context.
    pub(super) unsafe fn prepare(self, context: *mut u8) {
        match self {
            Self::Vaes | Self::AesNiVpclmul => {
                const {
                    assert!(cpu::covers(
                        cpu::vpclmul::FEATURES,
                        VG_AES_GCM_PREPARE16_VPCLMUL_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_prepare16_vpclmul(context) }
            }
            Self::AesNi => {
                const {
                    assert!(cpu::covers(
                        cpu::aesni::FEATURES,
                        VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_prepare16_pclmul_avx(context) }
            }
        }
    }

    /// Encrypts a message in place.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn seal(self, context: *const u8, args: &SealArgs) {
        match self {
            Self::Vaes => {
                const {
                    assert!(cpu::covers(
                        cpu::vaes::FEATURES,
                        VG_AES_GCM_SEAL_VAES_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_seal_vaes(context, args) }
            }
            Self::AesNiVpclmul | Self::AesNi => {
                const {
                    assert!(cpu::covers(
                        cpu::aesni::FEATURES,
                        VG_AES_GCM_SEAL_AESNI_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_seal_aesni(context, args) }
            }
        }
    }

    /// Whether `seal_gather` takes a text of so many bytes no longer than a copy and `seal`.
    pub(super) const fn gathers(self, len: usize) -> bool {
        match self {
            // From there on `seal` has groups of sixteen blocks.
            Self::Vaes => len < 256,
            Self::AesNiVpclmul | Self::AesNi => true,
        }
    }

    /// Encrypts a message whose text is a list of slices.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn seal_gather(self, context: *const u8, args: &SealGatherArgs) {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_SEAL_GATHER_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_seal_gather_aesni(context, args) }
    }

    /// Decrypts a message in place, if its tag is right.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn open(self, context: *const u8, args: &OpenArgs) -> bool {
        let right = match self {
            Self::Vaes => {
                const {
                    assert!(cpu::covers(
                        cpu::vaes::FEATURES,
                        VG_AES_GCM_OPEN_VAES_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_open_vaes(context, args) }
            }
            Self::AesNiVpclmul | Self::AesNi => {
                const {
                    assert!(cpu::covers(
                        cpu::aesni::FEATURES,
                        VG_AES_GCM_OPEN_AESNI_FEATURES
                    ))
                };
                // SAFETY: the caller's.
                unsafe { vg_aes_gcm_open_aesni(context, args) }
            }
        };
        right != 0
    }

    /// Begins a message in pieces.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn stream_init(self, context: *const u8, args: &StreamInitArgs) {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_STREAM_INIT_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_stream_init_aesni(context, args) };
    }

    /// Encrypts a piece of a message in place.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn stream_encrypt(self, context: *const u8, args: &StreamArgs) {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_STREAM_ENCRYPT_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_stream_encrypt_aesni(context, args) };
    }

    /// Decrypts a piece of a message in place.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn stream_decrypt(self, context: *const u8, args: &StreamArgs) {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_STREAM_DECRYPT_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_stream_decrypt_aesni(context, args) };
    }

    /// Writes the tag of a message in pieces.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn stream_finish(self, context: *const u8, args: &StreamFinishArgs) {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_STREAM_FINISH_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_stream_finish_aesni(context, args) };
    }

    /// Whether the tag of a message in pieces is right.
    ///
    /// # Safety
    ///
    /// The backend runs here, its `prepare` wrote the context, and the other conditions of the kernel.
    pub(super) unsafe fn stream_verify(self, context: *const u8, args: &StreamVerifyArgs) -> bool {
        const {
            assert!(cpu::covers(
                cpu::aesni::FEATURES,
                VG_AES_GCM_STREAM_VERIFY_AESNI_FEATURES
            ))
        };
        // SAFETY: the caller's.
        unsafe { vg_aes_gcm_stream_verify_aesni(context, args) != 0 }
    }
}
