//! The kernels that write the powers of the hash subkey, against the crate `ghash`.

mod common;

use common::backends::{PREPARE16, runnable};
use common::bytes;
use common::reference::{self, KEY_LENGTHS};

#[test]
fn sixteen_powers_and_nothing_else() {
    for kernel in runnable("vg_aes_gcm_prepare16", PREPARE16) {
        for seed in 0..60 {
            let key = bytes(KEY_LENGTHS[seed % 3], seed as u64);
            let mut context = reference::context(&key);
            // SAFETY: `runnable` gave the kernel, and the context is as long as it must be.
            unsafe { (kernel.function)(context.as_mut_ptr()) };
            assert_eq!(
                context,
                reference::prepared(&key),
                "{}, seed {seed}",
                kernel.name
            );
        }
    }
}
