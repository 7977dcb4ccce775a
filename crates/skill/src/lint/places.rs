//! Lines and columns in a text.

use crate::{Diagnostic, diagnostic::saturating, frontmatter::Split};

/// Lines and columns for offsets that only grow.
pub(super) struct Places<'a> {
    body: &'a str,
    line: u32,
    line_start: usize,
}

impl<'a> Places<'a> {
    pub(super) fn from_split(split: &'a Split) -> Self {
        Self { body: &split.body, line: split.body_line, line_start: 0 }
    }

    /// Places `finding` at the line of SKILL.md and the column where `offset` of the body lies.
    pub(super) fn place(&mut self, finding: Diagnostic, offset: usize) -> Diagnostic {
        let passed = self.body.get(self.line_start..offset).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line = self.line.saturating_add(saturating(passed.matches('\n').count()));
            self.line_start += last + 1;
        }
        let before = self.body.get(self.line_start..offset).unwrap_or_default();
        finding.at(self.line, saturating(before.chars().count() + 1))
    }
}
