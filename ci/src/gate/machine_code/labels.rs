//! The local labels of a kernel, which assemblers of all architectures write alike: numbers, that may occur again.

use std::collections::HashMap;

use anyhow::{Context, Result, bail, ensure};

/// For each number, the indices of the instructions that follow it.
pub struct Labels<'a>(HashMap<&'a str, Vec<usize>>);

/// The lines without labels, and the labels.
pub fn split(lines: &[String]) -> Result<(Vec<&str>, Labels<'_>)> {
    let mut labels: HashMap<&str, Vec<usize>> = HashMap::new();
    let mut code = Vec::new();
    for line in lines.iter().map(|line| line.trim()) {
        match line.strip_suffix(':') {
            Some(label) => {
                ensure!(is_number(label), "`{line}`: local labels are numbers");
                labels.entry(label).or_default().push(code.len());
            }
            None => code.push(line),
        }
    }
    Ok((code, Labels(labels)))
}

impl Labels<'_> {
    /// `2b` is the nearest label 2 at or before the jump, `2f` the nearest after it.
    pub fn target(&self, text: &str, at: usize) -> Result<usize> {
        let Some((number, direction)) = text.split_at_checked(text.len().saturating_sub(1)) else {
            bail!("`{text}`: not a local label");
        };
        let places = self
            .0
            .get(number)
            .with_context(|| format!("no label {number}"))?;
        let place = match direction {
            "b" => places.iter().rfind(|&&place| place <= at),
            "f" => places.iter().find(|&&place| place > at),
            _ => bail!("`{text}`: not a local label"),
        };
        place
            .copied()
            .with_context(|| format!("no label {number} in this direction"))
    }
}

pub fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str) -> Result<Vec<usize>> {
        let lines: Vec<_> = text.lines().map(str::to_owned).collect();
        let (code, labels) = split(&lines)?;
        let jumps = code.iter().enumerate();
        jumps
            .map(|(at, line)| labels.target(line.trim_start_matches("j "), at))
            .collect()
    }

    #[test]
    fn labels_are_the_nearest_in_their_direction() {
        assert_eq!(
            targets("2:\nj 2f\n2:\nj 2b\nj 3f\n2:\n3:\n").unwrap(),
            [1, 1, 3]
        );
        for text in [
            "j 2f\n",
            "2:\nj 2f\n",
            "j 2b\n2:\n",
            "2:\nj 2\n",
            "2:\nj é",
            "a:\nj af",
        ] {
            assert!(targets(text).is_err(), "{text}");
        }
    }
}
