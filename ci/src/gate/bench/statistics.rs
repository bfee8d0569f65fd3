//! What is slower, and what is noise.

use std::fmt;

/// Changes below this are not reported even where the noise is less: where the code lies in cache lines makes as much.
const LEAST: f64 = 1.02;

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
    /// The largest ratio of two times of the same program, at least 1.
    pub noise: f64,
    pub slower: bool,
}

/// Compares what was measured in several launches, at least one.
///
/// Without a real change the median of the ratios is in the middle of what the noise is the largest of: it does not get there.
pub fn judge(launches: &[Launch]) -> Verdict {
    let both = |launch: &Launch| (launch.base + launch.base_again) / 2.0;
    let change = median(launches.iter().map(|launch| launch.head / both(launch)));
    let noise = launches
        .iter()
        .map(|launch| launch.base / launch.base_again)
        .fold(1.0, |noise: f64, ratio| noise.max(ratio).max(ratio.recip()));
    Verdict {
        base: median(launches.iter().map(both)),
        head: median(launches.iter().map(|launch| launch.head)),
        change,
        noise,
        slower: change > noise.max(LEAST),
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
pub fn low_decile(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 10]
}

/// The lower one of two in the middle.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
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
        (0..9)
            .map(|_| Launch {
                base: time(base),
                base_again: time(base),
                head: time(base * factor),
            })
            .collect()
    }

    #[test]
    fn noise_alone_is_not_slower() {
        for spread in [0.0, 0.001, 0.01, 0.05, 0.3] {
            for seed in 0..2000 {
                let verdict = judge(&launches(seed, 100.0, spread, 1.0));
                assert!(!verdict.slower, "seed {seed}, spread {spread}: {verdict:?}");
            }
        }
    }

    #[test]
    fn what_is_slower_by_more_than_the_noise_is_found() {
        for (spread, factor) in [
            (0.0, 1.03),
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
    fn one_bad_launch_is_not_a_change() {
        let mut launches = launches(1, 100.0, 0.01, 1.0);
        launches[3].head *= 10.0;
        launches[4].head *= 3.0;
        assert!(!judge(&launches).slower);
    }

    #[test]
    fn a_base_that_contradicts_itself_hides_a_change_and_the_noise_says_so() {
        let mut launches = launches(1, 100.0, 0.01, 1.2);
        launches[8].base_again *= 1.5;
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
            launch(90.0, 110.0, 120.0),
            launch(110.0, 100.0, 1.0),
        ];
        let verdict = judge(&launches);
        assert_eq!((verdict.base, verdict.head), (100.0, 110.0));
        assert_eq!(verdict.change, 1.1);
        assert_eq!(verdict.noise, 110.0 / 90.0);
    }

    #[test]
    fn the_low_decile_leaves_out_what_took_longer() {
        assert_eq!(low_decile((1..=20).rev().map(f64::from).collect()), 3.0);
        assert_eq!(low_decile(vec![7.0]), 7.0);
        assert_eq!(low_decile(vec![9.0, 7.0, 8.0]), 7.0);
    }
}
