//! What the specifications are asked about each test vector, and what they must answer.

use anyhow::{Result, ensure};
use serde::{Deserialize, de::IgnoredAny};

/// A line for `emitter/Vectors.lean`.
#[derive(Debug)]
pub struct Question {
    /// Which vector it is about.
    pub place: String,
    pub line: String,
    pub expected: String,
}

/// A file of test vectors.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vectors {
    #[serde(rename = "source")]
    _source: IgnoredAny,
    #[serde(default)]
    key_expansion: Vec<KeyExpansion>,
    #[serde(default)]
    cipher: Vec<Cipher>,
    #[serde(default)]
    ctr: Vec<Ctr>,
    #[serde(default)]
    gcm: Vec<Gcm>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeyExpansion {
    appendix: String,
    key: Hex,
    round_keys: Hex,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cipher {
    appendix: String,
    key: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ctr {
    section: String,
    key: Hex,
    initial_counter: Hex,
    plaintext: Hex,
    ciphertext: Hex,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gcm {
    case: usize,
    key: Hex,
    iv: Hex,
    plaintext: Hex,
    aad: Hex,
    ciphertext: Hex,
    tag: Hex,
}

/// Bytes, written as hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
struct Hex(Vec<u8>);

impl TryFrom<String> for Hex {
    type Error = hex::FromHexError;

    fn try_from(digits: String) -> Result<Self, Self::Error> {
        hex::decode(digits).map(Self)
    }
}

impl Hex {
    /// A word of a line, where the empty string has a sign of its own.
    fn word(&self) -> String {
        if self.0.is_empty() {
            "-".to_owned()
        } else {
            hex::encode(&self.0)
        }
    }

    fn first(&self, length: usize) -> Self {
        Self(self.0.iter().copied().take(length).collect())
    }

    /// The same string with one bit changed.
    fn damaged(&self, position: usize) -> Self {
        let mut bytes = self.0.clone();
        if let Some(index) = position.checked_rem(bytes.len()) {
            bytes[index] ^= 1 << (position % 8);
        }
        Self(bytes)
    }
}

/// The lengths that a tag may have (SP 800-38D, section 5.2.1.2), and some that it may not.
const TAG_LENGTHS: [usize; 7] = [4, 8, 12, 13, 14, 15, 16];
const OTHER_LENGTHS: [usize; 9] = [0, 1, 3, 5, 7, 9, 10, 11, 2];
const FAIL: &str = "fail";

impl Vectors {
    pub fn questions(&self, file: &str) -> Result<Vec<Question>> {
        let mut asked = Vec::new();
        let mut ask = |place: String, words: &[&str], expected: String| {
            asked.push(Question {
                place: format!("{file}, {place}"),
                line: words.join(" "),
                expected,
            });
        };
        for v in &self.key_expansion {
            let place = format!("appendix {}", v.appendix);
            ask(place, &["expandKey", &v.key.word()], v.round_keys.word());
        }
        for v in &self.cipher {
            let place = format!("appendix {}", v.appendix);
            let words = ["encryptBlock", &v.key.word(), &v.plaintext.word()];
            ask(place, &words, v.ciphertext.word());
        }
        for v in &self.ctr {
            for (what, text, result) in [
                ("encryption", &v.plaintext, &v.ciphertext),
                ("decryption", &v.ciphertext, &v.plaintext),
            ] {
                let place = format!("section {}, {what}", v.section);
                let counter = v.initial_counter.word();
                let words = ["gctr", &v.key.word(), &counter, &text.word()];
                ask(place, &words, result.word());
            }
        }
        for v in &self.gcm {
            ensure!(v.tag.0.len() == 16, "case {}: not a whole tag", v.case);
            v.ask(&mut ask);
        }
        Ok(asked)
    }
}

impl Gcm {
    /// With the whole tag, a shorter one and one of a length that is none, which differ from case to case; and with what is wrong.
    fn ask(&self, ask: &mut impl FnMut(String, &[&str], String)) {
        let case = self.case;
        let [key, nonce, aad] = [&self.key, &self.iv, &self.aad].map(Hex::word);
        let [plaintext, ciphertext] = [&self.plaintext, &self.ciphertext].map(Hex::word);
        let short = self.tag.first(TAG_LENGTHS[case % TAG_LENGTHS.len()]);
        let other = self.tag.first(OTHER_LENGTHS[case % OTHER_LENGTHS.len()]);
        for tag in [&self.tag, &short] {
            let length = tag.0.len().to_string();
            let words = ["encrypt", &key, &length, &nonce, &aad, &plaintext];
            let result = format!("{ciphertext} {}", tag.word());
            let place = format!("case {case}, encryption with a tag of {length} bytes");
            ask(place, &words, result);
        }
        let mut decrypt = |what: String, aad: &str, text: &str, tag: &Hex, expected: &str| {
            let words = ["decrypt", &key, &nonce, aad, text, &tag.word()];
            let place = format!("case {case}, decryption with {what}");
            ask(place, &words, expected.to_owned());
        };
        for tag in [&self.tag, &short] {
            let length = tag.0.len();
            let what = format!("a tag of {length} bytes");
            decrypt(what, &aad, &ciphertext, tag, &plaintext);
            let what = format!("a wrong tag of {length} bytes");
            decrypt(what, &aad, &ciphertext, &tag.damaged(case), FAIL);
        }
        let what = format!("a tag of {} bytes", other.0.len());
        decrypt(what, &aad, &ciphertext, &other, FAIL);
        let (damaged_aad, damaged_text) = (self.aad.damaged(case), self.ciphertext.damaged(case));
        for (what, aad, text) in [
            ("wrong additional data", &damaged_aad, &self.ciphertext),
            ("a wrong ciphertext", &self.aad, &damaged_text),
        ] {
            if (aad, text) != (&self.aad, &self.ciphertext) {
                decrypt(what.into(), &aad.word(), &text.word(), &self.tag, FAIL);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GCM: &str = r#"{"source": "", "gcm": [{"case": 1, "key": "00", "iv": "01", "plaintext": "",
        "aad": "", "ciphertext": "", "tag": "000102030405060708090a0b0c0d0e0f"}]}"#;

    fn questions(json: &str) -> Result<Vec<Question>> {
        serde_json::from_str::<Vectors>(json)?.questions("f")
    }

    #[test]
    fn a_case_of_gcm_is_asked_with_right_and_wrong_tags_of_every_kind() {
        let asked = questions(GCM).unwrap();
        let lines: Vec<_> = asked
            .iter()
            .map(|q| (q.line.as_str(), q.expected.as_str()))
            .collect();
        assert_eq!(
            lines,
            [
                ("encrypt 00 16 01 - -", "- 000102030405060708090a0b0c0d0e0f"),
                ("encrypt 00 8 01 - -", "- 0001020304050607"),
                ("decrypt 00 01 - - 000102030405060708090a0b0c0d0e0f", "-"),
                ("decrypt 00 01 - - 000302030405060708090a0b0c0d0e0f", "fail"),
                ("decrypt 00 01 - - 0001020304050607", "-"),
                ("decrypt 00 01 - - 0003020304050607", "fail"),
                ("decrypt 00 01 - - 00", "fail"),
            ]
        );
    }

    #[test]
    fn what_is_no_vector_is_an_error() {
        assert!(questions(&GCM.replace("0e0f", "0e")).is_err());
        assert!(questions(&GCM.replace("0e0f", "0e0")).is_err());
        assert!(questions(&GCM.replace("0e0f", "0e0g")).is_err());
        assert!(questions(&GCM.replace("\"aad\"", "\"ad\"")).is_err());
        assert!(questions(&GCM.replace("\"gcm\"", "\"gmac\"")).is_err());
    }
}
