//! What the gate and this program write to each other.

use std::io::Read;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};

/// The first line of the input; the cases follow in binary.
#[derive(Debug, Serialize, Deserialize)]
pub struct Job {
    pub components: Vec<Component>,
    pub memory: Area,
    pub instructions: Vec<Instruction>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Component {
    pub name: String,
    pub size: usize,
}

/// The memory that instructions may touch.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Area {
    pub base: usize,
    pub length: usize,
    /// What it holds outside the window.
    pub fill: u8,
    /// The length of the window.
    pub window: usize,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Instruction {
    /// In hexadecimal; a jump with what lies between it and its target.
    pub code: String,
    /// Where the next instruction starts.
    pub next: usize,
    /// Where a jump goes.
    pub target: Option<usize>,
    pub features: Vec<String>,
    /// How far the gate is with this one, to be shown now and then.
    #[serde(default)]
    pub progress: String,
}

/// The line of output: what was found, or the instruction that faults where the model says that it does not.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Answer {
    Fault { fault: usize, signal: i32 },
    Outcome(Outcome),
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// For each instruction, the cases that ran, and those with a difference.
    pub run: Vec<u64>,
    pub failed: Vec<u64>,
    /// For each instruction, the features that this processor lacks; then nothing ran.
    pub lacking: Vec<Vec<String>>,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// What is part of the model's state and was not compared.
    pub not_compared: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct Difference {
    pub instruction: usize,
    pub what: String,
    pub model: String,
    pub processor: String,
    /// The components before the instruction that are not zero.
    pub before: String,
}

/// The state that a model describes: the bytes of all components, and the window of memory.
#[derive(Debug, Clone)]
pub struct State {
    pub values: Vec<u8>,
    /// Where each component starts, and where the last one ends.
    pub starts: Vec<usize>,
    pub window: usize,
    pub bytes: Vec<u8>,
}

const TAG_WINDOW: u8 = 253;
const TAG_BYTE: u8 = 254;
const TAG_END: u8 = 255;
const END: u32 = u32::MAX;

impl State {
    pub fn new(job: &Job) -> Result<Self> {
        ensure!(
            job.components.len() <= TAG_WINDOW.into(),
            "too many components"
        );
        let mut starts = vec![0];
        for component in &job.components {
            starts.push(starts.last().copied().unwrap_or_default() + component.size);
        }
        Ok(Self {
            values: vec![0; starts.last().copied().unwrap_or_default()],
            starts,
            window: job.memory.base,
            bytes: vec![job.memory.fill; job.memory.window],
        })
    }

    pub fn component(&self, i: usize) -> &[u8] {
        &self.values[self.starts[i]..self.starts[i + 1]]
    }

    /// Reads what is different from this state.
    pub fn change(&mut self, from: &mut impl Read) -> Result<()> {
        loop {
            match byte(from)? {
                TAG_END => return Ok(()),
                TAG_BYTE => {
                    let (at, value) = (byte(from)?, byte(from)?);
                    *self
                        .bytes
                        .get_mut(usize::from(at))
                        .context("a byte outside the window")? = value;
                }
                TAG_WINDOW => {
                    let mut address = [0; 8];
                    from.read_exact(&mut address)?;
                    self.window = usize::try_from(u64::from_le_bytes(address))?;
                }
                tag => {
                    let i = usize::from(tag);
                    let Some(&end) = self.starts.get(i + 1) else {
                        bail!("no component {tag}");
                    };
                    from.read_exact(&mut self.values[self.starts[i]..end])?;
                }
            }
        }
    }
}

fn byte(from: &mut impl Read) -> Result<u8> {
    let mut byte = [0];
    from.read_exact(&mut byte)?;
    Ok(byte[0])
}

/// A case: an instruction, then the changes that lead to its input.
pub fn next_case(from: &mut impl Read, input: &mut State) -> Result<Option<usize>> {
    let mut index = [0; 4];
    from.read_exact(&mut index)
        .context("the cases end without an end mark")?;
    match u32::from_le_bytes(index) {
        END => Ok(None),
        index => {
            input.change(from)?;
            Ok(Some(usize::try_from(index)?))
        }
    }
}

/// The rest of the case: whether the model jumps, then the changes that lead to its output.
pub fn outcome_of_case(from: &mut impl Read, output: &mut State) -> Result<bool> {
    let jumped = byte(from)? != 0;
    output.change(from)?;
    Ok(jumped)
}

/// Little-endian bytes as a hexadecimal number.
pub fn number(bytes: &[u8]) -> String {
    let digits: Vec<u8> = bytes.iter().rev().copied().collect();
    let digits = hex::encode(digits);
    match digits.trim_start_matches('0') {
        "" => "0".to_owned(),
        digits => digits.to_owned(),
    }
}
