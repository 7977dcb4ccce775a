//! Links of a body that lead to files of the skill.

use std::collections::BTreeSet;

use crate::{
    limits::SKILL_FINDINGS,
    skill::{
        Diagnostic,
        frontmatter::{Split, saturating},
        outline::outline,
    },
};

/// A warning for each link to a file that the skill does not have, or that lies outside it, up to one more than are shown.
pub(super) fn missing(split: &Split, files: &[&str]) -> Vec<Diagnostic> {
    let files: BTreeSet<&str> = files.iter().copied().collect();
    let mut place = Place { body: &split.body, line: split.body_line, line_start: 0 };
    let mut found = Vec::new();
    for link in outline(&split.body).links {
        let Some(target) = local(&link.target) else { continue };
        let finding = match inside(&target) {
            None => Diagnostic::warning(
                "link_outside_skill",
                format!(
                    "{} leads out of the skill, where agents cannot follow: bring the file into the skill",
                    link.target
                ),
            ),
            Some(path) if exists(&files, &path) => continue,
            Some(path) => Diagnostic::warning(
                "link_missing_file",
                format!("the skill has no file {path}: add it, or correct the link"),
            ),
        };
        let (line, column) = place.of(link.range.start);
        found.push(finding.at(line, column));
        if found.len() > SKILL_FINDINGS {
            break;
        }
    }
    found
}

/// Lines and columns for offsets that only grow.
struct Place<'a> {
    body: &'a str,
    line: u32,
    line_start: usize,
}

impl Place<'_> {
    fn of(&mut self, offset: usize) -> (u32, u32) {
        let passed = self.body.get(self.line_start..offset).unwrap_or_default();
        if let Some(last) = passed.rfind('\n') {
            self.line = self.line.saturating_add(saturating(passed.matches('\n').count()));
            self.line_start += last + 1;
        }
        let before = self.body.get(self.line_start..offset).unwrap_or_default();
        (self.line, saturating(before.chars().count() + 1))
    }
}

/// The path a link means, decoded, where it can be a file: no URL, no anchor, no placeholder, no bare word such as the
/// `url` of an example.
fn local(target: &str) -> Option<String> {
    let target = target.strip_prefix("${SKILL_DIR}/").or(target.strip_prefix("${CLAUDE_SKILL_DIR}/")).unwrap_or(target);
    let path = target.split(['#', '?']).next().filter(|path| !path.is_empty())?;
    let scheme = path.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric()));
    let placeholder = path.contains(['{', '}', '<', '>', '$', '*']) || path.contains("...");
    (!scheme && !placeholder && !path.starts_with("//") && path.contains(['/', '.'])).then(|| decoded(path))
}

/// The path below the skill's folder; `None` where it leaves it.
fn inside(target: &str) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut segments = Vec::new();
    for segment in target.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop()?;
            }
            name => segments.push(name),
        }
    }
    Some(segments.join("/"))
}

/// Whether `path` is a file or a folder with files in it.
fn exists(files: &BTreeSet<&str>, path: &str) -> bool {
    let folder = format!("{path}/");
    path.is_empty()
        || files.contains(path)
        || files.range(folder.as_str()..).next().is_some_and(|file| file.starts_with(&folder))
}

/// `%20` and its like, decoded; what is not such an escape stays.
fn decoded(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|two| *first == b'%' && two.iter().all(u8::is_ascii_hexdigit));
        let byte = digits.and_then(|two| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_to_files_that_are_not_there_are_found_with_their_place() {
        let body =
            "[a](a.md) é [b](x/no.md)\n\n![p](../up.png)\n[c](docs) [d](docs/) [e](/abs.md) [f](${SKILL_DIR}/n.md)\n";
        let split = Split { yaml: String::new(), yaml_line: 2, body: body.to_owned(), body_line: 5 };
        let found = missing(&split, &["a.md", "docs/x.md"]);
        let found: Vec<_> =
            found.iter().map(|one| (one.code.as_str(), one.line.unwrap(), one.column.unwrap())).collect();
        assert_eq!(
            found,
            [
                ("link_missing_file", 5, 13),
                ("link_outside_skill", 7, 1),
                ("link_outside_skill", 8, 22),
                ("link_missing_file", 8, 35),
            ]
        );
    }

    #[test]
    fn what_cannot_be_a_file_is_passed_over() {
        for target in
            ["https://x/y.md", "mailto:a@b.c", "#top", "url", "//host/x.md", "{{name}}.md", "a/*.md", "path/..."]
        {
            assert_eq!(local(target), None, "{target}");
        }
        assert_eq!(local("a%20b%zz%+1.md?x#y").as_deref(), Some("a b%zz%+1.md"));
    }
}
