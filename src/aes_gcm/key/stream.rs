//! The calls of the kernels for messages in pieces.
#![allow(unsafe_code)]

use super::super::stream::State;
use super::{Key, ReceivedTag, Tag};
use crate::asm::{StreamArgs, StreamFinishArgs, StreamInitArgs, StreamVerifyArgs};

impl Key {
    /// Begins a message whose lengths [`check_lengths`](super::super::message::check_lengths) allows.
    pub(in super::super) fn stream_init(&self, state: &mut State, nonce: &[u8], aad: &[u8]) {
        let args = StreamInitArgs {
            rounds: self.rounds,
            nonce: nonce.as_ptr(),
            nonce_len: nonce.len(),
            aad: aad.as_ptr(),
            aad_len: aad.len(),
            state: state.0.as_mut_ptr(),
        };
        // SAFETY: `expand` made the context for this number of rounds, on this backend; the arguments come from borrows of the right
        // kinds, which outlive the call, and have the lengths that kernels take.
        unsafe { self.backend.stream_init(self.context.as_ptr(), &args) };
    }

    /// Encrypts the next piece of a message in place, after `text_len` bytes; they are not too many in all.
    pub(in super::super) fn stream_encrypt(
        &self,
        state: &mut State,
        text_len: usize,
        data: &mut [u8],
    ) {
        let args = self.piece(state, text_len, data);
        // SAFETY: as in `stream_init`.
        unsafe { self.backend.stream_encrypt(self.context.as_ptr(), &args) };
    }

    /// Decrypts the next piece of a message in place, after `text_len` bytes; they are not too many in all.
    pub(in super::super) fn stream_decrypt(
        &self,
        state: &mut State,
        text_len: usize,
        data: &mut [u8],
    ) {
        let args = self.piece(state, text_len, data);
        // SAFETY: as in `stream_init`.
        unsafe { self.backend.stream_decrypt(self.context.as_ptr(), &args) };
    }

    fn piece(&self, state: &mut State, text_len: usize, data: &mut [u8]) -> StreamArgs {
        StreamArgs {
            rounds: self.rounds,
            state: state.0.as_mut_ptr(),
            text_len,
            data: data.as_mut_ptr(),
            len: data.len(),
        }
    }

    /// The tag of a message.
    pub(in super::super) fn stream_finish(
        &self,
        state: &State,
        aad_len: usize,
        text_len: usize,
    ) -> Tag {
        let mut tag = [0; 16];
        let args = StreamFinishArgs {
            rounds: self.rounds,
            state: state.0.as_ptr(),
            aad_len,
            text_len,
            tag: tag.as_mut_ptr(),
        };
        // SAFETY: as in `stream_init`.
        unsafe { self.backend.stream_finish(self.context.as_ptr(), &args) };
        tag
    }

    /// Whether the tag is that of the message.
    pub(in super::super) fn stream_verify<const N: usize>(
        &self,
        state: &State,
        aad_len: usize,
        text_len: usize,
        tag: ReceivedTag<'_, N>,
    ) -> bool {
        let args = StreamVerifyArgs {
            rounds: self.rounds,
            state: state.0.as_ptr(),
            aad_len,
            text_len,
            tag: tag.0.as_ptr(),
            tag_len: N,
        };
        // SAFETY: as in `stream_init`.
        unsafe { self.backend.stream_verify(self.context.as_ptr(), &args) }
    }
}
