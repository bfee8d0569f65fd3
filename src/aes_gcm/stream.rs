//! Messages in pieces: on x86-64, whose kernels go that far.

use core::fmt;

use zeroize::Zeroize;

use super::key::Key;
use super::message::{self, ReceivedTag};
use super::{AesGcm, Error, Tag};

/// Encrypts a message piece by piece, in place.
///
/// The pieces may have any lengths. What comes out does not depend on them: it is what [`AesGcm::encrypt_in_place`] makes of the
/// pieces one after the other.
///
/// The secrets of the message lie in the value itself and are wiped when it is dropped; as with [`AesGcm`], moves leave copies behind.
///
/// ```
/// use leanseal::aes_gcm::{AesGcm, Encryptor};
///
/// let key = AesGcm::new(&[0x42; 32])?;
/// let mut pieces = [*b"a piece, ", *b"and more."];
/// let mut encryptor = Encryptor::new(&key, &[1; 12], b"header")?;
/// for piece in &mut pieces {
///     encryptor.update(piece)?;
/// }
/// let tag = encryptor.finish();
///
/// let mut text = pieces.concat();
/// key.decrypt_in_place(&[1; 12], b"header", &mut text, &tag)?;
/// assert_eq!(text, b"a piece, and more.");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encryptor<'k> {
    stream: Stream<'k>,
}

impl<'k> Encryptor<'k> {
    /// Begins a message.
    ///
    /// The nonce must not be used for another message with this key.
    ///
    /// # Errors
    ///
    /// If the nonce is empty, or the nonce or `aad` are longer than the standard allows.
    pub fn new(key: &'k AesGcm, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let stream = Stream::new(key, nonce, aad)?;
        Ok(Self { stream })
    }

    /// Encrypts the next piece in place.
    ///
    /// # Errors
    ///
    /// [`Error::DataTooLong`] if the text of the message would be longer than the standard allows; nothing has changed then.
    pub fn update(&mut self, data: &mut [u8]) -> Result<(), Error> {
        let stream = &mut self.stream;
        let after = stream.len_after(data)?;
        stream
            .key
            .stream_encrypt(&mut stream.state, stream.text_len, data);
        stream.text_len = after;
        Ok(())
    }

    /// Ends the message, and gives back the tag that authenticates it and the additional data.
    #[must_use]
    pub fn finish(self) -> Tag {
        let stream = &self.stream;
        stream
            .key
            .stream_finish(&stream.state, stream.aad_len, stream.text_len)
    }
}

/// Decrypts a message piece by piece, in place.
///
/// **What [`Decryptor::update`] gives back is not authenticated** until [`Decryptor::verify`] has found the tag right: whoever could
/// change the ciphertext has chosen which bits of it are flipped. Keep it from whatever acts on it until then, and drop it if the tag
/// is wrong. Where a message fits into memory, [`AesGcm::decrypt_in_place`] gives back nothing that is not authenticated.
///
/// ```
/// use leanseal::aes_gcm::{AesGcm, Decryptor, Error};
///
/// let key = AesGcm::new(&[0x42; 32])?;
/// let mut data = *b"the text";
/// let tag = key.encrypt_in_place(&[1; 12], b"header", &mut data)?;
///
/// let mut decryptor = Decryptor::new(&key, &[1; 12], b"header")?;
/// let (first, second) = data.split_at_mut(3);
/// decryptor.update(first)?;
/// decryptor.update(second)?;
/// decryptor.verify(&tag)?;
/// assert_eq!(&data, b"the text");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Decryptor<'k> {
    stream: Stream<'k>,
}

impl<'k> Decryptor<'k> {
    /// Begins a message.
    ///
    /// # Errors
    ///
    /// If the nonce is empty, or the nonce or `aad` are longer than the standard allows.
    pub fn new(key: &'k AesGcm, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        let stream = Stream::new(key, nonce, aad)?;
        Ok(Self { stream })
    }

