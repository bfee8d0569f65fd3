//! The kernels that write the powers of the hash subkey, against the `ghash` crate.
#![cfg(target_arch = "x86_64")]

#[allow(dead_code)]
mod common {
    pub mod aes;
    pub mod features;
    pub mod random;
    pub mod x86_64;
}

use common::aes::{Context, KEY_LENGTHS, can_run};
use common::random::bytes;
use ghash::GHash;
use ghash::universal_hash::{KeyInit, UniversalHash};
use leanseal::asm::x86_64::aes_gcm::{
    VG_AES_GCM_PREPARE16_PCLMUL_AVX_CTX_WRITTEN, VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES,
    VG_AES_GCM_PREPARE16_VPCLMUL_CTX_WRITTEN, VG_AES_GCM_PREPARE16_VPCLMUL_FEATURES,
    vg_aes_gcm_prepare16_pclmul_avx, vg_aes_gcm_prepare16_vpclmul,
};

struct Kernel {
    name: &'static str,
    features: &'static [&'static str],
    written: usize,
    function: unsafe extern "sysv64" fn(*mut u8),
}

const KERNELS: [Kernel; 2] = [
    Kernel {
        name: "vg_aes_gcm_prepare16_pclmul_avx",
        features: VG_AES_GCM_PREPARE16_PCLMUL_AVX_FEATURES,
        written: VG_AES_GCM_PREPARE16_PCLMUL_AVX_CTX_WRITTEN,
        function: vg_aes_gcm_prepare16_pclmul_avx,
    },
    Kernel {
        name: "vg_aes_gcm_prepare16_vpclmul",
        features: VG_AES_GCM_PREPARE16_VPCLMUL_FEATURES,
        written: VG_AES_GCM_PREPARE16_VPCLMUL_CTX_WRITTEN,
        function: vg_aes_gcm_prepare16_vpclmul,
    },
];

/// The block that a context holds at an offset: it is stored as a little-endian number, divided by `x`.
fn block(context: &[u8; Context::SIZE], offset: usize) -> [u8; 16] {
    let stored = u128::from_le_bytes(context[offset..offset + 16].try_into().unwrap());
    // The product with `x`, in the bit order of SP 800-38D, section 6.3.
    let carry = if stored & 1 == 1 { 0xe1 << 120 } else { 0 };
    (stored >> 1 ^ carry).to_be_bytes()
}

#[test]
fn sixteen_powers() {
    for kernel in KERNELS {
        if !can_run(kernel.name, kernel.features) {
            continue;
        }
        assert_eq!(kernel.written, 512);
        for seed in 0..60 {
            let key = bytes(KEY_LENGTHS[seed % 3], seed as u64);
            let before = Context::new(&key);
            let mut after = *before.bytes();
            // SAFETY: the CPU has the features, and the context is as long as it must be.
            unsafe { (kernel.function)(after.as_mut_ptr()) };
            assert_eq!(after[..256], before.bytes()[..256], "{}", kernel.name);
            assert_eq!(after[512..], before.bytes()[512..], "{}", kernel.name);
            let subkey = block(&after, 240);
            let mut power = subkey;
            for i in 0..16 {
                assert_eq!(
                    block(&after, 256 + 16 * (15 - i)),
                    power,
                    "{}, seed {seed}, power {}",
                    kernel.name,
                    i + 1
                );
                // GHASH of one block is its product with the subkey.
                let mut hash = GHash::new(&subkey.into());
                hash.update(&[power.into()]);
                power = hash.finalize().into();
            }
        }
    }
}

/// `init` stores the subkey that is the encryption of zeros.
#[test]
fn the_subkey_encrypts_zeros() {
    use aes::cipher::BlockCipherEncrypt;
    for seed in 0..20 {
        let key = bytes(16, seed);
        let mut zeros = Default::default();
        aes::Aes128::new_from_slice(&key)
            .unwrap()
            .encrypt_block(&mut zeros);
        assert_eq!(
            block(Context::new(&key).bytes(), 240),
            <[u8; 16]>::from(zeros)
        );
    }
}
