//! Which kernels the CPU and the operating system can run.

/// A module whose `get` tells whether all of `FEATURES` are there: at compile time where the target has them, and else with
/// `cpuid`, once, and a relaxed load from then on. Features of vector registers count only if the operating system saves those.
#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($(#[$doc:meta])* $name:ident: $($feature:tt),+) => {
        $(#[$doc])*
        pub(crate) mod $name {
            cpufeatures::new!(detection, $($feature),+);
            pub(crate) use detection::get;

            pub(crate) const FEATURES: &[&str] = &[$($feature),+];
        }
    };
}

#[cfg(target_arch = "x86_64")]
features! {
    /// Moves of 32 bytes.
    avx: "avx"
}

/// What the crate does not compile without.
#[cfg(target_arch = "x86_64")]
pub(crate) const BASELINE: &[&str] = &["sse2"];
/// What the crate does not compile without.
#[cfg(target_arch = "aarch64")]
pub(crate) const BASELINE: &[&str] = &["neon"];

/// Whether a kernel that needs `needed` can run where `present` is: for assertions at compile time, beside each call.
pub(crate) const fn covers(present: &[&str], needed: &[&str]) -> bool {
    let mut i = 0;
    while i < needed.len() {
        if !contains(present, needed[i]) {
            return false;
        }
        i += 1;
    }
    true
}

const fn contains(features: &[&str], feature: &str) -> bool {
    let mut i = 0;
    while i < features.len() {
        if equal(features[i].as_bytes(), feature.as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn the_standard_library_finds_the_same_features() {
        extern crate std;
        assert_eq!(avx::get(), std::is_x86_feature_detected!("avx"));
        assert_eq!(avx::get(), avx::get(), "detected, then remembered");
        assert!(std::is_x86_feature_detected!("sse2"));
    }

    #[test]
    fn covers_is_inclusion() {
        assert!(covers(&[], &[]));
        assert!(covers(&["avx"], &[]));
        assert!(covers(&["aes", "avx"], &["avx"]));
        assert!(covers(&["aes", "avx"], &["avx", "aes"]));
        for needed in ["avx2", "av", "", "AVX", "sse2"] {
            assert!(!covers(&["aes", "avx"], &["avx", needed]), "{needed}");
        }
        assert!(!covers(&[], &["avx"]));
    }
}
