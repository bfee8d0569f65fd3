//! The building blocks of AES-GCM against the crates `aes`, `ctr` and `ghash`.

use std::hint::black_box;
use std::time::Duration;

use aes::cipher::array::Array;
use aes::cipher::consts::U16;
use aes::cipher::{BlockCipherEncrypt, BlockSizeUser, InnerIvInit, KeyInit, StreamCipher};
use aes::{Aes128, Aes192, Aes256};
use criterion::{BenchmarkId, Criterion, Throughput};
use ctr::{Ctr32BE, CtrCore};
use ghash::GHash;
use ghash::universal_hash::UniversalHash;

const LENGTHS: [usize; 6] = [16, 64, 256, 1024, 4096, 16384];

/// AES of the crate `aes`.
trait Aes: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16> {}
impl<C: KeyInit + BlockCipherEncrypt + BlockSizeUser<BlockSize = U16>> Aes for C {}

/// At fixed places in their pages.
#[repr(align(4096))]
struct Buffers {
    data: [u8; 16384],
    context: [u8; 1024],
}

impl Buffers {
    /// With a prepared context for a key of zeros.
    fn new(key_len: usize) -> Box<Self> {
        let mut buffers = Box::new(Self {
            data: std::array::from_fn(|i| i as u8),
            context: [0; 1024],
        });
        let context = buffers.context.as_mut_ptr();
        // SAFETY: `main` has made sure of the CPU's features; the key and the context have the right lengths.
        unsafe {
            kernels::init([0; 32].as_ptr(), key_len, context);
            kernels::prepare16(context);
        }
        buffers
    }
}

fn main() {
    if !kernels::are_here() {
        println!("NOT RUN: this CPU lacks what the kernels need");
        return;
    }
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    key_setup::<Aes128>(&mut criterion, 16);
    key_setup::<Aes192>(&mut criterion, 24);
    key_setup::<Aes256>(&mut criterion, 32);
    counter_mode::<Aes128>(&mut criterion, 16);
    counter_mode::<Aes192>(&mut criterion, 24);
    counter_mode::<Aes256>(&mut criterion, 32);
    hash(&mut criterion);
    criterion.final_summary();
}

/// Round keys and hash subkey; the crates expand the keys of the inverse cipher too. Then the powers of the subkey as well.
fn key_setup<C: Aes>(criterion: &mut Criterion, key_len: usize) {
    let Buffers { context, .. } = &mut *Buffers::new(key_len);
    let key = [0; 32];
    let key = &key[..key_len];
    let mut group = criterion.benchmark_group(format!("init/{key_len}"));
    group.bench_function("leanseal", |bencher| {
        bencher.iter(|| init(black_box(key), black_box(&mut *context)));
    });
    group.bench_function("aes, key only", |bencher| {
        bencher.iter(|| C::new_from_slice(black_box(key)).unwrap());
    });
    group.bench_function("aes", |bencher| {
        bencher.iter(|| crates_subkey::<C>(black_box(key)));
    });
    group.finish();

    let mut group = criterion.benchmark_group(format!("init, prepare16/{key_len}"));
    group.bench_function("leanseal", |bencher| {
        bencher.iter(|| {
            init(black_box(key), black_box(&mut *context));
            // SAFETY: as in `Buffers::new`.
            unsafe { kernels::prepare16(context.as_mut_ptr()) };
        });
    });
    if let Some(prepare16) = kernels::prepare16_wide() {
        group.bench_function("leanseal, vpclmul", |bencher| {
            bencher.iter(|| {
                init(black_box(key), black_box(&mut *context));
                // SAFETY: as in `Buffers::new`.
                unsafe { prepare16(context.as_mut_ptr()) };
            });
        });
    }
    group.bench_function("aes, ghash", |bencher| {
        bencher.iter(|| {
            let (cipher, subkey) = crates_subkey::<C>(black_box(key));
            (cipher, GHash::new(&subkey))
        });
    });
    group.finish();
}

fn init(key: &[u8], context: &mut [u8; 1024]) {
    // SAFETY: `main` has made sure of the CPU's features; the key and the context have the right lengths.
    unsafe { kernels::init(key.as_ptr(), key.len(), context.as_mut_ptr()) };
}

