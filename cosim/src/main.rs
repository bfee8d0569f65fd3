//! Runs instructions on this processor, each from states that a model made up, and compares what is left with what the model
//! says. `cargo gate cosim` starts it, writes the instructions and the cases to its stdin, and reads the result from its stdout.

mod fault;
mod memory;
mod run;

#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
mod cpu;

use std::{io, process::ExitCode};

use leanseal_cosim::protocol;

fn main() -> ExitCode {
    match run::run(io::stdin().lock(), io::stdout(), cpu::has) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
