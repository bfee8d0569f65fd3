//! Concatenates files: `cargo run --release --example gather -- FILE… > OUT`.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gather: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        return Err("usage: gather FILE… > OUT".into());
    }
    let mut files = Vec::with_capacity(paths.len());
    for path in &paths {
        let file = std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        files.push(file);
    }

    let slices: Vec<&[u8]> = files.iter().map(Vec::as_slice).collect();
    let mut out = vec![0; slices.iter().map(|slice| slice.len()).sum()];
    leanseal::gather::copy(&slices, &mut out)?;

    match io::stdout().write_all(&out) {
        // The reader has seen enough, as in `gather … | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written.map_err(|error| format!("cannot write the output: {error}"))?),
    }
}
