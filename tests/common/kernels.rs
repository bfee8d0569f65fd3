//! The kernels behind `gather::copy`.

use std::sync::LazyLock;

use leanseal::asm::Slice;

use super::backends::{GATHER_COPY, GatherCopy, runnable};

pub type Kernel = super::backends::Kernel<GatherCopy>;

/// All that this CPU can run.
pub static KERNELS: LazyLock<Vec<Kernel>> = LazyLock::new(|| runnable("gather::copy", GATHER_COPY));

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
