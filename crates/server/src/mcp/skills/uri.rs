//! Addresses of files of skills: `skill://{skill}/{path}`.

use std::sync::Arc;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{
    catalog::CatalogEntry,
    path::{SkillPath, percent_decoded},
};

const SCHEME: &str = "skill://";

/// The characters that are percent-encoded in a segment of an address.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The address of a file or folder of a skill; of the skill's own folder for an empty path.
pub(super) fn address(skill: &SkillPath, path: &str) -> String {
    let segments = skill.as_str().split('/').chain(path.split('/')).filter(|segment| !segment.is_empty());
    let written: Vec<String> = segments.map(|segment| utf8_percent_encode(segment, ENCODED).to_string()).collect();
    format!("{SCHEME}{}", written.join("/"))
}

/// The path that an address names; `None` if no file or folder can have this address.
fn path_of(uri: &str) -> Option<String> {
    let decode = |segment: &str| {
        let text = String::from_utf8(percent_decoded(segment)?.into_owned()).ok()?;
        (!matches!(text.as_str(), "" | "." | "..") && !text.contains('/')).then_some(text)
    };
    let rest = uri.strip_prefix(SCHEME).filter(|rest| !rest.contains(['?', '#']))?;
    let segments: Option<Vec<String>> = rest.split('/').map(decode).collect();
    Some(segments?.join("/"))
}

/// The skill that contains an address, and the path inside the skill. The path is empty for the skill's own folder.
pub(super) fn find(skills: &[Arc<CatalogEntry>], uri: &str) -> Option<(Arc<CatalogEntry>, String)> {
    let path = path_of(uri)?;
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().find_map(|end| {
        let (folder, rest) = path.split_at_checked(end)?;
        let at = skills.binary_search_by(|entry| entry.skill.as_str().cmp(folder)).ok()?;
        Some((skills.get(at)?.clone(), rest.trim_start_matches('/').to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_what_it_was_made_of() {
        for (skill, path, uri) in [
            ("notas", "SKILL.md", "skill://notas/SKILL.md"),
            ("a/b-c", "x/y z.md", "skill://a/b-c/x/y%20z.md"),
            ("técnica", "", "skill://t%C3%A9cnica"),
            ("a", "100%.md", "skill://a/100%25.md"),
        ] {
            let skill = SkillPath::parse(skill).unwrap();
            assert_eq!(address(&skill, path), uri);
            let whole = [skill.as_str(), path].join("/");
            assert_eq!(path_of(uri).as_deref(), Some(whole.trim_end_matches('/')));
        }
        for odd in [
            "",
            "skill://",
            "skill:///a",
            "skill://a/",
            "skill://a//b",
            "skill://a/../b",
            "skill://a/%2e%2e/b",
            "skill://a%2Fb",
            "skill://a/%ff",
            "skill://a/%2",
            "skill://a?b",
            "skill://a#b",
            "file://a/b",
            "SKILL://a",
        ] {
            assert_eq!(path_of(odd), None, "{odd}");
        }
    }
}
