//! Seals a file, or opens a sealed one: `cargo run --release --example seal -- seal|open --key-file KEY IN OUT`.
//!
//! The key file has 16, 24 or 32 bytes. A sealed file is a random nonce of 12 bytes, the ciphertext, and the tag of 16 bytes. Files of
//! any length take a megabyte of memory. `OUT` appears when all of it is written, and authentic.

use std::error::Error;
use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
mod pieces;

#[cfg(target_arch = "x86_64")]
use pieces::run;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().skip(1).collect();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("seal: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "aarch64")]
fn run(_: &[std::ffi::OsString]) -> Result<()> {
    Err("AArch64 has no kernels for messages in pieces yet".into())
}
