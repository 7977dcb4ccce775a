//! The head of a skill: which version is published, and how far the plain files have followed.
//!
//! A head is an object of the bucket, so its format outlives this code. It carries the number of its format, and a
//! reader refuses a newer one. A head is changed by compare-and-swap only. That one step publishes a version. The plain
//! files follow later: while `materialised` is false, some may still belong to the version before.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    draft::{SkillDraft, is_zero},
    fingerprint::{Fingerprint, Fingerprinter},
    numbers::VersionNumbers,
    version::{VersionFile, is_sha256, is_version_digest, version_digest},
};
use skillmount_base::{
    json::UnknownMembers,
    limits::SKILL_FILES,
    path::{ETag, KeyPrefix, SkillPath},
};

/// The format of new heads, and the newest format that can be read.
const FORMAT: u32 = 1;

/// The most final calls of a head.
const FINAL_CALLS: usize = 8;

/// A file of a head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeadFile {
    /// The file.
    #[serde(flatten)]
    pub file: VersionFile,
    /// The version of the plain object that has its bytes; `None` if none is known to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub etag: Option<ETag>,
    /// The members of a newer version.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

impl From<VersionFile> for HeadFile {
    /// A file that no plain object is known to have.
    fn from(file: VersionFile) -> Self {
        Self { file, etag: None, unknown: UnknownMembers::default() }
    }
}

/// The state of the skill after the last change of its head.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HeadState {
    /// Its files are published.
    Published,
    /// It is deleted: the head has no files.
    Deleted,
}

/// The head of one skill, as it lies in the bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillHead {
    format: u32,
    /// The skill.
    pub skill: SkillPath,
    /// The number of changes that were published so far, this one included.
    pub generation: u64,
    /// The state of the skill.
    pub state: HeadState,
    /// The digest of the published version; `None` for a deleted skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The version that this change replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<String>,
    /// When it was published.
    pub published_at: Timestamp,
    /// Who published it, as far as that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// Where it comes from, in the words of who published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Since when the skill is there; `None` if an earlier version of this program published it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// The display name, if the skill was published with a name beside the name in its SKILL.md.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// The numbers of its versions; none if an earlier version of this program published them.
    #[serde(default, skip_serializing_if = "VersionNumbers::is_unused")]
    pub numbers: VersionNumbers,
    /// The draft whose place the skill took. A draft with this digest that still exists is left from an unfinished
    /// publish.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub took: Option<String>,
    /// Drafts that were made before this generation do not count. A change that takes the place of a draft raises it.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub drafts_since: u64,
    /// The call that deleted the draft which this head ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafts_ended_by: Option<String>,
    /// The draft that the skill became. It is here until its object is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<Box<SkillDraft>>,
    /// The call that may still undo this publish. Until then readers have the state before it: no published version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<PendingPublish>,
    /// The last calls whose pending publish became final, the latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub final_calls: Vec<String>,
    /// The last call whose publish was undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<String>,
    /// Plain files that other calls may still write or delete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<LateFiles>,
    /// Whether the plain files have followed.
    pub materialised: bool,
    /// The files of the version, in byte order of their paths.
    pub files: Vec<HeadFile>,
    /// The plain objects that were there before, by path: each is replaced or deleted in this version and in no other.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub replaces: BTreeMap<String, ETag>,
    /// The members of a newer version. Each head takes them over from the one before.
    #[serde(flatten)]
    pub unknown: UnknownMembers,
}

/// A publish that its call may still undo. If no skill has a nested path, the publish becomes final.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingPublish {
    /// The call.
    pub call: String,
    /// When the call wrote the head.
    pub at: Timestamp,
    /// The version of the draft's object whose place the skill takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<ETag>,
    /// Whether the skill takes the place of this draft and of no other.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_exact: bool,
    /// The numbers of the versions if the publish is undone.
    #[serde(default, skip_serializing_if = "VersionNumbers::is_empty")]
    pub numbers: VersionNumbers,
}

