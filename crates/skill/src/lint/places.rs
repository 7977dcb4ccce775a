//! Lines and columns in a text.

use crate::frontmatter::{Split, saturating};

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

    /// The line of SKILL.md and the column at `offset` of the body.
    pub(super) fn at(&mut self, offset: usize) -> (u32, u32) {
        let passed = self.body.get(self.line_start..offset).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line = self.line.saturating_add(saturating(passed.matches('\n').count()));
            self.line_start += last + 1;
        }
        let before = self.body.get(self.line_start..offset).unwrap_or_default();
        (self.line, saturating(before.chars().count() + 1))
    }
}

/// The line and column of the text after `before`.
pub(super) fn place(before: &str) -> (u32, u32) {
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (saturating(line), saturating(column))
}
