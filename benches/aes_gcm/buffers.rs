//! Where the data lie: for all libraries at the same places in their pages, since copies of data that are close modulo 4096 are slow.

use super::row::LENGTHS;

const PAGE: usize = 4096;
const CAPACITY: usize = LENGTHS[LENGTHS.len() - 1];

pub struct Buffers {
    memory: Vec<u8>,
    text: usize,
    out: usize,
}

impl Buffers {
    pub fn new() -> Self {
        let memory: Vec<u8> = (0..2 * CAPACITY + 2 * PAGE).map(|i| i as u8).collect();
        let text = memory.as_ptr().align_offset(PAGE);
        Self {
            memory,
            text,
            out: text + CAPACITY + PAGE / 2,
        }
    }

    pub fn text(&mut self, len: usize) -> &mut [u8] {
        &mut self.memory[self.text..][..len]
    }

    /// The text, and where its ciphertext goes.
    pub fn both(&mut self, len: usize) -> (&[u8], &mut [u8]) {
        let (texts, outs) = self.memory.split_at_mut(self.out);
        (&texts[self.text..][..len], &mut outs[..len])
    }
}
