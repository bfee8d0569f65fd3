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

/// The rounds are spread over so many passes through the table: what slows the machine down for a while is not in all of them.
const PASSES: usize = 5;

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
    /// How often each library is measured at each row
    #[arg(long, value_name = "N", default_value_t = 400)]
    rounds: usize,
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

/// Prints the table: each backend is measured in a process of its own, since the library looks at the CPU once.
pub fn run(options: &Options) -> Result<()> {
    options.selected()?;
    let others: Vec<_> = participants(128)
        .iter()
        .skip(1)
        .map(|other| other.name)
        .collect();
    println!("{}", options.style().header(&others));
    let program = std::env::current_exe().context("cannot find this program")?;
    for backend in Backend::all() {
        let mut command = Command::new(&program);
        command
            .args(["backend", "--name", backend.name])
            .args(std::env::args_os().skip(1))
            .stdin(Stdio::null());
        match backend.features {
            Some(features) => command.env(CPU_FEATURES, features),
            None => command.env_remove(CPU_FEATURES),
        };
        let status = command.status().context("cannot run this program")?;
        ensure!(status.success(), "{} was not measured", backend.name);
    }
    Ok(())
}

/// Measures one backend, and prints its lines.
pub fn measure(backend: &str, options: &Options) -> Result<()> {
    let known = Backend::all()
        .into_iter()
        .find(|known| known.name == backend);
    let backend = known.with_context(|| format!("no backend {backend}"))?;
    let batch = Duration::from_micros(options.batch);
    let mut buffers = Buffers::new();
    let mut rows = Vec::new();
    for row in options.selected()? {
        let contenders: Vec<_> = participants(row.key_bits)
            .into_iter()
            .map(|participant| {
                let runner = (participant.runner)(&row, &mut buffers);
                Contender::new(participant.name, runner, &mut buffers, batch)
            })
            .collect();
        rows.push((row, contenders));
    }
    for _ in 0..PASSES {
        for (_, contenders) in &mut rows {
            timing::run(contenders, &mut buffers, options.rounds.div_ceil(PASSES));
        }
    }
    let mut out = std::io::stdout().lock();
    for (row, contenders) in &mut rows {
        let mut times = contenders.iter_mut().map(|it| (it.name, it.nanoseconds()));
        let (_, own) = times.next().context("nothing was measured")?;
        let line = Line {
            backend: backend.name,
            row: *row,
            own,
            others: times.collect(),
            goal: (backend.goal)(row),
        };
        writeln!(out, "{}", line.format(options.style()))?;
    }
    Ok(())
}
