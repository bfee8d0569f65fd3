//! The header of a Lean file: its imports, with the lines they are on.

#[derive(Debug, PartialEq, Eq)]
pub struct Import {
    pub module: String,
    pub line: usize,
}

/// The imports at the top of a file. Lean itself parses the file later; this stops at the first word it does not know.
pub fn imports(source: &str) -> Result<Vec<Import>, (usize, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    let line = |rest: &str| source[..source.len() - rest.len()].matches('\n').count() + 1;
    loop {
        rest = skip_blank(rest);
        let word = rest.split_whitespace().next().unwrap_or_default();
        match word {
            "import" => {
                let after = rest["import".len()..].trim_start();
                let module = after.split_whitespace().next().unwrap_or_default();
                let at = line(after);
                rest = &after[module.len()..];
                found.push(Import {
                    module: module.replace(['«', '»'], ""),
                    line: at,
                });
            }
            "module" | "prelude" | "public" | "meta" => {
                let why = format!("`{word}` in a header is not supported: plain files only");
                return Err((line(rest), why));
            }
            _ => return Ok(found),
        }
    }
}

/// Skips white space and comments, except module documentation, which ends a header.
fn skip_blank(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start();
        if let Some(comment) = rest.strip_prefix("--") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if rest.starts_with("/-") && !rest.starts_with("/-!") && !rest.starts_with("/--") {
            rest = skip_block_comment(rest);
        } else {
            return rest;
        }
    }
}

fn skip_block_comment(text: &str) -> &str {
    let (mut depth, mut at) = (0, 0);
    while let Some(next) = text[at..].find(['/', '-']).map(|i| at + i) {
        at = match &text.as_bytes()[next..text.len().min(next + 2)] {
            b"/-" => {
                depth += 1;
                next + 2
            }
            b"-/" => {
                depth -= 1;
                if depth == 0 {
                    return &text[next + 2..];
                }
                next + 2
            }
            _ => next + 1,
        };
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(source: &str) -> Vec<(String, usize)> {
        imports(source)
            .unwrap()
            .into_iter()
            .map(|i| (i.module, i.line))
            .collect()
    }

    #[test]
    fn imports_are_found_among_comments() {
        let source = "/- a /- nested -/ import No -/ -- import No\nimport A.B\nimport\n  C import D\n/-! doc -/\nimport No";
        assert_eq!(
            names(source),
            [("A.B".into(), 2), ("C".into(), 4), ("D".into(), 4)]
        );
    }

    #[test]
    fn a_file_without_header_has_no_imports() {
        assert_eq!(names("theorem important : True := trivial"), []);
        assert_eq!(names(""), []);
        assert_eq!(names("/- never closed /- import A -/"), []);
    }

    #[test]
    fn a_module_header_is_refused() {
        assert_eq!(imports("\nmodule\npublic import A").unwrap_err().0, 2);
    }
}
