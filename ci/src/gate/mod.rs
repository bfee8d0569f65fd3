//! Gates: checks of the tree that are neither proofs nor unit tests.

use anyhow::Result;
use clap::Subcommand;

/// A check that `.ci/run` runs by name.
#[derive(Debug, Subcommand)]
pub enum Gate {}

/// Runs one gate; an error says what it refused.
pub fn run(gate: Gate) -> Result<()> {
    match gate {}
}
