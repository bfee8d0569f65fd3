//! AES-GCM, authenticated encryption (NIST SP 800-38D).
//!
//! Every cryptographic byte comes from a kernel that is proven to compute what the standard says. They need AES-NI,
//! PCLMULQDQ and AVX on x86-64, and AES and PMULL on AArch64: [`AesGcm::new`] gives [`NewError::UnsupportedCpu`] without them.
//!
//! ```
//! use leanseal::aes_gcm::{AesGcm, Error};
//!
//! let key = AesGcm::new(&[0x42; 32])?;
//! let nonce = [1; 12];
//! let mut data = *b"the text";
//! let tag = key.encrypt_in_place(&nonce, b"header", &mut data)?;
//!
//! let sealed = data;
//! let wrong = key.decrypt_in_place(&nonce, b"another header", &mut data, &tag);
//! assert_eq!((wrong, data), (Err(Error::TagMismatch), sealed));
//!
//! key.decrypt_in_place(&nonce, b"header", &mut data, &tag)?;
//! assert_eq!(&data, b"the text");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(feature = "aead")]
mod aead;
mod error;
mod key;
mod message;
#[cfg(target_arch = "x86_64")]
mod stream;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use core::fmt;

use crate::gather;
#[cfg(feature = "aead")]
pub use aead::{Aes128Gcm, Aes192Gcm, Aes256Gcm};
pub use error::{Error, NewError};
use key::Key;
use message::{Message, ReceivedTag};
#[cfg(target_arch = "x86_64")]
pub use stream::{Decryptor, Encryptor};

#[cfg(target_arch = "aarch64")]
use aarch64::Backend;
#[cfg(target_arch = "x86_64")]
use x86_64::Backend;

/// The whole tag of a message. To compare tags, use [`AesGcm::decrypt_in_place`]: `==` takes a time that tells how much of them is
/// the same.
pub type Tag = [u8; 16];

/// The first `N` bytes of a tag, for a protocol that has shorter ones. `N` is 4, 8 or 12 to 16: others do not compile.
///
/// An attacker guesses one of `N` bytes with a probability of 2^-8`N`, and 4 or 8 are worse still (SP 800-38D, appendix C).
///
/// ```
/// let tag: leanseal::aes_gcm::Tag = *b"0123456789abcdef";
/// assert_eq!(leanseal::aes_gcm::truncate::<12>(&tag), *b"0123456789ab");
/// ```
///
/// ```compile_fail
/// leanseal::aes_gcm::truncate::<11>(&[0; 16]);
/// ```
#[must_use]
pub fn truncate<const N: usize>(tag: &Tag) -> [u8; N] {
    const { message::assert_tag_len(N) };
    core::array::from_fn(|i| tag[i])
}

/// A key, ready to seal and open messages.
///
/// What is derived from the key lies in the value itself and is wiped when it is dropped. To move it copies these bytes, as it does
/// for every value in Rust, and the place that it leaves is not wiped; taking it out of the `Result` of [`AesGcm::new`] may be such a
/// move. Keep it where it is from then on, or in a `Box`. A clone is as good as the original, and wiped on its own.
#[derive(Clone)]
pub struct AesGcm {
    key: Key,
}

impl AesGcm {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    ///
    /// [`NewError::InvalidKeyLength`] for other lengths, [`NewError::UnsupportedCpu`] if no kernel can run here, and with the feature
    /// `cpu-features-env` `InvalidCpuFeatures` if its variable is wrong.
    pub fn new(key: &[u8]) -> Result<Self, NewError> {
        Self::make(key)
    }

