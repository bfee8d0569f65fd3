//! AES-GCM against RustCrypto's `aes-gcm`. `benches/compare` has the libraries that need a C compiler too.

use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use leanseal::aes_gcm::AesGcm;

use buffers::Buffers;
use participant::Participant;
use row::Row;

mod buffers;
mod check;
mod library;
mod participant;
mod row;
mod rust_crypto;

fn main() {
    if let Err(error) = AesGcm::new(&[0; 16]) {
        println!("NOT RUN: {error}");
        return;
    }
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut buffers = Buffers::new();
    check::check(participants, &mut buffers).unwrap();
    for row in Row::all(128) {
        let mut group = criterion.benchmark_group(row.name());
        if row.len > 0 {
            group.throughput(Throughput::Bytes(row.len as u64));
        }
        for participant in participants(row.key_bits) {
            let mut runner = (participant.runner)(&row, &mut buffers);
            group.bench_function(participant.name, |bencher| {
                bencher.iter_custom(|times| {
                    // An even number.
                    let twice = times.next_multiple_of(2);
                    let start = Instant::now();
                    runner(&mut buffers, twice);
                    start.elapsed().mul_f64(times as f64 / twice as f64)
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
}

fn participants(key_bits: usize) -> Vec<Participant> {
    vec![Participant::leanseal(), rust_crypto::participant(key_bits)]
}
