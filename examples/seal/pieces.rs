//! Files in pieces.

use std::ffi::OsString;
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use indicatif::{ProgressBar, ProgressDrawTarget};
use leanseal::aes_gcm::{self, AesGcm, Decryptor, Encryptor, NewError, Tag};
use tempfile::NamedTempFile;

use crate::Result;

const USAGE: &str = "usage: seal seal|open --key-file KEY IN OUT";
const NONCE: usize = 12;
const TAG: usize = size_of::<Tag>();
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
    let (key, input, output) = (Path::new(key), Path::new(input), Path::new(output));
    let bytes = std::fs::read(key).map_err(of(key))?;
    let key = AesGcm::new(&bytes).map_err(|error| match error {
        NewError::InvalidKeyLength => of(key)(error),
        error => error.to_string(),
    })?;
    let mut files = Files::open(input, output)?;
    work(&key, &mut files)?;
    files.keep()
}

fn seal(key: &AesGcm, files: &mut Files) -> Result<()> {
    let mut nonce = [0; NONCE];
    getrandom::fill(&mut nonce)?;
    files.write(&nonce)?;
    let mut encryptor = Encryptor::new(key, &nonce, b"")?;
    files.pieces(files.len, |piece| encryptor.update(piece))?;
    files.write(&encryptor.finish())
}

fn open(key: &AesGcm, files: &mut Files) -> Result<()> {
    let text_len = files.len.checked_sub((NONCE + TAG) as u64);
    let text_len = text_len.ok_or_else(|| of(files.input)("too short for a sealed file"))?;
    let (mut nonce, mut tag) = ([0; NONCE], [0; TAG]);
    files.read(&mut nonce)?;
    let mut decryptor = Decryptor::new(key, &nonce, b"")?;
    files.pieces(text_len, |piece| decryptor.update(piece))?;
    files.read(&mut tag)?;
    decryptor.verify(&tag).map_err(|error| {
        let why = format!("{error}: another key, or the file was changed or cut");
        of(files.input)(why).into()
    })
}

/// The message that names a file.
fn of<E: Display>(path: &Path) -> impl Fn(E) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// A file that is read, and one that appears when it is kept.
struct Files<'a> {
    input: &'a Path,
    reader: File,
    len: u64,
    output: &'a Path,
    writer: NamedTempFile,
}

impl<'a> Files<'a> {
    fn open(input: &'a Path, output: &'a Path) -> Result<Self> {
        let reader = File::open(input).map_err(of(input))?;
        let len = reader.metadata().map_err(of(input))?.len();
        let folder = output.parent().filter(|folder| *folder != Path::new(""));
        let writer = NamedTempFile::new_in(folder.unwrap_or(Path::new(".")));
        Ok(Self {
            input,
            reader,
            len,
            output,
            writer: writer.map_err(of(output))?,
        })
    }

    fn read(&mut self, bytes: &mut [u8]) -> Result<()> {
        Ok(self.reader.read_exact(bytes).map_err(of(self.input))?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.writer.write_all(bytes).map_err(of(self.output))?)
    }

    /// Passes `len` bytes on, piece by piece, as `work` changes them.
    fn pieces(
        &mut self,
        len: u64,
        mut work: impl FnMut(&mut [u8]) -> std::result::Result<(), aes_gcm::Error>,
    ) -> Result<()> {
        let progress = ProgressBar::new(len);
        if len < LARGE {
            progress.set_draw_target(ProgressDrawTarget::hidden());
        }
        let mut buffer = vec![0; PIECE];
        let mut left = len;
        while left > 0 {
            let piece = &mut buffer[..left.min(PIECE as u64) as usize];
            self.read(piece)?;
            work(piece).map_err(of(self.input))?;
            self.write(piece)?;
            left -= piece.len() as u64;
            progress.inc(piece.len() as u64);
        }
        progress.finish_and_clear();
        Ok(())
    }

    fn keep(self) -> Result<()> {
        let Self { output, writer, .. } = self;
        writer.as_file().sync_all().map_err(of(output))?;
        writer.persist(output).map_err(of(output))?;
        Ok(())
    }
}
