//! Splits a SKILL.md into frontmatter and body.
//!
//! Only a line that is `---` and nothing else is a delimiter: a description may contain ` --- `, and readers that split
//! on the first three dashes cut it there. One slip is taken as it was meant: a heading or title behind the closing dashes.
//!
//! A file that begins with a heading has no frontmatter. A paragraph that follows is the description of the skill, as
//! for other readers.

use std::borrow::Cow;

use super::{
    headed::{self, is_heading},
    known::KNOWN_FIELDS,
};
use crate::{Diagnostic, FindingCode, diagnostic::saturating};
use skillmount_base::limits::FRONTMATTER_BYTES;

/// A SKILL.md cut in two, with `\n` line ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Split {
    /// The lines between the delimiters.
    pub yaml: String,
    /// The 1-based line of SKILL.md at which they begin.
    pub yaml_line: u32,
    /// Everything after the closing delimiter's line.
    pub body: String,
    /// The 1-based line of SKILL.md at which the body begins.
    pub body_line: u32,
    /// The deviation from the usual form, if any.
    pub form: Delimiter,
}

/// How the frontmatter of a SKILL.md is marked off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Delimiter {
    /// By two lines of dashes.
    Delimited,
    /// A heading or a title follows the closing dashes on their line, which has this 1-based number.
    Glued(u32),
    /// There is none. The first paragraph of the body stands in for the description.
    Absent(String),
}

/// The text of a SKILL.md: without byte order mark, with `\n` line ends. Bytes that are not UTF-8 are replaced and
/// reported.
///
/// With `cut` the bytes are only the head of a file, and an incomplete character at their end is not reported.
pub(crate) fn decode(bytes: &[u8], cut: bool) -> (String, Option<Diagnostic>) {
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
    Diagnostic::new(FindingCode::InvalidUtf8, "SKILL.md is not UTF-8 here; the bytes were replaced: save it as UTF-8")
        .after(good)
}

/// Cuts `text` at its delimiters.
///
/// # Errors
/// `frontmatter_missing`, `frontmatter_unclosed` or `frontmatter_too_large`.
pub(crate) fn split(text: &str) -> Result<Split, Diagnostic> {
    let mut lines = text.split_inclusive('\n').enumerate().skip_while(|(_, line)| line.trim().is_empty());
    let opening = match lines.next() {
        Some((at, line)) if is_delimiter(line) => at,
        Some((at, line)) => return headed(text).ok_or_else(|| missing(at, line, lines.map(|(_, line)| line))),
        None => return Err(missing(0, "", std::iter::empty())),
    };
    let mut yaml = String::new();
    for (at, line) in lines.by_ref() {
        if is_delimiter(line) {
            let body = lines.map(|(_, line)| line).collect();
            let (yaml_line, body_line) = (saturating(opening + 2), saturating(at + 2));
            return Ok(Split { yaml, yaml_line, body, body_line, form: Delimiter::Delimited });
        }
        if let Some(heading) = glued(line, &yaml) {
            let body = std::iter::once(heading).chain(lines.map(|(_, line)| line)).collect();
            let (yaml_line, body_line) = (saturating(opening + 2), saturating(at + 1));
            return Ok(Split { yaml, yaml_line, body, body_line, form: Delimiter::Glued(body_line) });
        }
        yaml.push_str(line);
        if yaml.len() > FRONTMATTER_BYTES {
            return Err(too_large(opening));
        }
    }
    Err(unclosed(opening, &yaml))
}

pub(crate) fn is_delimiter(line: &str) -> bool {
    line.trim_end() == "---"
}

/// The heading or title behind the dashes that close `yaml`: `# Title` of `---# Title` and of `--- # Title`, `Title` of
/// `---Title`, `**Title**` of `---**Title**`.
fn glued<'line>(line: &'line str, yaml: &str) -> Option<&'line str> {
    let rest = line.strip_prefix("---")?.trim_start();
    // Dashes may begin a key. A block that is over has the fields of a skill.
    let is_key = || rest.split_once(':').is_some_and(|(key, _)| !key.contains(char::is_whitespace));
    let is_text = || rest.starts_with(|c: char| c.is_alphanumeric() || "#*".contains(c));
    let is_title = || is_text() && !is_key() && yaml.lines().any(is_field);
    (is_heading(rest) || is_title()).then_some(rest)
}

