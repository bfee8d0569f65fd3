//! What this CPU can run, and what is said of kernels that it cannot.

use std::collections::BTreeSet;
use std::io::Write;
use std::sync::Mutex;

/// Whether this CPU can run the kernel; if not, the standard error of the test names it.
pub fn can_run(kernel: &str, features: &[&str]) -> bool {
    let missing = features.iter().find(|feature| !has(feature));
    if let Some(feature) = missing {
        not_tested(kernel, &format!("this CPU has no {feature}"));
    }
    missing.is_none()
}

/// Says so on standard error, once.
pub fn not_tested(what: &str, why: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let message = format!("NOT TESTED: {what}, because {why}");
    if SAID
        .lock()
        .is_ok_and(|mut said| said.insert(message.clone()))
    {
        // Not `eprintln!`, which the test harness swallows.
        let _ = writeln!(std::io::stderr(), "{message}");
    }
}

#[cfg(target_arch = "x86_64")]
fn has(feature: &str) -> bool {
    match feature {
        "sse2" => is_x86_feature_detected!("sse2"),
        "avx" => is_x86_feature_detected!("avx"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "aes" => is_x86_feature_detected!("aes"),
        "pclmulqdq" => is_x86_feature_detected!("pclmulqdq"),
        "vaes" => is_x86_feature_detected!("vaes"),
        "vpclmulqdq" => is_x86_feature_detected!("vpclmulqdq"),
        _ => panic!("the tests cannot detect {feature}: add it here"),
    }
}

#[cfg(target_arch = "aarch64")]
fn has(feature: &str) -> bool {
    match feature {
        "neon" => std::arch::is_aarch64_feature_detected!("neon"),
        "aes" => std::arch::is_aarch64_feature_detected!("aes"),
        _ => panic!("the tests cannot detect {feature}: add it here"),
    }
}

/// Whether the environment keeps the library from using features that the CPU has.
pub fn restricted() -> bool {
    cfg!(feature = "cpu-features-env") && std::env::var_os("VG_CPU_FEATURES").is_some()
}

/// Whether the library may use a feature if the CPU has it.
pub fn allowed(feature: &str) -> bool {
    let list = std::env::var("VG_CPU_FEATURES").unwrap_or_default();
    !restricted() || list.split(',').any(|name| name == feature)
}
