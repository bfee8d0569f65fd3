//! The kernels behind `gather::copy`, each to be tested whichever of them that chooses.

use std::sync::LazyLock;

use super::features::can_run;
#[cfg(target_arch = "x86_64")]
use super::x86_64::has;
use leanseal::asm::Slice;
#[cfg(target_arch = "aarch64")]
use leanseal::asm::aarch64::gather::{VG_GATHER_COPY_FEATURES, vg_gather_copy};
#[cfg(target_arch = "x86_64")]
use leanseal::asm::x86_64::gather::{
    VG_GATHER_COPY_AVX_FEATURES, VG_GATHER_COPY_FEATURES, vg_gather_copy, vg_gather_copy_avx,
};

#[cfg(target_arch = "x86_64")]
pub type Function = unsafe extern "sysv64" fn(*const Slice, usize, *mut u8, usize);
#[cfg(target_arch = "aarch64")]
pub type Function = unsafe extern "C" fn(*const Slice, usize, *mut u8, usize);

/// A kernel that this CPU can run.
pub struct Kernel {
    pub name: &'static str,
    pub features: &'static [&'static str],
    pub function: Function,
}

/// All that this CPU can run; those that it cannot are named on the standard error of the test.
pub static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| {
    let baseline = Kernel {
        name: "vg_gather_copy",
        features: VG_GATHER_COPY_FEATURES,
        function: vg_gather_copy,
    };
    #[cfg(target_arch = "x86_64")]
    let avx = Kernel {
        name: "vg_gather_copy_avx",
        features: VG_GATHER_COPY_AVX_FEATURES,
        function: vg_gather_copy_avx,
    };
    let all = [
        baseline,
        #[cfg(target_arch = "x86_64")]
        avx,
    ];
    all.into_iter()
        .filter(|kernel| can_run(kernel.name, kernel.features, has))
        .collect()
});

#[cfg(target_arch = "aarch64")]
fn has(feature: &str) -> bool {
    match feature {
        "neon" => std::arch::is_aarch64_feature_detected!("neon"),
        _ => panic!("the tests cannot detect {feature}: add it here"),
    }
}

impl Kernel {
    /// `gather::copy` with this kernel, for lengths that match.
    pub fn copy(&self, slices: &[&[u8]], out: &mut [u8]) {
        assert_eq!(
            slices.iter().map(|slice| slice.len()).sum::<usize>(),
            out.len()
        );
        let list = list(slices);
        // SAFETY: the CPU has the features; the slices are borrowed and as long in all as `out`, which is borrowed mutably.
        unsafe { (self.function)(list.as_ptr(), list.len(), out.as_mut_ptr(), out.len()) };
    }
}

/// Runs `test` with `gather::copy` and with each kernel.
pub fn with_each_copy(mut test: impl FnMut(&str, &dyn Fn(&[&[u8]], &mut [u8]))) {
    test("gather::copy", &|slices, out| {
        leanseal::gather::copy(slices, out).unwrap()
    });
    for kernel in &*KERNELS {
        test(kernel.name, &|slices, out| kernel.copy(slices, out));
    }
}

/// `slices` as a kernel takes them.
pub fn list(slices: &[&[u8]]) -> Vec<Slice> {
    slices
        .iter()
        .map(|slice| Slice {
            ptr: slice.as_ptr(),
            len: slice.len(),
        })
        .collect()
}
