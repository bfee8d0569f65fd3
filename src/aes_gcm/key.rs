//! What is derived from a key, and the calls of the kernels that need it.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::{AesGcm, Backend, Message, NewError, ReceivedTag, Tag};
#[cfg(target_arch = "x86_64")]
use crate::gather;
use crate::gather::LengthMismatch;

/// A key with the kernels that know its context.
pub(super) struct Key {
    context: Context,
    rounds: usize,
    backend: Backend,
}

impl AesGcm {
    /// A copy of the expanded key: whatever is returned is copied on the way, and the place where it was stays as it was, if it is not
    /// wiped as this one is.
    pub(super) fn make(key: &[u8]) -> Result<Self, NewError> {
        let (rounds, backend) = choose(key)?;
        // SAFETY: it is expanded next.
        let mut expanded = unsafe { Key::empty(rounds, backend) };
        // SAFETY: the backend runs here, and the key has this number of rounds.
        unsafe { expanded.expand(key) };
        let key = expanded.clone();
        Ok(Self { key })
    }
}

/// The number of rounds for a key, and the fastest backend.
fn choose(key: &[u8]) -> Result<(usize, Backend), NewError> {
    let rounds = match key.len() {
        16 => 10,
        24 => 12,
        32 => 14,
        _ => return Err(NewError::InvalidKeyLength),
    };
    #[cfg(feature = "cpu-features-env")]
    crate::cpu::env::check().map_err(NewError::InvalidCpuFeatures)?;
    let backend = Backend::ALL.iter().find(|backend| backend.runs_here());
    Ok((rounds, *backend.ok_or(NewError::UnsupportedCpu)?))
}

impl Key {
    /// # Safety
    ///
    /// It is expanded before it is used.
    const unsafe fn empty(rounds: usize, backend: Backend) -> Self {
        Self {
            context: Context::UNINIT,
            rounds,
            backend,
        }
    }

    /// # Safety
    ///
    /// The backend runs here, and the key has 16, 24 or 32 bytes, for 10, 12 or 14 rounds.
    unsafe fn expand(&mut self, key: &[u8]) {
        let context = self.context.as_mut_ptr();
        // SAFETY: the caller's, and nothing else has the context.
        unsafe {
            self.backend.init(key, context);
            self.backend.prepare(context);
        }
    }

    /// Encrypts the message in place.
    pub(super) fn seal(&self, mut message: Message<'_>) -> Tag {
        let mut tag = [0; 16];
        let args = message.seal_args(self.rounds, &mut tag);
        // SAFETY: `expand` made the context for this number of rounds, on this backend; the arguments come from borrows of the right
        // kinds, which outlive the call, and have the lengths that kernels take.
        unsafe { self.backend.seal(self.context.as_ptr(), &args) };
        tag
    }

    /// Encrypts the slices into the place of the message, if they are as long in all; writes nothing otherwise.
    ///
    /// Inlined, like what it calls first: a message that passes through memory costs 20 ns, because kernels load from there at once.
    #[inline]
    pub(super) fn seal_from(
        &self,
        mut message: Message<'_>,
        text: &[&[u8]],
        tag: &mut Tag,
    ) -> Result<(), LengthMismatch> {
        #[cfg(target_arch = "x86_64")]
        if self.backend.gathers(message.len()) && self.seal_gather(&mut message, text, tag) {
            return Ok(());
        }
        message.fill(text)?;
        *tag = self.seal(message);
        Ok(())
    }

    /// The same by one kernel; `false`, and nothing written, if there are many slices or they are of another length in all.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn seal_gather(&self, message: &mut Message<'_>, text: &[&[u8]], tag: &mut Tag) -> bool {
        let mut list = gather::NO_LIST;
        if !gather::write_list(text, message.len(), &mut list) {
            return false;
        }
        let slices = list.as_ptr().cast();
        let args = message.seal_gather_args(self.rounds, tag, slices, text.len());
        // SAFETY: as in `seal`; the first `text.len()` entries of `list` are initialised, from slices that are borrowed for the call,
        // and as long in all as the message.
        unsafe { self.backend.seal_gather(self.context.as_ptr(), &args) };
        true
    }

    /// Decrypts the message in place and gives back `true`; leaves it as it is and gives back `false` if the tag is wrong.
    pub(super) fn open<const N: usize>(
        &self,
        mut message: Message<'_>,
        tag: ReceivedTag<'_, N>,
    ) -> bool {
        let args = message.open_args(self.rounds, &tag);
        // SAFETY: as in `seal`.
        unsafe { self.backend.open(self.context.as_ptr(), &args) }
    }
}

impl Clone for Key {
    fn clone(&self) -> Self {
        let mut new = Self {
            context: Context::UNINIT,
            rounds: self.rounds,
            backend: self.backend,
        };
        let written = self.backend.written();
        new.context.0[..written].copy_from_slice(&self.context.0[..written]);
        new
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        self.context.0[..self.backend.written()].zeroize();
    }
}

/// What the kernels derive from a key: they write its first bytes only, and leave the others uninitialised.
#[repr(C, align(64))]
struct Context([MaybeUninit<u8>; 1024]);

impl Context {
    const UNINIT: Self = Self([MaybeUninit::uninit(); 1024]);

    fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }

    fn as_mut_ptr(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(test)]
mod tests;
