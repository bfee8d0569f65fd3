//! Programs that cargo built with the tests.

use std::path::{Path, PathBuf};
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

/// An example: cargo builds them with the tests, next to the directory of the tests.
pub fn example(name: &str) -> Command {
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().nth(2).unwrap();
    let example: PathBuf = folder.join("examples").join(name);
    assert!(
        example.exists(),
        "{}: run all tests, or `cargo build --examples`",
        example.display()
    );
    let mut command = command(&example);
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}
