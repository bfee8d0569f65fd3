//! Seals a file, or opens a sealed one: `cargo run --release --example seal -- seal|open --key-file KEY IN OUT`.
//!
//! The key file has 16, 24 or 32 bytes. A sealed file is a random nonce of 12 bytes, the ciphertext, and the tag of 16 bytes. The whole
//! file is in memory, and `OUT` appears when all of it is written: what is not authentic never does.

use std::error::Error;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use leanseal::aes_gcm::{AesGcm, NewError, Tag};
use tempfile::NamedTempFile;

const USAGE: &str = "usage: seal seal|open --key-file KEY IN OUT";
const NONCE: usize = 12;
const TAG: usize = size_of::<Tag>();

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

fn run(args: &[OsString]) -> Result<()> {
    let [command, flag, key, input, output] = args else {
        return Err(USAGE.into());
    };
    let of = |path: &OsString| {
        let path = Path::new(path).display().to_string();
        move |error: &dyn Error| format!("{path}: {error}")
    };
    let work: fn(&AesGcm, Vec<u8>) -> Result<Vec<u8>> =
        match (command.to_str(), flag.to_str() == Some("--key-file")) {
            (Some("seal"), true) => seal,
            (Some("open"), true) => open,
            _ => return Err(USAGE.into()),
        };
    let bytes = fs::read(key).map_err(|error| of(key)(&error))?;
    let aes_gcm = AesGcm::new(&bytes).map_err(|error| match error {
        NewError::InvalidKeyLength => of(key)(&error),
        error => error.to_string(),
    })?;
    let data = fs::read(input).map_err(|error| of(input)(&error))?;
    let data = work(&aes_gcm, data).map_err(|error| of(input)(&*error))?;
    write_whole(Path::new(output), &data).map_err(|error| of(output)(&*error))?;
    Ok(())
}

fn seal(key: &AesGcm, text: Vec<u8>) -> Result<Vec<u8>> {
    let mut sealed = vec![0; NONCE + text.len() + TAG];
    let (nonce, rest) = sealed.split_at_mut(NONCE);
    let (out, tag) = rest.split_at_mut(text.len());
    getrandom::fill(nonce)?;
    tag.copy_from_slice(&key.encrypt(nonce, b"", &[&text], out)?);
    Ok(sealed)
}

fn open(key: &AesGcm, mut sealed: Vec<u8>) -> Result<Vec<u8>> {
    let parts = sealed.split_at_mut_checked(NONCE);
    let parts = parts.and_then(|(nonce, rest)| Some((nonce, rest.split_last_chunk_mut()?)));
    let (nonce, (data, tag)) = parts.ok_or("too short for a sealed file")?;
    key.decrypt_in_place::<TAG>(nonce, b"", data, tag)
        .map_err(|error| format!("{error}: another key, or the file was changed or cut"))?;
    Ok(data.to_vec())
}

/// Writes a file beside and renames it, so that an error leaves what was there.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    let mut file = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
