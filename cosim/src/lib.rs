//! What is shared with `cargo gate cosim`.

pub mod protocol;
