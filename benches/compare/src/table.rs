//! One table, for reading or for a Markdown page.

use crate::goal::{Against, Goal};
use crate::row::{Operation, Row};

#[derive(Debug, Clone, Copy)]
pub enum Style {
    Plain,
    Markdown,
}

/// What was measured of one row.
pub struct Line<'a> {
    /// The kernels of leanseal that ran.
    pub backend: &'a str,
    pub row: Row,
    /// Nanoseconds of leanseal.
    pub own: f64,
    /// Names of other libraries, and leanseal's time by theirs.
    pub ratios: Vec<(&'static str, f64)>,
    pub goal: Option<Goal>,
}

impl Style {
    pub fn header(self, names: &[&str]) -> String {
        let mut cells = vec!["kernels", "operation", "key", "bytes", "ns"];
        cells.extend(names);
        cells.extend(["best", "goal"]);
        let line = self.line(
            &cells
                .iter()
                .map(|cell| (*cell).to_owned())
                .collect::<Vec<_>>(),
        );
        match self {
            Self::Plain => line,
            Self::Markdown => format!("{line}\n|{}", "---|".repeat(cells.len())),
        }
    }

    fn line(self, cells: &[String]) -> String {
        match self {
            Self::Markdown => format!("| {} |", cells.join(" | ")),
            Self::Plain => {
                let (words, numbers) = cells.split_at(2);
                let words = words.iter().map(|cell| format!("{cell:<14}"));
                let numbers = numbers.iter().map(|cell| format!("{cell:>12}"));
                words
                    .chain(numbers)
                    .collect::<String>()
                    .trim_end()
                    .to_owned()
            }
        }
    }
}

impl Line<'_> {
    pub fn format(&self, style: Style) -> String {
        let Row {
            operation,
            key_bits,
            len,
        } = self.row;
        let mut cells = vec![
            self.backend.to_owned(),
            describe(operation).to_owned(),
            key_bits.to_string(),
        ];
        cells.push(if len == 0 {
            String::new()
        } else {
            len.to_string()
        });
        cells.push(format!("{:.0}", self.own));
        cells.extend(self.ratios.iter().map(|(_, ratio)| format!("{ratio:.2}")));
        cells.push(
            self.best()
                .map_or(String::new(), |best| format!("{best:.2}")),
        );
        cells.push(self.verdict());
        style.line(&cells)
    }

    /// The ratio to the fastest other library.
    fn best(&self) -> Option<f64> {
        self.ratios
            .iter()
            .map(|(_, ratio)| *ratio)
            .max_by(f64::total_cmp)
    }

    /// The ratio that the goal is about; none where there is no goal or not that library.
    fn reached(&self) -> Option<(f64, Goal)> {
        let goal = self.goal?;
        let ratio = match goal.against {
            Against::Best => self.best(),
            Against::AwsLc => {
                let other = self.ratios.iter().find(|(name, _)| *name == crate::AWS_LC);
                other.map(|(_, ratio)| *ratio)
            }
        };
        Some((ratio?, goal))
    }

    pub fn misses(&self) -> bool {
        self.reached()
            .is_some_and(|(ratio, goal)| ratio > goal.ratio)
    }

    fn verdict(&self) -> String {
        match self.reached() {
            None => String::new(),
            Some((_, goal)) => {
                let missed = if self.misses() { " missed" } else { "" };
                format!("{:.2}{missed}", goal.ratio)
            }
        }
    }
}

fn describe(operation: Operation) -> &'static str {
    match operation {
        Operation::New => "new",
        Operation::Connection => "new, seal",
        Operation::Seal => "seal",
        Operation::Open => "open",
        Operation::Gather1 => "seal 1 slice",
        Operation::Gather2 => "seal 2 slices",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: Row = Row {
        operation: Operation::Seal,
        key_bits: 128,
        len: 64,
    };

    fn line(own: f64, goal: Option<(Against, f64)>) -> Line<'static> {
        Line {
            backend: "VAES",
            row: ROW,
            own,
            ratios: vec![("ring", own / 100.0), (crate::AWS_LC, own / 200.0)],
            goal: goal.map(|(against, ratio)| Goal { against, ratio }),
        }
    }

    #[test]
    fn the_best_other_is_the_fastest() {
        assert_eq!(line(50.0, None).best(), Some(0.5));
        assert_eq!(line(300.0, None).best(), Some(3.0));
    }

    #[test]
    fn a_goal_is_missed_when_the_ratio_is_above_it() {
        for (own, against, ratio, misses) in [
            (50.0, Against::Best, 0.5, false),
            (51.0, Against::Best, 0.5, true),
            (99.0, Against::AwsLc, 0.5, false),
            (101.0, Against::AwsLc, 0.5, true),
        ] {
            assert_eq!(line(own, Some((against, ratio))).misses(), misses, "{own}");
        }
        assert!(!line(1000.0, None).misses());
    }

    #[test]
    fn lines_have_the_columns_of_the_header() {
        let header = Style::Markdown.header(&["ring", "aws-lc-rs"]);
        let line = line(75.0, Some((Against::Best, 0.5))).format(Style::Markdown);
        assert_eq!(
            line,
            "| VAES | seal | 128 | 64 | 75 | 0.75 | 0.38 | 0.75 | 0.50 missed |"
        );
        let columns = |line: &str| line.matches('|').count();
        for headline in header.lines() {
            assert_eq!(columns(headline), columns(&line), "{headline}");
        }
    }
}
