//! Mending what has only one right answer: bytes, quoting and the name.

use super::name_fault;
use crate::{
    limits::SKILL_NAME_CHARS,
    skill::{
        frontmatter::{self, Source, Split, decode, name_line},
        read_document,
    },
};

/// A mended SKILL.md, or `None` where nothing can be mended safely.
///
/// Byte order mark, line ends, blank lines before the frontmatter, tabs and values that need quotes are put right, and
/// the name becomes the folder's where that is a valid name. Every other field reads the same before and after, which is
/// checked, and the body keeps its text.
#[must_use]
pub fn fix(bytes: &[u8], folder: &str) -> Option<Vec<u8>> {
    let (text, undecoded) = decode(bytes, false);
    if undecoded.is_some() {
        return None;
    }
    let split = frontmatter::split(&text).ok()?;
    let parsed = frontmatter::parse(&split, folder).ok()?;
    let yaml = parsed.repaired.unwrap_or_else(|| split.yaml.clone());
    let is_name = name_fault(folder).is_none() && folder.chars().count() <= SKILL_NAME_CHARS;
    let renamed = is_name && parsed.frontmatter.name.as_deref() != Some(folder);
    let candidates = [renamed.then(|| with_name(&split, &yaml, folder)), Some(yaml)];
    let mended = candidates.into_iter().flatten().map(|yaml| format!("---\n{yaml}---\n{}", split.body));
    mended.map(String::into_bytes).find(|mended| same(mended, bytes, folder)).filter(|mended| mended != bytes)
}

/// The block with its `name` line replaced, or with one put first.
fn with_name(split: &Split, yaml: &str, folder: &str) -> String {
    let source = Source::from(&Split { yaml: yaml.to_owned(), ..split.clone() }).line_of("name", 0);
    let line = name_line(folder);
    match source.map(|at| at.saturating_sub(split.yaml_line)).and_then(|at| usize::try_from(at).ok()) {
        None => line + yaml,
        Some(at) => {
            let lines = yaml.split_inclusive('\n').enumerate();
            lines.map(|(nth, old)| if nth == at { line.as_str() } else { old }).collect()
        }
    }
}

/// Whether both read as the same skill, but for the name.
fn same(mended: &[u8], bytes: &[u8], folder: &str) -> bool {
    let (Some(mut after), Some(mut before)) = (read_document(mended, folder).0, read_document(bytes, folder).0) else {
        return false;
    };
    for front in [&mut after.frontmatter, &mut before.frontmatter] {
        front.name = None;
        front.fields.remove("name");
    }
    after.frontmatter == before.frontmatter && after.body == before.body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::lint;

    fn fixed(text: &str) -> Option<String> {
        fix(text.as_bytes(), "demo").map(|bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn what_is_safe_is_mended_and_the_rest_stays() {
        for (before, after) in [
            (
                "\u{feff}---\r\nname: demo\r\ndescription: d\r\n---\r\nx\r\n",
                "---\nname: demo\ndescription: d\n---\nx\n",
            ),
            ("---\ndescription: d\n---\nx", "---\nname: demo\ndescription: d\n---\nx"),
            ("---\n# c\nname: Demo # old\ndescription: d\n---\n", "---\n# c\nname: demo\ndescription: d\n---\n"),
            (
                "---\nname: demo\ndescription: Use when: a\n  and \"b\"\n\n# c: d\nx: 1\n---\n",
                "---\nname: demo\ndescription: \"Use when: a and \\\"b\\\"\"\n\n# c: d\nx: 1\n---\n",
            ),
            ("\n---\nname: demo\ndescription: d\n---\n", "---\nname: demo\ndescription: d\n---\n"),
        ] {
            assert_eq!(fixed(before).as_deref(), Some(after), "{before:?}");
            assert_eq!(fixed(after), None, "a second time there is nothing left to do");
            let errors = lint(after.as_bytes(), "demo", None);
            assert!(errors.iter().all(|one| one.severity == crate::skill::Severity::Warning), "{errors:?}");
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
        assert_eq!(fix(text.as_bytes(), "on").unwrap(), b"---\nname: \"on\"\ndescription: d\n---\n");
        assert_eq!(fix(text.as_bytes(), "true").unwrap(), b"---\nname: \"true\"\ndescription: d\n---\n");
    }
}
