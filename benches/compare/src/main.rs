//! Measures leanseal against other libraries, and, for `cargo gate bench`, answers with its own times.

mod backend;
#[path = "../../aes_gcm/buffers.rs"]
mod buffers;
#[cfg(feature = "peers")]
mod c_libraries;
#[path = "../../aes_gcm/check.rs"]
mod check;
mod compare;
mod goal;
#[path = "../../aes_gcm/library.rs"]
mod library;
#[path = "../../aes_gcm/participant.rs"]
mod participant;
#[path = "../../aes_gcm/row.rs"]
mod row;
#[cfg(feature = "peers")]
#[path = "../../aes_gcm/rust_crypto.rs"]
mod rust_crypto;
mod serve;
mod table;
mod timing;

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use leanseal::aes_gcm::AesGcm;

use buffers::Buffers;
use participant::Participant;

/// The name of AWS-LC, which has goals of its own.
const AWS_LC: &str = "aws-lc-rs";

#[derive(Debug, Parser)]
#[command(
    about = "Measures leanseal against other libraries, interleaved, in one run",
    args_conflicts_with_subcommands = true
)]
struct Cli {
    #[command(flatten)]
    options: compare::Options,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Only checks that all libraries compute the same
    Check,
    /// Measures what it is asked for on its standard input
    Serve,
    /// Measures once, with the features of the CPU that are left
    #[command(hide = true)]
    Backend(compare::Options),
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<()> {
    AesGcm::new(&[0; 16]).context("nothing to measure")?;
    match cli.command {
        Some(Command::Check) => {
            check()?;
            let names = participants(128)
                .into_iter()
                .map(|participant| participant.name);
            println!(
                "all compute the same: {}",
                names.collect::<Vec<_>>().join(", ")
            );
            Ok(())
        }
        Some(Command::Serve) => serve::serve(),
        Some(Command::Backend(options)) => {
            check()?;
            compare::measure(&options)
        }
        None => compare::run(&cli.options),
    }
}

fn check() -> Result<()> {
    check::check(participants, &mut Buffers::new()).map_err(anyhow::Error::msg)
}

/// leanseal, and then the others.
#[cfg(feature = "peers")]
fn participants(key_bits: usize) -> Vec<Participant> {
    vec![
        Participant::leanseal(),
        Participant::of::<c_libraries::Ring>("ring"),
        Participant::of::<c_libraries::AwsLc>(AWS_LC),
        rust_crypto::participant(key_bits),
    ]
}

/// leanseal alone.
#[cfg(not(feature = "peers"))]
fn participants(_key_bits: usize) -> Vec<Participant> {
    vec![Participant::leanseal()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use library::{Library, Tag};

    /// A library with one bit wrong in what it seals: of the ciphertext, or of the tag.
    struct Wrong<const TAG: bool>(AesGcm);

    impl<const TAG: bool> Library for Wrong<TAG> {
        fn new(key: &[u8]) -> Self {
            Self(Library::new(key))
        }

        fn seal(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8]) -> Tag {
            let mut tag = Library::seal(&self.0, nonce, aad, data);
            match data.last_mut() {
                Some(last) if !TAG => *last ^= 1,
                _ => tag[15] ^= 1,
            }
            tag
        }

        fn open(&self, nonce: &[u8; 12], aad: &[u8], data: &mut [u8], _: &Tag) {
            let _ = self.0.encrypt_in_place(nonce, aad, data);
            if let Some(last) = data.last_mut() {
                *last ^= u8::from(!TAG);
            }
        }
    }

    #[test]
    fn one_wrong_bit_is_found() {
        if AesGcm::new(&[0; 16]).is_err() {
            return;
        }
        let libraries: [fn(usize) -> Vec<Participant>; 2] = [
            |_| {
                vec![
                    Participant::leanseal(),
                    Participant::of::<Wrong<true>>("wrong"),
                ]
            },
            |_| {
                vec![
                    Participant::leanseal(),
                    Participant::of::<Wrong<false>>("wrong"),
                ]
            },
        ];
        for libraries in libraries {
            let error = check::check(libraries, &mut Buffers::new()).unwrap_err();
            let expected = "wrong, key of 128 bits, text of 0 bytes: seals to another";
            assert!(error.starts_with(expected), "{error}");
        }
        assert_eq!(check::check(participants, &mut Buffers::new()), Ok(()));
    }
}
