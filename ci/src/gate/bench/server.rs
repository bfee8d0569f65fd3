//! A measuring program that waits for questions: `benches/compare/src/serve.rs` has the other side.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use anyhow::{Context, Result, ensure};

pub struct Server {
    process: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
    names: Vec<String>,
}

impl Server {
    pub fn start(program: &Path) -> Result<Self> {
        let mut process = Command::new(program)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let questions = process.stdin.take().context("no input")?;
        let answers = BufReader::new(process.stdout.take().context("no output")?);
        let mut server = Self {
            process,
            questions,
            answers,
            names: Vec::new(),
        };
        loop {
            let name = server.answer()?;
            if name.is_empty() {
                return Ok(server);
            }
            server.names.push(name);
        }
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    pub fn row(&self, name: &str) -> Option<usize> {
        self.names().position(|other| other == name)
    }

    /// How long one operation takes, of so many: an even number.
    pub fn nanoseconds(&mut self, row: usize, times: u64) -> Result<f64> {
        writeln!(self.questions, "{row} {times}").context("the measuring program has ended")?;
        let answer = self.answer()?;
        let time = answer
            .parse()
            .ok()
            .filter(|time: &f64| time.is_finite() && *time > 0.0);
        time.with_context(|| format!("the measuring program answers: {answer}"))
    }

    /// An even number of repetitions that take so many microseconds, about.
    pub fn repetitions(&mut self, row: usize, microseconds: u32) -> Result<u64> {
        let wanted = f64::from(microseconds) * 1000.0;
        let mut times = 2;
        while self.nanoseconds(row, times)? * (times as f64) < wanted && times < 1 << 30 {
            times *= 2;
        }
        Ok(times)
    }

    fn answer(&mut self) -> Result<String> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        ensure!(line.ends_with('\n'), "the measuring program has ended");
        line.pop();
        Ok(line)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
