//! Every form in which the library seals and opens messages.

use leanseal::aes_gcm::{AesGcm, Error, NewError, Tag};

use super::features::not_tested;
use super::split;

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
    pub seal: fn(&AesGcm, Message) -> Sealed,
    pub open: fn(&AesGcm, Message, &Tag) -> Opened,
    /// Whether after a wrong tag the buffer holds the message as it was, or else zeros.
    pub restores: bool,
}

pub const FORMS: [Form; 2] = [
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
    },
];

/// Nothing if no kernel can run here, which is said on the standard error of the test.
pub fn new(key: &[u8]) -> Option<AesGcm> {
    match AesGcm::new(key) {
        Err(NewError::UnsupportedCpu) => {
            not_tested("aes_gcm::AesGcm", "there is no kernel for this CPU");
            None
        }
        key => Some(key.unwrap()),
    }
}

/// Seals and opens in every form, and compares with the ciphertext and the tag.
#[track_caller]
pub fn check(key: &AesGcm, text: Message, sealed: &[u8], tag: &Tag) {
    for form in &FORMS {
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
pub fn check_refused(key: &AesGcm, sealed: Message, tag: &Tag, error: Error) {
    for form in &FORMS {
        let (opened, data) = (form.open)(key, sealed, tag);
        assert_eq!(opened, Err(error), "{}", form.name);
        if form.restores {
            assert_eq!(data, sealed.data, "{}", form.name);
        } else {
            assert!(data.iter().all(|&byte| byte == 0), "{}", form.name);
        }
    }
}
