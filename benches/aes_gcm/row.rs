//! What is measured.

use std::hint::black_box;

use super::buffers::Buffers;
use super::library::{AAD, Library, NONCE};

/// Lengths of keys.
pub const KEY_BITS: [usize; 2] = [128, 256];

/// Lengths of texts, in bytes.
pub const LENGTHS: [usize; 12] = [
    16,
    64,
    100,
    128,
    200,
    255,
    300,
    767,
    1350,
    4096,
    16384,
    1 << 20,
];

/// The text of the only message of a connection, in bytes.
const CONNECTION: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Makes a key, and drops it.
    New,
    /// Makes a key, seals one message, and drops the key.
    Connection,
    /// Seals in place.
    Seal,
    /// Opens in place.
    Open,
    /// Seals one slice to another place.
    Gather1,
    /// Seals two slices to another place.
    Gather2,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    pub operation: Operation,
    pub key_bits: usize,
    /// Of the text, in bytes; none where there is no text.
    pub len: usize,
}

/// Runs an operation so many times, an even number: the buffers are then as before.
pub type Runner = Box<dyn FnMut(&mut Buffers, u64)>;

impl Row {
    /// All rows for a key of so many bits, and those that make keys of all lengths.
    pub fn all(key_bits: usize) -> Vec<Self> {
        let row = |operation, len| Self {
            operation,
            key_bits,
            len,
        };
        let mut rows = vec![row(Operation::Connection, CONNECTION)];
        rows.extend(KEY_BITS.map(|key_bits| Self {
            operation: Operation::New,
            key_bits,
            len: 0,
        }));
        for operation in [
            Operation::Seal,
            Operation::Open,
            Operation::Gather1,
            Operation::Gather2,
        ] {
            rows.extend(LENGTHS.map(|len| row(operation, len)));
        }
        rows
    }

    /// The same for ever: `cargo gate bench` finds a row of another revision by it.
    pub fn name(&self) -> String {
        let Self { key_bits, len, .. } = self;
        match self.operation {
            Operation::New => format!("gcm-new/{key_bits}"),
            Operation::Connection => format!("tls-connection/1/{key_bits}"),
            Operation::Seal => format!("seal/{key_bits}/{len}"),
            Operation::Open => format!("open/{key_bits}/{len}"),
            Operation::Gather1 => format!("gather/1/{key_bits}/{len}"),
            Operation::Gather2 => format!("gather/2/{key_bits}/{len}"),
        }
    }

    pub fn runner<L: Library + 'static>(&self, buffers: &mut Buffers) -> Runner {
        let key_bytes = vec![0x42; self.key_bits / 8];
        let len = self.len;
        let key = Box::new(L::new(&key_bytes));
        match self.operation {
            Operation::New => Box::new(move |_, times| {
                for _ in 0..times {
                    drop(black_box(L::new(black_box(&key_bytes))));
                }
            }),
            Operation::Connection => Box::new(move |buffers, times| {
                let text = buffers.text(len);
                for _ in 0..times {
                    let key = L::new(black_box(&key_bytes));
                    black_box(key.seal(black_box(&NONCE), black_box(&AAD), black_box(&mut *text)));
                }
            }),
            Operation::Seal => Box::new(move |buffers, times| {
                let text = buffers.text(len);
                let key = black_box(&*key);
                for _ in 0..times {
                    black_box(key.seal(black_box(&NONCE), black_box(&AAD), black_box(&mut *text)));
                }
            }),
            Operation::Open => {
                // What opening gives is a text that another tag authenticates, and opening that gives the first: no copies.
                let text = buffers.text(len);
                let second = key.seal(&NONCE, &AAD, text);
                let first = key.seal(&NONCE, &AAD, text);
                Box::new(move |buffers, times| {
                    let text = buffers.text(len);
                    let key = black_box(&*key);
                    for _ in 0..times / 2 {
                        for tag in [&first, &second] {
                            let (nonce, aad) = (black_box(&NONCE), black_box(&AAD));
                            key.open(nonce, aad, black_box(&mut *text), black_box(tag));
                        }
                    }
                })
            }
            Operation::Gather1 => Box::new(move |buffers, times| {
                let (text, out) = buffers.both(len);
                gather(&*key, &[text], out, times);
            }),
            Operation::Gather2 => Box::new(move |buffers, times| {
                let (text, out) = buffers.both(len);
                let (first, second) = text.split_at(len / 2 + 3);
                gather(&*key, &[first, second], out, times);
            }),
        }
    }
}

fn gather<L: Library>(key: &L, slices: &[&[u8]], out: &mut [u8], times: u64) {
    let key = black_box(key);
    for _ in 0..times {
        let (nonce, aad) = (black_box(&NONCE), black_box(&AAD));
        black_box(key.gather(nonce, aad, black_box(slices), black_box(&mut *out)));
    }
}
