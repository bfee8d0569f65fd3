//! Calls of every kernel of AES and GHASH, with all that they may read and must write.

use std::ops::Range;

use super::backends::{
    CTR32, ENCRYPT_BLOCK, GHASH_BLOCKS, INIT, OPEN, PREPARE16, SEAL, SEAL_GATHER, runnable,
};
use super::reference::{self, CANARY, CONTEXT, KEY_LENGTHS, SUBKEY};
use super::{bytes, gcm, stream};

/// Numbers of blocks that reach every part of the kernels, which take up to 8 at a time.
const BLOCKS: [usize; 13] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 27];

/// Lengths of nonces, additional data and texts that reach every part of the kernels, which take 8 blocks of a text at a time.
const SHAPES: [[usize; 3]; 8] = [
    [12, 0, 0],
    [12, 13, 1],
    [12, 16, 31],
    [12, 0, 133],
    [1, 40, 15],
    [16, 1, 300],
    [60, 150, 128],
    [130, 64, 256],
];

/// A call of a kernel that this CPU can run.
pub struct Call {
    /// Which kernel, and on how much.
    pub what: String,
    pub kernel: *const (),
    pub arguments: Vec<Argument>,
    /// If it returns something.
    pub returns: Option<u32>,
}

pub enum Argument {
    Number(usize),
    Buffer(Buffer),
    /// A pointer to these.
    Record(Vec<Argument>),
}

/// What a pointer points to.
#[derive(Clone)]
pub struct Buffer {
    pub before: Vec<u8>,
    /// The same if the kernel only reads it.
    pub after: Vec<u8>,
    /// Of these bytes `after` says nothing.
    pub unspecified: Range<usize>,
}

impl Buffer {
    /// Bytes that are only read.
    pub fn input(bytes: &[u8]) -> Self {
        Self {
            before: bytes.to_vec(),
            after: bytes.to_vec(),
            unspecified: 0..0,
        }
    }
}

/// Bytes that are only read.
pub fn input(bytes: &[u8]) -> Argument {
    Argument::Buffer(Buffer::input(bytes))
}

pub fn inout(before: &[u8], after: &[u8]) -> Argument {
    Argument::Buffer(Buffer {
        before: before.to_vec(),
        after: after.to_vec(),
        unspecified: 0..0,
    })
}

/// The calls; two seeds give the same ones with other secrets.
pub fn calls(seed: u64) -> Vec<Call> {
    let mut calls = Vec::new();
    for len in KEY_LENGTHS {
        let key = bytes(len, seed);
        init(&key, &mut calls);
        encrypt_block(&key, seed + 1, &mut calls);
        ctr32(&key, seed + 2, &mut calls);
        for shape in SHAPES {
            seal_and_open(&key, shape, seed + 5, &mut calls);
        }
        stream::calls(&key, seed + 8, &mut calls);
    }
    let key = bytes(16, seed + 3);
    prepare16(&key, &mut calls);
    ghash_blocks(&key, seed + 4, &mut calls);
    calls
}

fn init(key: &[u8], calls: &mut Vec<Call>) {
    for kernel in runnable("vg_aes_gcm_init", INIT) {
        let round_keys = 16 * (reference::rounds(key) + 1);
        calls.push(Call {
            what: format!("{}, {} bytes", kernel.name, key.len()),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: vec![
                input(key),
                Argument::Number(key.len()),
                Argument::Buffer(Buffer {
                    before: vec![CANARY; CONTEXT],
                    after: reference::context(key).to_vec(),
                    unspecified: round_keys..SUBKEY,
                }),
            ],
        });
    }
}

fn prepare16(key: &[u8], calls: &mut Vec<Call>) {
    for kernel in runnable("vg_aes_gcm_prepare16", PREPARE16) {
        calls.push(Call {
            what: kernel.name.to_owned(),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: vec![inout(&reference::context(key), &reference::prepared(key))],
        });
    }
}

fn encrypt_block(key: &[u8], seed: u64, calls: &mut Vec<Call>) {
    let block: [u8; 16] = bytes(16, seed).try_into().unwrap();
    for kernel in runnable("vg_aes_encrypt_block", ENCRYPT_BLOCK) {
        calls.push(Call {
            what: format!("{}, key of {} bytes", kernel.name, key.len()),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: vec![
                input(&reference::context(key)),
                Argument::Number(reference::rounds(key)),
                inout(&block, &reference::encrypt_block(key, &block)),
            ],
        });
    }
}

