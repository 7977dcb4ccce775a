//! The strict judgement, for an author before a skill is published.
//!
//! Lint reads as leniently as a load does and then judges, so it always judges the skill that would be loaded. An error
//! is a rule of the Agent Skills specification, or a form that other readers reject. A warning is advice of the
//! specification. Each message says how to fix the finding. `fix` fixes findings with only one right answer. The
//! codes stand in the table of `diagnostic`. Lint does not find `file_misnamed`: the code that looks for skills does.

mod fix;
mod hidden;
mod links;
mod merge_marks;
mod placeholders;
mod places;
mod secrets;
mod template;

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

pub use fix::{FixResult, fix};
pub use hidden::hidden_in_file;
pub use merge_marks::theirs_beside;
pub use template::template;

use super::{
    Diagnostic, FindingCode, Frontmatter,
    diagnostic::first_few,
    frontmatter::{self, FieldText, KNOWN_FIELDS, Split, decode},
};
use skillmount_base::limits::{
    SKILL_BODY_LINES, SKILL_BODY_TOKENS, SKILL_COMPATIBILITY_CHARS, SKILL_DESCRIPTION_CHARS, SKILL_FILE_BYTES,
    SKILL_FINDINGS, SKILL_NAME_CHARS,
};

/// Judges the SKILL.md of the skill in `folder`. `files` are the paths of its files below it, if they are known.
///
/// Findings are in the order of their lines. The skill can be published if none of them is an error.
#[must_use]
pub fn lint(bytes: &[u8], folder: &str, files: Option<&[&str]>) -> Vec<Diagnostic> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length > SKILL_FILE_BYTES) {
        let message = format!("SKILL.md is over {SKILL_FILE_BYTES} bytes, and nothing loads it: move parts into files");
        return vec![Diagnostic::new(FindingCode::FileTooLarge, message).at(1, 1)];
    }
    let (text, undecoded) = decode(bytes, false);
    let mut found: Vec<Diagnostic> = undecoded.into_iter().collect();
    found.extend(of_bytes(bytes));
    let parsed = frontmatter::split(&text).and_then(|split| Ok((frontmatter::parse(&split, folder)?, split)));
    match parsed {
        Err(error) => found.push(error),
        Ok((parsed, split)) => {
            found.extend(parsed.diagnostics);
            let source = FieldText::from(&split);
            found.extend(of_fields(&parsed.frontmatter).into_iter().map(|(key, one)| source.place(one, key)));
            found.extend(template::in_description(&parsed.frontmatter).map(|one| source.place(one, "description")));
            found.extend(of_body(&split));
            found.extend(template::in_body(&split));
            found.extend(placeholders::undeclared(&split, &parsed.frontmatter.parameters));
            found.extend(files.map(|files| links::judge(&split, files)).unwrap_or_default());
        }
    }
    found.extend(hidden::hidden(&text));
    found.extend(content_findings(bytes));
    let files = files.unwrap_or_default();
    found.extend(files.iter().filter_map(|file| nested(file)).take(SKILL_FINDINGS + 1));
    found.extend(files.iter().filter_map(|file| hidden::hidden_in_name(file)).take(SKILL_FINDINGS + 1));
    let mut found: Vec<Diagnostic> = found.into_iter().map(Diagnostic::for_lint).collect();
    found.sort_by_key(|one| (one.line, one.column));
    first_few(found)
}

/// Content that no text file of a skill may hold, under any name: secrets, and the marks of an unfinished merge.
#[must_use]
pub fn content_findings(bytes: &[u8]) -> Vec<Diagnostic> {
    let mut found = secrets::secrets(bytes);
    found.extend(std::str::from_utf8(bytes).ok().and_then(merge_marks::merge_marks));
    found
}

/// Names that no file of a skill may have: names of files with secrets, and the name that a pull gives to another
/// author's file.
#[must_use]
pub fn name_finding(path: &str) -> Option<Diagnostic> {
    secrets::secret_file(path).or_else(|| merge_marks::left_beside(path))
}

