//! A draft of a skill, as an object of the bucket: a description, an author, and the archive with the files.
//!
//! A draft has no plain files, so whatever lists or searches those is free of drafts. Its object carries the number of its
//! format, as a head does.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Frontmatter, Version, version::is_version_digest};
use skillmount_base::{
    json::UnknownMembers,
    path::{Id, SkillPath},
};

/// The format of new drafts, and the newest format that can be read.
const FORMAT: u32 = 1;

/// The draft of one skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillDraft {
    format: u32,
    /// The skill that it may become.
    pub skill: SkillPath,
    /// The digest of its files, as that of a version.
    pub digest: String,
    /// The name in its frontmatter, or its folder's.
    pub name: String,
    /// The description in its frontmatter.
    pub description: String,
    /// Its frontmatter as it was written.
    pub frontmatter: Map<String, Value>,
    /// The number of its files.
    pub files: usize,
    /// All their bytes.
    pub size: u64,
    /// When it was made, or last changed.
    pub made_at: Timestamp,
    /// Who made it, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where it comes from, in the words of who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The session that made the draft, which sees the draft too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Id>,
    /// The generation of the head that the draft was made over; 0 if there was none. A later publish ends the draft.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub generation: u64,
    /// Whether the draft is deleted: its object goes next.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_deleted: bool,
    /// The call that deleted the draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deletion: Option<String>,
    /// The members of a newer version. Each draft takes them over from the one in whose place it is put.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

/// Who makes or changes a draft, and when.
#[derive(Clone, Debug)]
pub struct DraftChange {
    /// When.
    pub at: Timestamp,
    /// Who.
    pub by: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The session that made it.
    pub session: Option<Id>,
}

/// The first part of a draft that is read.
#[derive(Deserialize)]
struct DraftFormat {
    #[serde(default)]
    format: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
pub(super) fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl SkillDraft {
    /// The draft of `skill` with these files and this frontmatter.
    #[must_use]
    pub fn new(skill: &SkillPath, version: &Version, frontmatter: Frontmatter, change: DraftChange) -> Self {
        let DraftChange { at, by, source, session } = change;
        Self {
            format: FORMAT,
            skill: skill.clone(),
            digest: version.digest().to_owned(),
            name: frontmatter.name.unwrap_or_else(|| skill.folder().to_owned()),
            description: frontmatter.description,
            frontmatter: frontmatter.fields,
            files: version.files().len(),
            size: version.size(),
            made_at: at,
            by,
            source,
            session,
            generation: 0,
            is_deleted: false,
            deletion: None,
            unknown: UnknownMembers::default(),
        }
    }

    /// The same draft, made over the head of this generation.
    #[must_use]
    pub fn at(self, generation: u64) -> Self {
        Self { generation, ..self }
    }

    /// The same draft, deleted by this call.
    #[must_use]
    pub fn deleted(self, deletion: &str) -> Self {
        Self { is_deleted: true, deletion: Some(deletion.to_owned()), ..self }
    }

    /// Whether it counts beside a head with which drafts count since the generation `since`.
    #[must_use]
    pub fn counts(&self, since: u64) -> bool {
        !self.is_deleted && self.generation >= since
    }

    /// Reads the draft of `skill`.
    ///
    /// # Errors
    /// Why it is none.
    pub fn read(bytes: &[u8], skill: &SkillPath) -> Result<Self, String> {
        let format: DraftFormat = serde_json::from_slice(bytes).map_err(|fault| fault.to_string())?;
        if format.format > FORMAT {
            return Err("a newer version of skillmount wrote it: update this service".to_owned());
        }
        let draft: Self = serde_json::from_slice(bytes).map_err(|fault| fault.to_string())?;
        match () {
            () if draft.format != FORMAT => Err("its format has no such number".to_owned()),
            () if draft.skill != *skill => Err("it is the draft of another skill".to_owned()),
            () if !is_version_digest(&draft.digest) => Err("its digest is none".to_owned()),
            () => Ok(draft),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VersionFile;

    fn skill(text: &str) -> SkillPath {
        SkillPath::parse(text).unwrap()
    }

    fn draft() -> SkillDraft {
        let version = Version::new(vec![VersionFile::from_bytes("SKILL.md", b"x")]);
        let change = DraftChange { at: Timestamp::UNIX_EPOCH, by: None, source: None, session: Id::parse("s").ok() };
        SkillDraft::new(
            &skill("a/s"),
            &version,
            Frontmatter { description: "d".into(), ..Frontmatter::default() },
            change,
        )
    }

    #[test]
    fn a_draft_in_the_bucket_looks_like_this() {
        let expected = format!(
            r#"{{"format":1,"skill":"a/s","digest":"{}","name":"s","description":"d","frontmatter":{{}},"files":1,"size":1,"made_at":"1970-01-01T00:00:00Z","session":"s"}}"#,
            draft().digest
        );
        let written = serde_json::to_string(&draft()).unwrap();
        assert_eq!(written, expected);
        let later = written.replace("\"files\"", "\"later\":7,\"files\"");
        let read = SkillDraft::read(later.as_bytes(), &skill("a/s")).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap()["later"], 7, "a member of a later version is kept");
        assert_eq!(SkillDraft { unknown: UnknownMembers::default(), ..read }, draft());
    }

    #[test]
    fn a_draft_that_claims_something_else_is_found_out() {
        let written = serde_json::to_string(&draft()).unwrap();
        let newer = SkillDraft::read(br#"{"format":2,"files":"many"}"#, &skill("a/s")).unwrap_err();
        assert!(newer.contains("newer"), "{newer}");
        for (from, to) in
            [("\"format\":1", "\"format\":0"), ("sha256:", "sha255:"), ("\"skill\":\"a/s\"", "\"skill\":\"..\"")]
        {
            assert!(SkillDraft::read(written.replace(from, to).as_bytes(), &skill("a/s")).is_err(), "{to}");
        }
        assert!(SkillDraft::read(written.as_bytes(), &skill("a/t")).is_err());
    }
}
