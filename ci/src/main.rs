//! `cargo verify`, `cargo emit` and `cargo gate`.

mod check;
mod files;
mod gate;
mod lean;
mod modules;
mod verify;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "leanseal-ci", about, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Checks every proof
    Verify(verify::Options),
    /// Runs one gate
    #[command(subcommand)]
    Gate(gate::Gate),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Verify(options) => verify::run(&options),
        Command::Gate(gate) => gate::run(gate),
    }
}