fn of_bytes(bytes: &[u8]) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let text = bytes.strip_prefix(b"\xef\xbb\xbf");
    if text.is_some() {
        let message = "SKILL.md begins with a byte order mark, which other readers take for text: save it without";
        found.push(Diagnostic::new(FindingCode::ByteOrderMark, message).at(1, 1));
    }
    if text.unwrap_or(bytes).first().is_some_and(u8::is_ascii_whitespace) {
        let message = "SKILL.md must begin with its `---` line: remove what stands before it";
        found.push(Diagnostic::new(FindingCode::FrontmatterNotFirst, message).at(1, 1));
    }
    let mut returns = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\r').map(|(at, _)| at);
    let ends_line = |at: usize| bytes.get(at + 1) == Some(&b'\n');
    if returns.clone().any(ends_line) {
        let message = "SKILL.md has Windows line ends: save it with LF";
        found.push(Diagnostic::new(FindingCode::CarriageReturn, message).at(1, 1));
    }
    if let Some(at) = returns.find(|at| !ends_line(*at)) {
        let message =
            "a carriage return stands here without a line feed, which readers take for different things: remove it";
        let before = String::from_utf8_lossy(bytes.get(..at).unwrap_or_default());
        found.push(Diagnostic::new(FindingCode::LoneCarriageReturn, message).after(&before));
    }
    found
}

/// The faults of the fields, each with its key.
fn of_fields(front: &Frontmatter) -> Vec<(&str, Diagnostic)> {
    let mut found = Vec::new();
    let mut too_long = |key, text: &str, limit: usize, code| {
        let length = text.chars().count();
        if length > limit {
            let message = format!("{key} has {length} characters and may have {limit}: shorten it");
            found.push((key, Diagnostic::new(code, message)));
        }
    };
    let name = front.name.as_deref().unwrap_or_default();
    too_long("name", name, SKILL_NAME_CHARS, FindingCode::NameTooLong);
    too_long("description", &front.description, SKILL_DESCRIPTION_CHARS, FindingCode::DescriptionTooLong);
    let compatibility = front.compatibility.as_deref().unwrap_or_default();
    too_long("compatibility", compatibility, SKILL_COMPATIBILITY_CHARS, FindingCode::CompatibilityTooLong);
    if let Some(fault) = front.name.as_deref().and_then(name_fault) {
        let message = format!("the name {name:?} {fault}: use lower-case letters, digits and single `-`");
        found.push(("name", Diagnostic::new(FindingCode::NameInvalid, message)));
    }
    if front.compatibility.is_none() && front.fields.contains_key("compatibility") {
        let message = "compatibility is empty: say what the skill needs, or remove the field";
        found.push(("compatibility", Diagnostic::new(FindingCode::CompatibilityEmpty, message)));
    }
    found.extend(of_forms(front));
    found
}

/// Whether the specification allows `name` as the name of a skill.
#[must_use]
pub fn is_skill_name(name: &str) -> bool {
    !name.is_empty() && name.chars().count() <= SKILL_NAME_CHARS && name_fault(name).is_none()
}

/// The reason why the specification does not allow `name`, in words that follow the name.
fn name_fault(name: &str) -> Option<&'static str> {
    let name: String = name.nfkc().collect();
    if name.to_lowercase() != name {
        return Some("has upper-case letters");
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Some("begins or ends with `-`");
    }
    if name.contains("--") {
        return Some("has two `-` in a row");
    }
    let strange = name.chars().any(|c| !c.is_alphanumeric() && c != '-');
    strange.then_some("has characters other than letters, digits and `-`")
}

/// Fields that are legal YAML in a form that not every reader accepts.
fn of_forms(front: &Frontmatter) -> Vec<(&str, Diagnostic)> {
    let mut found = Vec::new();
    let tools = front.fields.get("allowed-tools");
    if tools.is_some_and(|tools| tools.as_str().is_none_or(|text| text.contains(','))) {
        let message = "allowed-tools should be one text with spaces between the tools, such as `Bash(git:*) Read`";
        found.push(("allowed-tools", Diagnostic::new(FindingCode::AllowedToolsForm, message)));
    }
    if let Some(Value::Object(metadata)) = front.fields.get("metadata") {
        for (key, _) in metadata.iter().filter(|(_, value)| !value.is_string()).take(SKILL_FINDINGS + 1) {
            let message = format!("metadata.{key} should be text: put it in double quotes");
            found.push(("metadata", Diagnostic::new(FindingCode::MetadataNotText, message)));
        }
    }
    let unknown = front.fields.keys().filter(|key| !KNOWN_FIELDS.contains(&key.as_str()));
    for key in unknown.take(SKILL_FINDINGS + 1) {
        let hyphenated = key.replace('_', "-");
        let message = if KNOWN_FIELDS.contains(&hyphenated.as_str()) {
            format!("{key} is no field of the specification, and other readers pass it over: write `{hyphenated}`")
        } else {
            format!("{key} is no field of the specification: put it under `metadata`")
        };
        found.push((key, Diagnostic::new(FindingCode::UnknownField, message)));
    }
    found
}