    /// Decrypts the next piece in place: it is not authenticated before [`Decryptor::verify`].
    ///
    /// # Errors
    ///
    /// [`Error::DataTooLong`] if the text of the message would be longer than the standard allows; nothing has changed then.
    pub fn update(&mut self, data: &mut [u8]) -> Result<(), Error> {
        let stream = &mut self.stream;
        let after = stream.len_after(data)?;
        stream
            .key
            .stream_decrypt(&mut stream.state, stream.text_len, data);
        stream.text_len = after;
        Ok(())
    }

    /// Ends the message: whether `tag` is right for it and the additional data. Its length is that of its type, as for
    /// [`AesGcm::decrypt_in_place`].
    ///
    /// # Errors
    ///
    /// [`Error::TagMismatch`] if the tag is wrong: drop what was decrypted.
    pub fn verify<const N: usize>(self, tag: &[u8; N]) -> Result<(), Error> {
        let stream = &self.stream;
        let tag = ReceivedTag::new(tag);
        if stream
            .key
            .stream_verify(&stream.state, stream.aad_len, stream.text_len, tag)
        {
            Ok(())
        } else {
            Err(Error::TagMismatch)
        }
    }
}

/// What the kernels keep of a message: secret, and wiped when it is dropped.
pub(super) struct State(pub(super) [u8; 80]);

impl Drop for State {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// A message so far.
struct Stream<'k> {
    key: &'k Key,
    state: State,
    aad_len: usize,
    text_len: usize,
}

impl<'k> Stream<'k> {
    #[inline(always)]
    fn new(key: &'k AesGcm, nonce: &[u8], aad: &[u8]) -> Result<Self, Error> {
        message::check_lengths(nonce.len(), aad.len(), 0)?;
        let mut state = State([0; 80]);
        key.key.stream_init(&mut state, nonce, aad);
        Ok(Self {
            key: &key.key,
            // A copy, because what is returned is copied on the way, and only this place is wiped.
            state: State(state.0),
            aad_len: aad.len(),
            text_len: 0,
        })
    }

    /// The length of the text with one more piece.
    fn len_after(&self, data: &[u8]) -> Result<usize, Error> {
        let after = self.text_len.saturating_add(data.len());
        message::check_data_len(after)?;
        Ok(after)
    }
}

impl fmt::Debug for Encryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Encryptor").finish_non_exhaustive()
    }
}

impl fmt::Debug for Decryptor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decryptor").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Encryptor<'_> {}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for Decryptor<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_beyond_the_limit_change_nothing() {
        let Ok(key) = AesGcm::new(&[7; 16]) else {
            return;
        };
        let mut encryptor = Encryptor::new(&key, &[1; 12], b"").unwrap();
        let mut decryptor = Decryptor::new(&key, &[1; 12], b"").unwrap();
        for text_len in [(1 << 36) - 32, usize::MAX - 1] {
            encryptor.stream.text_len = text_len;
            decryptor.stream.text_len = text_len;
            let mut data = [3, 4];
            assert_eq!(encryptor.update(&mut data), Err(Error::DataTooLong));
            assert_eq!(decryptor.update(&mut data), Err(Error::DataTooLong));
            assert_eq!(data, [3, 4]);
            assert_eq!(encryptor.stream.text_len, text_len);
        }
        encryptor.stream.text_len = (1 << 36) - 34;
        assert_eq!(encryptor.update(&mut [3, 4]), Ok(()));
        assert_eq!(encryptor.update(&mut []), Ok(()));
    }

    #[test]
    fn the_state_is_wiped() {
        let mut state = core::mem::ManuallyDrop::new(State([0xa5; 80]));
        // SAFETY: it is not used any more but for its bytes, which are plain data.
        #[allow(unsafe_code)]
        unsafe {
            core::mem::ManuallyDrop::drop(&mut state);
        }
        assert_eq!(state.0, [0; 80]);
    }
}
