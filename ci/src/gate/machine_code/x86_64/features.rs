//! A kernel declares every CPU feature that its instructions need: as the decoder knows them, not as Lean's model does.

use anyhow::{Result, ensure};
use iced_x86::{CpuidFeature, Instruction};

/// An error names the first instruction that needs what is not `declared`.
pub fn check(declared: &[String], code: &[Instruction]) -> Result<()> {
    for instruction in code {
        for feature in instruction.cpuid_features() {
            if let Some(name) = name(*feature) {
                ensure!(
                    declared.contains(&name),
                    "`{instruction}` needs {name}, which is not declared"
                );
            }
        }
    }
    Ok(())
}

/// As rustc names it; none for the integer instructions that every x86-64 CPU has.
fn name(feature: CpuidFeature) -> Option<String> {
    use CpuidFeature::{CMOV, INTEL186, INTEL286, INTEL386, INTEL486, INTEL8086, X64};
    match feature {
        INTEL8086 | INTEL186 | INTEL286 | INTEL386 | INTEL486 | CMOV | X64 => None,
        CpuidFeature::SSE4_1 => Some("sse4.1".into()),
        CpuidFeature::SSE4_2 => Some("sse4.2".into()),
        other => Some(format!("{other:?}").to_lowercase()),
    }
}

#[cfg(test)]
mod tests {
    use iced_x86::{Decoder, DecoderOptions};

    use super::*;

    fn missing(declared: &[&str], bytes: &[u8]) -> Option<String> {
        let code: Vec<_> = Decoder::new(64, bytes, DecoderOptions::NONE)
            .into_iter()
            .collect();
        let declared: Vec<_> = declared.iter().map(|&name| name.to_owned()).collect();
        check(&declared, &code).err().map(|error| error.to_string())
    }

    #[test]
    fn what_an_instruction_needs_must_be_declared() {
        for (features, bytes) in [
            (&["sse2"][..], &[0x66, 0x0f, 0xef, 0xc0][..]),
            (&["avx"], &[0xc5, 0xf8, 0x77]),
            (&["avx"], &[0xc5, 0xfe, 0x6f, 0x07]),
            (&["avx2"], &[0xc5, 0xfd, 0xef, 0xc0]),
            (&["ssse3"], &[0x66, 0x0f, 0x38, 0x00, 0xc1]),
            (&["sse4.1"], &[0x66, 0x0f, 0x38, 0x17, 0xc1]),
            (&["aes"], &[0x66, 0x0f, 0x38, 0xdc, 0xc1]),
            (&["aes", "avx"], &[0xc4, 0xe2, 0x71, 0xdc, 0xc2]),
            (&["vaes"], &[0xc4, 0xe2, 0x75, 0xdc, 0xc2]),
        ] {
            assert_eq!(missing(features, bytes), None);
            for i in 0..features.len() {
                let mut fewer = features.to_vec();
                let name = fewer.remove(i);
                let found = missing(&fewer, bytes).unwrap();
                assert!(
                    found.contains(&format!("needs {name}, which is not")),
                    "{found}"
                );
            }
        }
    }

    #[test]
    fn integer_instructions_need_nothing() {
        for bytes in [
            &[0xc3][..],
            &[0x48, 0x01, 0xc0],
            &[0x0f, 0xb6, 0x07],
            &[0x48, 0x0f, 0x44, 0xc1],
        ] {
            assert_eq!(missing(&[], bytes), None);
        }
    }
}