    /// Encrypts `data` in place, and gives back the tag that authenticates it and `aad`.
    ///
    /// The nonce must not be used for another message with this key: twelve bytes are usual, and fastest, but any number but 0 is
    /// allowed. With nonces that are chosen at random, a key is good for 2^32 messages at most (SP 800-38D, section 8.3).
    ///
    /// # Errors
    ///
    /// [`Error::EmptyNonce`]; [`Error::NonceTooLong`] and [`Error::AadTooLong`] from 2^61 bytes; [`Error::DataTooLong`] beyond 2^36 - 32
    /// bytes. `data` is as it was then.
    pub fn encrypt_in_place(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Tag, Error> {
        Ok(self.key.seal(Message::new(nonce, aad, data)?))
    }

    /// Encrypts the slices of `text`, one after the other, into `out`, which is as long as they are in all. Gives back the tag that
    /// authenticates it and `aad`. Otherwise it is [`AesGcm::encrypt_in_place`].
    ///
    /// ```
    /// let key = leanseal::aes_gcm::AesGcm::new(&[0x42; 32])?;
    /// let nonce = [1; 12];
    /// let (mut sealed, mut text) = ([0; 11], [0; 11]);
    /// let tag = key.encrypt(&nonce, b"header", &[b"hello", b" ", b"world"], &mut sealed)?;
    /// key.decrypt(&nonce, b"header", &sealed, &tag, &mut text)?;
    /// assert_eq!(&text, b"hello world");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`] if `out` is longer or shorter than the text, and those of [`AesGcm::encrypt_in_place`]; nothing is
    /// written then.
    pub fn encrypt(
        &self,
        nonce: &[u8],
        aad: &[u8],
        text: &[&[u8]],
        out: &mut [u8],
    ) -> Result<Tag, Error> {
        let mut tag = [0; 16];
        let message = Message::new(nonce, aad, out)?;
        self.key.seal_from(message, text, &mut tag)?;
        Ok(tag)
    }

    /// Decrypts `data` in place if `tag` is right for it, the nonce and `aad`.
    ///
    /// The length of the tag is that of its type, 4, 8 or 12 to 16 bytes, so that no sender can choose a shorter one than your protocol
    /// has: see [`truncate`]. Where the tag is a slice, `let tag: &[u8; 16] = slice.try_into()?;` makes an array of it if the length is
    /// right.
    ///
    /// ```compile_fail
    /// # let key = leanseal::aes_gcm::AesGcm::new(&[0; 16]).unwrap();
    /// key.decrypt_in_place(&[1; 12], b"", &mut [], &[0; 5]);
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::TagMismatch`] if the tag is wrong, and those of [`AesGcm::encrypt_in_place`]; `data` is as it was then. A longer text is
    /// decrypted while it is hashed, and encrypted again if the tag is wrong.
    pub fn decrypt_in_place<const N: usize>(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8; N],
    ) -> Result<(), Error> {
        let message = Message::new(nonce, aad, data)?;
        if self.key.open(message, ReceivedTag::new(tag)) {
            Ok(())
        } else {
            Err(Error::TagMismatch)
        }
    }

    /// Decrypts `data` into `out`, which is as long, if `tag` is right for it, the nonce and `aad`. Otherwise it is
    /// [`AesGcm::decrypt_in_place`].
    ///
    /// # Errors
    ///
    /// [`Error::TagMismatch`] if the tag is wrong: `out` is filled with zeros then, after it may have held some of the text for a moment.
    /// [`Error::LengthMismatch`] if `out` is longer or shorter than `data`, and those of [`AesGcm::encrypt_in_place`]; nothing is
    /// written then.
    pub fn decrypt<const N: usize>(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &[u8],
        tag: &[u8; N],
        out: &mut [u8],
    ) -> Result<(), Error> {
        message::check_lengths(nonce.len(), aad.len(), data.len())?;
        gather::copy(&[data], out)?;
        let opened = self.decrypt_in_place(nonce, aad, out, tag);
        if opened.is_err() {
            out.fill(0);
        }
        opened
    }
}

impl fmt::Debug for AesGcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesGcm").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl zeroize::ZeroizeOnDrop for AesGcm {}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
