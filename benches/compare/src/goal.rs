//! What the kernels are to reach.

use super::row::{Operation, Row};

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    pub against: Against,
    /// Of their time, at most.
    pub ratio: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The fastest of the others.
    Best,
    AwsLc,
}

/// Of the kernels with vectors of 256 bits, on a processor that has no longer ones.
pub fn vaes(row: &Row) -> Option<Goal> {
    let ratio = match (row.operation, row.len) {
        (Operation::Connection, _) => 0.50,
        (Operation::Seal | Operation::Open, ..=256) => 0.45,
        (Operation::Seal | Operation::Open, ..=1350) => 0.70,
        (Operation::Seal | Operation::Open, _) => 0.85,
        (Operation::Gather2, ..=300) => 0.45,
        _ => return None,
    };
    Some(Goal {
        against: Against::Best,
        ratio,
    })
}

/// Of the kernels with vectors of 128 bits.
pub fn aes_ni(_: &Row) -> Option<Goal> {
    Some(Goal {
        against: Against::AwsLc,
        ratio: 0.90,
    })
}

/// Of kernels that have no goal.
pub fn none(_: &Row) -> Option<Goal> {
    None
}
