//! The traits of the crate `aead`.

use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Key, KeyInit, KeySizeUser, Nonce, Tag, TagPosition};

use super::AesGcm;

macro_rules! for_keys_of {
    ($bytes:literal, $size:ty, $name:ident) => {
        #[doc = concat!("AES-GCM with keys of ", $bytes, " bytes, nonces of 12 and tags of 16, for the traits of the crate `aead`.")]
        ///
        /// Decrypting with a wrong tag leaves the ciphertext in the buffer, or a copy of it in the output.
        ///
        /// ```
        /// use aead::{AeadInOut, KeyInit};
        #[doc = concat!("use leanseal::aes_gcm::", stringify!($name), ";")]
        ///
        #[doc = concat!("let key = ", stringify!($name), "::new(&[0x42; ", $bytes, "].into());")]
        /// let mut data = *b"the text";
        /// let tag = key.encrypt_inout_detached(&[1; 12].into(), b"header", (&mut data[..]).into())?;
        /// key.decrypt_inout_detached(&[1; 12].into(), b"header", (&mut data[..]).into(), &tag)?;
        /// assert_eq!(&data, b"the text");
        /// # Ok::<(), aead::Error>(())
        /// ```
        #[derive(Clone, Debug)]
        pub struct $name(AesGcm);

        impl KeySizeUser for $name {
            type KeySize = $size;
        }

        impl KeyInit for $name {
            /// # Panics
            ///
            /// If [`AesGcm::new`] would give an error: no kernel can run on this CPU. Nothing else in this crate panics.
            fn new(key: &Key<Self>) -> Self {
                match AesGcm::new(key) {
                    Ok(key) => Self(key),
                    Err(error) => panic!("{error}"),
                }
            }
        }

        impl AeadCore for $name {
            type NonceSize = U12;
            type TagSize = U16;
            const TAG_POSITION: TagPosition = TagPosition::Postfix;
        }

        impl AeadInOut for $name {
            fn encrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
            ) -> aead::Result<Tag<Self>> {
                let data = buffer.into_out_with_copied_in();
                let tag = self.0.encrypt_in_place(nonce, aad, data);
                tag.map(Into::into).map_err(|_| aead::Error)
            }

            fn decrypt_inout_detached(
                &self,
                nonce: &Nonce<Self>,
                aad: &[u8],
                buffer: InOutBuf<'_, '_, u8>,
                tag: &Tag<Self>,
            ) -> aead::Result<()> {
                let data = buffer.into_out_with_copied_in();
                let opened = self.0.decrypt_in_place(nonce, aad, data, &tag.0);
                opened.map_err(|_| aead::Error)
            }
        }

        #[cfg(feature = "zeroize")]
        impl zeroize::ZeroizeOnDrop for $name {}
    };
}

for_keys_of!(16, U16, Aes128Gcm);
for_keys_of!(24, U24, Aes192Gcm);
for_keys_of!(32, U32, Aes256Gcm);
