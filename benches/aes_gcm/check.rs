//! All libraries compute the same; what is wrong is not worth measuring.

use super::buffers::Buffers;
use super::library::{AAD, Library, NONCE, Tag};
use super::participant::Participant;
use super::row::{KEY_BITS, LENGTHS};

/// What a library computes from one message: ciphertexts with their tags, and what it opens the first one to.
pub struct Results {
    sealed: (Vec<u8>, Tag),
    opened: Vec<u8>,
    gathered: [(Vec<u8>, Tag); 2],
}

impl Results {
    pub fn of<L: Library>(key: &[u8], text: &[u8]) -> Self {
        let key = L::new(key);
        let mut sealed = text.to_vec();
        let tag = key.seal(&NONCE, &AAD, &mut sealed);
        let mut opened = sealed.clone();
        key.open(&NONCE, &AAD, &mut opened, &tag);
        let gather = |slices: &[&[u8]]| {
            let mut out = vec![0; text.len()];
            let tag = key.gather(&NONCE, &AAD, slices, &mut out);
            (out, tag)
        };
        let (first, second) = text.split_at(text.len() / 3);
        Self {
            sealed: (sealed, tag),
            opened,
            gathered: [gather(&[text]), gather(&[first, second])],
        }
    }
}

/// Compares the libraries at all lengths that are measured, and some others; an error says what differs.
pub fn check(
    participants: fn(usize) -> Vec<Participant>,
    buffers: &mut Buffers,
) -> Result<(), String> {
    for key_bits in KEY_BITS {
        let key: Vec<u8> = (0..key_bits / 8).map(|i| i as u8 ^ 0x5a).collect();
        for len in (0..=80).chain(LENGTHS) {
            let text = buffers.text(len);
            let mut expected: Option<(Vec<u8>, Tag)> = None;
            for Participant { name, results, .. } in participants(key_bits) {
                let Results {
                    sealed,
                    opened,
                    gathered,
                } = results(&key, text);
                let wrong = if opened != text {
                    "opens to another text"
                } else if gathered.iter().any(|gathered| *gathered != sealed) {
                    "gathers to another ciphertext or tag"
                } else if *expected.get_or_insert_with(|| sealed.clone()) != sealed {
                    "seals to another ciphertext or tag than the first library"
                } else {
                    continue;
                };
                return Err(format!(
                    "{name}, key of {key_bits} bits, text of {len} bytes: {wrong}"
                ));
            }
        }
    }
    Ok(())
}
