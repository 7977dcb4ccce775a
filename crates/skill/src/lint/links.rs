//! Links in a body to files of the skill.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;

use super::places::Places;
use crate::{Diagnostic, FindingCode, frontmatter::Split, outline::outline};
use skillmount_base::limits::SKILL_FINDINGS;

/// File names without a dot that are recognised. Other such words are the `url` of an example.
const PLAIN_NAMES: [&str; 16] = [
    "AUTHORS",
    "CHANGELOG",
    "CODEOWNERS",
    "CONTRIBUTING",
    "COPYING",
    "Dockerfile",
    "Gemfile",
    "Jenkinsfile",
    "Justfile",
    "LICENCE",
    "LICENSE",
    "Makefile",
    "NOTICE",
    "Procfile",
    "README",
    "VERSION",
];

/// The target of a link.
#[derive(Debug, PartialEq, Eq)]
enum LinkTarget {
    /// A path of the author's machine.
    Machine,
    /// This path, decoded, relative to the skill's folder.
    Path(String),
}

/// A warning for each link whose file is missing, outside the skill, or deeper than advised. At most one more than are
/// shown.
pub(super) fn judge(split: &Split, files: &[&str]) -> Vec<Diagnostic> {
    let files: BTreeSet<&str> = files.iter().copied().collect();
    let mut places = Places::from_split(split);
    let mut found = Vec::new();
    for link in outline(&split.body).links {
        let Some(finding) = target(&link.target).and_then(|target| finding(&link.target, &target, &files)) else {
            continue;
        };
        found.push(places.place(finding, link.range.start));
        if found.len() > SKILL_FINDINGS {
            break;
        }
    }
    found
}

fn finding(written: &str, target: &LinkTarget, files: &BTreeSet<&str>) -> Option<Diagnostic> {
    let path = match target {
        LinkTarget::Machine => None,
        LinkTarget::Path(path) => inside(path),
    };
    let Some(path) = path else {
        let message =
            format!("{written} leads out of the skill, where agents cannot follow: bring the file into the skill");
        return Some(Diagnostic::new(FindingCode::LinkOutsideSkill, message));
    };
    if !exists(files, &path) {
        let message = format!("the skill has no file {path}: add it, or correct the link");
        return Some(Diagnostic::new(FindingCode::LinkMissingFile, message));
    }
    let folders = path.matches('/').count();
    (folders > 1).then(|| {
        let message = format!("{path} lies {folders} folders deep, advised is one level below SKILL.md: move it up");
        Diagnostic::new(FindingCode::LinkTooDeep, message)
    })
}

/// The target of a link, if it can be a file: no URL, no anchor, no placeholder.
fn target(target: &str) -> Option<LinkTarget> {
    let target = target.strip_prefix("${SKILL_DIR}/").or(target.strip_prefix("${CLAUDE_SKILL_DIR}/")).unwrap_or(target);
    let path = target.split(['#', '?']).next().filter(|path| !path.is_empty())?;
    let scheme = path.split_once(':').map(|(scheme, _)| scheme);
    if let Some(scheme) = scheme.filter(|scheme| scheme.chars().all(|c| c.is_ascii_alphanumeric())) {
        // One letter is a Windows drive.
        return (scheme.eq_ignore_ascii_case("file") || scheme.len() == 1).then_some(LinkTarget::Machine);
    }
    let is_placeholder = path.contains(['{', '}', '<', '>', '$', '*']) || path.contains("...");
    let is_file = path.contains(['/', '.']) || PLAIN_NAMES.contains(&path);
    // Text that is not an escape stays as it is, as in an editor that follows the link.
    let decoded = || percent_decode_str(path).decode_utf8_lossy().into_owned();
    (!is_placeholder && !path.starts_with("//") && is_file).then(|| LinkTarget::Path(decoded()))
}

/// The path below the skill's folder; `None` if it leaves the folder.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontmatter::Delimiter;

    #[test]
    fn links_to_files_that_are_not_there_are_found_with_their_place() {
        let body =
            "[a](a.md) é [b](x/no.md)\n\n![p](../up.png)\n[c](docs) [d](docs/) [e](/abs.md) [f](${SKILL_DIR}/n.md)\n";
        let split = Split {
            yaml: String::new(),
            yaml_line: 2,
            body: body.to_owned(),
            body_line: 5,
            form: Delimiter::Delimited,
        };
        let found = judge(&split, &["a.md", "docs/x.md"]);
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
            assert_eq!(super::target(target), None, "{target}");
        }
        assert_eq!(target("a%20b%zz%+1.md?x#y"), Some(LinkTarget::Path("a b%zz%+1.md".to_owned())));
    }

    #[test]
    fn links_are_judged_however_they_are_written_and_as_deep_as_they_lead() {
        let files = ["SKILL.md", "LICENSE", "references/a.md", "references/a/b.md", "references/a/b/c.md"];
        for (body, code) in [
            ("[x](LICENSE) [u](URL) [a](references/a.md) [f](references/a/)", None),
            ("[x](Makefile)", Some("link_missing_file")),
            ("<img src=\"no.png\">", Some("link_missing_file")),
            ("See <a href='no.md'>this</a>", Some("link_missing_file")),
            ("<a href='references/a.md'>this</a>", None),
            ("[x](file:///home/me/x.md)", Some("link_outside_skill")),
            ("[x](C:/x.md)", Some("link_outside_skill")),
            ("[x](references/a/b.md)", Some("link_too_deep")),
            ("[x](./references/a/b/c.md)", Some("link_too_deep")),
        ] {
            let split = Split {
                yaml: String::new(),
                yaml_line: 2,
                body: body.to_owned(),
                body_line: 5,
                form: Delimiter::Delimited,
            };
            let found = judge(&split, &files);
            assert_eq!(found.first().map(|one| one.code.as_str()), code, "{body}: {found:?}");
        }
    }
}
