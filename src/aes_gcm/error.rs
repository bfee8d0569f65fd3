//! What can be wrong.

use core::fmt;

use crate::gather;

/// Why there is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewError {
    /// The key has neither 16, nor 24, nor 32 bytes.
    InvalidKeyLength,
    /// The CPU, or the operating system, cannot run any of the kernels, or `VG_CPU_FEATURES` allows none.
    UnsupportedCpu,
    /// The environment variable `VG_CPU_FEATURES` names a feature that is not known, or that the CPU does not have. The message says
    /// which.
    #[cfg(feature = "cpu-features-env")]
    InvalidCpuFeatures(&'static str),
}

impl fmt::Display for NewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::InvalidKeyLength => "a key of AES has 16, 24 or 32 bytes",
            Self::UnsupportedCpu if cfg!(feature = "cpu-features-env") => {
                "AES-GCM needs AES-NI, PCLMULQDQ and AVX, or AES and PMULL: the CPU lacks them, or VG_CPU_FEATURES does not allow them"
            }
            Self::UnsupportedCpu => {
                "AES-GCM needs a CPU with AES-NI, PCLMULQDQ and AVX, or with AES and PMULL"
            }
            #[cfg(feature = "cpu-features-env")]
            Self::InvalidCpuFeatures(message) => message,
        })
    }
}

impl core::error::Error for NewError {}

/// Why a message was not sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The nonce has no bytes.
    EmptyNonce,
    /// The nonce has 2^61 bytes or more.
    NonceTooLong,
    /// The additional data have 2^61 bytes or more.
    AadTooLong,
    /// The text has more than 2^36 - 32 bytes.
    DataTooLong,
    /// What is to be encrypted or decrypted, and the buffer for the result, differ in length.
    LengthMismatch {
        /// Bytes to encrypt or decrypt, as [`gather::LengthMismatch::slices`] counts them.
        data: usize,
        /// Bytes in the buffer.
        out: usize,
    },
    /// The tag is not that of the message.
    TagMismatch,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match *self {
            Self::EmptyNonce => "the nonce is empty",
            Self::NonceTooLong => "the nonce is 2^61 bytes or longer",
            Self::AadTooLong => "the additional data are 2^61 bytes or longer",
            Self::DataTooLong => "the text is longer than 2^36 - 32 bytes",
            Self::LengthMismatch { data, out } => {
                return write!(f, "the text has {data} bytes, but the output has {out}");
            }
            Self::TagMismatch => "the tag is wrong",
        })
    }
}

impl core::error::Error for Error {}

impl From<gather::LengthMismatch> for Error {
    fn from(error: gather::LengthMismatch) -> Self {
        Self::LengthMismatch {
            data: error.slices,
            out: error.out,
        }
    }
}
