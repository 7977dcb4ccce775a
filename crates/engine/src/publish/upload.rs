//! An uploaded skill in each of its forms, and the way to check it whole.

use std::{io, ops::Range};

use bytes::Bytes;
use serde_json::{Map, Value};

use super::spooled_body::SpooledBody;
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::{SKILL_FILE_BYTES, UPLOAD_FILE_BYTES, VERSION_RATIO, VERSION_ZIP_BYTES},
    path::SkillPath,
    skill::{CheckedSkill, Diagnostic, MAIN, Provenance, SkillUpload, VersionArchive, compose, names},
    wire::PublishRequest,
};

/// A skill as it was sent.
#[derive(Clone, Debug)]
pub enum UploadedSkill {
    /// A zip archive of its folder.
    Archive(Bytes),
    /// Path and bytes of each file.
    Files(Vec<(String, Bytes)>),
    /// Files one after another, and the path and the place of each.
    Parts(SpooledBody, Vec<(String, Range<u64>)>),
}

impl UploadedSkill {
    /// A skill from `text` for the path `skill`: SKILL.md is composed of the text, and the other files are added.
    ///
    /// # Errors
    /// `invalid_request` for a member in the wrong place.
    pub fn from_text(skill: &SkillPath, text: PublishRequest) -> Result<Self> {
        let PublishRequest { description, body, files, frontmatter } = text;
        if files.contains_key(MAIN) {
            return Err(wrong("SKILL.md is made of `description`, `frontmatter` and `body`, and is not among `files`"));
        }
        let main = main_file(skill.folder(), &description, frontmatter, &body)?;
        let files = files.into_iter().map(|(path, text)| (path, Bytes::from(text)));
        Ok(Self::Files(std::iter::once((MAIN.to_owned(), main)).chain(files).collect()))
    }

    /// The bytes of memory that the upload takes while it is checked and published: the upload if it is in memory, the packed
    /// version, and the largest file.
    pub(crate) fn window(&self) -> u64 {
        let (largest, zip) = (UPLOAD_FILE_BYTES as u64, VERSION_ZIP_BYTES as u64);
        match self {
            Self::Archive(zip) => 2 * zip.len() as u64 + (zip.len() as u64 * VERSION_RATIO).min(largest),
            Self::Files(files) => 2 * files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() + (1 << 10),
            Self::Parts(bytes, _) => bytes.len().min(largest) + bytes.len().min(zip) + (1 << 10),
        }
    }

    /// The names that a skill without a path may have, best first.
    ///
    /// # Errors
    /// `invalid_skill` for an archive that cannot be read.
    pub(crate) fn names(self) -> Result<Vec<String>> {
        match self {
            Self::Files(files) => {
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                Ok(names(&paths, |path| files.iter().find(|(one, _)| one == path).map(|(_, bytes)| bytes.clone())))
            }
            Self::Parts(bytes, files) => {
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                let main = |path: &str| {
                    let (_, place) = files.iter().find(|(one, _)| one == path)?;
                    bytes.read(shortened(place, SKILL_FILE_BYTES)).ok()
                };
                Ok(names(&paths, main))
            }
            Self::Archive(zip) => {
                let refused = |why| Error::new(Code::InvalidSkill, format!("nothing was stored: the archive {why}"));
                let mut archive = VersionArchive::open(zip).map_err(refused)?;
                let paths = archive.paths().map_err(refused)?;
                let paths: Vec<_> = paths.iter().map(String::as_str).collect();
                Ok(names(&paths, |path| archive.read(path, SKILL_FILE_BYTES).ok().flatten()))
            }
        }
    }

    /// Takes the upload apart, checks the skill whole and packs a version of `skill`. The inner error has the findings.
    ///
    /// # Errors
    /// `store_unavailable` if the spooled bytes cannot be read.
    pub(crate) fn check(self, skill: &SkillPath, from: &Provenance) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
        let upload = match self {
            Self::Archive(zip) => {
                let mut upload = SkillUpload::default();
                upload.add_archive(zip);
                upload
            }
            Self::Files(files) => {
                let mut upload = SkillUpload::default();
                upload.add_files(&files);
                upload
            }
            Self::Parts(bytes, files) => {
                let mut upload = SkillUpload::default();
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                let read = |index: usize| {
                    let place = files.get(index).map(|(_, place)| place.clone()).unwrap_or_default();
                    // One byte more than the limit of a file, so that the check refuses a longer file.
                    bytes.read(shortened(&place, UPLOAD_FILE_BYTES as u64 + 1))
                };
                upload.add_each(&paths, read).map_err(unreadable)?;
                upload
            }
        };
        Ok(upload.finish(skill, from))
    }
}

