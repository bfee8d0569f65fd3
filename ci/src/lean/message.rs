//! Lean's messages, as `lean --json` prints them.

use std::fmt;

use serde::Deserialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    #[serde(rename = "information")]
    Info,
    Warning,
    Error,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    pub severity: Severity,
    pub file_name: String,
    pub pos: Position,
    pub data: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

impl Message {
    /// An error about a file as a whole.
    pub fn error(file: &str, data: impl Into<String>) -> Self {
        let pos = Position { line: 1, column: 0 };
        Self {
            severity: Severity::Error,
            file_name: file.to_owned(),
            pos,
            data: data.into(),
        }
    }

    /// Whether it makes the check fail: warnings do too, since `sorry` is one.
    pub fn is_failure(&self) -> bool {
        self.severity != Severity::Info
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let Position { line, column } = self.pos;
        write!(
            f,
            "{}:{line}:{column}: {severity}: {}",
            self.file_name,
            self.data.trim_end()
        )
    }
}
