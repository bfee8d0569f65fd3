//! What this x86-64 processor has, as the tests need to know it.

/// Whether it has the feature.
pub fn has(feature: &str) -> bool {
    match feature {
        "sse2" => is_x86_feature_detected!("sse2"),
        "avx" => is_x86_feature_detected!("avx"),
        "avx2" => is_x86_feature_detected!("avx2"),
        "aes" => is_x86_feature_detected!("aes"),
        "pclmulqdq" => is_x86_feature_detected!("pclmulqdq"),
        "vpclmulqdq" => is_x86_feature_detected!("vpclmulqdq"),
        _ => panic!("the tests cannot detect {feature}: add it here"),
    }
}
