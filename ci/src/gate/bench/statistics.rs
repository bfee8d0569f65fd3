//! What is slower, and what is noise.

use std::fmt;

/// Changes below this are not reported even where the noise is less: where the code lies in cache lines makes as much.
const LEAST: f64 = 1.03;

/// Nanoseconds of one row, from three programs that ran at the same time; the first two are the same program.
#[derive(Debug, Clone, Copy)]
pub struct Launch {
    pub base: f64,
    pub base_again: f64,
    pub head: f64,
}

#[derive(Debug, PartialEq)]
pub struct Verdict {
    /// Nanoseconds, the medians.
    pub base: f64,
    pub head: f64,
    /// Of the head's times by the base's, the median.
    pub change: f64,
    /// Of the ratios of two times of the same program, the larger by the smaller, the upper quartile.
    pub noise: f64,
    pub slower: bool,
}

/// Compares what was measured in several launches, at least one.
///
/// Slower is what three of four launches find slower by more than the noise is in three of four. Without a change, and
/// with any noise, thirteen launches do so about once in 20,000 times.
pub fn judge(launches: &[Launch]) -> Verdict {
    let both = |launch: &Launch| (launch.base + launch.base_again) / 2.0;
    let changes = sorted(launches.iter().map(|launch| launch.head / both(launch)));
    let noises = sorted(launches.iter().map(|launch| {
        let ratio = launch.base / launch.base_again;
        ratio.max(ratio.recip())
    }));
    let noise = quantile(&noises, 0.75);
    Verdict {
        base: quantile(&sorted(launches.iter().map(both)), 0.5),
        head: quantile(&sorted(launches.iter().map(|launch| launch.head)), 0.5),
        change: quantile(&changes, 0.5),
        noise,
        slower: quantile(&changes, 0.25) > noise.max(LEAST),
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            base,
            head,
            change,
            noise,
            slower,
        } = self;
        write!(f, "{base:10.1}{head:10.1}{change:8.3}{noise:8.3}")?;
        if *slower {
            write!(f, "  slower")?;
        } else if change.recip() > noise.max(LEAST) {
            write!(f, "  faster")?;
        }
        Ok(())
    }
}

/// Of the lowest tenth the highest: interrupts and other programs only add time.
pub fn low_decile(samples: Vec<f64>) -> f64 {
    quantile(&sorted(samples.into_iter()), 0.1)
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

/// One of the values, which are sorted.
fn quantile(values: &[f64], part: f64) -> f64 {
    values[((values.len() - 1) as f64 * part).round() as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times between 1 and 1 + `spread` times `base`; `head` is slower by a factor. Always the same for a seed.
    fn launches(seed: u64, base: f64, spread: f64, factor: f64) -> Vec<Launch> {
        let mut state = seed.wrapping_mul(2).wrapping_add(1);
        let mut time = |from: f64| {
            // Knuth's MMIX generator; its high bits.
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            from * (1.0 + spread * (state >> 40) as f64 / (1 << 24) as f64)
        };
        (0..13)
            .map(|_| Launch {
                base: time(base),
                base_again: time(base),
                head: time(base * factor),
            })
            .collect()
    }

    #[test]
    fn noise_alone_is_hardly_ever_slower() {
        for spread in [0.0, 0.001, 0.01, 0.05, 0.3] {
            let slower = |seed: &u64| judge(&launches(*seed, 100.0, spread, 1.0)).slower;
            let times = (0..10_000).filter(slower).count();
            assert!(times <= 2, "spread {spread}: {times} times");
        }
    }

    #[test]
    fn what_is_slower_by_more_than_the_noise_is_found() {
        for (spread, factor) in [
            (0.0, 1.04),
            (0.01, 1.05),
            (0.05, 1.15),
            (0.1, 1.3),
            (0.3, 2.0),
        ] {
            for seed in 0..2000 {
                let verdict = judge(&launches(seed, 100.0, spread, factor));
                assert!(verdict.slower, "seed {seed}, spread {spread}: {verdict:?}");
            }
        }
    }

    #[test]
    fn what_is_faster_is_not_refused_and_said() {
        let verdict = judge(&launches(1, 100.0, 0.01, 0.8));
        assert!(!verdict.slower);
        assert!(verdict.to_string().ends_with("  faster"), "{verdict}");
    }

    #[test]
    fn launches_that_something_else_slowed_down_are_not_a_change() {
        let mut launches = launches(1, 100.0, 0.01, 1.0);
        for launch in &mut launches[2..8] {
            launch.head *= 3.0;
        }
        assert!(!judge(&launches).slower);
        for launch in &mut launches {
            launch.head *= 1.1;
        }
        launches[0].head = 50.0;
        launches[1].base_again *= 1.5;
        let verdict = judge(&launches);
        assert!(verdict.slower, "{verdict:?}");
    }

    #[test]
    fn a_base_that_contradicts_itself_hides_a_change_and_the_noise_says_so() {
        let mut launches = launches(1, 100.0, 0.01, 1.2);
        for launch in &mut launches[..5] {
            launch.base_again *= 1.5;
        }
        let verdict = judge(&launches);
        assert!(!verdict.slower && verdict.noise > 1.4, "{verdict:?}");
    }

    #[test]
    fn the_numbers_are_medians_and_the_noise_counts_both_ways() {
        let launch = |base, base_again, head| Launch {
            base,
            base_again,
            head,
        };
        let launches = [
            launch(100.0, 100.0, 110.0),
            launch(80.0, 120.0, 120.0),
            launch(120.0, 80.0, 1.0),
        ];
        let verdict = judge(&launches);
        assert_eq!((verdict.base, verdict.head), (100.0, 110.0));
        assert_eq!((verdict.change, verdict.noise), (1.1, 1.5));
    }

    #[test]
    fn quantiles_are_among_the_values() {
        let values: Vec<_> = (1..=21).rev().map(f64::from).collect();
        assert_eq!(low_decile(values.clone()), 3.0);
        let values = sorted(values.into_iter());
        assert_eq!(
            [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(&values, part)),
            [1.0, 6.0, 11.0, 16.0, 21.0]
        );
        assert_eq!([0.0, 0.5, 1.0].map(|part| quantile(&[7.0], part)), [7.0; 3]);
    }
}
