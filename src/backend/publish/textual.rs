//! A skill that is sent as JSON, read from where it waits without ever being in memory whole.
//!
//! Each file is taken in while the parser reads it, so that one text is in memory at a time. What is wrong with the JSON goes before
//! what is wrong with a file: findings are reported once all of it was read.

use std::fmt;

use bytes::Bytes;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::waiting::SpooledBody;
use crate::{
    backend::text::is_text,
    error::{Code, Error, Result},
    json::{LongBody, from_long_request},
    limits::{KEY_BYTES, TEXT_BODY_BYTES, UPLOAD_FILE_BYTES},
    skill::{MAIN, SkillUpload, compose},
};

/// What such a body may hold beside its length.
const BOUNDS: LongBody = LongBody { member: "files", text: UPLOAD_FILE_BYTES, rest: TEXT_BODY_BYTES };

/// A `PublishRequest` whose files were taken in while it was read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename = "PublishRequest")]
pub(super) struct Textual {
    pub(super) description: String,
    pub(super) body: String,
    #[serde(default)]
    pub(super) files: TextFiles,
    #[serde(default)]
    pub(super) frontmatter: Map<String, Value>,
}

/// The files of such a request.
#[derive(Default)]
pub(super) struct TextFiles {
    /// Those that were taken in; `None` if the request has none.
    upload: Option<SkillUpload>,
    has_main: bool,
}

/// The path of a file, cut where it is longer than any that is taken.
struct FilePath(String);

/// Reads a body.
///
/// # Errors
/// Those of [`from_long_request`].
pub(super) fn read(json: &SpooledBody) -> Result<Textual> {
    from_long_request(BOUNDS, || json.reader())
}

/// The SKILL.md of a skill in `folder` that is sent as text.
///
/// # Errors
/// `invalid_request` for fields that stand in the wrong place.
pub(super) fn main_file(
    folder: &str,
    description: &str,
    mut frontmatter: Map<String, Value>,
    body: &str,
) -> Result<Bytes> {
    let name = match frontmatter.shift_remove("name") {
        None => folder.to_owned(),
        Some(name) => name.as_str().map(str::to_owned).ok_or_else(|| wrong("`name` in `frontmatter` is no text"))?,
    };
    if frontmatter.contains_key("description") {
        return Err(wrong("`description` stands beside `frontmatter`, not in it"));
    }
    Ok(compose(&name, description, &frontmatter, body).into())
}

/// The error of a request with a SKILL.md among its files.
pub(super) fn main_among_files() -> Error {
    wrong("SKILL.md is made of `description`, `frontmatter` and `body`, and is not among `files`")
}

fn wrong(what: &str) -> Error {
    Error::new(Code::InvalidRequest, format!("the JSON body is not valid: {what}"))
}

impl TextFiles {
    /// What took them in.
    ///
    /// # Errors
    /// `invalid_request` if SKILL.md is among them.
    pub(super) fn taken_in(self) -> Result<SkillUpload> {
        if self.has_main {
            Err(main_among_files())
        } else {
            Ok(self.upload.unwrap_or_else(|| SkillUpload::new(is_text)))
        }
    }
}

impl<'de> Deserialize<'de> for TextFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Files;

        impl<'de> Visitor<'de> for Files {
            type Value = TextFiles;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut files: A) -> Result<TextFiles, A::Error> {
                let (mut upload, mut has_main) = (SkillUpload::new(is_text), false);
                while let Some(FilePath(path)) = files.next_key()? {
                    let text: String = files.next_value()?;
                    has_main |= path == MAIN;
                    upload.add(&path, &Bytes::from(text));
                }
                Ok(TextFiles { upload: Some(upload), has_main })
            }
        }

        deserializer.deserialize_map(Files)
    }
}

