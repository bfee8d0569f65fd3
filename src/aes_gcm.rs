//! AES-GCM, authenticated encryption (NIST SP 800-38D).
//!
//! Every cryptographic byte comes from a kernel that is proven to compute what the standard says. There are such kernels for x86-64
//! with AES-NI, PCLMULQDQ and AVX, and none for AArch64 yet: [`AesGcm::new`] gives [`NewError::UnsupportedCpu`] without them.
//!
//! ```
//! use leanseal::aes_gcm::{AesGcm, Error};
//!
//! # if cfg!(target_arch = "aarch64") { return Ok(()); }
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
mod error;
mod key;
mod message;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use core::fmt;

pub use error::{Error, NewError};
use key::Key;
use message::{Message, ReceivedTag};

#[cfg(target_arch = "aarch64")]
use aarch64::Backend;
#[cfg(target_arch = "x86_64")]
use x86_64::Backend;

/// The whole tag of a message. To compare tags, use [`AesGcm::decrypt_in_place`]: `==` takes a time that tells how much of them is
/// the same.
pub type Tag = [u8; 16];

/// A key, ready to seal and open messages.
///
/// What is derived from the key lies in the value itself and is wiped when it is dropped. To move it copies these bytes, as it does
/// for every value in Rust, and the place that it leaves is not wiped: keep it where it is, or in a `Box`. A clone is as good as the
/// original, and wiped on its own.
#[derive(Clone)]
pub struct AesGcm {
    key: Key,
}

impl AesGcm {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    ///
    /// [`NewError::InvalidKeyLength`] for other lengths, and [`NewError::UnsupportedCpu`] if no kernel can run here.
    pub fn new(key: &[u8]) -> Result<Self, NewError> {
        let key = Key::new(key)?;
        Ok(Self { key })
    }

    /// Encrypts `data` in place, and gives back the tag that authenticates it and `aad`.
    ///
    /// The nonce must not be used for another message with this key: twelve bytes are usual, and fastest, but any number is allowed.
    ///
    /// # Errors
    ///
    /// If the nonce is empty, or the nonce, `aad` or `data` are longer than the standard allows; `data` is as it was then.
    pub fn encrypt_in_place(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
    ) -> Result<Tag, Error> {
        Ok(self.key.seal(Message::new(nonce, aad, data)?))
    }

    /// Decrypts `data` in place if `tag` is right for it, the nonce and `aad`.
    ///
    /// The tag may be cut to its first 4, 8, 12, 13, 14 or 15 bytes. An attacker guesses one of `n` bytes with a probability of
    /// 2^-8n, and short ones are worse still (SP 800-38D, appendix C): check that it is as long as your protocol says.
    ///
    /// # Errors
    ///
    /// [`Error::TagMismatch`] if the tag is wrong, and others as [`AesGcm::encrypt_in_place`] or if there is no tag of this length;
    /// `data` is as it was then.
    pub fn decrypt_in_place(
        &self,
        nonce: &[u8],
        aad: &[u8],
        data: &mut [u8],
        tag: &[u8],
    ) -> Result<(), Error> {
        let message = Message::new(nonce, aad, data)?;
        if self.key.open(message, ReceivedTag::new(tag)?) {
            Ok(())
        } else {
            Err(Error::TagMismatch)
        }
    }
}

impl fmt::Debug for AesGcm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AesGcm").finish_non_exhaustive()
    }
}

/// Its examples need kernels that AArch64 does not have yet.
#[cfg(all(doctest, target_arch = "x86_64"))]
#[doc = include_str!("../README.md")]
mod readme {}
