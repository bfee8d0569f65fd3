//! Counts the lines of Lean sources that are neither blank nor comment.

use std::path::Path;

use anyhow::Result;

use crate::{files, modules};

/// The lines of all modules under a folder.
pub fn count(root: &Path, folder: &str) -> Result<usize> {
    let prefix = format!("{folder}.");
    let mut total = 0;
    for name in modules::discover(root)?
        .iter()
        .filter(|m| m.starts_with(&prefix))
    {
        let source = files::read(&root.join(modules::path_of(name, "lean")))?;
        total += count_text(&String::from_utf8_lossy(&source));
    }
    Ok(total)
}

fn count_text(source: &str) -> usize {
    let mut depth = 0;
    source
        .lines()
        .filter(|line| has_code(line, &mut depth))
        .count()
}

/// Whether a line has something outside comments; `depth` counts the block comments that are open.
fn has_code(line: &str, depth: &mut usize) -> bool {
    let (mut code, mut in_string) = (false, false);
    let mut rest = line;
    while let Some(c) = rest.chars().next() {
        let mut step = c.len_utf8();
        if *depth > 0 {
            if rest.starts_with("-/") {
                *depth -= 1;
                step = 2;
            } else if rest.starts_with("/-") {
                *depth += 1;
                step = 2;
            }
        } else if !in_string && rest.starts_with("--") {
            break;
        } else if !in_string && rest.starts_with("/-") {
            *depth += 1;
            step = 2;
        } else {
            code |= !c.is_whitespace();
            in_string ^= c == '"' && !rest.starts_with("\"'"); // '"' is a character
            if in_string && c == '\\' {
                step += rest[1..].chars().next().map_or(0, char::len_utf8);
            }
        }
        rest = &rest[step..];
    }
    code
}

#[cfg(test)]
mod tests {
    use super::count_text;

    #[test]
    fn blank_lines_and_comments_do_not_count() {
        assert_eq!(
            count_text(
                "/-! doc\n\n/- nested -/ still doc\n-/\n\n-- comment\n/-- doc -/ def a := 1\n  b"
            ),
            2
        );
    }

    #[test]
    fn a_comment_sign_in_a_string_is_code() {
        assert_eq!(count_text("def a := \"/- \\\" \"\nb\n"), 2);
        assert_eq!(count_text("def a := '\"' /-\n-/\nb"), 2);
    }
}
