//! Buffers between two pages that fault when they are touched.

use std::ffi::c_void;
use std::ptr::NonNull;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};
use rustix::param::page_size;

/// Whole pages of zeros with an inaccessible page on either side.
pub struct Guarded {
    start: NonNull<u8>,
    len: usize,
}

/// Where in its pages a buffer lies.
pub type Place = fn(&mut Guarded, usize) -> &mut [u8];
pub const PLACES: [Place; 2] = [Guarded::first, Guarded::last];

impl Guarded {
    /// At least `len` bytes, rounded up to whole pages.
    pub fn new(len: usize) -> Self {
        let page = page_size();
        let len = len.next_multiple_of(page).max(page);
        let (none, read_write) = (
            ProtFlags::empty(),
            MprotectFlags::READ | MprotectFlags::WRITE,
        );
        // SAFETY: a new mapping at an address of the system's choice, of which all pages but the outer two become accessible.
        let start = unsafe {
            let map = mmap_anonymous(
                std::ptr::null_mut(),
                len + 2 * page,
                none,
                MapFlags::PRIVATE,
            )
            .expect("mmap");
            let start = map.byte_add(page);
            mprotect(start, len, read_write).expect("mprotect");
            start.cast()
        };
        Self {
            start: NonNull::new(start).expect("a mapping is not at 0"),
            len,
        }
    }

    /// The first `len` bytes: the byte before them faults.
    pub fn first(&mut self, len: usize) -> &mut [u8] {
        &mut self.all()[..len]
    }

    /// The last `len` bytes: the byte after them faults.
    pub fn last(&mut self, len: usize) -> &mut [u8] {
        let all = self.all();
        let start = all.len() - len;
        &mut all[start..]
    }

    /// All bytes between the two guard pages.
    pub fn all(&mut self) -> &mut [u8] {
        // SAFETY: `new` mapped `len` readable and writable bytes here, and `self` owns them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let page = page_size();
        let map: *mut c_void = self.start.as_ptr().cast();
        // SAFETY: the whole mapping of `new`, which nothing borrows any more.
        unsafe { munmap(map.byte_sub(page), self.len + 2 * page).expect("munmap") };
    }
}
