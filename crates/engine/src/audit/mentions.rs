//! Which skills the members of an input name: by their names, by their folders below `/skills`, or in globs.

use serde_json::{Map, Value};

use crate::wire::InputNames;

/// The folder in which skills are.
const SKILLS: &str = "skills";

/// Reads the members of one input as paths, skills and globs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mentions<'names> {
    names: &'names InputNames,
    /// Whether its globs search where skills are.
    searches_skills: bool,
}

impl<'names> Mentions<'names> {
    /// For `input`, whose members are what `names` says. A glob searches below the path beside it.
    pub(super) fn new(input: &Map<String, Value>, names: &'names InputNames) -> Self {
        let mut paths = names.paths.iter().filter_map(|member| input.get(member)).flat_map(texts);
        let searches_skills = paths.next().is_none_or(|path| segments(path).next().is_none_or(|first| first == SKILLS));
        Self { names, searches_skills }
    }

    /// The words in `member` that name skills.
    pub(super) fn of_member<'value>(self, member: &str, value: &'value Value) -> Vec<&'value str> {
        let is = |members: &[String]| members.iter().any(|one| one == member);
        let InputNames { paths, skills, globs } = self.names;
        let mut found = Vec::new();
        for text in texts(value) {
            if is(skills) {
                found.push(folder_in(text).unwrap_or(text));
            }
            if is(paths) || is(globs) {
                found.extend(folder_in(text));
            }
            if is(globs) && self.searches_skills {
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
    use super::*;
    use crate::wire::CallOutline;

    fn mentioned(outline: &CallOutline, member: &str) -> Vec<String> {
        let (input, names) = (outline.input(), outline.names());
        let input = input.as_object().unwrap();
        let mentions = Mentions::new(input, &names);
        mentions.of_member(member, &input[member]).into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn the_words_of_a_member_that_name_skills_are_found_by_what_it_is() {
        let [path, skill, glob, other]: [fn(&str) -> CallOutline; 4] = [
            |value| CallOutline::default().path("m", value),
            |value| CallOutline::default().skill("m", value),
            |value| CallOutline::default().glob("m", value),
            |value| CallOutline::default().other("m", value),
        ];
        for (outline, named) in [
            (skill("a/tt"), vec!["a/tt"]),
            (skill("/skills/tt/"), vec!["tt"]),
            (path("/skills/tt/SKILL.md"), vec!["tt"]),
            (path("/workspace/skills/tt"), vec![]),
            (path("/skills"), vec![]),
            (path("/workspace/tt"), vec![]),
            (glob("/skills/*/SKILL.md"), vec![]),
            (glob("**/skills/t*/SKILL.md"), vec!["t*"]),
            (glob("**/tt/*.md"), vec!["tt"]),
            (glob("SKILL.md"), vec![]),
            (other("/skills/tt"), vec![]),
            (other("tt"), vec![]),
            (CallOutline::default().path("m", ["/workspace/a", "//skills/./tt"]), vec!["tt"]),
        ] {
            assert_eq!(mentioned(&outline, "m"), named, "{outline:?}");
        }
    }

    #[test]
    fn a_glob_names_skills_if_it_searches_where_they_are() {
        for (path, searches_skills) in
            [(None, true), (Some("/"), true), (Some("/skills/a"), true), (Some("/workspace/skills"), false)]
        {
            let call = CallOutline::default().path("path", path).glob("pattern", "**/tt/*.md");
            let named: &[&str] = if searches_skills { &["tt"] } else { &[] };
            assert_eq!(mentioned(&call, "pattern"), named, "{path:?}");
        }
    }
}
