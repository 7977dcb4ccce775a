//! Fixes findings that have only one right answer: bytes, quoting and the name.

use super::{lint, name_fault};
use crate::{
    Diagnostic,
    frontmatter::{self, FieldText, Split, decode, name_line},
    read_document,
};
use skillmount_base::limits::SKILL_NAME_CHARS;

/// A SKILL.md that was fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixResult {
    /// The fixed file.
    pub bytes: Vec<u8>,
    /// The findings that are fixed, with their places in the original file.
    pub mended: Vec<Diagnostic>,
}

/// Fixes a SKILL.md. Returns `None` if no finding can be fixed safely.
///
/// Corrects the byte order mark, line ends, blank lines before the frontmatter, tabs, values that need quotes, and a
/// heading glued to the frontmatter's end. The name becomes the folder's if that is a valid name. Every other field
/// reads the same before and after, and this is checked. The body and the `---` lines keep their text, even a carriage
/// return inside a line.
#[must_use]
pub fn fix(bytes: &[u8], folder: &str) -> Option<FixResult> {
    let (text, undecoded) = decode(bytes, false);
    if undecoded.is_some() {
        return None;
    }
    let split = frontmatter::split(&text).ok()?;
    let parsed = frontmatter::parse(&split, folder).ok()?;
    let frame = Frame::from_split(bytes, &split)?;
    let yaml = parsed.repaired.unwrap_or_else(|| split.yaml.clone());
    let name = parsed.frontmatter.name.as_deref();
    let is_name = name_fault(folder).is_none() && folder.chars().count() <= SKILL_NAME_CHARS;
    let renamed = (is_name && name != Some(folder)).then(|| (with_name(&split, &yaml, folder), Some(folder)));
    let candidates = [renamed, Some((yaml, name))].into_iter().flatten();
    let mut mended = candidates.map(|(yaml, name)| (frame.around(&yaml), name));
    let (mended, _) = mended.find(|(mended, name)| is_same_but_for_name(mended, bytes, folder, *name))?;
    let (before, after) = (lint(bytes, folder, None), lint(&mended, folder, None));
    let fixed = FixResult { mended: missing_from(&after, &before), bytes: mended };
    (!fixed.mended.is_empty() && missing_from(&before, &after).is_empty()).then_some(fixed)
}

/// The text around the YAML of a file, with `\n` line ends.
struct Frame {
    opening: String,
    closing: String,
    body: String,
}

impl Frame {
    /// `None` if a single carriage return ends a line of the frontmatter.
    fn from_split(bytes: &[u8], split: &Split) -> Option<Self> {
        // The same bytes as in `decode`, except for such carriage returns.
        let text = std::str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).ok()?;
        let text = text.replace("\r\n", "\n");
        let (head, body) = text.split_at_checked(text.len().checked_sub(split.body.len())?)?;
        let mut lines = head.split_inclusive('\n');
        let opening = lines.find(|line| !line.trim().is_empty())?.to_owned();
        let mut closing = lines.next_back()?.to_owned();
        if !closing.ends_with('\n') && !body.is_empty() {
            // Text stands behind the dashes.
            closing.truncate(closing.trim_end().len());
            closing.push('\n');
        }
        (!head.contains('\r')).then(|| Self { opening, closing, body: body.to_owned() })
    }

    fn around(&self, yaml: &str) -> Vec<u8> {
        [&self.opening, yaml, &self.closing, &self.body].concat().into_bytes()
    }
}

/// The block with its `name` line replaced, or with one added at the top.
fn with_name(split: &Split, yaml: &str, folder: &str) -> String {
    let source = FieldText::from(&Split { yaml: yaml.to_owned(), ..split.clone() }).line_of("name", 0);
    let line = name_line(folder);
    let with_comment = |old: &str| match comment(old) {
        Some(comment) => format!("{} {comment}\n", line.trim_end()),
        None => line.clone(),
    };
    match source.map(|at| at.saturating_sub(split.yaml_line)).and_then(|at| usize::try_from(at).ok()) {
        None => line + yaml,
        Some(at) => {
            let lines = yaml.split_inclusive('\n').enumerate();
            lines.map(|(nth, old)| if nth == at { with_comment(old) } else { old.to_owned() }).collect()
        }
    }
}

