//! `gather::copy` against a loop of `copy_from_slice`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

const TOTALS: [usize; 8] = [15, 31, 63, 100, 255, 767, 1350, 16384];
const COUNTS: [usize; 3] = [1, 2, 4];

/// At fixed places in their pages, because some copies are many times slower where the two are close modulo 4096.
#[repr(align(4096))]
struct Buffers {
    text: [u8; 16384],
    _gap: [u8; 2048],
    out: [u8; 16384],
}

fn gather(criterion: &mut Criterion) {
    let mut buffers = Box::new(Buffers {
        text: std::array::from_fn(|i| i as u8),
        _gap: [0; 2048],
        out: [0; 16384],
    });
    for count in COUNTS {
        let mut group = criterion.benchmark_group(format!("gather/{count}"));
        for total in TOTALS {
            let (text, out) = (&buffers.text[..total], &mut buffers.out[..total]);
            let slices: Vec<&[u8]> = (0..count)
                .map(|i| &text[total * i / count..total * (i + 1) / count])
                .collect();
            group.throughput(Throughput::Bytes(total as u64));
            group.bench_function(BenchmarkId::new("leanseal", total), |bencher| {
                bencher.iter(|| {
                    leanseal::gather::copy(black_box(&slices), black_box(&mut *out)).unwrap()
                })
            });
            group.bench_function(BenchmarkId::new("copy_from_slice", total), |bencher| {
                bencher.iter(|| copy_loop(black_box(&slices), black_box(&mut *out)))
            });
            assert_eq!(out, text);
        }
    }
}

/// The peer: what one writes without the crate.
fn copy_loop(slices: &[&[u8]], mut out: &mut [u8]) {
    for slice in slices {
        let (dst, rest) = out.split_at_mut(slice.len());
        dst.copy_from_slice(slice);
        out = rest;
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = gather
}
criterion_main!(benches);
