//! How long the texts of requests may be, and what ids look like.
//!
//! The limits of the service count bytes, and the lengths of a schema count characters. A text has no more characters than
//! bytes, so the schema takes each text that the service takes. The schemas of requests leave the bounds out, because
//! models read these schemas and pay for each word.

use utoipa::openapi::{RefOr, Schema, schema::Object};

use super::schemas::Schemas;
use crate::limits::{
    ARGUMENT_BYTES, CALL_ID_BYTES, CREATED_BODY_CHARS, CREATED_DESCRIPTION_CHARS, DOWNLOAD_SKILLS, GLOB_BYTES,
    ID_BYTES, KEY_BYTES, LIFE_BYTES, PATH_BYTES, REGEX_BYTES, SEARCH_QUERY_BYTES, SEGMENT_BYTES, TEXT_FILE_BYTES,
    TRANSFER_FILES,
};

/// The bounds of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextBounds {
    pattern: Option<&'static str>,
    least: usize,
    most: usize,
}

/// A session's version as a reply gives it: the name of its life, and a number.
pub(super) const VERSION: TextBounds =
    TextBounds { pattern: Some(r"^([0-9a-z-]{1,64}\.)?[0-9]{1,19}$"), least: 1, most: LIFE_BYTES + VERSION_DIGITS };
/// The id of a call in a header.
pub(super) const CALL: TextBounds = TextBounds { pattern: Some("^[ -~]+$"), least: 1, most: CALL_ID_BYTES };
/// The digits of a version and the dot before them.
const VERSION_DIGITS: usize = 20;
pub(super) const ID: TextBounds =
    TextBounds { pattern: Some("^[A-Za-z0-9][A-Za-z0-9._@+-]*$"), least: 1, most: ID_BYTES };
/// A virtual path without its first slash, or a skill path.
pub(super) const REST: TextBounds = TextBounds::between(1, PATH_BYTES);
const VIRTUAL_PATH: TextBounds = TextBounds { pattern: Some("^/"), least: 1, most: PATH_BYTES };
/// A virtual path that counts as absent if it is empty.
const OPTIONAL_PATH: TextBounds = TextBounds { pattern: Some("^(/|$)"), least: 0, most: PATH_BYTES };
const SKILL: TextBounds = TextBounds::between(1, KEY_BYTES);
const TEXT: TextBounds = TextBounds::at_most(TEXT_FILE_BYTES);

/// The members of requests, and of a session, that have a bound, by the end of the schema's name. A member of this name has
/// the bound in each such schema. Of several bounds of a member the last counts.
const MEMBERS: &[(&str, &str, TextBounds)] = &[
    ("Request", "file_path", VIRTUAL_PATH),
    ("Request", "from", VIRTUAL_PATH),
    ("Request", "path", VIRTUAL_PATH),
    ("Request", "to", VIRTUAL_PATH),
    ("CreateSessionRequest", "parent", ID),
    ("CreateSkillRequest", "name", SKILL),
    ("CreateSkillRequest", "description", TextBounds::between(CREATED_DESCRIPTION_CHARS, TEXT_FILE_BYTES)),
    ("CreateSkillRequest", "body", TextBounds::between(CREATED_BODY_CHARS, TEXT_FILE_BYTES)),
    ("DiscoverRequest", "query", TextBounds::at_most(SEARCH_QUERY_BYTES)),
    ("EditRequest", "new_string", TEXT),
    ("EditRequest", "old_string", TextBounds::between(1, TEXT_FILE_BYTES)),
    ("GlobRequest", "path", OPTIONAL_PATH),
    ("GlobRequest", "pattern", TextBounds::at_most(GLOB_BYTES)),
    ("GrepRequest", "glob", TextBounds::at_most(GLOB_BYTES)),
    ("GrepRequest", "path", OPTIONAL_PATH),
    ("GrepRequest", "pattern", TextBounds::at_most(REGEX_BYTES)),
    ("LoadSkillRequest", "arguments", TextBounds::at_most(ARGUMENT_BYTES)),
    ("LoadSkillRequest", "skill", SKILL),
    ("LoadSkillRequest", "mount_as", TextBounds::at_most(SEGMENT_BYTES)),
    ("Session", "session_id", ID),
    ("Session", "user_id", ID),
    ("WriteRequest", "content", TEXT),
];

