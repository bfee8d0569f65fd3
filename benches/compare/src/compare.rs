//! The comparison.

use std::{
    io::Write,
    process::{Command, Stdio},
    time::Duration,
};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::backend::Backend;
use crate::buffers::Buffers;
use crate::participants;
use crate::row::Row;
use crate::table::{Line, Style};
use crate::timing::{self, Contender};

/// Restricts the features of the CPU that leanseal uses.
const CPU_FEATURES: &str = "VG_CPU_FEATURES";

#[derive(Debug, Args)]
pub struct Options {
    /// Prints the table for a Markdown page
    #[arg(long)]
    markdown: bool,
    /// Only the rows whose names begin with one of these, as in seal,open/128/64
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',')]
    rows: Vec<String>,
    /// The length of keys: 128 or 256
    #[arg(long, value_name = "BITS", default_value = "128", value_parser = ["128", "256"])]
    key_bits: String,
    /// How often the program is started: where it lies in memory changes the times of short texts
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
    launches: u32,
    /// How often each library is measured at each row in each of them
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Microseconds between two looks at the clock
    #[arg(long, value_name = "N", default_value_t = 50)]
    batch: u64,
}

impl Options {
    fn style(&self) -> Style {
        if self.markdown {
            Style::Markdown
        } else {
            Style::Plain
        }
    }

    fn key_bits(&self) -> Result<usize> {
        self.key_bits.parse().context("no number of bits")
    }

    fn selected(&self) -> Result<Vec<Row>> {
        let mut rows = Row::all(self.key_bits()?);
        let wanted = |row: &Row| {
            self.rows
                .iter()
                .any(|prefix| row.name().starts_with(prefix))
        };
        rows.retain(|row| self.rows.is_empty() || wanted(row));
        ensure!(
            !rows.is_empty(),
            "no row has a name that begins with {}",
            self.rows.join(" or ")
        );
        Ok(rows)
    }
}

/// Prints the table: each backend is measured in processes of its own, since the library looks at the CPU once.
pub fn run(options: &Options) -> Result<()> {
    options.selected()?;
    let others: Vec<_> = participants(128)
        .iter()
        .skip(1)
        .map(|other| other.name)
        .collect();
    println!("{}", options.style().header(&others));
    for backend in Backend::all() {
        let mut rows: Vec<_> = options
            .selected()?
            .into_iter()
            .map(|row| (row, Vec::new()))
            .collect();
        for _ in 0..options.launches {
            let output = launch(&backend)?;
            let lines: Vec<_> = output.lines().collect();
            ensure!(
                lines.len() == rows.len(),
                "{} was not measured at each row",
                backend.name
            );
            for ((_, launches), line) in rows.iter_mut().zip(lines) {
                launches.push(parse(line)?);
            }
        }
        for (row, launches) in rows {
            let ratio =
                |i: usize| median(launches.iter().map(|times: &Vec<f64>| times[0] / times[i]));
            let libraries = participants(row.key_bits).into_iter().enumerate();
            let line = Line {
                backend: backend.name,
                row,
                own: median(launches.iter().map(|times| times[0])),
                ratios: libraries
                    .skip(1)
                    .map(|(i, other)| (other.name, ratio(i)))
                    .collect(),
                goal: (backend.goal)(&row),
            };
            println!("{}", line.format(options.style()));
        }
    }
    Ok(())
}

/// What the program prints that measures one backend, with the options of this one.
fn launch(backend: &Backend) -> Result<String> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(program);
    command
        .arg("backend")
        .args(std::env::args_os().skip(1))
        .stdin(Stdio::null())
        .stderr(Stdio::inherit());
    match backend.features {
        Some(features) => command.env(CPU_FEATURES, features),
        None => command.env_remove(CPU_FEATURES),
    };
    let output = command.output().context("cannot run this program")?;
    ensure!(output.status.success(), "{} was not measured", backend.name);
    String::from_utf8(output.stdout).context("the measuring program prints no text")
}

/// The times of one row, of each library.
fn parse(line: &str) -> Result<Vec<f64>> {
    let times = line
        .split(' ')
        .map(str::parse)
        .collect::<Result<Vec<_>, _>>();
    let times = times.with_context(|| format!("no times: {line}"))?;
    let expected = participants(128).len();
    ensure!(
        times.len() == expected,
        "not one time of each library: {line}"
    );
    Ok(times)
}

/// Measures once, and prints the nanoseconds of each library, a row a line.
pub fn measure(options: &Options) -> Result<()> {
    let batch = Duration::from_micros(options.batch);
    let mut buffers = Buffers::new();
    let mut out = std::io::stdout().lock();
    for row in options.selected()? {
        let mut contenders: Vec<_> = participants(row.key_bits)
            .into_iter()
            .map(|participant| {
                let runner = (participant.runner)(&row, &mut buffers);
                Contender::new(runner, &mut buffers, batch)
            })
            .collect();
        timing::run(&mut contenders, &mut buffers, options.rounds as usize);
        let times = contenders.iter_mut().map(|it| it.nanoseconds().to_string());
        writeln!(out, "{}", times.collect::<Vec<_>>().join(" "))?;
    }
    Ok(())
}

/// The lower one of two in the middle.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values[(values.len() - 1) / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_of_each_library() {
        let line = vec!["1.5"; participants(128).len()].join(" ");
        assert_eq!(parse(&line).unwrap(), vec![1.5; participants(128).len()]);
        for wrong in ["", "x", &format!("{line} 1"), &format!("{line} ")] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([4.0, 3.0, 1.0, 2.0].into_iter()), 2.0);
        assert_eq!(median([7.0].into_iter()), 7.0);
    }
}
