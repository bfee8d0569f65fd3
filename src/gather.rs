//! Copying many slices into one buffer.

use core::fmt;
use core::mem::{MaybeUninit, offset_of};

use crate::asm::Slice;
#[cfg(target_arch = "aarch64")]
use crate::asm::aarch64::gather::{VG_GATHER_COPY_FEATURES, vg_gather_copy};
#[cfg(target_arch = "x86_64")]
use crate::asm::x86_64::gather::{
    VG_GATHER_COPY_AVX_FEATURES, VG_GATHER_COPY_FEATURES, vg_gather_copy, vg_gather_copy_avx,
};
use crate::cpu;

/// Copies `slices` one after the other into `out`, which must be exactly as long as all of them together.
///
/// Empty slices, and a list without slices, are fine. The time depends on the number of slices and their lengths in bytes, not on
/// what they hold.
///
/// # Errors
///
/// [`LengthMismatch`] if the slices are longer or shorter in all than `out`; nothing is written then.
///
/// # Examples
///
/// ```
/// let mut message = [0; 11];
/// leanseal::gather::copy(&[b"hello", b" ", b"world"], &mut message)?;
/// assert_eq!(&message, b"hello world");
///
/// let error = leanseal::gather::copy(&[b"hello", b"!"], &mut message).unwrap_err();
/// assert_eq!((error.slices, error.out), (6, 11));
/// assert_eq!(&message, b"hello world");
/// # Ok::<(), leanseal::gather::LengthMismatch>(())
/// ```
#[inline]
pub fn copy(slices: &[&[u8]], out: &mut [u8]) -> Result<(), LengthMismatch> {
    if copy_batch(slices, out) {
        Ok(())
    } else {
        copy_batches(slices, out)
    }
}

/// The slices to copy and the buffer to fill differ in length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthMismatch {
    /// Bytes in all slices together; `usize::MAX` if they are more, which a list that repeats a slice can reach.
    pub slices: usize,
    /// Bytes in the output buffer.
    pub out: usize,
}

impl fmt::Display for LengthMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the slices hold {} bytes in all, but the output holds {}",
            self.slices, self.out
        )
    }
}

impl core::error::Error for LengthMismatch {}

// The layout that the proofs know: a pointer, then a length, of 64 bits each.
const _: () =
    assert!(offset_of!(Slice, ptr) == 0 && offset_of!(Slice, len) == 8 && size_of::<Slice>() == 16);

/// Slices that one kernel call takes: their list is on the stack. More than 8 measures the same.
const BATCH: usize = 8;

/// What [`copy_batch`] leaves to do: any number of slices, or the error. Apart from it, so that small copies pay nothing for it.
#[cold]
fn copy_batches(slices: &[&[u8]], mut out: &mut [u8]) -> Result<(), LengthMismatch> {
    let total = total_len(slices);
    if total != out.len() {
        return Err(LengthMismatch {
            slices: total,
            out: out.len(),
        });
    }
    for batch in slices.chunks(BATCH) {
        let (dst, rest) = out.split_at_mut(total_len(batch));
        let copied = copy_batch(batch, dst);
        debug_assert!(copied);
        out = rest;
    }
    Ok(())
}

/// Saturates: the sum of the lengths of slices that alias each other can be any number.
fn total_len(slices: &[&[u8]]) -> usize {
    slices
        .iter()
        .fold(0, |total, slice| total.saturating_add(slice.len()))
}

/// At most [`BATCH`] slices; `false`, and nothing written, unless they fill `out` exactly.
///
/// The lengths are checked while the list is written, because a pass of their own costs small copies 2 ns.
#[inline]
fn copy_batch(slices: &[&[u8]], out: &mut [u8]) -> bool {
    let mut list = NO_LIST;
    if !write_list(slices, out.len(), &mut list) {
        return false;
    }
    // SAFETY: the first `slices.len()` entries of `list` are initialised, from slices that are borrowed for the call; their lengths
    // add up to `out.len()`; `out` is borrowed mutably, so it overlaps neither them nor `list`; no Rust object wraps around.
    #[allow(unsafe_code)]
    unsafe {
        call_kernel(
            list.as_ptr().cast(),
            slices.len(),
            out.as_mut_ptr(),
            out.len(),
        );
    }
    true
}

/// Room for what kernels take.
pub(crate) type List = [MaybeUninit<Slice>; BATCH];

pub(crate) const NO_LIST: List = [const { MaybeUninit::uninit() }; BATCH];

/// Writes one entry for each slice, and gives back whether they fit into the list and hold `room` bytes in all.
#[inline]
pub(crate) fn write_list(slices: &[&[u8]], mut room: usize, list: &mut List) -> bool {
    for (entry, slice) in list.iter_mut().zip(slices) {
        let Some(left) = room.checked_sub(slice.len()) else {
            return false;
        };
        room = left;
        entry.write(Slice {
            ptr: slice.as_ptr(),
            len: slice.len(),
        });
    }
    room == 0 && slices.len() <= BATCH
}

/// Calls the fastest kernel that can run here.
///
/// # Safety
///
/// Those of the kernels, but for the features of the CPU.
#[allow(unsafe_code)]
#[inline]
unsafe fn call_kernel(src: *const Slice, count: usize, dst: *mut u8, len: usize) {
    const { assert!(cpu::covers(cpu::BASELINE, VG_GATHER_COPY_FEATURES)) };
    #[cfg(target_arch = "x86_64")]
    if cpu::avx::get() {
        const { assert!(cpu::covers(cpu::avx::FEATURES, VG_GATHER_COPY_AVX_FEATURES)) };
        // SAFETY: the caller's, and the CPU has the kernel's features.
        return unsafe { vg_gather_copy_avx(src, count, dst, len) };
    }
    // SAFETY: the caller's; the crate compiles only for targets whose CPUs have the kernel's features.
    unsafe { vg_gather_copy(src, count, dst, len) }
}
