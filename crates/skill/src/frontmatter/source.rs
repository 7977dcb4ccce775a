//! The places of the fields in the text of a SKILL.md.

use super::split::Split;
use crate::Diagnostic;

/// The text of the fields, to find the line of each.
pub(crate) struct FieldText<'a> {
    yaml: &'a str,
    first_line: u32,
}

impl<'a> From<&'a Split> for FieldText<'a> {
    fn from(split: &'a Split) -> Self {
        Self { yaml: &split.yaml, first_line: split.yaml_line }
    }
}

impl FieldText<'_> {
    /// The line of SKILL.md with the `nth` occurrence of the top-level `key`, counted from zero.
    pub(crate) fn line_of(&self, key: &str, nth: usize) -> Option<u32> {
        let names_key = |line: &str| {
            let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
            let line = quote.map_or(line, |quote| line.trim_start_matches(quote));
            let after = line.strip_prefix(key).map(|rest| quote.map_or(rest, |quote| rest.trim_start_matches(quote)));
            after.is_some_and(|rest| rest.trim_start().starts_with(':'))
        };
        let at = self.yaml.lines().enumerate().filter(|(_, line)| names_key(line)).nth(nth)?.0;
        u32::try_from(at).ok().map(|at| self.first_line.saturating_add(at))
    }

    /// `finding`, placed at the top-level `key` if its line is known.
    pub(crate) fn place(&self, finding: Diagnostic, key: &str) -> Diagnostic {
        match self.line_of(key, 0) {
            Some(line) => finding.at(line, 1),
            None => finding,
        }
    }
}
