//! Reading a user's skills from the bucket: one listing, then the head of each SKILL.md that is new.
//!
//! A listing names every version, so what was read before under the same `ETag` is not read again. A catalog is whole or
//! it is an error: a store that fails half-way never makes skills disappear.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{
    entry::{CatalogDiagnostic, CatalogEntry, CatalogView, Layer},
    layout::{Folder, Layout},
};
use crate::{
    clock::Clock,
    error::Result,
    limits::{LIST_OBJECTS, PARALLEL_GETS, SKILL_HEAD_BYTES},
    path::{ETag, SkillPath, UserSpace},
    skill::{self, Diagnostic},
    store::{GetOptions, Store, StoreError, StoreExt as _},
};

/// A catalog with what its next reading can reuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    view: Arc<CatalogView>,
    readings: Arc<Readings>,
}

/// All that was read, apart from when.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Readings {
    /// In byte order of their skills.
    pub(super) records: Vec<Record>,
    /// What was found that belongs to no record.
    pub(super) others: Vec<CatalogDiagnostic>,
    pub(super) unnameable_keys: usize,
}

/// What one SKILL.md said when it was read, skills left out of the catalog included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) skill: SkillPath,
    pub(super) etag: ETag,
    pub(super) entry: Option<Arc<CatalogEntry>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Discovery {
    /// The catalog that these readings make.
    pub(super) fn new(readings: Readings, as_of: Timestamp) -> Self {
        let entries: Vec<_> = readings.records.iter().filter_map(|record| record.entry.clone()).collect();
        let mut diagnostics = readings.others.clone();
        for Record { skill, diagnostics: own, .. } in &readings.records {
            let own = own.iter().cloned();
            diagnostics.extend(own.map(|diagnostic| CatalogDiagnostic { skill: skill.to_string(), diagnostic }));
        }
        diagnostics.extend(duplicates(&entries));
        diagnostics.sort_by(|one, two| one.skill.cmp(&two.skill));
        let view = CatalogView { entries, diagnostics, unnameable_keys: readings.unnameable_keys, as_of };
        Self { view: Arc::new(view), readings: Arc::new(readings) }
    }

    /// The catalog.
    #[must_use]
    pub fn view(&self) -> &Arc<CatalogView> {
        &self.view
    }

    /// Whether there is nothing at all to tell.
    pub(super) fn is_empty(&self) -> bool {
        let Readings { records, others, unnameable_keys } = &*self.readings;
        records.is_empty() && others.is_empty() && *unnameable_keys == 0
    }

    pub(super) fn readings(&self) -> &Arc<Readings> {
        &self.readings
    }

    fn record(&self, skill: &SkillPath) -> Option<&Record> {
        let records = &self.readings.records;
        let at = records.binary_search_by(|record| record.skill.cmp(skill)).ok()?;
        records.get(at)
    }
}

/// Reads the catalog of the user whose part of the bucket is `space`: `ceil(files / 1000)` LIST and one ranged GET for
/// each SKILL.md that `previous` does not know in that version, 64 at a time. A SKILL.md that goes away between the two
/// is left out, as if the listing had come later.
///
/// # Errors
/// `store_unavailable` where any request but for a vanished file fails; `invalid_path` where the user's keys would be too
/// long.
pub async fn discover(
    store: &dyn Store,
    space: &UserSpace,
    clock: &dyn Clock,
    previous: Option<&Discovery>,
) -> Result<Discovery> {
    Survey::of(store, Layer::User, space, clock).await?.read(store, previous).await
}

/// A listing that was made and is yet to be read.
#[derive(Debug)]
pub(super) struct Survey {
    layer: Layer,
    layout: Layout,
    as_of: Timestamp,
}

impl Survey {
    /// Lists the skills of a layer, which lies in `space`.
    pub(super) async fn of(store: &dyn Store, layer: Layer, space: &UserSpace, clock: &dyn Clock) -> Result<Self> {
        let as_of = clock.now();
        let skills = space.skills()?;
        let (listed, cut) = store.list_all(&skills, LIST_OBJECTS).await?;
        let mut layout = Layout::of(&skills, &listed);
        if cut {
            layout.diagnostics.push(cut_short());
        }
        Ok(Self { layer, layout, as_of })
    }

