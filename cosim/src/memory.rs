//! Pages at addresses that the model chose, and pages of code.

use std::{ptr, slice};

use anyhow::{Result, ensure};

use crate::protocol::{Area, State};

const PAGE: usize = 4096;

/// The memory that instructions may touch, with an inaccessible page on either side.
#[derive(Debug)]
pub struct Playground {
    base: usize,
    fill: u8,
    bytes: &'static mut [u8],
}

impl Playground {
    pub fn map(area: &Area) -> Result<Self> {
        let page = page_size()?;
        ensure!(
            area.base.is_multiple_of(page)
                && area.base >= page
                && area.length.is_multiple_of(page)
                && area.length > 0,
            "the memory of the model is not whole pages"
        );
        let around = area.length + 2 * page;
        map(Some(area.base - page), around, libc::PROT_NONE)?;
        // SAFETY: these pages were mapped just now, and belong to nothing else.
        let bytes = unsafe {
            let start = area.base as *mut u8;
            let access = libc::PROT_READ | libc::PROT_WRITE;
            ensure!(
                libc::mprotect(start.cast(), area.length, access) == 0,
                "mprotect failed"
            );
            slice::from_raw_parts_mut(start, area.length)
        };
        bytes.fill(area.fill);
        Ok(Self {
            base: area.base,
            fill: area.fill,
            bytes,
        })
    }

    fn window(&mut self, state: &State) -> Result<&mut [u8]> {
        let start = state.window.wrapping_sub(self.base);
        let end = start.saturating_add(state.bytes.len());
        let window = self.bytes.get_mut(start..end);
        window.ok_or_else(|| anyhow::anyhow!("a window outside the memory"))
    }

    /// Makes the memory what the state says.
    pub fn load(&mut self, state: &State) -> Result<()> {
        self.window(state)?.copy_from_slice(&state.bytes);
        Ok(())
    }

    /// The address and the contents of the first byte that is not what the state says. Then the window is cleared.
    pub fn difference(&mut self, state: &State) -> Result<Option<(usize, u8, u8)>> {
        let fill = self.fill;
        let base = self.base;
        let window = self.window(state)?;
        let inside = window.iter().zip(&state.bytes).position(|(a, b)| a != b);
        let mut found = inside.map(|i| (state.window + i, state.bytes[i], window[i]));
        window.fill(fill);
        // Compared as a whole first: this is most of the time of a case.
        if !is_filled(self.bytes, fill) {
            if let (Some(i), None) = (self.bytes.iter().position(|&b| b != fill), found) {
                found = Some((base + i, fill, self.bytes[i]));
            }
            self.bytes.fill(fill);
        }
        Ok(found)
    }
}

fn is_filled(bytes: &[u8], fill: u8) -> bool {
    let word = u128::from_ne_bytes([fill; 16]);
    let (chunks, rest) = bytes.as_chunks::<16>();
    chunks
        .iter()
        .fold(true, |same, c| same & (u128::from_ne_bytes(*c) == word))
        && rest.iter().all(|&b| b == fill)
}

/// Code that can be called, and no longer written.
pub fn executable(code: &[u8]) -> Result<usize> {
    let page = page_size()?;
    let length = code.len().next_multiple_of(page).max(page);
    let start = map(None, length, libc::PROT_READ | libc::PROT_WRITE)?;
    // SAFETY: these pages were mapped just now, and belong to nothing else.
    unsafe {
        ptr::copy_nonoverlapping(code.as_ptr(), start as *mut u8, code.len());
        let access = libc::PROT_READ | libc::PROT_EXEC;
        ensure!(
            libc::mprotect(start as *mut _, length, access) == 0,
            "mprotect failed"
        );
    }
    Ok(start)
}

fn page_size() -> Result<usize> {
    // SAFETY: has no precondition.
    let size = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) })?;
    ensure!(size == PAGE, "pages of {size} bytes");
    Ok(size)
}

fn map(at: Option<usize>, length: usize, access: i32) -> Result<usize> {
    let fixed = at.map_or(0, |_| libc::MAP_FIXED_NOREPLACE);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | fixed;
    let address = at.unwrap_or_default() as *mut _;
    // SAFETY: a new mapping, which replaces none.
    let start = unsafe { libc::mmap(address, length, access, flags, -1, 0) };
    ensure!(start != libc::MAP_FAILED, "mmap failed");
    ensure!(
        at.is_none_or(|at| at == start as usize),
        "no memory at {at:?}"
    );
    Ok(start as usize)
}