impl TextBounds {
    const fn at_most(most: usize) -> Self {
        Self::between(0, most)
    }

    const fn between(least: usize, most: usize) -> Self {
        Self { pattern: None, least, most }
    }

    /// Writes the bound into the schema of a text.
    pub(super) fn bind(self, text: &mut Object) {
        text.pattern = self.pattern.map(str::to_owned);
        text.min_length = (self.least > 0).then_some(self.least);
        text.max_length = Some(self.most);
    }
}

/// Writes all bounds into the schemas of the document.
pub(super) fn declare(schemas: &mut Schemas) {
    for (name, schema) in schemas.iter_mut() {
        for (_, member, bound) in MEMBERS.iter().filter(|(ending, ..)| name.ends_with(ending)) {
            if let Some(RefOr::T(Schema::Object(text))) = property(schema, member) {
                bound.bind(text);
            }
        }
    }
    // A path that is none has an outcome of its own in a download, so only their number is bounded.
    for (name, member, most) in
        [("DownloadRequest", "paths", TRANSFER_FILES), ("DownloadSkillsRequest", "skills", DOWNLOAD_SKILLS)]
    {
        let list = schemas.get_mut(name).and_then(|schema| property(schema, member));
        if let Some(RefOr::T(Schema::Array(list))) = list {
            list.max_items = Some(most);
        }
    }
}

fn property<'schema>(schema: &'schema mut RefOr<Schema>, member: &str) -> Option<&'schema mut RefOr<Schema>> {
    match schema {
        RefOr::T(Schema::Object(object)) => object.properties.get_mut(member),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::{http::openapi, path::Id, wire::SessionVersion};

    #[test]
    fn every_bound_is_in_the_document() {
        let document = serde_json::to_value(openapi()).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let find = |schema: &str, member: &str| schemas[schema]["properties"].get(member).cloned().unwrap_or_default();
        for (ending, member, bound) in MEMBERS {
            let found = schemas.keys().filter(|name| name.ends_with(ending)).map(|name| find(name, member));
            let found: Vec<_> = found.filter(|property| !property.is_null()).collect();
            assert!(!found.is_empty(), "{ending}.{member} bounds nothing");
            assert!(found.iter().all(|property| property["maxLength"] == bound.most), "{ending}.{member}");
        }
        let paths = find("DownloadRequest", "paths");
        assert_eq!((&paths["maxItems"], &paths["items"]["maxLength"]), (&TRANSFER_FILES.into(), &Value::Null));
        assert_eq!(find("DownloadSkillsRequest", "skills")["maxItems"], DOWNLOAD_SKILLS);
        assert_ne!(find("Session", "session_id")["pattern"], Value::Null);
    }

    #[test]
    fn the_pattern_of_ids_takes_what_ids_take() {
        let pattern = regex::Regex::new(ID.pattern.unwrap()).unwrap();
        for text in ["a", "A.b_c@d+e-1", "", ".a", "a b", "é", "a/b"] {
            assert_eq!(pattern.is_match(text), Id::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn the_pattern_of_versions_takes_what_versions_take() {
        let pattern = regex::Regex::new(VERSION.pattern.unwrap()).unwrap();
        let long = "a".repeat(LIFE_BYTES);
        let (longest, longer) = (format!("{long}.9999999999999999999"), format!("{long}a.1"));
        assert_eq!(longest.len(), VERSION.most);
        for text in ["0", "18c-7f.3", "", "+5", "-1", ".1", "A.1", "a.1.2", "a.+1", &longest, &longer] {
            assert_eq!(pattern.is_match(text), text.parse::<SessionVersion>().is_ok(), "{text}");
        }
    }
}