    /// Reads what `previous` does not know.
    pub(super) async fn read(self, store: &dyn Store, previous: Option<&Discovery>) -> Result<Discovery> {
        let Layout { folders, diagnostics: others, unnameable_keys } = self.layout;
        let mut records = Vec::with_capacity(folders.len());
        let mut unread = Vec::new();
        for folder in folders {
            let known = previous.and_then(|previous| previous.record(&folder.skill));
            match known.filter(|known| known.etag == folder.etag) {
                Some(known) => records.push(reused(known, &folder)),
                None => unread.push(read(store, self.layer, folder)),
            }
        }
        let read: Vec<_> = stream::iter(unread).buffer_unordered(PARALLEL_GETS).try_collect().await?;
        records.extend(read.into_iter().flatten());
        records.sort_by(|one, two| one.skill.cmp(&two.skill));
        Ok(Discovery::new(Readings { records, others, unnameable_keys }, self.as_of))
    }
}

/// Reads the head of one SKILL.md; `None` where it has gone since the listing.
async fn read(store: &dyn Store, layer: Layer, folder: Folder) -> Result<Option<Record>, StoreError> {
    if folder.head_size == 0 {
        return Ok(Some(record(&folder, layer, folder.etag.clone(), &Bytes::new())));
    }
    match store.get(&folder.head, GetOptions::range(0..SKILL_HEAD_BYTES)).await {
        Ok(object) => Ok(Some(record(&folder, layer, object.meta.etag, &object.bytes))),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error),
    }
}

fn record(folder: &Folder, layer: Layer, etag: ETag, bytes: &[u8]) -> Record {
    let (head, diagnostics) = skill::read_head(bytes, folder.skill.folder());
    let entry = head.map(|head| {
        Arc::new(CatalogEntry {
            skill: folder.skill.clone(),
            layer,
            frontmatter: head.frontmatter,
            opening: head.opening,
            headings: head.headings,
            etag: etag.clone(),
            files: folder.files,
            size: folder.size,
            updated_at: folder.updated_at,
            shadows: Vec::new(),
        })
    });
    Record { skill: folder.skill.clone(), etag, entry, diagnostics }
}

/// What is known of an unchanged SKILL.md, in a folder whose other files may have changed.
fn reused(known: &Record, folder: &Folder) -> Record {
    let mut record = known.clone();
    if let Some(entry) = &mut record.entry
        && (entry.files, entry.size, entry.updated_at) != (folder.files, folder.size, folder.updated_at)
    {
        let CatalogEntry { files, size, updated_at, .. } = Arc::make_mut(entry);
        (*files, *size, *updated_at) = (folder.files, folder.size, folder.updated_at);
    }
    record
}

fn cut_short() -> CatalogDiagnostic {
    let message = format!(
        "there are more than {LIST_OBJECTS} files below skills/: what follows in the order of keys was not looked at; \
         move some skills to another user"
    );
    CatalogDiagnostic { skill: String::new(), diagnostic: Diagnostic::error("too_many_files", message) }
}

/// A warning on each of several skills that answer to one name, or would be mounted at one place.
pub(super) fn duplicates(entries: &[Arc<CatalogEntry>]) -> Vec<CatalogDiagnostic> {
    let by_mount = shared(entries, |entry| entry.skill.folder());
    let by_name = shared(entries, |entry| entry.name());
    let warn = |skill: &SkillPath, code: &str, message: String| CatalogDiagnostic {
        skill: skill.to_string(),
        diagnostic: Diagnostic::warning(code, message),
    };
    let mut found = Vec::new();
    for (name, skills) in &by_mount {
        for skill in skills {
            let message = format!(
                "{} would be mounted as {name} too; the second to be loaded needs mount_as",
                rest(skill, skills)
            );
            found.push(warn(skill, "duplicate_mount_name", message));
        }
    }
    for (name, skills) in by_name {
        for skill in &skills {
            let message = format!("{} is named {name:?} too; load it by its path", rest(skill, &skills));
            found.push(warn(skill, "duplicate_name", message));
        }
    }
    found
}

/// The skills that share a value of `key` with others, by that value.
fn shared<'entry>(
    entries: &'entry [Arc<CatalogEntry>],
    key: impl Fn(&'entry CatalogEntry) -> &'entry str,
) -> BTreeMap<&'entry str, Vec<&'entry SkillPath>> {
    let mut groups: HashMap<&str, Vec<&SkillPath>> = HashMap::new();
    for entry in entries {
        groups.entry(key(entry)).or_default().push(&entry.skill);
    }
    groups.into_iter().filter(|(_, skills)| skills.len() > 1).collect()
}

/// One of `skills` other than `skill`, and how many more there are.
fn rest(skill: &SkillPath, skills: &[&SkillPath]) -> String {
    let other = skills.iter().find(|other| **other != skill).map_or("another skill", |other| other.as_str());
    match skills.len() {
        0..=2 => other.to_owned(),
        many => format!("{other} (and {} more)", many - 2),
    }
}
