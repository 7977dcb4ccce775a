//! Replaces the description or body in a SKILL.md. All other bytes stay as the author wrote them.
//!
//! The lines of the old description are found by their indentation alone. The rewritten text is then read again, and is
//! returned only if every other field has the same value as before.

use serde_json::Value;

use super::{
    compose::{escaped, push_body},
    document::read_document,
    frontmatter::is_delimiter,
};

/// `text` with this description and this body; each stays if it is `None`. `folder` is the skill's. Returns `None` if the
/// frontmatter is written in a way that cannot be changed in place.
///
/// ```
/// use skillmount_skill::rewrite;
///
/// let text = "---\n# Mine.\nname: demo\ndescription: >\n  Long\n  ago.\nlicense: MIT\n---\nBody\n";
/// let changed = rewrite(text, "demo", Some("Now."), None);
/// assert_eq!(changed.as_deref(), Some("---\n# Mine.\nname: demo\ndescription: \"Now.\"\nlicense: MIT\n---\nBody\n"));
/// ```
#[must_use]
pub fn rewrite(text: &str, folder: &str, description: Option<&str>, body: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.strip_prefix('\u{feff}').unwrap_or(text).split_inclusive('\n').collect();
    let opening = lines.iter().position(|line| !line.trim().is_empty())?;
    let closing = lines.iter().skip(opening + 1).position(|line| is_delimiter(line))? + opening + 1;
    let head = lines.get(opening..closing).filter(|head| head.first().is_some_and(|line| is_delimiter(line)))?;
    let mut changed = String::with_capacity(text.len());
    changed.extend(text.starts_with('\u{feff}').then_some('\u{feff}'));
    changed.extend(lines.get(..opening)?.iter().copied());
    match description {
        None => changed.extend(head.iter().copied()),
        Some(description) => push_head(&mut changed, head, description),
    }
    match body {
        None => changed.extend(lines.get(closing..)?.iter().copied()),
        Some(body) => {
            changed.push_str(lines.get(closing)?);
            if !changed.ends_with('\n') {
                changed.push('\n');
            }
            push_body(&mut changed, body);
        }
    }
    says_the_same_else(text, &changed, folder, description).then_some(changed)
}

/// Adds the lines of a frontmatter with another description: in the place of the old one, or at the end.
fn push_head(changed: &mut String, head: &[&str], description: &str) {
    let line_end = if head.first().is_some_and(|line| line.ends_with("\r\n")) { "\r\n" } else { "\n" };
    let written = format!("description: {}{line_end}", escaped(&Value::from(description)));
    let Some(at) = head.iter().position(|line| line.starts_with("description:")) else {
        changed.extend(head.iter().copied());
        changed.push_str(&written);
        return;
    };
    let (before, from) = head.split_at(at);
    // A value goes on as long as lines are indented; blank lines at its end belong to the next field.
    let is_inside = |line: &&&str| line.starts_with([' ', '\t']) || line.trim().is_empty();
    let taken = 1 + from.iter().skip(1).take_while(is_inside).count();
    let (old, after) = from.split_at(taken.min(from.len()));
    let blank = old.iter().rev().take_while(|line| line.trim().is_empty()).count();
    changed.extend(before.iter().copied());
    changed.push_str(&written);
    changed.extend(old.iter().skip(old.len() - blank).copied());
    changed.extend(after.iter().copied());
}

/// Whether `after` is `before` with this description and nothing else changed in the frontmatter.
fn says_the_same_else(before: &str, after: &str, folder: &str, description: Option<&str>) -> bool {
    let fields = |text: &str| {
        let document = read_document(text.as_bytes(), folder).0?;
        Some(document.frontmatter.fields)
    };
    let (Some(mut before), Some(after)) = (fields(before), fields(after)) else { return false };
    if let Some(description) = description {
        before.insert("description".to_owned(), Value::from(description));
    }
    before == after
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn described(text: &str) -> Option<String> {
        rewrite(text, "demo", Some("New: \"x\""), None)
    }

    #[test]
    fn all_but_the_description_stays_byte_by_byte() {
        for (before, after) in [
            ("---\ndescription: d\nname: demo\n---\nB\n", "---\ndescription: \"New: \\\"x\\\"\"\nname: demo\n---\nB\n"),
            (
                "\u{feff}---\r\nname: demo # mine\r\ndescription: |\r\n  a\r\n\r\n  b\r\n\r\n# c\r\nx: [1, 2]\r\n---\r\nB",
                "\u{feff}---\r\nname: demo # mine\r\ndescription: \"New: \\\"x\\\"\"\r\n\r\n# c\r\nx: [1, 2]\r\n---\r\nB",
            ),
            (
                "\n---\nname: demo\nmetadata:\n  description: other\ndescription: 'a\n  b'\n---\n",
                "\n---\nname: demo\nmetadata:\n  description: other\ndescription: \"New: \\\"x\\\"\"\n---\n",
            ),
        ] {
            assert_eq!(described(before).as_deref(), Some(after), "{before:?}");
        }
    }

    #[test]
    fn a_frontmatter_that_would_say_something_else_is_left_alone() {
        for text in [
            "---\n{name: demo, description: d}\n---\n",
            "---\ndescription: &d d\nother: *d\n---\n",
            "---\nname: demo\n",
            "no frontmatter",
            "",
        ] {
            assert_eq!(described(text), None, "{text:?}");
        }
        assert_eq!(
            rewrite("---\nname: demo\ndescription: d\n---\n", "demo", Some(" "), None),
            None,
            "a blank description"
        );
    }

    #[test]
    fn another_body_comes_below_the_same_head() {
        let changed = rewrite("---\nname: demo\ndescription: d\n---\nOld\n", "demo", None, Some("# New"));
        assert_eq!(changed.as_deref(), Some("---\nname: demo\ndescription: d\n---\n\n# New\n"));
        let closed_at_the_end = rewrite("---\nname: demo\ndescription: d\n---", "demo", None, Some("\nNew\n"));
        assert_eq!(closed_at_the_end.as_deref(), Some("---\nname: demo\ndescription: d\n---\n\nNew\n"));
    }

    proptest! {
        #[test]
        fn whatever_is_described_is_read_again(text in "\\PC{1,40}") {
            // A skill is described by more than blanks.
            prop_assume!(!text.trim().is_empty());
            let changed = rewrite("---\nname: demo\nlicense: MIT\ndescription: d\n---\nB\n", "demo", Some(&text), None).unwrap();
            let fields = read_document(changed.as_bytes(), "demo").0.unwrap().frontmatter.fields;
            prop_assert_eq!(fields["description"].as_str(), Some(text.as_str()));
            prop_assert_eq!(&fields["license"], "MIT");
        }
    }
}
