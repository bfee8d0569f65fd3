//! What the kernels of AES and GHASH have to do, by the crates `aes`, `ctr` and `ghash`.

use aes::cipher::{BlockCipherEncrypt, KeyInit, KeyIvInit, StreamCipher};
use aes::hazmat::{cipher_round, inv_mix_columns};
use aes::{Aes128, Aes192, Aes256};
use ctr::Ctr32BE;
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

/// The lengths of keys in bytes.
pub const KEY_LENGTHS: [usize; 3] = [16, 24, 32];

/// The length of a key context in bytes.
pub const CONTEXT: usize = 1024;
/// Where the hash subkey stands in it.
pub const SUBKEY: usize = 240;
/// Where the powers of the subkey start, from the 16th down to the first.
pub const POWERS: usize = 256;

/// What nothing writes.
pub const CANARY: u8 = 0xa5;

/// The number of rounds of the cipher (FIPS 197, table 3).
pub fn rounds(key: &[u8]) -> usize {
    key.len() / 4 + 6
}

pub fn encrypt_block(key: &[u8], block: &[u8; 16]) -> [u8; 16] {
    let mut block = (*block).into();
    match key.len() {
        16 => Aes128::new_from_slice(key)
            .unwrap()
            .encrypt_block(&mut block),
        24 => Aes192::new_from_slice(key)
            .unwrap()
            .encrypt_block(&mut block),
        _ => Aes256::new_from_slice(key)
            .unwrap()
            .encrypt_block(&mut block),
    }
    block.into()
}

pub fn ctr32(key: &[u8], counter: &[u8; 16], data: &mut [u8]) {
    fn apply<C: KeyIvInit + StreamCipher>(key: &[u8], counter: &[u8; 16], data: &mut [u8]) {
        C::new_from_slices(key, counter)
            .unwrap()
            .apply_keystream(data);
    }
    match key.len() {
        16 => apply::<Ctr32BE<Aes128>>(key, counter, data),
        24 => apply::<Ctr32BE<Aes192>>(key, counter, data),
        _ => apply::<Ctr32BE<Aes256>>(key, counter, data),
    }
}

/// The hash of whole blocks, from where it was.
pub fn ghash(subkey: &[u8; 16], y: [u8; 16], data: &[u8]) -> [u8; 16] {
    let (blocks, rest) = data.as_chunks::<16>();
    assert!(rest.is_empty());
    let Some((first, rest)) = blocks.split_first() else {
        return y;
    };
    let mut hash = GHash::new(subkey.into());
    let first: [u8; 16] = std::array::from_fn(|i| first[i] ^ y[i]);
    hash.update(&[first.into()]);
    for block in rest {
        hash.update(&[(*block).into()]);
    }
    hash.finalize().into()
}

/// The hash subkey of a key (SP 800-38D, section 7.1).
pub fn subkey(key: &[u8]) -> [u8; 16] {
    encrypt_block(key, &[0; 16])
}

/// The context of a key without its powers; what `init` need not write is the canary.
pub fn context(key: &[u8]) -> [u8; CONTEXT] {
    let mut context = [CANARY; CONTEXT];
    let round_keys = expand_key(key);
    context[..round_keys.len()].copy_from_slice(&round_keys);
    context[SUBKEY..][..16].copy_from_slice(&stored(subkey(key)));
    context
}

/// The context with the powers.
pub fn prepared(key: &[u8]) -> [u8; CONTEXT] {
    let mut context = context(key);
    let subkey = subkey(key);
    let mut power = subkey;
    for i in (0..16).rev() {
        context[POWERS + 16 * i..][..16].copy_from_slice(&stored(power));
        // GHASH of one block is its product with the subkey.
        power = ghash(&subkey, [0; 16], &power);
    }
    context
}

/// As a context holds a block of the hash: as a little-endian number, divided by `x` (SP 800-38D, section 6.3, has the order of bits).
fn stored(block: [u8; 16]) -> [u8; 16] {
    let block = u128::from_be_bytes(block);
    let carry = block >> 127;
    let reduced = block ^ (carry * (0xe1 << 120));
    (reduced << 1 | carry).to_le_bytes()
}

/// FIPS 197, section 5.2.
pub fn expand_key(key: &[u8]) -> Vec<u8> {
    let in_key = key.len() / 4;
    let mut words: Vec<[u8; 4]> = key.as_chunks().0.to_vec();
    let mut constant = 1_u8;
    for i in in_key..4 * (rounds(key) + 1) {
        let mut word = words[i - 1];
        if i % in_key == 0 {
            word.rotate_left(1);
            word = sub_word(word);
            word[0] ^= constant;
            constant = constant << 1 ^ if constant >> 7 == 1 { 0x1b } else { 0 };
        } else if in_key > 6 && i % in_key == 4 {
            word = sub_word(word);
        }
        let before = words[i - in_key];
        words.push(std::array::from_fn(|j| word[j] ^ before[j]));
    }
    words.concat()
}

/// The S-box on each byte: a round on four equal columns, which its rotation of rows leaves equal.
fn sub_word(word: [u8; 4]) -> [u8; 4] {
    let mut block = std::array::from_fn(|i| word[i % 4]).into();
    cipher_round(&mut block, &[0; 16].into());
    inv_mix_columns(&mut block);
    [block[0], block[1], block[2], block[3]]
}
