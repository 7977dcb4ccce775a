//! The SKILL.md to begin with, and its placeholders that an author has not replaced yet.
//!
//! A description that was left as it is goes into the prompt of every agent of the user, and search finds it for nothing,
//! so it is an error. A line of the body reaches only an agent that loads the skill, and an author may mean to keep it, so
//! it is a warning.

use crate::{Diagnostic, FindingCode, Frontmatter, diagnostic::saturating, frontmatter::Split};

/// The placeholder sentences of a description.
const DESCRIPTION: [&str; 2] =
    ["Says what this skill does.", "Use when the task calls for it; name the words that people use for it."];

/// The placeholder lines of a body.
const BODY: [&str; 4] = [
    "# What the skill does",
    "1. Say first what must be known before the work can begin, and where to find it.",
    "2. Say what to do, in the order in which it is done.",
    "3. Say how to see that the result is right.",
];

/// How descriptions begin that other tools put there for the author to replace.
const OTHER_BEGINNINGS: [&str; 3] = ["TODO", "[TODO", "<TODO"];

/// The SKILL.md of a skill to begin with. It has no name: [`fix`](super::fix) adds the name of the skill's folder.
///
/// ```
/// use skillmount_skill::{fix, lint, template};
///
/// let text = template(Some("Writes the minutes of a meeting."));
/// let named = fix(text.as_bytes(), "minutes").unwrap();
/// let left: Vec<_> = lint(&named.bytes, "minutes", None).into_iter().map(|finding| finding.code).collect();
/// assert_eq!(left, ["body_placeholder"]);
/// ```
#[must_use]
pub fn template(description: Option<&str>) -> String {
    // A JSON string is a YAML string, whatever is in it.
    let description =
        description.map_or_else(|| DESCRIPTION.join(" "), |text| serde_json::Value::from(text).to_string());
    let [title, steps @ ..] = BODY;
    format!("---\ndescription: {description}\n---\n\n{title}\n\n## Steps\n\n{}\n", steps.join("\n"))
}

/// A description that is still the template's, in part or in whole, or that of another tool's template.
pub(super) fn in_description(front: &Frontmatter) -> Option<Diagnostic> {
    let text = front.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let is_left = DESCRIPTION.iter().any(|sentence| text.contains(sentence))
        || OTHER_BEGINNINGS.iter().any(|beginning| text.starts_with(beginning));
    is_left.then(|| {
        let message = "the description is still a placeholder: say what the skill does and when to use it, since agents \
                       choose a skill by this text alone";
        Diagnostic::new(FindingCode::DescriptionPlaceholder, message)
    })
}

/// The lines of the template that are left in the body, at the first of them.
pub(super) fn in_body(split: &Split) -> Option<Diagnostic> {
    let mut left = split.body.lines().enumerate().filter(|(_, line)| BODY.contains(&line.trim())).map(|(at, _)| at);
    let first = left.next()?;
    let more = left.count();
    let message = match more {
        0 => "this line is still a placeholder: write what the skill says in its place".to_owned(),
        more => {
            format!("this line and {more} below it are still placeholders: write what the skill says in their place")
        }
    };
    let line = split.body_line.saturating_add(saturating(first));
    Some(Diagnostic::new(FindingCode::BodyPlaceholder, message).at(line, 1))
}

#[cfg(test)]
mod tests {
    use crate::{Severity, fix, lint, template};

    fn findings(text: &str) -> Vec<(String, Severity, Option<u32>)> {
        lint(text.as_bytes(), "demo", None).into_iter().map(|one| (one.code, one.severity, one.line)).collect()
    }

    fn named(description: Option<&str>) -> String {
        String::from_utf8(fix(template(description).as_bytes(), "demo").unwrap().bytes).unwrap()
    }

    #[test]
    fn what_is_left_of_the_template_is_found_and_a_description_is_an_error() {
        let text = named(None);
        let description = ("description_placeholder".to_owned(), Severity::Error, Some(3));
        let body = |line| ("body_placeholder".to_owned(), Severity::Warning, Some(line));
        assert_eq!(findings(&text), [description.clone(), body(6)]);
        let described = text.replace("Says what this skill does.", "Writes minutes.");
        assert_eq!(findings(&described), [description, body(6)], "half of it is left");
        assert_eq!(findings(&named(Some("Writes: \"minutes\" # of\na meeting."))), [body(6)]);
        let written = named(Some("Writes minutes.")).replace("# What the skill does", "# Minutes");
        assert_eq!(findings(&written), [body(10)]);
        let steps: Vec<_> = written.lines().filter(|line| !line.contains(" Say ")).collect();
        assert_eq!(findings(&steps.join("\n")), []);
    }

    #[test]
    fn the_placeholders_of_other_tools_are_found_and_words_that_look_like_them_are_not() {
        for (description, is_left) in [
            ("\"[TODO: Complete and informative explanation]\"", true),
            ("\"TODO: describe it\"", true),
            ("Keeps a TODO list. Use when somebody asks what is left.", false),
            ("Says what this skill does not do.", false),
        ] {
            let text = format!("---\nname: demo\ndescription: {description}\n---\nBody\n");
            assert_eq!(findings(&text).iter().any(|one| one.0 == "description_placeholder"), is_left, "{description}");
        }
    }
}