/// Plain files that several calls may still change: the call of a head, and processes that complete its work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateFiles {
    /// The latest end of the calls.
    pub until: Timestamp,
    /// The SHA-256 of each file, by path. If several calls may still write a path, a space separates theirs, the latest first.
    pub files: BTreeMap<String, String>,
    /// The paths of the files that they may still delete.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub deleted: BTreeSet<String>,
}

impl LateFiles {
    /// Whether a call may write this content at `path`.
    fn has(&self, path: &str, sha256: &str) -> bool {
        self.files.get(path).is_some_and(|known| known.split_whitespace().any(|one| one == sha256))
    }
}

/// A change of a plain file: its path, and the SHA-256 of the new content; `None` to delete it.
pub type FileChange<'head> = (&'head str, Option<&'head str>);

/// The first part of a head that is read.
#[derive(Deserialize)]
pub struct HeadFormat {
    #[serde(default)]
    format: u32,
}

impl HeadFormat {
    /// Whether a later version of this program wrote it.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        self.format > FORMAT
    }
}

/// A change of a head.
#[derive(Clone, Debug)]
pub struct HeadChange {
    /// The new state of the skill.
    pub state: HeadState,
    /// The files of the new version, in byte order of their paths. A file that need not be written has its tag.
    pub files: Vec<HeadFile>,
    /// The plain objects that are there.
    pub replaces: BTreeMap<String, ETag>,
    /// The version of the folder as it is.
    pub previous: Option<String>,
    /// Who publishes.
    pub by: Option<String>,
    /// Where the version comes from.
    pub source: Option<String>,
    /// The numbers of the versions, the new one included.
    pub numbers: VersionNumbers,
    /// The draft whose place the skill takes. `None` keeps the draft of a published head before.
    pub took: Option<String>,
    /// The draft that the skill becomes.
    pub draft: Option<Box<SkillDraft>>,
    /// The call, if it may still undo the change.
    pub pending: Option<PendingPublish>,
}

impl HeadChange {
    /// A change after which nothing is published.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            state: HeadState::Deleted,
            files: Vec::new(),
            replaces: BTreeMap::new(),
            previous: None,
            by: None,
            source: None,
            numbers: VersionNumbers::default(),
            took: None,
            draft: None,
            pending: None,
        }
    }
}

impl SkillHead {
    /// The head that follows `before`, not yet materialised.
    #[must_use]
    pub fn after(before: Option<&Self>, skill: &SkillPath, change: HeadChange, now: Timestamp) -> Self {
        let HeadChange { state, files, replaces, previous, by, source, numbers, took, draft, pending } = change;
        let published = before.filter(|head| head.state == HeadState::Published);
        let generation = before.map_or(0, |head| head.generation) + 1;
        let drafts_since = before.map_or(0, |head| head.drafts_since);
        Self {
            format: FORMAT,
            skill: skill.clone(),
            generation,
            state,
            digest: (state == HeadState::Published).then(|| version_digest(files.iter().map(|file| &file.file))),
            previous,
            published_at: now,
            by,
            source,
            created_at: Some(published.map_or(now, Self::since)),
            display_name: published.and_then(|head| head.display_name.clone()),
            numbers,
            took: took.or_else(|| published.and_then(|head| head.took.clone())),
            drafts_since: if draft.is_some() { generation } else { drafts_since },
            drafts_ended_by: None,
            draft: draft.map(|draft| Box::new(draft.at(generation))),
            pending,
            final_calls: before.map(|head| head.final_calls.clone()).unwrap_or_default(),
            undone: before.and_then(|head| head.undone.clone()),
            // A call that has ended writes no more, and the file of another tool may come back at its place.
            late: before.and_then(|head| head.late.clone()).filter(|late| late.until >= now),
            materialised: false,
            files,
            replaces,
            unknown: before.map(|head| head.unknown.clone()).unwrap_or_default(),
        }
    }

    /// The head that follows `before` and ends all drafts, because the call `deletion` deleted one.
    #[must_use]
    pub fn without_drafts(before: &Self, deletion: Option<String>) -> Self {
        let generation = before.generation + 1;
        Self { generation, drafts_since: generation, drafts_ended_by: deletion, draft: None, ..before.clone() }
    }

