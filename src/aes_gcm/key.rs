//! What is derived from a key, and the calls of the kernels that need it.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use zeroize::Zeroize;

use super::{Backend, Message, NewError, ReceivedTag, Tag};

/// A key with the kernels that know its context.
pub(super) struct Key {
    context: Context,
    rounds: usize,
    backend: Backend,
}

impl Key {
    pub(super) fn new(key: &[u8]) -> Result<Self, NewError> {
        let rounds = match key.len() {
            16 => 10,
            24 => 12,
            32 => 14,
            _ => return Err(NewError::InvalidKeyLength),
        };
        let backend = Backend::ALL.iter().find(|backend| backend.runs_here());
        let backend = *backend.ok_or(NewError::UnsupportedCpu)?;
        // SAFETY: the backend runs here, and the key has this number of rounds.
        Ok(unsafe { Self::expand(key, rounds, backend) })
    }

    /// # Safety
    ///
    /// The backend runs here, and the key has 16, 24 or 32 bytes, for 10, 12 or 14 rounds.
    unsafe fn expand(key: &[u8], rounds: usize, backend: Backend) -> Self {
        let mut new = Self {
            context: Context::UNINIT,
            rounds,
            backend,
        };
        // SAFETY: the caller's, and nothing else has the context.
        unsafe { backend.init(key, new.context.as_mut_ptr()) };
        new
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

#[cfg(test)]
mod tests {
    extern crate std;

    use core::mem::{ManuallyDrop, MaybeUninit};
    use std::vec::Vec;

    use super::{Backend, Key};

    /// The context of a key of 32 bytes, after `canaries`.
    fn bytes(key: &Key) -> Vec<u8> {
        let bytes = key.context.0.iter();
        // SAFETY: the kernels wrote the first bytes, without a gap for keys of this length, and `canaries` the others.
        bytes.map(|byte| unsafe { byte.assume_init() }).collect()
    }

    /// Fills what the kernels do not write.
    fn canaries(key: &mut Key) {
        let rest = &mut key.context.0[key.backend.written()..];
        rest.fill(MaybeUninit::new(0xa5));
    }

    /// With a key of 32 bytes, what the kernels write has no gap.
    #[test]
    fn what_the_kernels_wrote_is_wiped_and_nothing_else() {
        let Ok(key) = Key::new(&[7; 32]) else { return };
        let mut key = ManuallyDrop::new(key);
        canaries(&mut key);
        let written = key.backend.written();
        let before = bytes(&key);
        let blocks = before[..written].as_chunks::<16>().0;
        assert!(blocks.iter().all(|block| *block != [0; 16]));
        // SAFETY: it is not used any more but for its bytes, which are plain data.
        unsafe { ManuallyDrop::drop(&mut key) };
        let after = bytes(&key);
        assert_eq!(written, 512);
        assert!(after[..written].iter().all(|&byte| byte == 0));
        assert!(after[written..].iter().all(|&byte| byte == 0xa5));
    }

    #[test]
    fn clones_are_the_same_and_outlive_the_original() {
        let Ok(mut key) = Key::new(&[9; 32]) else {
            return;
        };
        canaries(&mut key);
        let expected = bytes(&key);
        let mut clone = key.clone();
        drop(key);
        canaries(&mut clone);
        assert_eq!(bytes(&clone), expected);
    }

    #[test]
    fn every_backend_makes_the_same_context() {
        let key = [11; 32];
        for &backend in Backend::ALL.iter().filter(|backend| backend.runs_here()) {
            // SAFETY: the backend runs here, and a key of 32 bytes is for 14 rounds.
            let mut new = unsafe { Key::expand(&key, 14, backend) };
            let mut best = Key::new(&key).unwrap();
            canaries(&mut new);
            canaries(&mut best);
            assert_eq!(bytes(&new), bytes(&best));
        }
    }
}
