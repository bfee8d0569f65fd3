//! Every form in which the library seals and opens messages.

use std::ops::Deref;

use leanseal::aes_gcm::{AesGcm, Error, NewError, Tag};
#[cfg(target_arch = "x86_64")]
use leanseal::aes_gcm::{Decryptor, Encryptor};

use super::features::{not_tested, restricted};
use super::split;

/// A key, also as the bytes that it was made of.
#[derive(Clone)]
pub struct Key {
    key: AesGcm,
    bytes: Vec<u8>,
}

impl Deref for Key {
    type Target = AesGcm;

    fn deref(&self) -> &AesGcm {
        &self.key
    }
}

/// A message, sealed or not.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub nonce: &'a [u8],
    pub aad: &'a [u8],
    pub data: &'a [u8],
}

pub type Sealed = Result<(Vec<u8>, Tag), Error>;

/// What opening gives back, and what the buffer holds then that held the message, or that is for the text.
pub type Opened = (Result<(), Error>, Vec<u8>);

/// One form.
pub struct Form {
    pub name: &'static str,
    pub seal: fn(&Key, Message) -> Sealed,
    pub open: fn(&Key, Message, &Tag) -> Opened,
    /// Whether after a wrong tag the buffer holds the message as it was, or else zeros.
    pub restores: bool,
    /// The only length of nonces, if there is one.
    pub nonce_len: Option<usize>,
}

impl Form {
    /// Those that take the message.
    pub fn of(message: Message) -> impl Iterator<Item = &'static Self> {
        let takes = move |form: &&Self| form.nonce_len.is_none_or(|len| message.nonce.len() == len);
        FORMS.iter().filter(takes)
    }
}

const FORMS: &[Form] = &[
    Form {
        name: "in place",
        seal: |key, message| {
            let mut data = message.data.to_vec();
            let tag = key.encrypt_in_place(message.nonce, message.aad, &mut data)?;
            Ok((data, tag))
        },
        open: |key, message, tag| {
            let mut data = message.data.to_vec();
            let opened = key.decrypt_in_place(message.nonce, message.aad, &mut data, tag);
            (opened, data)
        },
        restores: true,
        nonce_len: None,
    },
    Form {
        name: "out of place",
        seal: |key, message| {
            let mut out = vec![0xa5; message.data.len()];
            let text = split(message.data);
            let tag = key.encrypt(message.nonce, message.aad, &text, &mut out)?;
            Ok((out, tag))
        },
        open: |key, message, tag| {
            let mut out = vec![0; message.data.len()];
            let opened = key.decrypt(message.nonce, message.aad, message.data, tag, &mut out);
            (opened, out)
        },
        restores: false,
        nonce_len: None,
    },
    #[cfg(target_arch = "x86_64")]
    Form {
        name: "in pieces",
        seal: |key, message| {
            let mut data = message.data.to_vec();
            let mut encryptor = Encryptor::new(key, message.nonce, message.aad)?;
            for piece in pieces(&mut data) {
                encryptor.update(piece)?;
            }
            let tag = encryptor.finish();
            Ok((data, tag))
        },
        open: |key, message, tag| {
            let mut data = message.data.to_vec();
            let mut open = || {
                let mut decryptor = Decryptor::new(key, message.nonce, message.aad)?;
                for piece in pieces(&mut data) {
                    decryptor.update(piece)?;
                }
                decryptor.verify(tag)
            };
            let opened = open();
            if opened.is_err() {
                data.fill(0);
            }
            (opened, data)
        },
        restores: false,
        nonce_len: None,
    },
    #[cfg(feature = "aead")]
    Form {
        name: "traits",
        seal: traits::seal,
        open: traits::open,
        restores: true,
        nonce_len: Some(12),
    },
];

/// As `split` cuts them.
#[cfg(target_arch = "x86_64")]
fn pieces(mut data: &mut [u8]) -> Vec<&mut [u8]> {
    let lengths: Vec<_> = split(data).iter().map(|piece| piece.len()).collect();
    let mut pieces = Vec::new();
    for length in lengths {
        let (piece, rest) = data.split_at_mut(length);
        pieces.push(piece);
        data = rest;
    }
    pieces
}

