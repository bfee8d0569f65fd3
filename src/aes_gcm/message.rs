//! Messages whose lengths the kernels take.

use super::{Error, Tag};
use crate::asm::{OpenArgs, SealArgs};
#[cfg(target_arch = "x86_64")]
use crate::asm::{SealGatherArgs, Slice};
use crate::gather::{self, LengthMismatch};

/// A message that is not too long, with a nonce.
pub(super) struct Message<'a> {
    nonce: &'a [u8],
    aad: &'a [u8],
    data: &'a mut [u8],
}

impl<'a> Message<'a> {
    pub(super) fn new(nonce: &'a [u8], aad: &'a [u8], data: &'a mut [u8]) -> Result<Self, Error> {
        check_lengths(nonce.len(), aad.len(), data.len())?;
        Ok(Self { nonce, aad, data })
    }

    /// What a kernel takes that seals the message.
    pub(super) fn seal_args(&mut self, rounds: usize, tag: &mut Tag) -> SealArgs {
        SealArgs {
            rounds,
            nonce: self.nonce.as_ptr(),
            nonce_len: self.nonce.len(),
            aad: self.aad.as_ptr(),
            aad_len: self.aad.len(),
            data: self.data.as_mut_ptr(),
            len: self.data.len(),
            tag: tag.as_mut_ptr(),
        }
    }

    /// What a kernel takes that seals `count` slices into the place of the message.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn seal_gather_args(
        &mut self,
        rounds: usize,
        tag: &mut Tag,
        slices: *const Slice,
        count: usize,
    ) -> SealGatherArgs {
        SealGatherArgs {
            rounds,
            nonce: self.nonce.as_ptr(),
            nonce_len: self.nonce.len(),
            aad: self.aad.as_ptr(),
            aad_len: self.aad.len(),
            data: self.data.as_mut_ptr(),
            len: self.data.len(),
            tag: tag.as_mut_ptr(),
            slices,
            count,
        }
    }

    /// How long the text is.
    #[cfg(target_arch = "x86_64")]
    pub(super) fn len(&self) -> usize {
        self.data.len()
    }

    /// Copies the text to its place.
    #[inline(never)]
    pub(super) fn fill(&mut self, text: &[&[u8]]) -> Result<(), LengthMismatch> {
        gather::copy(text, self.data)
    }

    /// What a kernel takes that opens the message.
    pub(super) fn open_args<const N: usize>(
        &mut self,
        rounds: usize,
        tag: &ReceivedTag<N>,
    ) -> OpenArgs {
        OpenArgs {
            rounds,
            nonce: self.nonce.as_ptr(),
            nonce_len: self.nonce.len(),
            aad: self.aad.as_ptr(),
            aad_len: self.aad.len(),
            data: self.data.as_mut_ptr(),
            len: self.data.len(),
            tag: tag.0.as_ptr(),
            tag_len: N,
        }
    }
}

/// A tag of a length that tags have.
pub(super) struct ReceivedTag<'a, const N: usize>(pub(super) &'a [u8; N]);

impl<'a, const N: usize> ReceivedTag<'a, N> {
    pub(super) fn new(tag: &'a [u8; N]) -> Self {
        const { assert_tag_len(N) };
        Self(tag)
    }
}

/// The lengths of SP 800-38D, section 5.2.1.2: for use at compile time.
pub(super) const fn assert_tag_len(len: usize) {
    assert!(
        matches!(len, 4 | 8 | 12..=16),
        "a tag has 4, 8 or 12 to 16 bytes"
    );
}

/// The limits of SP 800-38D, section 5.2.1.1, which are given in bits there.
pub(super) fn check_lengths(nonce: usize, aad: usize, data: usize) -> Result<(), Error> {
    if nonce == 0 {
        return Err(Error::EmptyNonce);
    }
    if nonce >= 1 << 61 {
        return Err(Error::NonceTooLong);
    }
    if aad >= 1 << 61 {
        return Err(Error::AadTooLong);
    }
    check_data_len(data)
}

/// The limit for texts.
pub(super) fn check_data_len(data: usize) -> Result<(), Error> {
    if data > (1 << 36) - 32 {
        return Err(Error::DataTooLong);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_lengths() {
        let (longest, text) = ((1 << 61) - 1, (1 << 36) - 32);
        assert_eq!(check_lengths(1, 0, 0), Ok(()));
        assert_eq!(check_lengths(longest, longest, text), Ok(()));
        for beyond in [1 << 61, isize::MAX as usize, usize::MAX] {
            assert_eq!(check_lengths(beyond, 0, 0), Err(Error::NonceTooLong));
            assert_eq!(check_lengths(1, beyond, 0), Err(Error::AadTooLong));
            assert_eq!(check_lengths(1, 0, beyond), Err(Error::DataTooLong));
        }
        assert_eq!(check_lengths(1, 0, text + 1), Err(Error::DataTooLong));
        assert_eq!(check_lengths(0, longest, text), Err(Error::EmptyNonce));
    }

    #[test]
    fn lengths_of_tags() {
        for len in 0..100 {
            let allowed = std::panic::catch_unwind(|| assert_tag_len(len)).is_ok();
            assert_eq!(allowed, [4, 8, 12, 13, 14, 15, 16].contains(&len), "{len}");
        }
    }
}
