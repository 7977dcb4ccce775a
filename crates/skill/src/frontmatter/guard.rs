//! Protects the YAML engine from input that is slow to parse.
//!
//! The engine's cost is quadratic in the nesting of `[` and `{`, and it builds every event before it checks any depth
//! limit. So depth is counted here first, over the bytes.

use super::split::Split;
use crate::{Diagnostic, FindingCode, diagnostic::saturating};
use skillmount_base::limits::{FRONTMATTER_BYTES, FRONTMATTER_NESTING};

/// Refuses a block that would be slow to parse.
///
/// # Errors
/// `frontmatter_too_large`, `frontmatter_too_deep`.
pub(super) fn check(split: &Split) -> Result<(), Diagnostic> {
    if split.yaml.len() > FRONTMATTER_BYTES {
        let message = format!("the frontmatter is over {FRONTMATTER_BYTES} bytes: move text into the body");
        return Err(Diagnostic::new(FindingCode::FrontmatterTooLarge, message).at(split.yaml_line, 1));
    }
    match too_deep(&split.yaml) {
        None => Ok(()),
        Some((line, column)) => {
            let message = format!("more than {FRONTMATTER_NESTING} `[` or `{{` are open here: quote the value");
            Err(Diagnostic::new(FindingCode::FrontmatterTooDeep, message)
                .at(split.yaml_line.saturating_add(line), column))
        }
    }
}

/// The place (0-based line, 1-based column) of the first bracket over the limit.
///
/// A closing bracket inside quotes or a comment would hide depth, so one counts only if an even number of each quote
/// and no `#` come before it on its line. Text that misleads this still needs five bytes and more for each level, which
/// under the size limit is a few milliseconds of parsing.
pub(super) fn too_deep(yaml: &str) -> Option<(u32, u32)> {
    let mut open = 0_usize;
    for (at, line) in yaml.lines().enumerate() {
        let (mut single, mut double, mut comment) = (false, false, false);
        for (column, c) in line.chars().enumerate() {
            match c {
                '[' | '{' => open += 1,
                ']' | '}' if !(single || double || comment) => open = open.saturating_sub(1),
                '\'' => single = !single,
                '"' => double = !double,
                '#' => comment = true,
                _ => {}
            }
            if open > FRONTMATTER_NESTING {
                return Some((saturating(at), saturating(column + 1)));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_before_anything_is_parsed() {
        let nested = |depth: usize| format!("k: 1\nv: {}", "[{".repeat(depth).split_at(depth).0);
        assert_eq!(too_deep(&nested(FRONTMATTER_NESTING)), None);
        assert_eq!(too_deep(&nested(FRONTMATTER_NESTING + 1)), Some((1, 68)));
        assert_eq!(too_deep(&"k: [\"]\", # ]\n".repeat(FRONTMATTER_NESTING + 1)).map(|(line, _)| line), Some(64));
    }

    #[test]
    fn many_closed_lists_are_not_nesting() {
        assert_eq!(too_deep(&"tags: [\"a\", 'b', {c: d}]\n".repeat(500)), None);
    }
}
