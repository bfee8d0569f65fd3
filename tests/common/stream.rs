//! Calls of the kernels for messages in pieces.

use super::backends::{
    STREAM_DECRYPT, STREAM_ENCRYPT, STREAM_FINISH, STREAM_INIT, STREAM_VERIFY, runnable,
};
use super::calls::{Argument, Buffer, Call, inout, input};
use super::reference::{self, CANARY};
use super::{bytes, gcm};

/// Lengths of the text before and of a piece that reach every part of the kernels: the piece may end within the last block of the
/// text, complete it, or go on from it, and then takes 8 blocks at a time, single blocks and some bytes.
const PIECES: [[usize; 2]; 14] = [
    [0, 0],
    [0, 5],
    [0, 133],
    [5, 0],
    [5, 3],
    [5, 11],
    [5, 20],
    [15, 1],
    [16, 16],
    [17, 30],
    [1, 143],
    [13, 203],
    [128, 256],
    [300, 7],
];

/// Lengths of nonces and additional data.
const HEADS: [[usize; 2]; 4] = [[12, 0], [12, 13], [1, 40], [60, 150]];

/// The state after `text_len` bytes of a ciphertext.
fn state_after(before: &[u8; 80], state: [u8; 80], text_len: usize) -> Argument {
    let unspecified = if text_len.is_multiple_of(16) {
        48..80
    } else {
        64 + text_len % 16..80
    };
    Argument::Buffer(Buffer {
        before: before.to_vec(),
        after: state.to_vec(),
        unspecified,
    })
}

/// All of them, for a key.
pub fn calls(key: &[u8], seed: u64, calls: &mut Vec<Call>) {
    for head in HEADS {
        init(key, head, seed, calls);
    }
    for piece in PIECES {
        encrypt_and_decrypt(key, piece, seed + 2, calls);
        finish_and_verify(key, piece[0] + piece[1], seed + 6, calls);
    }
}

fn arguments(key: &[u8], fields: Vec<Argument>) -> Vec<Argument> {
    let mut all = vec![Argument::Number(reference::rounds(key))];
    all.extend(fields);
    vec![input(&reference::prepared(key)), Argument::Record(all)]
}

fn init(key: &[u8], [nonce, aad]: [usize; 2], seed: u64, calls: &mut Vec<Call>) {
    let what = format!(
        "key of {} bytes, nonce of {nonce}, {aad} of additional data",
        key.len()
    );
    let (nonce, aad) = (bytes(nonce, seed), bytes(aad, seed + 1));
    for kernel in runnable("vg_aes_gcm_stream_init", STREAM_INIT) {
        let mut state = gcm::state(key, &nonce, &aad, &[]);
        state[48..].fill(CANARY);
        let fields = vec![
            input(&nonce),
            Argument::Number(nonce.len()),
            input(&aad),
            Argument::Number(aad.len()),
            inout(&[CANARY; 80], &state),
        ];
        calls.push(Call {
            what: format!("{}, {what}", kernel.name),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: arguments(key, fields),
        });
    }
}

fn encrypt_and_decrypt(key: &[u8], [before, len]: [usize; 2], seed: u64, calls: &mut Vec<Call>) {
    let what = format!(
        "key of {} bytes, text of {before}, piece of {len}",
        key.len()
    );
    let (nonce, aad) = (bytes(12, seed), bytes(13, seed + 1));
    let text = bytes(before + len, seed + 2);
    let mut ciphertext = text.clone();
    gcm::seal(key, &nonce, &aad, &mut ciphertext);
    let state = |text_len: usize| gcm::state(key, &nonce, &aad, &ciphertext[..text_len]);
    let call = |name: &str, function: *const (), from: &[u8], to: &[u8]| Call {
        what: format!("{name}, {what}"),
        kernel: function,
        returns: None,
        arguments: arguments(
            key,
            vec![
                state_after(&state(before), state(before + len), before + len),
                Argument::Number(before),
                inout(&from[before..], &to[before..]),
                Argument::Number(len),
            ],
        ),
    };
    for kernel in runnable("vg_aes_gcm_stream_encrypt", STREAM_ENCRYPT) {
        let function = kernel.function as *const ();
        calls.push(call(kernel.name, function, &text, &ciphertext));
    }
    for kernel in runnable("vg_aes_gcm_stream_decrypt", STREAM_DECRYPT) {
        let function = kernel.function as *const ();
        calls.push(call(kernel.name, function, &ciphertext, &text));
    }
}

fn finish_and_verify(key: &[u8], len: usize, seed: u64, calls: &mut Vec<Call>) {
    let what = format!("key of {} bytes, text of {len}", key.len());
    let (nonce, aad) = (bytes(12, seed), bytes(13, seed + 1));
    let mut text = bytes(len, seed + 2);
    let tag = gcm::seal(key, &nonce, &aad, &mut text);
    let state = gcm::state(key, &nonce, &aad, &text);
    let fields = |tag: Vec<Argument>| {
        let mut fields = vec![
            input(&state),
            Argument::Number(aad.len()),
            Argument::Number(len),
        ];
        fields.extend(tag);
        arguments(key, fields)
    };
    for kernel in runnable("vg_aes_gcm_stream_finish", STREAM_FINISH) {
        calls.push(Call {
            what: format!("{}, {what}", kernel.name),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: fields(vec![inout(&[CANARY; 16], &tag)]),
        });
    }
    for kernel in runnable("vg_aes_gcm_stream_verify", STREAM_VERIFY) {
        for tag_len in [16, 13, 4] {
            for right in [true, false] {
                let mut tag = tag[..tag_len].to_vec();
                tag[tag_len - 1] ^= u8::from(!right);
                calls.push(Call {
                    what: format!("{}, {what}, tag of {tag_len}: {right}", kernel.name),
                    kernel: kernel.function as *const (),
                    returns: Some(right.into()),
                    arguments: fields(vec![input(&tag), Argument::Number(tag_len)]),
                });
            }
        }
    }
}