/// The SKILL.md of a skill in `folder` that is sent as text.
fn main_file(folder: &str, description: &str, mut frontmatter: Map<String, Value>, body: &str) -> Result<Bytes> {
    let name = match frontmatter.shift_remove("name") {
        None => folder.to_owned(),
        Some(name) => name.as_str().map(str::to_owned).ok_or_else(|| wrong("`name` in `frontmatter` is no text"))?,
    };
    if frontmatter.contains_key("description") {
        return Err(wrong("`description` stands beside `frontmatter`, not in it"));
    }
    Ok(compose(&name, description, &frontmatter, body).into())
}

fn wrong(what: &str) -> Error {
    Error::new(Code::InvalidRequest, format!("the JSON body is not valid: {what}"))
}

/// The first `most` bytes of a place.
fn shortened(place: &Range<u64>, most: u64) -> Range<u64> {
    place.start..place.end.min(place.start.saturating_add(most))
}

fn unreadable(cause: io::Error) -> Error {
    let message = "the upload could not be read again from the disk on which it waited; try again";
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::NotApplied).with_source(cause)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::json;

    use super::*;
    use crate::json;

    fn sent(body: &str) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
        let from = Provenance { at: Timestamp::UNIX_EPOCH, by: None, source: None };
        let skill = SkillPath::parse("a/demo").unwrap();
        UploadedSkill::from_text(&skill, json::from_request(body.as_bytes())?)?.check(&skill, &from)
    }

    /// The message of the first finding, or of the error.
    fn fault(body: &str) -> String {
        match sent(body) {
            Err(error) => error.to_string(),
            Ok(Err(findings)) => findings[0].code.clone(),
            Ok(Ok(_)) => String::new(),
        }
    }

    #[test]
    fn a_skill_that_is_sent_as_text_has_the_files_that_the_text_says() {
        let request = json!({"files": {"r/a.md": "text\n\u{1}é", "empty": ""}, "description": "Shows \"how\".", "body": "# B\n",
            "frontmatter": {"license": "MIT", "name": "demo"}});
        let checked = sent(&request.to_string()).unwrap().unwrap();
        let mut archive = VersionArchive::open(checked.package.zip).unwrap();
        assert_eq!(archive.paths().unwrap(), ["SKILL.md", "empty", "r/a.md"]);
        assert_eq!(archive.read("r/a.md", 100).unwrap().unwrap(), "text\n\u{1}é");
        let main = archive.read("SKILL.md", 1000).unwrap().unwrap();
        let expected = "---\nname: \"demo\"\ndescription: \"Shows \\\"how\\\".\"\nlicense: \"MIT\"\n---\n\n# B\n";
        assert_eq!(str::from_utf8(&main).unwrap(), expected);
        assert_eq!(fault(r#"{"description": "d", "body": "b", "files": null, "frontmatter": null}"#), "");
    }

    // S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
    // lint.
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
            (with(r#"{"a": "1", "a": "2"}"#, ""), "the member \"a\" stands twice in one object at line 1 column"),
            (with("[]", ""), "expected files by their paths"),
            (with(r#"{"SKILL.md": "x"}"#, ""), "not among `files`"),
            (with("{}", r#", "frontmatter": {"description": "e"}"#), "stands beside `frontmatter`"),
            (with("{}", r#", "frontmatter": {"name": 1}"#), "is no text"),
            (with("{}", r#", "frontmatter": []"#), "invalid type"),
            (r#"{"description": "d", "files": {}}"#.to_owned(), "missing field `body`"),
            (r#"{"description": null, "body": "b"}"#.to_owned(), "missing field `description`"),
            (format!("{} x", with("{}", "")), "trailing characters"),
            (r#"{"files": {"a": "x"#.to_owned(), "EOF"),
            (with(r#"{"../x": ""}"#, ""), "path_invalid"),
            (with(&format!(r#"{{"{}": ""}}"#, "a/".repeat(5000) + "b"), ""), "path_invalid"),
            (with(r#"{"a": "", "A": ""}"#, ""), "path_twins"),
            (with(r#"{"skill.md": ""}"#, ""), "path_twins"),
            (with(r#"{".env": "A=1"}"#, ""), "secret_file"),
            (with("{}", &format!(r#", "frontmatter": {{"a": {}1{}}}"#, "[".repeat(70), "]".repeat(70))), "nested"),
            (with("{}", &format!(r#", "frontmatter": {{"a": [{}1]}}"#, "1,".repeat(50_000))), "more than 50000 values"),
        ] {
            assert!(fault(&json).contains(part), "{part}: {}", fault(&json));
        }
    }
}