fn ctr32(key: &[u8], seed: u64, calls: &mut Vec<Call>) {
    let counter: [u8; 16] = bytes(16, seed).try_into().unwrap();
    for kernel in runnable("vg_aes_ctr32", CTR32) {
        for blocks in BLOCKS {
            let data = bytes(16 * blocks, seed + 1);
            let mut expected = data.clone();
            reference::ctr32(key, &counter, &mut expected);
            calls.push(Call {
                what: format!(
                    "{}, key of {} bytes, {blocks} blocks",
                    kernel.name,
                    key.len()
                ),
                kernel: kernel.function as *const (),
                returns: None,
                arguments: vec![
                    input(&reference::context(key)),
                    Argument::Number(reference::rounds(key)),
                    input(&counter),
                    inout(&data, &expected),
                    Argument::Number(data.len()),
                ],
            });
        }
    }
}

fn ghash_blocks(key: &[u8], seed: u64, calls: &mut Vec<Call>) {
    let y: [u8; 16] = bytes(16, seed).try_into().unwrap();
    for kernel in runnable("vg_ghash_blocks", GHASH_BLOCKS) {
        for blocks in BLOCKS {
            let data = bytes(16 * blocks, seed + 1);
            let expected = reference::ghash(&reference::subkey(key), y, &data);
            calls.push(Call {
                what: format!("{}, {blocks} blocks", kernel.name),
                kernel: kernel.function as *const (),
                returns: None,
                arguments: vec![
                    input(&reference::prepared(key)),
                    inout(&y, &expected),
                    input(&data),
                    Argument::Number(data.len()),
                ],
            });
        }
    }
}

fn seal_and_open(key: &[u8], [nonce, aad, len]: [usize; 3], seed: u64, calls: &mut Vec<Call>) {
    let what = format!(
        "key of {} bytes, nonce of {nonce}, {aad} of additional data, text of {len}",
        key.len()
    );
    let (nonce, aad, text) = (
        bytes(nonce, seed),
        bytes(aad, seed + 1),
        bytes(len, seed + 2),
    );
    let mut sealed = text.clone();
    let tag = gcm::seal(key, &nonce, &aad, &mut sealed);
    let arguments = |data: Argument, tag: Vec<Argument>| {
        let mut fields = vec![
            Argument::Number(reference::rounds(key)),
            input(&nonce),
            Argument::Number(nonce.len()),
            input(&aad),
            Argument::Number(aad.len()),
            data,
            Argument::Number(len),
        ];
        fields.extend(tag);
        vec![input(&reference::prepared(key)), Argument::Record(fields)]
    };
    for kernel in runnable("vg_aes_gcm_seal", SEAL) {
        calls.push(Call {
            what: format!("{}, {what}", kernel.name),
            kernel: kernel.function as *const (),
            returns: None,
            arguments: arguments(inout(&text, &sealed), vec![inout(&[CANARY; 16], &tag)]),
        });
    }
    for kernel in runnable("vg_aes_gcm_seal_gather", SEAL_GATHER) {
        for lengths in splits(len) {
            let mut slices = Vec::new();
            let mut rest = &text[..];
            for &len in &lengths {
                let (slice, others) = rest.split_at(len);
                slices.extend([input(slice), Argument::Number(len)]);
                rest = others;
            }
            assert!(rest.is_empty());
            calls.push(Call {
                what: format!("{}, {what}, slices of {lengths:?}", kernel.name),
                kernel: kernel.function as *const (),
                returns: None,
                arguments: arguments(
                    inout(&bytes(len, seed + 3), &sealed),
                    vec![
                        inout(&[CANARY; 16], &tag),
                        Argument::Record(slices),
                        Argument::Number(lengths.len()),
                    ],
                ),
            });
        }
    }
    for kernel in runnable("vg_aes_gcm_open", OPEN) {
        for tag_len in [16, 13, 4] {
            for right in [true, false] {
                let mut tag = tag[..tag_len].to_vec();
                tag[tag_len - 1] ^= u8::from(!right);
                let after = if right { &text } else { &sealed };
                calls.push(Call {
                    what: format!("{}, {what}, tag of {tag_len}: {right}", kernel.name),
                    kernel: kernel.function as *const (),
                    returns: Some(right.into()),
                    arguments: arguments(
                        inout(&sealed, after),
                        vec![input(&tag), Argument::Number(tag_len)],
                    ),
                });
            }
        }
    }
}

/// Lengths of slices that are `len` bytes in all.
fn splits(len: usize) -> Vec<Vec<usize>> {
    let mut all = vec![
        vec![len],
        vec![0, len / 3, len - len / 3],
        vec![len / 2, len % 2, 0, len / 2],
    ];
    if len == 0 {
        all.push(vec![]);
    }
    all
}