/// Whether a line is a field that every skill has.
fn is_field(line: &str) -> bool {
    ["name:", "description:"].iter().any(|field| line.starts_with(field))
}

/// Whether a line begins with the name of a field that has a meaning.
fn is_known_field(line: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| KNOWN_FIELDS.contains(&key.replace('_', "-").as_str()))
}

/// A file without frontmatter that begins with a heading and has a paragraph below it.
fn headed(text: &str) -> Option<Split> {
    let form = Delimiter::Absent(headed::description(text)?);
    Some(Split { yaml: String::new(), yaml_line: 1, body: text.to_owned(), body_line: 1, form })
}

/// Says what lacks at line `at`, counted from zero, which is `first` and is followed by `rest`.
fn missing<'text>(at: usize, first: &str, mut rest: impl Iterator<Item = &'text str>) -> Diagnostic {
    let message = if is_known_field(first) && rest.any(is_delimiter) {
        "the frontmatter has no opening line: put a line that is `---` and nothing else above this one"
    } else {
        "SKILL.md has no frontmatter: begin it with a `---` line, `name:` and `description:`, and a `---` line"
    };
    Diagnostic::new(FindingCode::FrontmatterMissing, message).at(saturating(at + 1), 1)
}

/// Says that no line ends the block `yaml` which follows the line `opening`, counted from zero.
fn unclosed(opening: usize, yaml: &str) -> Diagnostic {
    let follows_dashes = |line: &str| line.strip_prefix("---").is_some_and(|rest| !rest.starts_with('-'));
    let (at, message) = match yaml.lines().position(follows_dashes) {
        Some(at) => {
            (opening + 1 + at, "the frontmatter never ends: put what follows the dashes here on a line of its own")
        }
        None => (opening, "the frontmatter never ends: close it with a line that is `---` and nothing else"),
    };
    Diagnostic::new(FindingCode::FrontmatterUnclosed, message).at(saturating(at + 1), 1)
}

fn too_large(opening: usize) -> Diagnostic {
    let message = format!(
        "the frontmatter is over {FRONTMATTER_BYTES} bytes: move text into the body, or close it with a `---` line"
    );
    Diagnostic::new(FindingCode::FrontmatterTooLarge, message).at(saturating(opening + 1), 1)
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
    fn a_heading_or_title_that_is_glued_to_the_closing_dashes_ends_the_block() {
        for (line, body) in [
            ("---# Title", "# Title"),
            ("--- # Title", "# Title"),
            ("---Title", "Title"),
            ("---#Title", "#Title"),
            ("---**Title**", "**Title**"),
            ("---Title of it: more", "Title of it: more"),
        ] {
            let split = split(&format!("---\nname: b\n{line}\nText\n\n---\n")).unwrap();
            assert_eq!((split.yaml.as_str(), split.body), ("name: b\n", format!("{body}\nText\n\n---\n")));
            assert_eq!((split.body_line, split.form), (3, Delimiter::Glued(3)));
        }
        for (not_over, line) in [("a: b\n---Title\n", 3), ("name: b\n---key: c\n", 3), ("name: b\n----\n", 1)] {
            let finding = split(&format!("---\n{not_over}")).unwrap_err();
            assert_eq!((finding.code.as_str(), finding.line), ("frontmatter_unclosed", Some(line)), "{not_over}");
            assert_eq!(finding.message.contains("line of its own"), line == 3, "{not_over}");
        }
    }

    #[test]
    fn a_file_that_begins_with_a_heading_is_described_by_its_first_paragraph() {
        let text = "\n## Title\n***\n### Deeper\nFolds paper.\n# Next\n";
        let split = split(text).unwrap();
        assert_eq!((split.form, split.body.as_str()), (Delimiter::Absent("Folds paper.".to_owned()), text));
    }

    #[test]
    fn a_block_that_lacks_only_its_opening_line_says_so() {
        let message = |text: &str| split(text).unwrap_err().message;
        assert!(message("name: a\ndescription: b\n---\n").contains("no opening line"));
        for first in ["license: MIT", "allowed-tools: Read", "user_invocable: false", "metadata:\n  level: high"] {
            let text = format!("{first}\nname: a\ndescription: b\n---\n");
            assert!(message(&text).contains("no opening line"), "{first}");
        }
        assert!(message("name: a\ndescription: b\n").contains("no frontmatter"));
        assert!(message("Note: a\nname: b\n---\n").contains("no frontmatter"), "it is no field");
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
