//! Splits a SKILL.md into frontmatter and body.
//!
//! Only a line that is `---` and nothing else is a delimiter: a description may contain ` --- `, and readers that split
//! on the first three dashes cut it there.

use std::borrow::Cow;

use crate::{
    limits::FRONTMATTER_BYTES,
    skill::{Diagnostic, FindingCode},
};

/// A SKILL.md cut in two, with `\n` line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::skill) struct Split {
    /// The lines between the delimiters.
    pub yaml: String,
    /// The 1-based line of SKILL.md at which they begin.
    pub yaml_line: u32,
    /// Everything after the closing delimiter's line.
    pub body: String,
    /// The 1-based line of SKILL.md at which the body begins.
    pub body_line: u32,
}

/// The text of a SKILL.md: without byte order mark, with `\n` line ends. Bytes that are not UTF-8 are replaced and
/// reported.
///
/// With `cut` the bytes are only the head of a file, and an incomplete character at their end is not reported.
pub(in crate::skill) fn decode(bytes: &[u8], cut: bool) -> (String, Option<Diagnostic>) {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let text = match std::str::from_utf8(bytes) {
        Err(error) if cut && error.error_len().is_none() => {
            bytes.get(..error.valid_up_to()).map_or(Cow::Borrowed(""), String::from_utf8_lossy)
        }
        _ => String::from_utf8_lossy(bytes),
    };
    let finding = matches!(text, Cow::Owned(_)).then(|| invalid_utf8(bytes));
    (text.replace("\r\n", "\n").replace('\r', "\n"), finding)
}

fn invalid_utf8(bytes: &[u8]) -> Diagnostic {
    let good = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
    let line = good.matches('\n').count() + 1;
    let column = good.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Diagnostic::new(FindingCode::InvalidUtf8, "SKILL.md is not UTF-8 here; the bytes were replaced: save it as UTF-8")
        .at(saturating(line), saturating(column))
}

/// Cuts `text` at its delimiters.
///
/// # Errors
/// `frontmatter_missing`, `frontmatter_unclosed` or `frontmatter_too_large`.
pub(in crate::skill) fn split(text: &str) -> Result<Split, Diagnostic> {
    let mut lines = text.split_inclusive('\n').enumerate().skip_while(|(_, line)| line.trim().is_empty());
    let opening = match lines.next() {
        Some((at, line)) if is_delimiter(line) => at,
        found => return Err(missing(found.map_or(0, |(at, _)| at))),
    };
    let mut yaml = String::new();
    for (at, line) in lines.by_ref() {
        if is_delimiter(line) {
            let body = lines.map(|(_, line)| line).collect();
            return Ok(Split { yaml, yaml_line: saturating(opening + 2), body, body_line: saturating(at + 2) });
        }
        yaml.push_str(line);
        if yaml.len() > FRONTMATTER_BYTES {
            return Err(too_large(opening));
        }
    }
    let message = "the frontmatter never ends: close it with a line that is `---` and nothing else";
    Err(Diagnostic::new(FindingCode::FrontmatterUnclosed, message).at(saturating(opening + 1), 1))
}

fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

fn missing(at: usize) -> Diagnostic {
    let message =
        "SKILL.md has no frontmatter: begin it with a `---` line, `name:` and `description:`, and a `---` line";
    Diagnostic::new(FindingCode::FrontmatterMissing, message).at(saturating(at + 1), 1)
}

fn too_large(opening: usize) -> Diagnostic {
    let message = format!(
        "the frontmatter is over {FRONTMATTER_BYTES} bytes: move text into the body, or close it with a `---` line"
    );
    Diagnostic::new(FindingCode::FrontmatterTooLarge, message).at(saturating(opening + 1), 1)
}

/// A line or column number as `u32`, which is always large enough.
pub(in crate::skill) fn saturating(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, u32, String, u32) {
        let split = split(text).unwrap();
        (split.yaml, split.yaml_line, split.body, split.body_line)
    }

    #[test]
    fn only_a_whole_line_of_dashes_delimits() {
        assert_eq!(parts("---\na: b --- c\n ---\n---x: 1\n---  \nbody\n---\n"), {
            ("a: b --- c\n ---\n---x: 1\n".into(), 2, "body\n---\n".into(), 6)
        });
        assert_eq!(parts("---\n---"), (String::new(), 2, String::new(), 3));
        assert_eq!(parts("\n\n---\na: b\n---\nx"), ("a: b\n".into(), 4, "x".into(), 6));
    }

    #[test]
    fn a_block_that_is_missing_unclosed_or_too_large_says_so() {
        for (text, code) in [
            ("", "frontmatter_missing"),
            ("# Title\n---\n", "frontmatter_missing"),
            ("----\na: b\n---\n", "frontmatter_missing"),
            ("---\na: b\n", "frontmatter_unclosed"),
        ] {
            assert_eq!(split(text).unwrap_err().code, code, "{text:?}");
        }
        let sized = |bytes: usize| split(&format!("---\n{}\n---\n", "a".repeat(bytes - 1)));
        assert_eq!(sized(FRONTMATTER_BYTES).unwrap().yaml.len(), FRONTMATTER_BYTES);
        assert_eq!(sized(FRONTMATTER_BYTES + 1).unwrap_err().code, "frontmatter_too_large");
    }

    #[test]
    fn text_is_decoded_whatever_the_bytes() {
        assert_eq!(decode(b"\xef\xbb\xbfa\r\nb\rc", false), ("a\nb\nc".into(), None));
        let (text, finding) = decode(b"a\n\xc3\xb1\xffz", false);
        assert_eq!(text, "a\n\u{f1}\u{fffd}z");
        let finding = finding.unwrap();
        assert_eq!((finding.code.as_str(), finding.line, finding.column), ("invalid_utf8", Some(2), Some(2)));
        assert_eq!(decode(b"ab\xc3", true), ("ab".into(), None), "a head may end inside a character");
        assert!(decode(b"ab\xc3", false).1.is_some());
    }
}
