//! Random messages: sealed as other crates seal them, opened again, and refused with one bit changed.
//!
//! `cargo test --release --all-features --test aes_gcm_fuzz -- --include-ignored` does it for a minute; `FUZZ_SECONDS` is another time.

mod common;

use std::time::{Duration, Instant};

use common::forms::{Message, check, check_refused, new};
use common::gcm;
use common::reference::KEY_LENGTHS;
use leanseal::aes_gcm::Error;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, TestRunner};

#[derive(Clone, Debug)]
struct Input {
    key: Vec<u8>,
    nonce: Vec<u8>,
    aad: Vec<u8>,
    text: Vec<u8>,
    /// Which bit of nonce, additional data, ciphertext and tag changes.
    bit: Index,
}

/// Mostly short, so that many are tried and ends of texts are in every place.
fn buffer() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        8 => vec(any::<u8>(), 0..70),
        4 => vec(any::<u8>(), 0..600),
        1 => vec(any::<u8>(), 0..9000),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    let key = select(KEY_LENGTHS.to_vec()).prop_flat_map(|len| vec(any::<u8>(), len));
    let nonce = prop_oneof![
        3 => vec(any::<u8>(), 12),
        1 => vec(any::<u8>(), 1..150),
    ];
    let fields = (key, nonce, buffer(), buffer(), any::<Index>());
    fields.prop_map(|(key, nonce, aad, text, bit)| Input {
        key,
        nonce,
        aad,
        text,
        bit,
    })
}

fn try_one(input: Input) {
    let Some(key) = new(&input.key) else { return };
    let Input {
        mut nonce,
        mut aad,
        text,
        ..
    } = input;
    let mut sealed = text.clone();
    let mut tag = gcm::seal(&input.key, &nonce, &aad, &mut sealed);
    let message = Message {
        nonce: &nonce,
        aad: &aad,
        data: &text,
    };
    check(&key, message, &sealed, &tag);
    let fields = [&mut nonce[..], &mut aad, &mut sealed, &mut tag];
    let bits = 8 * fields.iter().map(|field| field.len()).sum::<usize>();
    let bit = input.bit.index(bits);
    let byte = fields.into_iter().flatten().nth(bit / 8).unwrap();
    *byte ^= 1 << (bit % 8);
    let message = Message {
        nonce: &nonce,
        aad: &aad,
        data: &sealed,
    };
    check_refused(&key, message, &tag, Error::TagMismatch);
}

/// Runs so many cases, with a seed of their own.
fn cases(count: u32) {
    let mut runner = TestRunner::new(Config::with_cases(count));
    let run = runner.run(&input(), |input| {
        try_one(input);
        Ok(())
    });
    if let Err(error) = run {
        panic!("{error}");
    }
}

#[test]
fn random_messages() {
    cases(300);
}

#[test]
#[ignore = "it takes a minute"]
fn random_messages_for_a_minute() {
    let seconds = std::env::var("FUZZ_SECONDS").map_or(60, |seconds| seconds.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut count = 0;
    while Instant::now() < end {
        cases(1000);
        count += 1000;
    }
    println!("{count} messages");
}