    /// Whether this head follows `before` and ends the drafts beside it, with no publish between them.
    #[must_use]
    pub fn ends_drafts_of(&self, before: &Self) -> bool {
        let is_next = self.generation == before.generation + 1 && self.drafts_since == self.generation;
        is_next && self.state == HeadState::Deleted && before.state == HeadState::Deleted
    }

    /// The same head if its call can no longer undo it. It takes the place of the draft.
    #[must_use]
    pub fn confirmed(&self) -> Self {
        let drafts_since = if self.pending.is_some() { self.generation } else { self.drafts_since };
        let call = self.pending.iter().map(|pending| pending.call.clone());
        let final_calls = call.chain(self.final_calls.iter().cloned()).take(FINAL_CALLS).collect();
        Self { pending: None, drafts_since, final_calls, ..self.clone() }
    }

    /// The head that undoes this one: nothing is published. `written` are the plain files that the publish left behind.
    #[must_use]
    pub fn undone(&self, written: BTreeMap<String, ETag>, now: Timestamp) -> Self {
        let numbers = self.pending.as_ref().map(|pending| pending.numbers.clone()).unwrap_or_default();
        let change = HeadChange { replaces: written, numbers, ..HeadChange::nothing() };
        let undone = self.pending.as_ref().map(|pending| pending.call.clone());
        let before = Self { took: None, ..self.clone() };
        let head = Self::after(Some(&before), &self.skill, change, now);
        // A list that has ended since the call looked at the folder is still to be looked at.
        Self { materialised: head.replaces.is_empty(), undone, created_at: None, late: self.late.clone(), ..head }
    }