fn of_body(split: &Split) -> Vec<Diagnostic> {
    let lines = split.body.lines().count();
    let tokens = split.body.len() / 4;
    let message = if split.body.trim().is_empty() {
        "the body is empty: say how to do what the description promises".to_owned()
    } else if lines > SKILL_BODY_LINES {
        format!("the body has {lines} lines, advised are {SKILL_BODY_LINES}: move parts into files of their own")
    } else if tokens > SKILL_BODY_TOKENS {
        format!(
            "the body has about {tokens} tokens, advised are {SKILL_BODY_TOKENS}: move parts into files of their own"
        )
    } else {
        return Vec::new();
    };
    let code = if split.body.trim().is_empty() { FindingCode::BodyEmpty } else { FindingCode::BodyTooLong };
    vec![Diagnostic::new(code, message).at(split.body_line, 1)]
}

/// A SKILL.md inside the skill, which makes no skill of its own.
fn nested(file: &str) -> Option<Diagnostic> {
    let folder = file.strip_suffix("/SKILL.md")?;
    let message =
        format!("{file} makes no skill, because it lies inside this one: move {folder} out, or rename the file");
    Some(Diagnostic::new(FindingCode::NestedSkill, message))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Severity, document::tests::piece};

    fn codes(text: &str) -> Vec<(String, Severity, Option<u32>)> {
        let found = lint(text.as_bytes(), "demo", Some(&["SKILL.md", "references/a b.md", "scripts/x/run.sh"]));
        found.into_iter().map(|one| (one.code, one.severity, one.line)).collect()
    }

    fn skill(fields: &str, body: &str) -> String {
        format!("---\n{fields}\n---\n{body}")
    }

    #[test]
    fn a_good_skill_has_no_findings() {
        let fields = "name: demo\ndescription: What it does.\nlicense: MIT\ncompatibility: any\nallowed-tools: Bash(git:*) Read\n\
                      metadata:\n  version: \"1.0\"";
        let body = "# Demo\nSee [a](references/a%20b.md#top), [b](./scripts/x), [c](https://x.y/z.md), [d](#demo) and [e](url).\n";
        assert_eq!(codes(&skill(fields, body)), []);
    }

    #[test]
    fn every_rule_of_the_specification_is_judged() {
        use Severity::{Error, Warning};
        let long = |key: &str, count: usize| format!("{key}: {}", "x".repeat(count));
        for (fields, code, severity, line) in [
            ("name: Demo\ndescription: d", "name_invalid", Error, 2),
            ("name: demo-\ndescription: d", "name_invalid", Error, 2),
            ("name: de--mo\ndescription: d", "name_invalid", Error, 2),
            ("name: de_mo\ndescription: d", "name_invalid", Error, 2),
            ("name: de mo\ndescription: d", "name_invalid", Error, 2),
            ("name: other\ndescription: d", "name_differs", Error, 2),
            ("name: demo\nname: demo\ndescription: d", "duplicate_key", Error, 3),
            ("name: demo\ndescription: a: b", "yaml_repaired", Error, 3),
            ("name: demo", "description_missing", Error, 0),
            (&format!("name: demo\n{}", long("description", 1025)), "description_too_long", Error, 3),
            (
                &format!("name: demo\ndescription: d\n{}", long("compatibility", 501)),
                "compatibility_too_long",
                Error,
                4,
            ),
            (&format!("{}\ndescription: d", long("name", 65)), "name_too_long", Error, 2),
            ("name: demo\ndescription: d\ncompatibility:", "compatibility_empty", Error, 4),
            ("name: demo\ndescription: d\nmetadata: x", "metadata_not_a_map", Error, 4),
            ("name: demo\ndescription: d\nmetadata:\n  n: 1", "metadata_not_text", Warning, 4),
            ("name: demo\ndescription: d\nallowed-tools: [Read]", "allowed_tools_form", Warning, 4),
            ("name: demo\ndescription: d\nallowed-tools: Read, Write", "allowed_tools_form", Warning, 4),
            ("name: demo\ndescription: d\nversion: 1.0", "unknown_field", Warning, 4),
            ("name: demo\ndescription: d\nallowed_tools: Read", "unknown_field", Warning, 4),
            ("name: demo\ndescription: d\nparameters: [a, b, a]", "parameter_duplicate", Error, 4),
            ("name: demo\ndescription: d\narguments: a b a", "parameter_duplicate", Error, 4),
            ("name: demo\ndescription: d\nmetadata:\n  parameters: [a, a]", "parameter_duplicate", Error, 4),
            ("name: demo\ndescription: d\nparameters:\n- description: x", "parameter_unnamed", Error, 4),
            ("name: demo\ndescription: d\nparameters:\n- ''", "parameter_unnamed", Error, 4),
            ("name: demo\ndescription: d\nparameters:\n- {name: a, required: maybe}", "field_not_boolean", Error, 4),
            ("name: demo\ndescription: d\nparameters:\n  a: {required: maybe}", "field_not_boolean", Error, 4),
            ("name: demo\ndescription: a\u{202e}b", "hidden_characters", Warning, 3),
        ] {
            let found = codes(&skill(fields, "Body"));
            let line = (line > 0).then_some(line);
            assert!(found.contains(&(code.to_owned(), severity, line)), "{fields}: {found:?}");
        }
        let fields = "name: demo\ndescription: d\nwhen_to_use: w\nparameters: [{name: a, required: no}, b]";
        assert_eq!(codes(&skill(fields, "{{a}} {{b}}")), []);
        assert_eq!(codes(&skill(fields, "{{a}}\n{{c}}")), [("parameter_undeclared".to_owned(), Warning, Some(8))]);
        for good in ["技能", "мой-навык", "café", "a1-2"] {
            assert_eq!(name_fault(good), None, "{good}");
        }
        let longest = format!("name: demo\n{}\n{}", long("description", 1024), long("compatibility", 500));
        assert_eq!(codes(&skill(&longest, "Body")), []);
        assert_eq!(of_fields(&Frontmatter { name: Some("x".repeat(64)), ..Frontmatter::default() }), []);
    }

    #[test]
    fn bytes_other_readers_stumble_over_are_named() {
        let text = skill("name: demo\ndescription: d", "Body");
        let codes = |bytes: &[u8]| lint(bytes, "demo", None).into_iter().map(|one| one.code).collect::<Vec<_>>();
        assert_eq!(codes(format!("\u{feff}{text}").as_bytes()), ["byte_order_mark"]);
        assert_eq!(codes(format!("\n{text}").as_bytes()), ["frontmatter_not_first"]);
        assert_eq!(codes(text.replace('\n', "\r\n").as_bytes()), ["carriage_return"]);
        assert_eq!(codes(&[text.as_bytes(), b"\xff"].concat()), ["invalid_utf8"]);
    }

    #[test]
    fn a_skill_inside_a_skill_is_told() {
        let files = ["SKILL.md", "inner/SKILL.md", "inner/skill.md", "x/MYSKILL.md"];
        let found = lint(skill("name: demo\ndescription: d", "Body").as_bytes(), "demo", Some(&files));
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].code.as_str(), found[0].severity), ("nested_skill", Severity::Warning));
        assert!(found[0].message.contains("move inner out"), "{found:?}");
    }

    #[test]
    fn bodies_are_measured() {
        let fields = "name: demo\ndescription: d";
        let warned = |body: &str| codes(&skill(fields, body)).first().map(|(code, ..)| code.clone());
        assert_eq!(warned(&"x\n".repeat(SKILL_BODY_LINES)), None);
        assert_eq!(warned(&"x\n".repeat(SKILL_BODY_LINES + 1)).as_deref(), Some("body_too_long"));
        assert_eq!(warned(&"x".repeat(4 * SKILL_BODY_TOKENS + 3)), None);
        assert_eq!(warned(&"x".repeat(4 * SKILL_BODY_TOKENS + 4)).as_deref(), Some("body_too_long"));
        assert_eq!(warned(" \n").as_deref(), Some("body_empty"));
        let full = usize::try_from(SKILL_FILE_BYTES).unwrap() - skill(fields, "").len();
        assert_eq!(warned(&"x".repeat(full)).as_deref(), Some("body_too_long"));
        assert_eq!(warned(&"x".repeat(full + 1)).as_deref(), Some("file_too_large"));
    }

    proptest! {
        #[test]
        fn whatever_is_judged_a_fix_leaves_nothing_more_to_fix(pieces in prop::collection::vec(piece(), 0..30)) {
            let text = format!("---\ndescription: d\n{}\n---\n[a](b.md)", pieces.concat());
            let _ = lint(text.as_bytes(), "demo", Some(&[]));
            if let Some(fixed) = fix(text.as_bytes(), "demo") {
                prop_assert_eq!(fix(&fixed.bytes, "demo"), None);
            }
        }
    }
}
