//! AES-GCM as SP 800-38D describes it, of the crates `aes`, `ctr` and `ghash`.

use super::reference::{ctr32, encrypt_block, ghash, subkey};

/// Encrypts `data` in place and gives back its tag (section 7.1).
pub fn seal(key: &[u8], nonce: &[u8], aad: &[u8], data: &mut [u8]) -> [u8; 16] {
    let subkey = subkey(key);
    let j0 = first_counter(&subkey, nonce);
    let mut counter = j0;
    let low = u32::from_be_bytes(j0[12..].try_into().unwrap());
    counter[12..].copy_from_slice(&low.wrapping_add(1).to_be_bytes());
    ctr32(key, &counter, data);
    let mut hashed = padded(aad);
    hashed.extend(padded(data));
    hashed.extend(lengths(aad.len(), data.len()));
    xor(ghash(&subkey, [0; 16], &hashed), encrypt_block(key, &j0))
}

/// What the kernels for messages in pieces keep of a message: the mask of the tag, the next counter block and the hash as
/// little-endian numbers, and the keystream and the bytes of a block that is not whole.
pub fn state(key: &[u8], nonce: &[u8], aad: &[u8], ciphertext: &[u8]) -> [u8; 80] {
    let subkey = subkey(key);
    let j0 = first_counter(&subkey, nonce);
    let counter = |i: usize| {
        let mut block = j0;
        let low = u32::from_be_bytes(j0[12..].try_into().unwrap());
        block[12..].copy_from_slice(&low.wrapping_add(i as u32).to_be_bytes());
        block
    };
    let blocks = ciphertext.len().div_ceil(16);
    let (whole, rest) = ciphertext.split_at(ciphertext.len() / 16 * 16);
    let mut hashed = padded(aad);
    hashed.extend(whole);
    let reversed = |mut block: [u8; 16]| {
        block.reverse();
        block
    };
    let mut state = [0; 80];
    state[..16].copy_from_slice(&encrypt_block(key, &j0));
    state[16..32].copy_from_slice(&reversed(counter(1 + blocks)));
    state[32..48].copy_from_slice(&reversed(ghash(&subkey, [0; 16], &hashed)));
    if !rest.is_empty() {
        state[48..64].copy_from_slice(&encrypt_block(key, &counter(blocks)));
        state[64..][..rest.len()].copy_from_slice(rest);
    }
    state
}

/// The block J0 of section 7.1.
fn first_counter(subkey: &[u8; 16], nonce: &[u8]) -> [u8; 16] {
    if nonce.len() == 12 {
        let mut block = [0; 16];
        block[..12].copy_from_slice(nonce);
        block[15] = 1;
        return block;
    }
    let mut hashed = padded(nonce);
    hashed.extend(lengths(0, nonce.len()));
    ghash(subkey, [0; 16], &hashed)
}

/// The nonce of 16 bytes for which J0 is this block.
pub fn nonce_for(key: &[u8], j0: [u8; 16]) -> [u8; 16] {
    let inverse = inverse(subkey(key));
    let before_last = product(j0, inverse);
    product(xor(before_last, lengths(0, 16)), inverse)
}

/// By Fermat: all powers of 2 below 2^128, but for 1, add up to 2^128 - 2.
fn inverse(block: [u8; 16]) -> [u8; 16] {
    let mut square = product(block, block);
    let mut all = square;
    for _ in 2..128 {
        square = product(square, square);
        all = product(all, square);
    }
    all
}

/// In the field of GHASH.
fn product(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    ghash(&b, [0; 16], &a)
}

fn xor(a: [u8; 16], b: [u8; 16]) -> [u8; 16] {
    std::array::from_fn(|i| a[i] ^ b[i])
}

fn padded(bytes: &[u8]) -> Vec<u8> {
    let mut padded = bytes.to_vec();
    padded.resize(bytes.len().next_multiple_of(16), 0);
    padded
}

/// Two lengths in bits.
fn lengths(first: usize, second: usize) -> [u8; 16] {
    (((8 * first) as u128) << 64 | (8 * second) as u128).to_be_bytes()
}
