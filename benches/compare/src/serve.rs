//! Answers on standard input and output, for a program that compares two builds of this one.
//!
//! First come the names of the rows, one a line, and an empty line. Then each line of input has the index of a row and how often to
//! run it, and the answer is the nanoseconds of one operation.

use std::io::{BufRead, Write};

use anyhow::{Context, Result};

use crate::buffers::Buffers;
use crate::participant::Participant;
use crate::row::Row;
use crate::timing;

pub fn serve() -> Result<()> {
    let mut buffers = Buffers::new();
    let mut out = std::io::stdout().lock();
    let mut runners = Vec::new();
    for row in Row::all(128) {
        writeln!(out, "{}", row.name())?;
        runners.push((Participant::leanseal().runner)(&row, &mut buffers));
    }
    writeln!(out)?;
    out.flush()?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (runner, times) = parse(&line, runners.len())
            .with_context(|| format!("no row and even number: {line}"))?;
        writeln!(
            out,
            "{}",
            timing::time(&mut runners[runner], &mut buffers, times)
        )?;
        out.flush()?;
    }
    Ok(())
}

/// The index of one of so many rows, and an even number.
fn parse(line: &str, rows: usize) -> Option<(usize, u64)> {
    let (row, times) = line.split_once(' ')?;
    let (row, times): (usize, u64) = (row.parse().ok()?, times.parse().ok()?);
    (row < rows && times > 0 && times % 2 == 0).then_some((row, times))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_a_row_and_an_even_number() {
        assert_eq!(parse("4 200", 5), Some((4, 200)));
        for line in ["", "4", "5 2", "4 3", "4 0", "-1 2", "4 2 2", " 4 2"] {
            assert_eq!(parse(line, 5), None, "{line}");
        }
    }
}
