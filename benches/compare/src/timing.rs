//! Interleaved measurements.

use std::time::{Duration, Instant};

use super::buffers::Buffers;
use super::row::Runner;

/// One operation of one library, and how often it runs between two looks at the clock.
pub struct Contender {
    runner: Runner,
    times: u64,
    /// Nanoseconds of one operation, in each round.
    samples: Vec<f64>,
}

impl Contender {
    /// With so many repetitions that they take as long as `batch`, about.
    pub fn new(mut runner: Runner, buffers: &mut Buffers, batch: Duration) -> Self {
        let times = repetitions(&mut runner, buffers, batch);
        Self {
            runner,
            times,
            samples: Vec::new(),
        }
    }

    /// Of the lowest tenth of the samples the highest: interrupts and other programs only add time.
    pub fn nanoseconds(&mut self) -> f64 {
        self.samples.sort_by(f64::total_cmp);
        self.samples[self.samples.len() / 10]
    }
}

/// Measures each of them once a round, beginning with another one each time.
pub fn run(contenders: &mut [Contender], buffers: &mut Buffers, rounds: usize) {
    for round in 0..rounds {
        for i in 0..contenders.len() {
            let i = (round + i) % contenders.len();
            let contender = &mut contenders[i];
            let spent = time(&mut contender.runner, buffers, contender.times);
            contender.samples.push(spent);
        }
    }
}

/// An even number of repetitions that take as long as `batch`, about.
pub fn repetitions(runner: &mut Runner, buffers: &mut Buffers, batch: Duration) -> u64 {
    let mut times = 2;
    loop {
        let spent = time(runner, buffers, times) * times as f64;
        if spent >= batch.as_nanos() as f64 || times > 1 << 30 {
            return times;
        }
        times *= 2;
    }
}

/// Nanoseconds of one operation, after a few that are not measured.
pub fn time(runner: &mut Runner, buffers: &mut Buffers, times: u64) -> f64 {
    runner(buffers, (times / 16).next_multiple_of(2));
    let start = Instant::now();
    runner(buffers, times);
    start.elapsed().as_nanos() as f64 / times as f64
}