/// Nothing if no kernel can run here, which is said on the standard error of the test, unless that was asked for.
pub fn new(bytes: &[u8]) -> Option<Key> {
    match AesGcm::new(bytes) {
        Err(NewError::UnsupportedCpu) => {
            if !restricted() {
                not_tested("aes_gcm::AesGcm", "there is no kernel for this CPU");
            }
            None
        }
        key => Some(Key {
            key: key.unwrap(),
            bytes: bytes.to_vec(),
        }),
    }
}

/// Seals and opens in every form, and compares with the ciphertext and the tag.
#[track_caller]
pub fn check(key: &Key, text: Message, sealed: &[u8], tag: &Tag) {
    for form in Form::of(text) {
        let what = || {
            let Message { nonce, aad, data } = text;
            format!("{} {} {} {}", form.name, nonce.len(), aad.len(), data.len())
        };
        let (data, found) = (form.seal)(key, text).unwrap();
        assert_eq!(data, sealed, "{}", what());
        assert_eq!(found, *tag, "{}", what());
        let message = Message {
            data: sealed,
            ..text
        };
        let (opened, data) = (form.open)(key, message, tag);
        assert_eq!(opened, Ok(()), "{}", what());
        assert_eq!(data, text.data, "{}", what());
    }
}

/// In every form this is an error, and no text is there.
#[track_caller]
pub fn check_refused(key: &Key, sealed: Message, tag: &Tag, error: Error) {
    for form in Form::of(sealed) {
        let (opened, data) = (form.open)(key, sealed, tag);
        assert_eq!(opened, Err(error), "{}", form.name);
        if form.restores {
            assert_eq!(data, sealed.data, "{}", form.name);
        } else {
            assert!(data.iter().all(|&byte| byte == 0), "{}", form.name);
        }
    }
}

#[cfg(feature = "aead")]
mod traits {
    use aead::inout::InOutBuf;
    use aead::{AeadInOut, KeyInit};
    use leanseal::aes_gcm::{Aes128Gcm, Aes192Gcm, Aes256Gcm, Error, Tag};

    use super::{Key, Message, Opened, Sealed};

    pub fn seal(key: &Key, message: Message) -> Sealed {
        fn apply<C: KeyInit + AeadInOut>(key: &Key, message: Message) -> Sealed {
            let mut out = vec![0xa5; message.data.len()];
            let buffer = InOutBuf::new(message.data, &mut out).unwrap();
            let nonce = message.nonce.try_into().unwrap();
            let tag = C::new_from_slice(&key.bytes)
                .unwrap()
                .encrypt_inout_detached(nonce, message.aad, buffer)
                .unwrap();
            Ok((out, tag[..].try_into().unwrap()))
        }
        match key.bytes.len() {
            16 => apply::<Aes128Gcm>(key, message),
            24 => apply::<Aes192Gcm>(key, message),
            _ => apply::<Aes256Gcm>(key, message),
        }
    }

    pub fn open(key: &Key, message: Message, tag: &Tag) -> Opened {
        fn apply<C: KeyInit + AeadInOut>(key: &Key, message: Message, tag: &Tag) -> Opened {
            let mut data = message.data.to_vec();
            let nonce = message.nonce.try_into().unwrap();
            let opened = C::new_from_slice(&key.bytes)
                .unwrap()
                .decrypt_inout_detached(
                    nonce,
                    message.aad,
                    (&mut data[..]).into(),
                    tag[..].try_into().unwrap(),
                );
            (opened.map_err(|_| Error::TagMismatch), data)
        }
        match key.bytes.len() {
            16 => apply::<Aes128Gcm>(key, message, tag),
            24 => apply::<Aes192Gcm>(key, message, tag),
            _ => apply::<Aes256Gcm>(key, message, tag),
        }
    }
}