fn crates_subkey<C: Aes>(key: &[u8]) -> (C, Array<u8, U16>) {
    let cipher = C::new_from_slice(key).unwrap();
    let mut subkey = Array::default();
    cipher.encrypt_block(&mut subkey);
    (cipher, subkey)
}

fn counter_mode<C: Aes>(criterion: &mut Criterion, key_len: usize) {
    let Buffers { data, context } = &mut *Buffers::new(key_len);
    let cipher = C::new_from_slice(&[0; 32][..key_len]).unwrap();
    let counter = [7; 16];
    let mut group = criterion.benchmark_group(format!("ctr32/{key_len}"));
    for len in LENGTHS {
        let data = &mut data[..len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("leanseal", len), |bencher| {
            let rounds = key_len / 4 + 6;
            // SAFETY: `main` has made sure of the CPU's features; the context has round keys, and the data are whole blocks.
            bencher.iter(|| unsafe {
                let data = black_box(&mut *data).as_mut_ptr();
                kernels::ctr32(context.as_ptr(), rounds, counter.as_ptr(), data, len);
            });
        });
        group.bench_function(BenchmarkId::new("ctr", len), |bencher| {
            bencher.iter(|| {
                let core = CtrCore::inner_iv_init(&cipher, &counter.into());
                Ctr32BE::from_core(core).apply_keystream(black_box(&mut *data));
            });
        });
    }
    group.finish();
}

fn hash(criterion: &mut Criterion) {
    let Buffers { data, context } = &mut *Buffers::new(16);
    let (_, subkey) = crates_subkey::<Aes128>(&[0; 16]);
    let mut group = criterion.benchmark_group("ghash");
    for len in LENGTHS {
        let data = &data[..len];
        group.throughput(Throughput::Bytes(len as u64));
        group.bench_function(BenchmarkId::new("leanseal", len), |bencher| {
            let mut y = [0; 16];
            // SAFETY: `main` has made sure of the CPU's features; the context is prepared, and the data are whole blocks.
            bencher.iter(|| unsafe {
                let data = black_box(data).as_ptr();
                kernels::ghash_blocks(context.as_ptr(), y.as_mut_ptr(), data, len);
            });
        });
        group.bench_function(BenchmarkId::new("ghash", len), |bencher| {
            let mut hash = GHash::new(&subkey);
            let (blocks, _) = Array::slice_as_chunks(data);
            bencher.iter(|| hash.update(black_box(blocks)));
        });
    }
    group.finish();
}

#[cfg(target_arch = "x86_64")]
mod kernels {
    pub use leanseal::asm::x86_64::aes::vg_aes_ctr32_aesni as ctr32;
    pub use leanseal::asm::x86_64::aes_gcm::vg_aes_gcm_init as init;
    pub use leanseal::asm::x86_64::aes_gcm::vg_aes_gcm_prepare16_pclmul_avx as prepare16;
    use leanseal::asm::x86_64::aes_gcm::vg_aes_gcm_prepare16_vpclmul;
    pub use leanseal::asm::x86_64::ghash::vg_ghash_blocks_pclmul_avx as ghash_blocks;

    /// Whether this CPU can run those above.
    pub fn are_here() -> bool {
        is_x86_feature_detected!("avx")
            && is_x86_feature_detected!("aes")
            && is_x86_feature_detected!("pclmulqdq")
    }

    /// The kernel with vectors of 256 bits, if this CPU can run it.
    pub fn prepare16_wide() -> Option<unsafe extern "sysv64" fn(*mut u8)> {
        let here = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("vpclmulqdq");
        (here && are_here()).then_some(vg_aes_gcm_prepare16_vpclmul as _)
    }
}

#[cfg(target_arch = "aarch64")]
mod kernels {
    pub use leanseal::asm::aarch64::aes::vg_aes_ctr32 as ctr32;
    pub use leanseal::asm::aarch64::aes_gcm::vg_aes_gcm_init as init;
    pub use leanseal::asm::aarch64::aes_gcm::vg_aes_gcm_prepare16 as prepare16;
    pub use leanseal::asm::aarch64::ghash::vg_ghash_blocks as ghash_blocks;

    /// Whether this CPU can run those above.
    pub fn are_here() -> bool {
        std::arch::is_aarch64_feature_detected!("aes")
    }

    /// A kernel with wider vectors.
    pub fn prepare16_wide() -> Option<unsafe extern "C" fn(*mut u8)> {
        None
    }
}
