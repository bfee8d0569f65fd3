//! The library against an earlier revision of it: what has become slower.
//!
//! Three measuring programs answer in turn: the one of this tree, and two of the base. How far apart those two are is the noise.
//! All of them run on one CPU at a time, because another program may slow one CPU down and not the other. They are started anew several
//! times, because where a program lies in memory changes its speed for as long as it runs.

mod affinity;
mod builds;
mod server;
mod statistics;

use std::{collections::BTreeMap, path::Path};

use anyhow::{Result, ensure};
use clap::Args;

use super::{Report, Root};
use builds::Builds;
use server::Server;
use statistics::{Launch, Verdict, judge, low_decile};

#[derive(Debug, Args)]
pub struct Options {
    #[command(flatten)]
    root: Root,
    /// The revision to compare with
    #[arg(long, value_name = "REV")]
    base: String,
    /// Only the rows whose names begin with one of these, as in seal,open/128/64
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',')]
    rows: Vec<String>,
    /// How often the programs are started
    #[arg(long, value_name = "N", default_value_t = 13, value_parser = clap::value_parser!(u32).range(3..))]
    launches: u32,
    /// How often each row is measured in each of them
    #[arg(long, value_name = "N", default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,
    /// Microseconds between two looks at the clock
    #[arg(long, value_name = "N", default_value_t = 100)]
    batch: u32,
}

pub fn check(options: &Options) -> Result<Report> {
    let builds = Builds::make(&options.root.path()?, &options.base)?;
    let mut launches: BTreeMap<String, Vec<Launch>> = BTreeMap::new();
    let cpus = affinity::allowed();
    for number in 0..options.launches as usize {
        eprint!(
            "\rstarting for the {} of {} times ",
            number + 1,
            options.launches
        );
        affinity::pin(&cpus, number);
        measure(options, &builds, &mut launches)?;
    }
    eprintln!();
    let mut report = Report::of("rows");
    println!(
        "{:24}{:>10}{:>10}{:>8}{:>8}",
        "row", "base, ns", "head, ns", "change", "noise"
    );
    for (name, launches) in launches {
        let verdict = judge(&launches);
        report.checked += 1;
        println!("{name:24}{verdict}");
        if let Verdict {
            slower: true,
            change,
            noise,
            ..
        } = verdict
        {
            let why = format!("takes {change:.3} times as long, and the noise is {noise:.3}");
            report.refuse(name, why);
        }
    }
    Ok(report)
}

/// Starts the programs once and adds what they measure at each row that both revisions have.
fn measure(
    options: &Options,
    builds: &Builds,
    launches: &mut BTreeMap<String, Vec<Launch>>,
) -> Result<()> {
    let start = |program: &Path| Server::start(program);
    let mut servers = [
        start(&builds.base)?,
        start(&builds.base)?,
        start(&builds.head)?,
    ];
    let wanted = |name: &str| {
        options.rows.is_empty()
            || options
                .rows
                .iter()
                .any(|prefix| name.starts_with(prefix.as_str()))
    };
    let names: Vec<_> = servers[0]
        .names()
        .filter(|name| wanted(name))
        .map(str::to_owned)
        .collect();
    for name in names {
        // A row that only one of them has cannot be compared.
        let Some(rows) = servers
            .iter()
            .map(|server| server.row(&name))
            .collect::<Option<Vec<_>>>()
        else {
            continue;
        };
        let times = servers[0].repetitions(rows[0], options.batch)?;
        let mut samples = [const { Vec::new() }; 3];
        for round in 0..options.rounds as usize {
            for i in 0..servers.len() {
                let i = (round + i) % servers.len();
                samples[i].push(servers[i].nanoseconds(rows[i], times)?);
            }
        }
        let [base, base_again, head] = samples.map(low_decile);
        launches.entry(name).or_default().push(Launch {
            base,
            base_again,
            head,
        });
    }
    ensure!(
        !launches.is_empty(),
        "the revisions have no such row in common"
    );
    Ok(())
}
