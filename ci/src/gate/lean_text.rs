//! The words of a Lean file, without comments and strings.

/// A word or symbol of a Lean file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// A whole identifier with its dots, `:=`, or one other character.
    pub text: &'a str,
    pub line: usize,
    /// A name literal: `` `name `` or ``` ``name ```.
    pub quoted: bool,
    /// Stands right after the token before it.
    pub joined: bool,
}

impl Token<'_> {
    /// The last part of a dotted name.
    pub fn last(&self) -> &str {
        self.text.rsplit('.').next().unwrap_or(self.text)
    }
}

/// Splits a file into its tokens. What Lean would refuse gives some tokens, never a panic.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        source,
        at: 0,
        line: 1,
        end_of_last: 0,
        tokens: Vec::new(),
    };
    while lexer.at < source.len() {
        lexer.code(false);
    }
    lexer.tokens
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
    line: usize,
    end_of_last: usize,
    tokens: Vec<Token<'a>>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.source[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest()[..bytes].matches('\n').count();
        self.at += bytes;
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.skip(c.len_utf8());
        Some(c)
    }

    /// Reads code to the end, or to the brace that closes a hole in an interpolated string.
    fn code(&mut self, in_hole: bool) {
        let mut depth = 0;
        while let Some(c) = self.peek() {
            let rest = self.rest();
            if rest.starts_with("--") {
                self.skip(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/-") {
                self.block_comment();
            } else if let Some(hashes) = raw_string(rest) {
                self.raw_string(hashes);
            } else if c == '"' {
                let after_macro = |t: &Token| t.text.ends_with('!') && t.text.len() > 1;
                let interpolated = self.tokens.last().is_some_and(after_macro);
                self.bump();
                self.string(interpolated);
            } else if let Some(bytes) = char_literal(rest) {
                self.skip(bytes);
            } else if let Some(name) = rest.trim_start_matches('`').chars().next()
                && c == '`'
                && starts_name(name)
            {
                self.skip(rest.len() - rest.trim_start_matches('`').len());
                self.name(true);
            } else if starts_name(c) {
                self.name(false);
            } else if c.is_whitespace() {
                self.bump();
            } else {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 && in_hole => return,
                    '}' => depth -= 1,
                    _ => {}
                }
                let bytes = if rest.starts_with(":=") {
                    2
                } else {
                    c.len_utf8()
                };
                self.push(bytes, false);
            }
        }
    }

    fn push(&mut self, bytes: usize, quoted: bool) {
        self.tokens.push(Token {
            text: &self.rest()[..bytes],
            line: self.line,
            quoted,
            joined: self.at == self.end_of_last,
        });
        self.skip(bytes);
        self.end_of_last = self.at;
    }

    fn name(&mut self, quoted: bool) {
        let rest = self.rest();
        let mut chars = rest.char_indices().peekable();
        let mut end = 0;
        let mut escaped = false;
        while let Some((i, c)) = chars.next() {
            let next = chars.peek().map(|&(_, next)| next);
            escaped = c == '«' || (escaped && c != '»');
            let part = escaped
                || starts_name(c)
                || matches!(c, '»' | '\'' | '!' | '?')
                || (c == '.' && i > 0 && next.is_some_and(starts_name));
            if !part {
                break;
            }
            end = i + c.len_utf8();
        }
        self.push(end, quoted);
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        while !self.rest().is_empty() {
            if self.rest().starts_with("/-") {
                depth += 1;
                self.skip(2);
            } else if self.rest().starts_with("-/") {
                depth -= 1;
                self.skip(2);
                if depth == 0 {
                    return;
                }
            } else {
                self.bump();
            }
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        self.skip("r\"".len() + hashes);
        let close = format!("\"{}", "#".repeat(hashes));
        let rest = self.rest();
        self.skip(rest.find(&close).map_or(rest.len(), |i| i + close.len()));
    }

    fn string(&mut self, interpolated: bool) {
        while let Some(c) = self.bump() {
            match c {
                '"' => return,
                '\\' => drop(self.bump()),
                '{' if interpolated => {
                    self.code(true);
                    self.bump();
                }
                _ => {}
            }
        }
    }
}

fn starts_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '«')
}

/// The number of hashes of a raw string that starts here: `r"…"`, `r#"…"#`.
fn raw_string(rest: &str) -> Option<usize> {
    let hashes = rest.strip_prefix('r')?;
    let quote = hashes.trim_start_matches('#');
    quote.starts_with('"').then_some(hashes.len() - quote.len())
}

/// The length of a character literal that starts here: `'a'`, `'\n'`, `'\x41'`.
fn char_literal(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    let first = body.chars().next()?;
    let skipped = if first == '\\' {
        1 + body[1..].chars().next()?.len_utf8()
    } else {
        first.len_utf8()
    };
    let close = body.get(skipped..)?.find('\'')? + skipped;
    (first == '\\' || close == skipped).then_some(close + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|t| t.text).collect()
    }

    #[test]
    fn names_keep_their_dots_primes_and_quotes() {
        assert_eq!(
            texts("h'.1 a.b «x y».z x₁ get! α:=2"),
            ["h'.1", "a.b", "«x y».z", "x₁", "get!", "α", ":=", "2"]
        );
        assert_eq!(texts("(.leaf).x"), ["(", ".", "leaf", ")", ".", "x"]);
    }

    #[test]
    fn comments_and_strings_are_left_out() {
        assert_eq!(texts("a -- b\n/- c /- d -/ e -/ f /-- g -/"), ["a", "f"]);
        assert_eq!(
            texts(r#"a "b \" c" d r"e\" f 'g' '\'' '"' h"#),
            ["a", "d", "f", "h"]
        );
        assert_eq!(texts(r##"a r#"b " c"# d"##), ["a", "d"]);
        assert_eq!(texts("a /- never closed"), ["a"]);
        assert_eq!(texts("a \"never closed"), ["a"]);
        assert_eq!(texts("a \"x {b} y\" c"), ["a", "c"]);
    }

    #[test]
    fn holes_of_interpolated_strings_are_code() {
        assert_eq!(
            texts(r#"s!"no {f { x := "no {no}" } a} no \{no} {b}" c"#),
            ["s!", "f", "{", "x", ":=", "}", "a", "b", "c"]
        );
        assert_eq!(texts("s!\"{a"), ["s!", "a"]);
    }

    #[test]
    fn lines_quotes_and_neighbours_are_known() {
        let found = tokens("/-\n-/ `a.b\n``c (`(d)) +e");
        let of = |text| found.iter().find(|t| t.text == text).unwrap();
        assert_eq!((of("a.b").line, of("a.b").quoted), (2, true));
        assert_eq!((of("c").line, of("c").quoted), (3, true));
        assert!(!of("d").quoted && of("e").joined && !of("+").joined);
        assert_eq!(of("a.b").last(), "b");
    }
}
