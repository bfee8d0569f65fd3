//! `cargo verify`, `cargo emit`, `cargo aarch64` and `cargo gate`.

mod aarch64;
mod check;
mod compare;
mod emission;
mod files;
mod gate;
mod lean;
mod modules;
mod source_lines;
mod summary;
mod verify;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use verify::Mode;

#[derive(Debug, Parser)]
#[command(name = "leanseal-ci", about, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks every proof, audits every artifact, and compares src/asm with what Lean prints
    Verify {
        #[command(flatten)]
        options: verify::Options,
        /// Only checks these modules and what they import
        #[arg(value_name = "MODULE")]
        modules: Vec<String>,
    },
    /// Does the same, and writes src/asm
    Emit {
        #[command(flatten)]
        options: verify::Options,
    },
    /// Runs a cargo command for AArch64, with a cross compiler and an emulator that are set up when they are not there
    Aarch64(aarch64::Options),
    /// Runs one gate
    #[command(subcommand)]
    Gate(gate::Gate),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Verify { options, modules } => verify::run(&options, Mode::Compare, &modules),
        Command::Emit { options } => verify::run(&options, Mode::Write, &[]),
        Command::Aarch64(options) => aarch64::run(&options),
        Command::Gate(gate) => gate::run(gate),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
