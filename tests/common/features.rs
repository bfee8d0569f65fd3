//! What this CPU has, as the tests need to know it.

use std::io::Write;

/// Whether this CPU can run the kernel; if not, the standard error of the test names it.
pub fn can_run(kernel: &str, features: &[&str]) -> bool {
    let missing = features.iter().find(|feature| !has(feature));
    if let Some(feature) = missing {
        // Not `eprintln!`, which the test harness swallows.
        let _ = writeln!(
            std::io::stderr(),
            "NOT TESTED: {kernel}, because this CPU has no {feature}"
        );
    }
    missing.is_none()
}

fn has(feature: &str) -> bool {
    match feature {
        #[cfg(target_arch = "aarch64")]
        "neon" => std::arch::is_aarch64_feature_detected!("neon"),
        #[cfg(target_arch = "x86_64")]
        "sse2" => is_x86_feature_detected!("sse2"),
        #[cfg(target_arch = "x86_64")]
        "avx" => is_x86_feature_detected!("avx"),
        #[cfg(target_arch = "x86_64")]
        "avx2" => is_x86_feature_detected!("avx2"),
        #[cfg(target_arch = "x86_64")]
        "aes" => is_x86_feature_detected!("aes"),
        #[cfg(target_arch = "x86_64")]
        "pclmulqdq" => is_x86_feature_detected!("pclmulqdq"),
        #[cfg(target_arch = "x86_64")]
        "vpclmulqdq" => is_x86_feature_detected!("vpclmulqdq"),
        _ => panic!("the tests cannot detect {feature}: add it here"),
    }
}
