//! What is said of kernels that this CPU cannot run.

use std::io::Write;

/// Whether this CPU, which `has` some features, can run the kernel; if not, the standard error of the test names it.
pub fn can_run(kernel: &str, features: &[&str], has: fn(&str) -> bool) -> bool {
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
