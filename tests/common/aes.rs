//! Key contexts for the tests of the AES kernels.

use leanseal::asm::x86_64::aes_gcm::{
    VG_AES_GCM_INIT_CTX_WRITTEN, VG_AES_GCM_INIT_FEATURES, vg_aes_gcm_init,
};

use super::{features, x86_64::has};

/// The lengths of keys in bytes.
pub const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// Whether this CPU can run the kernel.
pub fn can_run(kernel: &str, features: &[&str]) -> bool {
    features::can_run(kernel, features, has)
}

/// A key context.
#[repr(C, align(64))]
pub struct Context {
    bytes: [u8; Self::SIZE],
    key_len: usize,
}

impl Context {
    /// Its length in bytes.
    pub const SIZE: usize = 1024;

    /// The context for a key of 16, 24 or 32 bytes; what `init` does not write is `0xa5`.
    pub fn new(key: &[u8]) -> Self {
        assert!(
            can_run("vg_aes_gcm_init", VG_AES_GCM_INIT_FEATURES)
                && KEY_LENGTHS.contains(&key.len())
        );
        let mut context = Self {
            bytes: [0xa5; Self::SIZE],
            key_len: key.len(),
        };
        // SAFETY: the CPU has the features, the key has a length that AES has, and the context is as long as it must be.
        unsafe { vg_aes_gcm_init(key.as_ptr(), key.len(), context.bytes.as_mut_ptr()) };
        assert!(
            context.bytes[VG_AES_GCM_INIT_CTX_WRITTEN..]
                .iter()
                .all(|byte| *byte == 0xa5)
        );
        context
    }

    /// The context, as kernels take it.
    pub fn as_ptr(&self) -> *const u8 {
        self.bytes.as_ptr()
    }

    /// The contents.
    pub fn bytes(&self) -> &[u8; Self::SIZE] {
        &self.bytes
    }

    /// The number of rounds of the cipher.
    pub fn rounds(&self) -> usize {
        self.key_len / 4 + 6
    }
}
