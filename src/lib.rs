//! Cryptographic kernels written, proven and printed by Lean 4.
#![no_std]
