//! `aes_gcm::Encryptor` and `aes_gcm::Decryptor`: however a message is cut into pieces, it is the message in one piece.

mod common;

#[cfg(target_arch = "x86_64")]
mod in_pieces {
    use super::common::forms::new;
    use super::common::reference::KEY_LENGTHS;
    use super::common::{bytes, gcm};
    use leanseal::aes_gcm::{AesGcm, Decryptor, Encryptor, Error, Tag, truncate};

    /// A message.
    struct Message<'a> {
        nonce: &'a [u8],
        aad: &'a [u8],
    }

    /// Cuts `data` into pieces of the given lengths, again and again, and the last one shorter.
    fn pieces<'a>(mut data: &'a mut [u8], lengths: &[usize]) -> Vec<&'a mut [u8]> {
        let mut pieces = Vec::new();
        for &length in lengths.iter().cycle() {
            let (piece, rest) = data.split_at_mut(length.min(data.len()));
            pieces.push(piece);
            data = rest;
            if data.is_empty() {
                break;
            }
        }
        pieces
    }

    impl Message<'_> {
        fn encrypted(&self, key: &AesGcm, text: &[u8], lengths: &[usize]) -> (Vec<u8>, Tag) {
            let mut data = text.to_vec();
            let mut encryptor = Encryptor::new(key, self.nonce, self.aad).unwrap();
            for piece in pieces(&mut data, lengths) {
                encryptor.update(piece).unwrap();
            }
            (data, encryptor.finish())
        }

        fn decrypted<const N: usize>(
            &self,
            key: &AesGcm,
            ciphertext: &[u8],
            tag: &[u8; N],
            lengths: &[usize],
        ) -> (Vec<u8>, Result<(), Error>) {
            let mut data = ciphertext.to_vec();
            let mut decryptor = Decryptor::new(key, self.nonce, self.aad).unwrap();
            for piece in pieces(&mut data, lengths) {
                decryptor.update(piece).unwrap();
            }
            (data, decryptor.verify(tag))
        }
    }

    /// The same as the reference, in these pieces.
    #[track_caller]
    fn check(key: &[u8], nonce: &[u8], aad: &[u8], text: &[u8], lengths: &[usize]) {
        let Some(new) = new(key) else { return };
        let mut sealed = text.to_vec();
        let tag = gcm::seal(key, nonce, aad, &mut sealed);
        let message = Message { nonce, aad };
        let encrypted = message.encrypted(&new, text, lengths);
        assert_eq!(encrypted, (sealed.clone(), tag), "{lengths:?}");
        let decrypted = message.decrypted(&new, &sealed, &tag, lengths);
        assert_eq!(decrypted, (text.to_vec(), Ok(())), "{lengths:?}");
    }

    #[test]
    fn two_pieces_of_every_length() {
        let (nonce, aad) = (bytes(12, 1), bytes(13, 2));
        for first in 0..=40 {
            for second in (0..=40).chain([127, 128, 129, 143, 144, 160, 300]) {
                let text = bytes(first + second, 3);
                check(&bytes(16, 4), &nonce, &aad, &text, &[first, second]);
            }
        }
    }

    #[test]
    fn pieces_that_look_random() {
        for key_len in KEY_LENGTHS {
            let key = bytes(key_len, 5);
            for round in 0..300 {
                let random = bytes(24, 1000 + round);
                let nonce = bytes(1 + usize::from(random[0]) % 20, 6);
                let aad = bytes(usize::from(random[1]) % 70, 7);
                let text = bytes(4 * usize::from(random[2]) + usize::from(random[3]), 8);
                // Some short, some long, some empty; not all of them empty.
                let mut lengths: Vec<_> = random[4..]
                    .iter()
                    .map(|&byte| usize::from(byte) % [1, 4, 18, 40, 256][usize::from(byte / 52)])
                    .collect();
                lengths.push(1);
                check(&key, &nonce, &aad, &text, &lengths);
            }
        }
    }

    #[test]
    fn pieces_of_one_length() {
        let (nonce, aad) = (bytes(12, 9), bytes(40, 10));
        for length in (1..=33).chain([64, 127, 128, 129, 1000]) {
            check(&bytes(32, 11), &nonce, &aad, &bytes(1500, 12), &[length]);
        }
    }

    /// Only the last 32 bits of the counter block count, modulo 2^32.
    #[test]
    fn the_counter_wraps() {
        let key = bytes(24, 13);
        for low in u32::MAX - 12..=u32::MAX {
            let j0 = [&bytes(12, 14)[..], &low.to_be_bytes()].concat();
            let nonce = gcm::nonce_for(&key, j0.try_into().unwrap());
            for lengths in [&[5][..], &[16], &[130, 7], &[1, 31, 200]] {
                check(&key, &nonce, b"aad", &bytes(400, 15), lengths);
            }
        }
    }

    #[test]
    fn wrong_tags_of_every_length() {
        fn test<const N: usize>(key: &AesGcm) {
            let message = Message {
                nonce: b"nonce",
                aad: b"aad",
            };
            let (data, tag) = message.encrypted(key, &bytes(45, 16), &[10]);
            let tag = truncate::<N>(&tag);
            let verified = |tag: &[u8; N]| message.decrypted(key, &data, tag, &[21]).1;
            assert_eq!(verified(&tag), Ok(()));
            for bit in 0..8 * N {
                let mut wrong = tag;
                wrong[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(verified(&wrong), Err(Error::TagMismatch), "{N}, {bit}");
            }
        }
        let Some(key) = new(&bytes(16, 17)) else {
            return;
        };
        test::<4>(&key);
        test::<8>(&key);
        test::<12>(&key);
        test::<13>(&key);
        test::<14>(&key);
        test::<15>(&key);
        test::<16>(&key);
    }

    #[test]
    fn an_empty_nonce_is_refused() {
        let Some(key) = new(&bytes(16, 18)) else {
            return;
        };
        let encryptor = Encryptor::new(&key, &[], b"aad");
        assert_eq!(encryptor.err(), Some(Error::EmptyNonce));
        let decryptor = Decryptor::new(&key, &[], b"aad");
        assert_eq!(decryptor.err(), Some(Error::EmptyNonce));
    }

    #[test]
    fn nothing_secret_is_shown() {
        let Some(key) = new(&bytes(16, 19)) else {
            return;
        };
        let encryptor = Encryptor::new(&key, b"nonce", b"aad").unwrap();
        assert_eq!(format!("{encryptor:?}"), "Encryptor { .. }");
        let decryptor = Decryptor::new(&key, b"nonce", b"aad").unwrap();
        assert_eq!(format!("{decryptor:?}"), "Decryptor { .. }");
    }
}
