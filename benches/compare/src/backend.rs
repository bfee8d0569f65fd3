//! The kernels of leanseal that are measured, chosen by the features of the CPU that it may use.

use crate::goal::{self, Goal};
use crate::row::Row;

pub struct Backend {
    pub name: &'static str,
    /// The features of the CPU that are left; none for all.
    pub features: Option<&'static str>,
    pub goal: fn(&Row) -> Option<Goal>,
}

const FASTEST: &str = "fastest";
const AES_NI: &str = "AES-NI";

impl Backend {
    /// Those that this CPU runs.
    pub fn all() -> Vec<Self> {
        let aes_ni = Self {
            name: AES_NI,
            features: Some("avx,aes,pclmulqdq"),
            goal: goal::aes_ni,
        };
        let fastest = |goal| Self {
            name: FASTEST,
            features: None,
            goal,
        };
        if cfg!(not(target_arch = "x86_64")) {
            vec![fastest(goal::none)]
        } else if has_vaes() {
            vec![fastest(goal::vaes), aes_ni]
        } else {
            vec![aes_ni]
        }
    }
}

/// Whether the CPU encrypts more than one block in an instruction.
fn has_vaes() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("vaes") && is_x86_feature_detected!("vpclmulqdq");
    #[cfg(not(target_arch = "x86_64"))]
    false
}
