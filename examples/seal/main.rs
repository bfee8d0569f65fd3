//! Seals a file, or opens a sealed one: `cargo run --release --example seal -- seal|open --key-file KEY IN OUT`.
//!
//! The key file has 16, 24 or 32 bytes. A sealed file is a random nonce of 12 bytes, the ciphertext, and the tag of 16 bytes. Files
//! of any length that AES-GCM has, up to 64 GiB, take a megabyte of memory. `OUT` appears when all of it is written; it may replace a
//! regular file, whose permissions it keeps, but nothing else, and not the key.
//!
//! `seal` reads until the end of `IN`, which may be a pipe. `open` reads `IN` twice: nothing is written before its tag is found right,
//! and the tag is verified again before `OUT` appears.

use std::error::Error;
use std::process::ExitCode;

#[cfg(target_arch = "x86_64")]
mod output;
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