    /// The plain files that the call of this head writes and deletes.
    pub fn changes(&self) -> impl Iterator<Item = FileChange<'_>> {
        let written = self.files.iter().filter(|one| one.etag.is_none());
        let written = written.map(|one| (one.file.path.as_str(), Some(one.file.sha256.as_str())));
        let deleted = self.replaces.keys().filter(|path| self.file(path).is_none());
        written.chain(deleted.map(|path| (path.as_str(), None)))
    }

    /// The same head while several calls may make `changes`. They end no later than `until`.
    #[must_use]
    pub fn expecting<'head>(&self, changes: impl Iterator<Item = FileChange<'head>>, until: Timestamp) -> Self {
        let (files, deleted) = (BTreeMap::new(), BTreeSet::new());
        let mut late = self.late.clone().unwrap_or(LateFiles { until, files, deleted });
        late.until = late.until.max(until);
        for (path, content) in changes {
            match content {
                Some(sha256) if !late.has(path, sha256) => {
                    let known = late.files.remove(path).map(|known| format!(" {known}")).unwrap_or_default();
                    late.files.insert(path.to_owned(), format!("{sha256}{known}"));
                }
                Some(_) => {}
                None => drop(late.deleted.insert(path.to_owned())),
            }
        }
        let is_empty = late.files.is_empty() && late.deleted.is_empty();
        Self { late: (!is_empty).then_some(late), ..self.clone() }
    }

    /// Whether this head names all of `changes` as those of calls that may go on until `until`.
    pub fn expects<'head>(&self, changes: impl Iterator<Item = FileChange<'head>>, until: Timestamp) -> bool {
        let late = self.late.as_ref().filter(|late| late.until >= until);
        let mut changes = changes.peekable();
        changes.peek().is_none()
            || late.is_some_and(|late| {
                changes.all(|(path, content)| match content {
                    Some(sha256) => late.has(path, sha256),
                    None => late.deleted.contains(path),
                })
            })
    }

    /// Whether the list of late changes has ended, and nobody has looked for them yet.
    #[must_use]
    pub fn has_late_changes(&self, now: Timestamp) -> bool {
        self.late.as_ref().is_some_and(|late| late.until < now)
    }

    /// The late changes of other calls, by path, with the SHA-256 of each content. `None` stands for a deletion.
    pub fn late_changes(&self) -> impl Iterator<Item = FileChange<'_>> {
        let late = self.late.iter();
        let written = late.clone().flat_map(|late| &late.files).map(|(path, sha256)| (path.as_str(), Some(&**sha256)));
        let only_deleted = late.flat_map(|late| late.deleted.iter().filter(|path| !late.files.contains_key(*path)));
        written.chain(only_deleted.map(|path| (path.as_str(), None)))
    }

    /// The files that the calls of earlier heads may still write, with their SHA-256. A file of this head is none of them.
    pub fn expected_late_files(&self) -> impl Iterator<Item = (&String, &String)> {
        let late = self.late.as_ref().map(|late| &late.files);
        late.into_iter().flatten().filter(|(path, _)| self.file(path).is_none())
    }

    /// The same head once no call changes a file late any more.
    #[must_use]
    pub fn without_late_changes(&self) -> Self {
        Self { late: None, ..self.clone() }
    }

    /// The same head with these plain files to write again, by path, each over the version that is there.
    #[must_use]
    pub fn restoring(&self, files: &BTreeMap<String, Option<ETag>>) -> Self {
        if files.is_empty() {
            return self.clone();
        }
        let mut head = Self { materialised: false, ..self.clone() };
        for one in head.files.iter_mut().filter(|one| files.contains_key(&one.file.path)) {
            one.etag = None;
        }
        for (path, etag) in files {
            match etag {
                Some(etag) => drop(head.replaces.insert(path.clone(), etag.clone())),
                None => drop(head.replaces.remove(path)),
            }
        }
        head
    }

    /// The same head with more plain files to delete, by path. Any process deletes them, as after every change.
    #[must_use]
    pub fn removing(&self, files: BTreeMap<String, ETag>) -> Self {
        if files.is_empty() {
            return self.clone();
        }
        let replaces = self.replaces.clone().into_iter().chain(files).collect();
        Self { materialised: false, replaces, ..self.clone() }
    }

    /// Whether this head leaves nothing to do for a process that finds it.
    #[must_use]
    pub fn is_settled(&self, now: Timestamp) -> bool {
        self.materialised && self.pending.is_none() && !self.has_late_changes(now)
    }

    /// Whether this publish was undone, and its plain files are not gone yet.
    #[must_use]
    pub fn is_being_undone(&self) -> bool {
        self.state == HeadState::Deleted && !self.materialised && self.previous.is_none()
    }

    /// The head as readers see it: nothing is published before a pending publish is final.
    #[must_use]
    pub fn before_publish(self) -> Self {
        let Some(pending) = &self.pending else { return self };
        let numbers = pending.numbers.clone();
        let (state, files, replaces) = (HeadState::Deleted, Vec::new(), BTreeMap::new());
        Self { state, digest: None, files, replaces, numbers, materialised: true, ..self }
    }

    /// Whether nothing was ever published, no file of a publish is left, and the head only says which drafts do not count.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.state == HeadState::Deleted
            && self.pending.is_none()
            && self.materialised
            && self.late.is_none()
            && self.numbers.is_unused()
            && self.previous.is_none()
    }

    /// Since when the skill is there, as far as that is known.
    #[must_use]
    pub fn since(&self) -> Timestamp {
        self.created_at.unwrap_or(self.published_at)
    }

    /// The same head with the plain files in place. `tags` are theirs by path; a file without one is another tool's now.
    #[must_use]
    pub fn materialised(&self, tags: &BTreeMap<String, ETag>) -> Self {
        let tagged = |one: &HeadFile| HeadFile { etag: tags.get(&one.file.path).cloned(), ..one.clone() };
        let files = self.files.iter().map(tagged).collect();
        Self { materialised: true, files, replaces: BTreeMap::new(), draft: None, ..self.clone() }
    }

    /// Whether a folder holds exactly the files of this head: `folder` gives path and tag of each, in any order.
    #[must_use]
    pub fn matches<'file>(&self, folder: impl Iterator<Item = (&'file str, &'file ETag)>) -> bool {
        let mut count = 0;
        for (path, etag) in folder {
            count += 1;
            let known = self.file(path).and_then(|file| file.etag.as_ref());
            if known != Some(etag) {
                return false;
            }
        }
        count == self.files.len()
    }

    /// The fingerprint of a folder that holds exactly the files of this head; `None` if no folder is known to.
    #[must_use]
    pub fn fingerprint(&self) -> Option<Fingerprint> {
        if !self.materialised || self.state != HeadState::Published {
            return None;
        }
        let mut fingerprint = Fingerprinter::default();
        for one in &self.files {
            fingerprint.add(&one.file.path, one.etag.as_ref()?);
        }
        Some(fingerprint.finish())
    }

    /// The file at `path`.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&HeadFile> {
        let at = self.files.binary_search_by(|one| one.file.path.as_str().cmp(path)).ok()?;
        self.files.get(at)
    }

    /// Checks the rules that the format does not enforce. `skill` is the skill whose head was read.
    ///
    /// # Errors
    /// Why this is no head of `skill`.
    pub fn check(&self, skill: &SkillPath) -> Result<(), &'static str> {
        let is_path = |path: &str| KeyPrefix::all().key(path).is_ok();
        let is_file = |one: &HeadFile| is_sha256(&one.file.sha256) && is_path(&one.file.path);
        let digest = version_digest(self.files.iter().map(|one| &one.file));
        let is_named = match self.state {
            HeadState::Published => self.digest.as_ref() == Some(&digest),
            HeadState::Deleted => self.digest.is_none() && self.files.is_empty(),
        };
        let late = self.late.iter().flat_map(|late| late.files.keys().chain(&late.deleted));
        match () {
            () if self.format != FORMAT => Err("its format has no such number"),
            () if self.skill != *skill => Err("it is the head of another skill"),
            () if self.generation == 0 => Err("it counts no change"),
            () if self.files.len() > SKILL_FILES => Err("it has too many files"),
            () if !self.files.is_sorted_by(|one, two| one.file.path < two.file.path) => {
                Err("its files are out of order")
            }
            () if !self.files.iter().all(is_file) => Err("a file of it has no such path or digest"),
            () if !self.replaces.keys().chain(late).all(|path| is_path(path)) => Err("a path in it is none"),
            () if !is_named => Err("its digest is not that of its files"),
            () if self.draft.as_ref().is_some_and(|draft| draft.skill != *skill) => {
                Err("its draft is of another skill")
            }
            () if !self.numbers.is_sound() => Err("its numbers are none"),
            () if self.previous.as_ref().is_some_and(|text| !is_version_digest(text)) => Err("its predecessor is none"),
            () => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill(text: &str) -> SkillPath {
        SkillPath::parse(text).unwrap()
    }

    fn head() -> SkillHead {
        let file = |path: &str| HeadFile::from(VersionFile::from_bytes(path, b"x"));
        let change = HeadChange {
            state: HeadState::Published,
            files: vec![file("SKILL.md"), file("a/b.md")],
            replaces: BTreeMap::from([("SKILL.md".to_owned(), ETag::new("old"))]),
            previous: None,
            by: Some("k".into()),
            source: None,
            numbers: VersionNumbers::default(),
            took: None,
            draft: None,
            pending: None,
        };
        SkillHead::after(None, &skill("a/s"), change, Timestamp::UNIX_EPOCH)
    }

    #[test]
    fn files_of_an_earlier_call_are_late_once_it_has_ended() {
        let at = |seconds| Timestamp::from_second(seconds).unwrap();
        let settled = head().expecting(head().changes(), at(300));
        assert_eq!(settled.expected_late_files().count(), 0, "the head has these files");
        let done = settled.materialised(&BTreeMap::new());
        assert!(done.is_settled(at(300)) && !done.is_settled(at(301)));
        let deleted = SkillHead::after(Some(&settled), &skill("a/s"), HeadChange::nothing(), at(10));
        let deleted = deleted.materialised(&BTreeMap::new());
        assert!(deleted.is_settled(at(300)) && !deleted.is_settled(at(301)));
        assert_eq!(SkillHead::after(Some(&deleted), &skill("a/s"), HeadChange::nothing(), at(301)).late, None);
        let late: Vec<_> = deleted.expected_late_files().map(|(path, _)| path.as_str()).collect();
        assert_eq!(late, ["SKILL.md", "a/b.md"]);
        assert!(deleted.without_late_changes().is_settled(at(301)));
        let removing = deleted.removing(BTreeMap::from([("late.md".to_owned(), ETag::new("late"))]));
        assert!(!removing.is_settled(at(300)) && removing.replaces.contains_key("late.md"));
        assert_eq!(deleted.removing(BTreeMap::new()), deleted);
        let undone = settled.undone(BTreeMap::new(), at(301));
        assert_eq!(undone.late, settled.late, "nobody has looked at a list that ended during the call");
        // A later call may have written other content to the same path.
        let mut other = settled.clone();
        other.files[0].file.sha256 = "f".repeat(64);
        let late = other.expecting(other.changes(), at(301)).late.unwrap().files;
        assert_eq!(late["SKILL.md"], format!("{} {}", "f".repeat(64), head().files[0].file.sha256));
        assert_eq!(late["a/b.md"], head().files[1].file.sha256, "the same content is there once");
        let mut outside = deleted;
        outside.late.as_mut().unwrap().files.insert("../x".to_owned(), "0".repeat(64));
        assert!(outside.check(&skill("a/s")).is_err());
    }

    #[test]
    fn a_file_that_a_slow_call_deletes_or_replaces_is_written_again() {
        let until = Timestamp::from_second(600).unwrap();
        let head = SkillHead { replaces: BTreeMap::from([("old.md".to_owned(), ETag::new("o"))]), ..head() };
        assert!(!head.expects(head.changes(), until) && head.expects(std::iter::empty(), until));
        let expecting = head.expecting(head.changes(), until);
        assert!(expecting.expects(head.changes(), until));
        assert!(!expecting.expects(head.changes(), Timestamp::from_second(601).unwrap()), "the list ends earlier");
        assert!(!expecting.expects(std::iter::once(("a/b.md", None)), until), "it is written, and not deleted");
        let late: Vec<_> = expecting.late_changes().map(|(path, content)| (path, content.is_some())).collect();
        assert_eq!(late, [("SKILL.md", true), ("a/b.md", true), ("old.md", false)]);
        let tags = ["SKILL.md", "a/b.md"].map(|path| (path.to_owned(), ETag::new(path)));
        let done = expecting.materialised(&tags.into());
        assert_eq!(done.restoring(&BTreeMap::new()), done);
        let there = [("SKILL.md".to_owned(), None), ("a/b.md".to_owned(), Some(ETag::new("late")))];
        let restoring = done.restoring(&there.into());
        assert!(!restoring.materialised && restoring.files.iter().all(|one| one.etag.is_none()));
        assert_eq!(restoring.replaces, BTreeMap::from([("a/b.md".to_owned(), ETag::new("late"))]));
    }

    // S-PUBLISH-12: Heads and versions carry the number of their format, and the service refuses a newer format in
    // words that say so.
    #[test]
    fn a_head_in_the_bucket_looks_like_this() {
        let digest = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
        let expected = format!(
            r#"{{"format":1,"skill":"a/s","generation":1,"state":"published","digest":"{}","published_at":"1970-01-01T00:00:00Z","by":"k","created_at":"1970-01-01T00:00:00Z","materialised":false,"files":[{{"path":"SKILL.md","size":1,"sha256":"{digest}"}},{{"path":"a/b.md","size":1,"sha256":"{digest}"}}],"replaces":{{"SKILL.md":"old"}}}}"#,
            head().digest.unwrap()
        );
        let written = serde_json::to_string(&head()).unwrap();
        assert_eq!(written, expected);
        let read: SkillHead = serde_json::from_str(&written.replace("\"by\"", "\"later\":7,\"by\"")).unwrap();
        assert_eq!(serde_json::to_value(&read).unwrap()["later"], 7, "a member of a later version is kept");
        assert_eq!(SkillHead { unknown: UnknownMembers::default(), ..read.clone() }, head());
        assert!(read.check(&skill("a/s")).is_ok());
        let newer: HeadFormat = serde_json::from_str(r#"{"format":2,"files":7}"#).unwrap();
        assert!(newer.is_newer());
    }

    #[test]
    fn a_head_that_claims_something_else_is_found_out() {
        let good = head();
        let swapped = good.files.iter().rev().cloned().collect();
        let bad = [
            SkillHead { format: 2, ..good.clone() },
            SkillHead { generation: 0, ..good.clone() },
            SkillHead { digest: None, ..good.clone() },
            SkillHead { state: HeadState::Deleted, ..good.clone() },
            SkillHead { files: swapped, ..good.clone() },
            SkillHead { files: Vec::new(), ..good.clone() },
            SkillHead { previous: Some("sha256:1".into()), ..good.clone() },
            SkillHead { replaces: BTreeMap::from([("../x".to_owned(), ETag::new("e"))]), ..good.clone() },
        ];
        for head in bad {
            assert!(head.check(&skill("a/s")).is_err(), "{head:?}");
        }
        assert!(good.check(&skill("a/t")).is_err());
    }

    #[test]
    fn a_pending_publish_is_not_there_until_it_is_confirmed() {
        let call = PendingPublish {
            call: "c1".into(),
            at: Timestamp::UNIX_EPOCH,
            draft: Some(ETag::new("d")),
            is_exact: true,
            numbers: VersionNumbers::default(),
        };
        let pending = SkillHead { pending: Some(call), ..head() };
        let read: SkillHead = serde_json::from_str(&serde_json::to_string(&pending).unwrap()).unwrap();
        assert_eq!(read, pending);
        let before = pending.clone().before_publish();
        assert_eq!((before.state, before.digest, before.drafts_since), (HeadState::Deleted, None, 0));
        let confirmed = pending.confirmed();
        assert_eq!(confirmed, SkillHead { drafts_since: 1, final_calls: vec!["c1".to_owned()], ..head() });
        let next = SkillHead::after(Some(&confirmed), &skill("a/s"), HeadChange::nothing(), Timestamp::UNIX_EPOCH);
        assert_eq!(next.final_calls, ["c1"], "the call learns it from a later head");
        let undone = pending.undone(BTreeMap::from([("SKILL.md".to_owned(), ETag::new("w"))]), Timestamp::UNIX_EPOCH);
        assert_eq!((undone.generation, undone.undone.as_deref(), undone.materialised), (2, Some("c1"), false));
        assert!(!undone.is_blank() && undone.is_being_undone(), "a plain file is left");
        assert!(undone.pending.is_none() && undone.check(&skill("a/s")).is_ok());
        let gone = undone.materialised(&BTreeMap::new());
        assert!(gone.is_blank() && !gone.is_being_undone());
        assert!(pending.undone(BTreeMap::new(), Timestamp::UNIX_EPOCH).materialised, "no file is left");
    }

    #[test]
    fn a_folder_matches_only_file_by_file() {
        let tags: BTreeMap<_, _> =
            [("SKILL.md", "1"), ("a/b.md", "2")].map(|(path, tag)| (path.to_owned(), ETag::new(tag))).into();
        let head = head().materialised(&tags);
        assert!(head.materialised && head.replaces.is_empty());
        let matches = |folder: &[(&str, &str)]| {
            let folder: Vec<_> = folder.iter().map(|(path, tag)| (*path, ETag::new(tag))).collect();
            head.matches(folder.iter().map(|(path, tag)| (*path, tag)))
        };
        assert!(matches(&[("a/b.md", "2"), ("SKILL.md", "1")]));
        assert!(!matches(&[("SKILL.md", "1")]) && !matches(&[("SKILL.md", "1"), ("a/b.md", "3")]));
        assert!(!matches(&[("SKILL.md", "1"), ("a/b.md", "2"), ("c", "3")]));
        let mut folder = Fingerprinter::default();
        for (path, tag) in &tags {
            folder.add(path, tag);
        }
        assert_eq!(head.fingerprint(), Some(folder.finish()));
        assert_eq!(head.materialised(&BTreeMap::new()).fingerprint(), None);
    }
}
