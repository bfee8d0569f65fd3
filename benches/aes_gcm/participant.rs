//! The libraries that are measured.

use leanseal::aes_gcm::AesGcm;

use super::buffers::Buffers;
use super::check::Results;
use super::library::Library;
use super::row::{Row, Runner};

pub struct Participant {
    pub name: &'static str,
    pub runner: fn(&Row, &mut Buffers) -> Runner,
    pub results: fn(&[u8], &[u8]) -> Results,
}

impl Participant {
    pub fn of<L: Library + 'static>(name: &'static str) -> Self {
        Self {
            name,
            runner: Row::runner::<L>,
            results: Results::of::<L>,
        }
    }

    pub fn leanseal() -> Self {
        Self::of::<AesGcm>("leanseal")
    }
}