/// The comment behind the value of a line, if there is one.
fn comment(line: &str) -> Option<&str> {
    let value = line.split_once(':')?.1.trim();
    let behind = match value.chars().next()? {
        quote @ ('"' | '\'') => value.get(1..)?.split_once(quote)?.1,
        _ => value.get(value.find(" #")?..)?,
    };
    Some(behind.trim_start()).filter(|behind| behind.starts_with('#'))
}

/// Whether `mended` reads as the same skill, apart from the name, which must be `name`.
fn is_same_but_for_name(mended: &[u8], bytes: &[u8], folder: &str, name: Option<&str>) -> bool {
    let (Some(mut after), Some(mut before)) = (read_document(mended, folder).0, read_document(bytes, folder).0) else {
        return false;
    };
    let is_named = after.frontmatter.name.as_deref() == name;
    for front in [&mut after.frontmatter, &mut before.frontmatter] {
        front.name = None;
        front.fields.remove("name");
    }
    is_named && after.frontmatter == before.frontmatter && after.body == before.body
}

/// The findings of `these` that are not in `others`. Lines and words may differ, so each code is counted.
fn missing_from(others: &[Diagnostic], these: &[Diagnostic]) -> Vec<Diagnostic> {
    let mut left: Vec<&str> = others.iter().map(|finding| finding.code.as_str()).collect();
    let is_missing = |finding: &&Diagnostic| match left.iter().position(|code| *code == finding.code) {
        Some(at) => {
            left.swap_remove(at);
            false
        }
        None => true,
    };
    these.iter().filter(is_missing).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint;

    fn fixed(text: &str) -> Option<String> {
        fix(text.as_bytes(), "demo").map(|fixed| String::from_utf8(fixed.bytes).unwrap())
    }

    #[test]
    fn what_is_safe_is_mended_and_the_rest_stays() {
        for (before, after) in [
            (
                "\u{feff}---\r\nname: demo\r\ndescription: d\r\n---\r\nx\r\n",
                "---\nname: demo\ndescription: d\n---\nx\n",
            ),
            ("---\ndescription: d\n---\nx", "---\nname: demo\ndescription: d\n---\nx"),
            ("---\n# c\nname: Demo # old\ndescription: d\n---\n", "---\n# c\nname: demo # old\ndescription: d\n---\n"),
            (
                "---\nname: demo\ndescription: Use when: a\n  and \"b\"\n\n# c: d\nx: 1\n---\n",
                "---\nname: demo\ndescription: \"Use when: a and \\\"b\\\"\"\n\n# c: d\nx: 1\n---\n",
            ),
            ("\n---\nname: demo\ndescription: d\n---\n", "---\nname: demo\ndescription: d\n---\n"),
        ] {
            assert_eq!(fixed(before).as_deref(), Some(after), "{before:?}");
            assert_eq!(fixed(after), None, "a second time there is nothing left to do");
            let errors = lint(after.as_bytes(), "demo", None);
            assert!(errors.iter().all(|one| one.severity == crate::Severity::Warning), "{errors:?}");
        }
    }

    #[test]
    fn what_has_no_one_answer_is_left_alone() {
        for text in ["---\nname: demo\ndescription: d\n---\n", "no frontmatter\r\n", "---\nname: demo\n---\r\n"] {
            assert_eq!(fixed(text), None, "{text:?}");
        }
        assert_eq!(fix(b"---\r\nname: demo\r\ndescription: \xff\r\n---\r\n", "demo"), None);
        let text = "---\nname: x\ndescription: d\n---\n";
        assert_eq!(fix(text.as_bytes(), "Not_a_name"), None, "the folder is no name either");
        assert_eq!(fix(text.as_bytes(), "on").unwrap().bytes, b"---\nname: \"on\"\ndescription: d\n---\n");
        assert_eq!(fix(text.as_bytes(), "true").unwrap().bytes, b"---\nname: \"true\"\ndescription: d\n---\n");
    }
    #[test]
    fn a_comment_stays_a_comment() {
        for (before, after) in [
            ("description: Use when: asked # TODO", "description: \"Use when: asked\" # TODO"),
            (
                "description: Use when: a\n  and b # c\n  # d\nx: 1",
                "description: \"Use when: a and b\" # c\n  # d\nx: 1",
            ),
            ("x:\n- @me  # who\ndescription: d", "x:\n- \"@me\"  # who\ndescription: d"),
            ("description: \"C# code\" and: more", "description: \"\\\"C# code\\\" and: more\""),
        ] {
            let skill = |fields: &str| format!("---\nname: demo\n{fields}\n---\nBody\n");
            assert_eq!(fixed(&skill(before)), Some(skill(after)), "{before}");
        }
    }

    #[test]
    fn what_may_swallow_a_field_a_list_or_a_comment_is_told_and_left_alone() {
        for fields in [
            "description: d\n\tlicense: MIT\nfoo bar",
            "description: d\nfoo bar",
            "description: d\n  license: MIT",
            "description: d: e\n  - one",
            "description: d\nmetadata: {a: b: c}",
            "description: d\nx: [a: b: c",
            "description: Use when: a # c\n  and b",
            "description: Use when: a\n  # c\n  and b",
            "description: Fix: issue #12 hurts",
            "description: 'a' and # c: d",
            "description: >-\nat the margin",
            "description: &d Use when: asked",
            "description: |\n  a\n   \tb\nx: a: b",
        ] {
            let text = format!("---\nname: demo\n{fields}\n---\nBody\n");
            assert_eq!(fixed(&text), None, "{fields}");
            assert!(lint(text.as_bytes(), "demo", None).iter().any(|one| one.code == "yaml_repaired"), "{fields}");
        }
        let folded = "---\nname: >\n  foo bar\n  baz\ndescription: d\n---\nBody\n";
        assert_eq!(fixed(folded), None, "what would be no better is left alone");
    }

    #[test]
    fn aliases_are_never_mended_into_text() {
        let skill = |description: &str| {
            format!("---\nname: demo\ntags: &t [a, b]\nkeywords: *t\nx:\n- *t\ndescription: {description}\n---\nBody\n")
        };
        assert_eq!(fixed(&skill("Use: x")), Some(skill("\"Use: x\"")));
        let read = read_document(skill("Use: x").as_bytes(), "demo").0.unwrap().frontmatter;
        assert_eq!(read.keywords, ["a", "b"]);
        let bomb = format!("a: &a [{}]\nb: &b [{}]\nc: [{}]\n", "x,".repeat(99), "*a,".repeat(99), "*b,".repeat(99));
        for description in ["d", "Use when: asked", "*a: b"] {
            let text = format!("---\nname: demo\n{bomb}description: {description}\n---\nBody\n");
            let (read, found) = read_document(text.as_bytes(), "demo");
            assert!(read.is_none() && found.iter().any(|one| one.code == "yaml_invalid"), "{found:?}");
            assert_eq!(fixed(&text), None);
        }
    }

    #[test]
    fn nothing_is_written_that_was_not_found() {
        for text in ["---\nname: demo\ndescription: d\n---", "--- \nname: demo\ndescription: d\n---\t\nBody"] {
            assert_eq!(fixed(text), None, "{text:?}");
        }
        let text = "--- \r\nname: demo\r\ndescription: d\r\n--- \r\none\rtwo\r\n";
        let after = "--- \nname: demo\ndescription: d\n--- \none\rtwo\n";
        let fixed = fix(text.as_bytes(), "demo").unwrap();
        assert_eq!(String::from_utf8(fixed.bytes).unwrap(), after);
        let mended: Vec<_> = fixed.mended.iter().map(|one| (one.code.as_str(), one.line, one.column)).collect();
        assert_eq!(mended, [("carriage_return", Some(1), Some(1))]);
        let left = lint(after.as_bytes(), "demo", None);
        let left: Vec<_> = left.iter().map(|one| (one.code.as_str(), one.line, one.column)).collect();
        assert_eq!(left, [("lone_carriage_return", Some(5), Some(4))]);
        assert_eq!(fix(b"---\rname: x\rdescription: d\r---\rBody\r", "demo"), None);
    }
}
