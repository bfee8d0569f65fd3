//! Programs that cargo built with the tests.

use std::path::Path;
use std::process::Command;

const RUNNER: &str = if cfg!(target_arch = "aarch64") {
    "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER"
} else {
    "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER"
};

/// Runs a program as cargo does.
pub fn command(program: &Path) -> Command {
    // Cargo has it from the same variable, which is set where another machine is emulated.
    match std::env::var_os(RUNNER) {
        Some(runner) => {
            let mut command = Command::new(runner);
            command.arg(program);
            command
        }
        None => Command::new(program),
    }
}