impl<'de> Deserialize<'de> for FilePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Path;

        impl Visitor<'_> for Path {
            type Value = FilePath;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, path: &str) -> Result<FilePath, E> {
                Ok(FilePath(path.chars().take(KEY_BYTES + 1).collect()))
            }
        }

        deserializer.deserialize_str(Path)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::{
        backend::publish::uploaded::UploadedSkill,
        path::SkillPath,
        skill::{CheckedSkill, Diagnostic, Provenance, VersionArchive},
        wire::PublishRequest,
    };

    fn check(uploaded: UploadedSkill) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
        let from = Provenance { at: Timestamp::UNIX_EPOCH, by: None, source: None };
        uploaded.check(&SkillPath::parse("a/demo").unwrap(), &from)
    }

    fn sent(json: impl Into<Bytes>) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
        check(UploadedSkill::Json(json.into().into()))
    }

    /// What is found in the first finding, or the error.
    fn fault(json: &str) -> String {
        match sent(json.to_owned()) {
            Err(error) => error.to_string(),
            Ok(Err(findings)) => findings[0].code.clone(),
            Ok(Ok(_)) => String::new(),
        }
    }

    #[test]
    fn json_that_is_read_in_pieces_is_the_skill_that_it_says() {
        let request = json!({"files": {"r/a.md": "text\n\u{1}é", "empty": ""}, "description": "Shows \"how\".", "body": "# B\n",
            "frontmatter": {"license": "MIT", "name": "demo"}});
        let checked = sent(request.to_string()).unwrap().unwrap();
        let whole: PublishRequest = serde_json::from_value(request).unwrap();
        let same = check(UploadedSkill::Text(Box::new(whole))).unwrap().unwrap();
        assert_eq!(checked.package.version, same.package.version);
        let mut archive = VersionArchive::open(checked.package.zip).unwrap();
        assert_eq!(archive.read("r/a.md", 100).unwrap().unwrap(), "text\n\u{1}é");
        assert_eq!(fault(r#"{"description": "d", "body": "b", "files": null, "frontmatter": null}"#), "");
    }

    // S-PUBLISH-2: What is published is checked whole before anything is stored: its paths, its size, secrets in it, and
    // what lint calls an error.
    #[test]
    fn what_is_wrong_with_json_goes_before_what_is_wrong_with_a_file() {
        let with = |files: &str, more: &str| format!(r#"{{"files": {files}, "description": "d", "body": "b"{more}}}"#);
        for (json, part) in [
            (with("{}", r#", "body": "c""#), "duplicate field `body`"),
            (with("{}", r#", "files": {}"#), "duplicate field `files`"),
            (with(r#"{"../x": ""}"#, r#", "layer": "org""#), "unknown field `layer`, expected one of `description`"),
            (with(r#"{"../x": ""}"#, " x"), "expected `,` or `}` at line 1 column"),
            (with(r#"{"a": 1}"#, ""), "invalid type: integer `1`, expected a string at line 1 column"),
            (with(r#"{"a": null}"#, ""), "invalid type: null, expected a string"),
            (with("[]", ""), "expected a map"),
            (with(r#"{"SKILL.md": "x"}"#, ""), "not among `files`"),
            (with("{}", r#", "frontmatter": {"description": "e"}"#), "stands beside `frontmatter`"),
            (with("{}", r#", "frontmatter": {"name": 1}"#), "is no text"),
            (with("{}", r#", "frontmatter": []"#), "invalid type"),
            (r#"{"description": "d", "files": {}}"#.to_owned(), "missing field `body`"),
            (r#"{"description": null, "body": "b"}"#.to_owned(), "missing field `description`"),
            (format!("{} x", with("{}", "")), "trailing characters"),
            (r#"{"files": {"a": "x"#.to_owned(), "EOF"),
            ("[]".to_owned(), "the body of this call is a JSON object"),
            (with(r#"{"../x": ""}"#, ""), "path_invalid"),
            (with(&format!(r#"{{"{}": ""}}"#, "a/".repeat(5000) + "b"), ""), "path_invalid"),
            (with(r#"{"a": "", "A": ""}"#, ""), "path_twins"),
            (with(r#"{"a": "1", "a": "2"}"#, ""), "path_twins"),
            (with(r#"{"skill.md": ""}"#, ""), "path_twins"),
            (with(r#"{".env": "A=1"}"#, ""), "secret_file"),
            (with("{}", &format!(r#", "frontmatter": {{"a": {}1{}}}"#, "[".repeat(70), "]".repeat(70))), "nested"),
            (with("{}", &format!(r#", "frontmatter": {{"a": [{}1]}}"#, "1,".repeat(50_000))), "more than 50000 values"),
        ] {
            assert!(fault(&json).contains(part), "{part}: {}", fault(&json));
        }
    }
}
