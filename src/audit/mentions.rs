//! Which skills the input of a call names: by their names, by their folders below `/skills`, or in globs.

use serde_json::Value;

use crate::wire::Operation;

/// The folder in which skills are.
const SKILLS: &str = "skills";
/// The members of inputs that are names of skills.
const NAMES: [&str; 4] = ["skill", "name", "mount_as", "why"];
/// The members of inputs that are globs.
const GLOBS: [&str; 2] = ["pattern", "glob"];
/// What a call was about, in events of records that have no input: paths, or a name.
const SUBJECT: &str = "subject";

/// What decides how the members of one input are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    /// Whether the call takes the name of a skill.
    pub(super) is_about_skill: bool,
    /// Whether its globs search where skills are.
    pub(super) searches_skills: bool,
}

impl Reading {
    /// For the input of a call, which an event shows with the name of its tool.
    pub(super) fn of_call(data: &Value) -> Self {
        let called = ["name", "toolName"].into_iter().find_map(|member| data.get(member)?.as_str());
        let about = [Operation::LoadSkill, Operation::UnloadSkill, Operation::CreateSkill];
        let is_about_skill = called.is_some_and(|called| about.iter().any(|operation| operation.name() == called));
        let below = data.pointer("/input/path").and_then(Value::as_str).unwrap_or_default();
        let searches_skills = segments(below).next().is_none_or(|first| first == SKILLS);
        Self { is_about_skill, searches_skills }
    }

    /// The words in `member` of an input that name skills, or may do so.
    pub(super) fn mentions<'value>(self, member: &str, value: &'value Value) -> Vec<&'value str> {
        let mut found = Vec::new();
        for text in texts(value) {
            let folders: Vec<_> = words_of(member, text).filter_map(folder_in).collect();
            let is_name = NAMES.contains(&member) || (member == SUBJECT && self.is_about_skill);
            if folders.is_empty() && is_name {
                found.push(text);
            }
            found.extend(folders);
            if self.searches_skills && GLOBS.contains(&member) {
                // The last segment is the name of a file.
                let folders = text.rsplit_once('/').map_or("", |(folders, _)| folders);
                found.extend(segments(folders).filter(|folder| is_literal(folder)));
            }
        }
        found
    }
}

/// The folder below `/skills` that a virtual path, or a glob of such paths, leads into.
pub(super) fn folder_in(path: &str) -> Option<&str> {
    let mut segments = segments(path);
    segments.next().filter(|first| *first == SKILLS)?;
    segments.next().filter(|folder| !folder.bytes().all(|byte| byte == b'*'))
}

/// The segments of a path or a glob that say where it leads.
fn segments(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter(|segment| !matches!(*segment, "" | "." | "**"))
}

/// A subject lists paths; any other text is one.
fn words_of<'text>(member: &str, text: &'text str) -> impl Iterator<Item = &'text str> {
    let is_list = member == SUBJECT;
    text.split(move |c: char| is_list && c == ' ')
}

fn is_literal(folder: &str) -> bool {
    folder != SKILLS && !folder.contains(['*', '?', '[', '{'])
}

/// All texts in a value.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        Value::Object(members) => members.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_words_of_an_input_that_name_skills_are_found() {
        for (member, value, named) in [
            ("skill", json!("a/tt"), vec!["a/tt"]),
            ("skill", json!("/skills/tt/"), vec!["tt"]),
            ("file_path", json!("/skills/tt/SKILL.md"), vec!["tt"]),
            ("file_path", json!("/workspace/skills/tt"), vec![]),
            ("path", json!("/skills"), vec![]),
            ("pattern", json!("/skills/*/SKILL.md"), vec![]),
            ("pattern", json!("**/skills/t*/SKILL.md"), vec!["t*"]),
            ("pattern", json!("**/tt/*.md"), vec!["tt"]),
            ("pattern", json!("SKILL.md"), vec![]),
            ("file_path", json!("/workspace/tt"), vec![]),
            ("paths", json!(["/workspace/a", "//skills/./tt"]), vec!["tt"]),
            ("subject", json!("/workspace/a /skills/tt/b"), vec!["tt"]),
            ("subject", json!("tt"), vec!["tt"]),
            ("content", json!({"bytes": 3}), vec![]),
        ] {
            let reading = Reading { is_about_skill: member == SUBJECT, searches_skills: true };
            assert_eq!(reading.mentions(member, &value), named, "{member} {value}");
        }
    }

    #[test]
    fn a_glob_names_skills_if_it_searches_where_they_are() {
        for (path, searches_skills) in
            [(None, true), (Some("/"), true), (Some("/skills/a"), true), (Some("/workspace/skills"), false)]
        {
            let call = json!({"name": "glob", "input": {"path": path, "pattern": "**/tt/*.md"}});
            let reading = Reading::of_call(&call);
            let named: &[&str] = if searches_skills { &["tt"] } else { &[] };
            assert_eq!(reading.mentions("pattern", &call["input"]["pattern"]), named, "{path:?}");
            assert!(!reading.is_about_skill && Reading::of_call(&json!({"toolName": "load_skill"})).is_about_skill);
        }
    }
}
