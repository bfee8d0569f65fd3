//! Files in pieces.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget};
use leanseal::aes_gcm::{AesGcm, Decryptor, Encryptor, Error, NewError, Tag};
use zeroize::Zeroizing;

use crate::Result;
use crate::output::Output;

const USAGE: &str = "usage: seal seal|open --key-file KEY IN OUT";
const LONGEST_KEY: usize = 32;
const NONCE: usize = 12;
const TAG: usize = size_of::<Tag>();
/// The longest text that AES-GCM has.
const LONGEST_TEXT: u64 = (1 << 36) - 32;
const PIECE: usize = 1 << 20;
/// From this length on there is a progress bar, if the standard error is a terminal.
const LARGE: u64 = 64 << 20;

pub fn run(args: &[OsString]) -> Result<()> {
    let [command, flag, key, input, output] = args else {
        return Err(USAGE.into());
    };
    let work = match (command.to_str(), flag.to_str()) {
        (Some("seal"), Some("--key-file")) => seal,
        (Some("open"), Some("--key-file")) => open,
        _ => return Err(USAGE.into()),
    };
    let (key_file, input) = (Path::new(key), Path::new(input));
    let output = Output::new(Path::new(output), key_file)?;
    work(&read_key(key_file)?, input, output)
}

fn read_key(path: &Path) -> Result<AesGcm> {
    // One byte more, so that a longer file is not taken for a key.
    let mut bytes = Zeroizing::new([0; LONGEST_KEY + 1]);
    let file = File::open(path).map_err(of(path))?;
    let len = fill(file, &mut *bytes).map_err(of(path))?;
    let key = AesGcm::new(&bytes[..len]).map_err(|error| match error {
        NewError::InvalidKeyLength => of(path)(error),
        error => error.to_string(),
    })?;
    Ok(key)
}

fn seal(key: &AesGcm, input: &Path, output: Output) -> Result<()> {
    let file = File::open(input).map_err(of(input))?;
    // The length is for the progress bar: it may be wrong, as it is in `/proc`, or change.
    let len = file.metadata().map_err(of(input))?.len();
    check_text_len(len).map_err(of(input))?;
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce)?;
    let mut output = output.create()?;
    output.write(&nonce)?;
    let mut encryptor = Encryptor::new(key, &nonce, b"")?;
    pieces(input, &file, len, |piece| {
        encryptor.update(piece).map_err(of(input))?;
        output.write(piece)
    })?;
    output.write(&encryptor.finish())?;
    output.keep()
}

fn open(key: &AesGcm, input: &Path, output: Output) -> Result<()> {
    // Before it is opened, which waits for a writer if it is a pipe.
    if !fs::metadata(input).map_err(of(input))?.is_file() {
        return Err(of(input)("not a regular file, which is read twice").into());
    }
    let file = File::open(input).map_err(of(input))?;
    let len = file.metadata().map_err(of(input))?.len();
    let text_len = len.checked_sub((NONCE + TAG) as u64);
    let text_len = text_len.ok_or_else(|| of(input)("too short for a sealed file"))?;
    check_text_len(text_len).map_err(of(input))?;
    // Nothing is written before all of it is known to be authentic.
    decrypt(key, input, &file, text_len, |_| Ok(()))?;
    let mut output = output.create()?;
    // Verified again, since the file may have changed.
    decrypt(key, input, &file, text_len, |piece| output.write(piece))?;
    output.keep()
}

/// Decrypts a sealed file from its start. What `work` gets is authentic if there is no error.
fn decrypt(
    key: &AesGcm,
    input: &Path,
    mut file: &File,
    text_len: u64,
    mut work: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let (mut nonce, mut tag) = ([0; NONCE], [0; TAG]);
    file.rewind().map_err(of(input))?;
    file.read_exact(&mut nonce).map_err(of(input))?;
    let mut decryptor = Decryptor::new(key, &nonce, b"")?;
    pieces(input, file.take(text_len), text_len, |piece| {
        decryptor.update(piece).map_err(of(input))?;
        work(piece)
    })?;
    file.read_exact(&mut tag).map_err(of(input))?;
    decryptor.verify(&tag).map_err(|error| {
        let why = format!("{error}: another key, or the file was changed or cut");
        of(input)(why).into()
    })
}

/// Before 64 GiB are read in vain.
fn check_text_len(len: u64) -> std::result::Result<(), Error> {
    if len > LONGEST_TEXT {
        return Err(Error::DataTooLong);
    }
    Ok(())
}

/// The message that names a file.
pub fn of<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Passes on what `reader` gives until its end, which should be `len` bytes.
fn pieces(
    path: &Path,
    mut reader: impl Read,
    len: u64,
    mut work: impl FnMut(&mut [u8]) -> Result<()>,
) -> Result<()> {
    let progress = ProgressBar::new(len);
    if len < LARGE {
        progress.set_draw_target(ProgressDrawTarget::hidden());
    }
    let mut buffer = vec![0; PIECE];
    loop {
        let read = fill(&mut reader, &mut buffer).map_err(of(path))?;
        if read == 0 {
            break;
        }
        work(&mut buffer[..read])?;
        progress.inc(read as u64);
    }
    progress.finish_and_clear();
    Ok(())
}

/// Reads until `bytes` is full or the input ends, and gives back how many there were.
fn fill(mut reader: impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut len = 0;
    while len < bytes.len() {
        match reader.read(&mut bytes[len..]) {
            Ok(0) => break,
            Ok(read) => len += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(len)
}
