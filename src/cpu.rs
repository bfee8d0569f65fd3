//! Which kernels the CPU and the operating system can run.

#[cfg(feature = "cpu-features-env")]
pub(crate) mod env;

/// The names of features that some kernels need and that not every CPU has; and with the feature `cpu-features-env`, whether this
/// one has them, as the standard library finds out.
macro_rules! optional {
    ($has:ident: $($feature:tt),+) => {
        pub(crate) const OPTIONAL: &[&str] = &[$($feature),+];

        #[cfg(feature = "cpu-features-env")]
        pub(crate) fn has(feature: &str) -> bool {
            match feature {
                $($feature => std::arch::$has!($feature),)+
                _ => false,
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
optional!(is_x86_feature_detected: "avx", "avx2", "aes", "pclmulqdq", "vaes", "vpclmulqdq");
#[cfg(target_arch = "aarch64")]
optional!(is_aarch64_feature_detected: "aes");

/// Whether kernels that need these features may be used at all: see `env`.
#[cfg(feature = "cpu-features-env")]
use env::allows;

#[cfg(not(feature = "cpu-features-env"))]
const fn allows(_features: &[&str]) -> bool {
    true
}

/// A module whose `get` tells whether all of `FEATURES` are there: at compile time where the target has them, and else with
/// `cpuid`, once, and a relaxed load from then on. Features of vector registers count only if the operating system saves those.
#[cfg(target_arch = "x86_64")]
macro_rules! features {
    ($(#[$doc:meta])* $name:ident: $($feature:tt),+) => {
        $(#[$doc])*
        pub(crate) mod $name {
            cpufeatures::new!(detection, $($feature),+);

            pub(crate) const FEATURES: &[&str] = &[$($feature),+];
            const _: () = assert!(super::covers(super::OPTIONAL, FEATURES));

            #[cfg(not(feature = "cpu-features-env"))]
            pub(crate) use detection::get;

            /// Remembered, because comparing names takes longer than making a key.
            #[cfg(feature = "cpu-features-env")]
            pub(crate) fn get() -> bool {
                static FOUND: std::sync::LazyLock<bool> =
                    std::sync::LazyLock::new(|| detection::get() && super::allows(FEATURES));
                *FOUND
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
features! {
    /// Moves of 32 bytes.
    avx: "avx"
}

#[cfg(target_arch = "x86_64")]
features! {
    /// AES and multiplication of polynomials, 16 bytes at a time, in instructions of three operands.
    aesni: "avx", "aes", "pclmulqdq"
}

/// As `features`, with instructions on 32 bytes, which `cpufeatures` finds only where there are registers of 64 bytes too.
#[cfg(target_arch = "x86_64")]
macro_rules! wide_features {
    ($(#[$doc:meta])* $name:ident: $($narrow:tt),+; $($wide:literal at $bit:literal),+) => {
        $(#[$doc])*
        pub(crate) mod $name {
            use core::sync::atomic::{AtomicU8, Ordering};

            cpufeatures::new!(narrow, $($narrow),+);

            pub(crate) const FEATURES: &[&str] = &[$($narrow,)+ $($wide),+];
            const _: () = assert!(super::covers(super::OPTIONAL, FEATURES));

            const UNKNOWN: u8 = 2;

            /// As `get` of the other modules.
            pub(crate) fn get() -> bool {
                static FOUND: AtomicU8 = AtomicU8::new(UNKNOWN);
                let mut found = FOUND.load(Ordering::Relaxed);
                if found == UNKNOWN {
                    let wide = narrow::get() $(&& super::has_instruction($bit))+;
                    found = (wide && super::allows(FEATURES)).into();
                    FOUND.store(found, Ordering::Relaxed);
                }
                found == 1
            }
        }
    };
}

/// Whether the CPU, which has AVX2, has an instruction: CPUID, leaf 7, a bit of ECX.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
#[allow(unused_unsafe, reason = "it is safe in later versions of Rust")]
fn has_instruction(bit: u32) -> bool {
    // SAFETY: AVX2 is found in the same leaf.
    let leaf = unsafe { core::arch::x86_64::__cpuid_count(7, 0) };
    leaf.ecx >> bit & 1 == 1
}

#[cfg(target_arch = "x86_64")]
wide_features! {
    /// Multiplication of polynomials, 32 bytes at a time.
    vpclmul: "avx", "avx2", "pclmulqdq"; "vpclmulqdq" at 10
}

#[cfg(target_arch = "x86_64")]
wide_features! {
    /// AES and multiplication of polynomials, 32 bytes at a time.
    vaes: "avx", "avx2", "aes", "pclmulqdq"; "vaes" at 9, "vpclmulqdq" at 10
}

/// AES and multiplication of polynomials. Run-time detection is for Linux, Android and Apple's systems; on others the target has to
/// have the feature at compile time.
#[cfg(target_arch = "aarch64")]
pub(crate) mod aes {
    cpufeatures::new!(detection, "aes");

    /// With what every CPU has.
    pub(crate) const FEATURES: &[&str] = &["neon", "aes"];
    const DETECTED: &[&str] = &["aes"];
    const _: () = assert!(super::covers(super::OPTIONAL, DETECTED));

    pub(crate) fn get() -> bool {
        detection::get() && super::allows(DETECTED)
    }
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
        use std::is_x86_feature_detected as has;
        for _ in 0..2 {
            assert_eq!(avx::get(), has!("avx") && allows(&["avx"]));
            let narrow = has!("avx") && has!("pclmulqdq");
            assert_eq!(
                aesni::get(),
                narrow && has!("aes") && allows(aesni::FEATURES)
            );
            let wide = narrow && has!("avx2") && has!("vpclmulqdq");
            assert_eq!(vpclmul::get(), wide && allows(vpclmul::FEATURES));
            let both = wide && has!("aes") && has!("vaes");
            assert_eq!(vaes::get(), both && allows(vaes::FEATURES));
        }
        assert!(has!("sse2"));
    }

    #[cfg(target_arch = "aarch64")]
    #[test]
    fn the_standard_library_finds_the_same_features() {
        use std::arch::is_aarch64_feature_detected as has;
        for _ in 0..2 {
            assert_eq!(aes::get(), has!("aes") && allows(&["aes"]));
        }
        assert!(has!("neon"));
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
