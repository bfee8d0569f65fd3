//! The libraries that a C compiler builds.

use aws_lc_rs::aead as aws_lc;
use ring::aead as ring;

use super::library::{Library, Tag};

pub struct Ring(ring::LessSafeKey);

impl Library for Ring {
    fn new(key: &[u8]) -> Self {
        let algorithm = match key.len() {
            16 => &ring::AES_128_GCM,
            _ => &ring::AES_256_GCM,
        };
        let key = ring::UnboundKey::new(algorithm, key).expect("the right length");
        Self(ring::LessSafeKey::new(key))
    }

    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
        let nonce = ring::Nonce::assume_unique_for_key(*nonce);
        let aad = ring::Aad::from(aad);
        let sealed = self.0.seal_in_place_separate_tag(nonce, aad, data);
        sealed
            .expect("short")
            .as_ref()
            .try_into()
            .expect("16 bytes")
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) {
        let nonce = ring::Nonce::assume_unique_for_key(*nonce);
        let aad = ring::Aad::from(aad);
        let opened = self
            .0
            .open_in_place_separate_tag(nonce, aad, (*tag).into(), data, 0..);
        opened.expect("the right tag");
    }
}

pub struct AwsLc(aws_lc::LessSafeKey);

impl Library for AwsLc {
    fn new(key: &[u8]) -> Self {
        let algorithm = match key.len() {
            16 => &aws_lc::AES_128_GCM,
            _ => &aws_lc::AES_256_GCM,
        };
        let key = aws_lc::UnboundKey::new(algorithm, key).expect("the right length");
        Self(aws_lc::LessSafeKey::new(key))
    }

    fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
        let nonce = aws_lc::Nonce::assume_unique_for_key(*nonce);
        let aad = aws_lc::Aad::from(aad);
        let sealed = self.0.seal_in_place_separate_tag(nonce, aad, data);
        sealed
            .expect("short")
            .as_ref()
            .try_into()
            .expect("16 bytes")
    }

    fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], tag: &Tag) {
        let nonce = aws_lc::Nonce::assume_unique_for_key(*nonce);
        let aad = aws_lc::Aad::from(aad);
        let opened = self.0.open_in_place_separate_tag(nonce, aad, tag, data);
        opened.expect("the right tag");
    }
}
