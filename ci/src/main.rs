//! `cargo verify`, `cargo emit` and `cargo gate`.

mod gate;

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
    /// Runs one gate
    #[command(subcommand)]
    Gate(gate::Gate),
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Gate(gate) => gate::run(gate),
    }
}
