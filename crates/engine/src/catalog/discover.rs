//! Reading a user's skills from the bucket: one listing, then the head of each SKILL.md that is new.
//!
//! A listing has every version, so a SKILL.md with a known `ETag` is not read again. A catalog is whole except for
//! single unreadable files, each of which gets a diagnostic; otherwise the reading is an error. A store that fails
//! half-way never makes skills disappear.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use super::{
    duplicates::duplicates,
    entry::{CatalogDiagnostic, CatalogEntry},
    layout::{FolderListing, SkillFolders},
    unreadable::{Unreadable, failure_of_the_store},
    view::CatalogView,
};
use crate::{
    clock::Clock,
    error::Result,
    limits::{LIST_OBJECTS, OPERATION_TIMEOUT, PARALLEL_GETS, SKILL_HEAD_BYTES},
    path::{ETag, Layer, SkillPath, UserSpace},
    skill::{self, Diagnostic, FindingCode},
    store::{GetOptions, Store, StoreError, StoreExt as _},
};

/// A catalog with the records that its next reading can reuse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    view: Arc<CatalogView>,
    readings: Arc<RawReading>,
}

/// The content of a reading, without its time.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RawReading {
    /// In byte order of their skills.
    pub(super) records: Vec<Record>,
    /// Diagnostics that belong to no record.
    pub(super) others: Vec<CatalogDiagnostic>,
    pub(super) unnameable_keys: usize,
    /// Whether an earlier version read them, which kept less of each file. The next reading reads every file again.
    #[serde(skip)]
    pub(super) is_earlier: bool,
}

/// The content of one SKILL.md, even if the catalog leaves its skill out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) skill: SkillPath,
    pub(super) etag: ETag,
    pub(super) entry: Option<Arc<CatalogEntry>>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Discovery {
    /// The catalog of these readings. Unreadable files are reported once and not remembered, so the next reading tries
    /// them again.
    pub(super) fn new(readings: RawReading, unreadable: Vec<CatalogDiagnostic>, as_of: Timestamp) -> Self {
        let entries: Vec<_> = readings.records.iter().filter_map(|record| record.entry.clone()).collect();
        let mut diagnostics = readings.others.clone();
        for Record { skill, diagnostics: own, .. } in &readings.records {
            let own = own.iter().cloned();
            diagnostics.extend(own.map(|diagnostic| CatalogDiagnostic { skill: skill.to_string(), diagnostic }));
        }
        diagnostics.extend(unreadable);
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

    /// Whether the layer is empty.
    pub(super) fn is_empty(&self) -> bool {
        let RawReading { records, others, unnameable_keys, .. } = &*self.readings;
        records.is_empty() && others.is_empty() && *unnameable_keys == 0
    }

    pub(super) fn readings(&self) -> &Arc<RawReading> {
        &self.readings
    }

    /// The record of a skill; `None` if there is no record or an earlier version made it.
    fn record(&self, skill: &SkillPath) -> Option<&Record> {
        let records = if self.readings.is_earlier { return None } else { &self.readings.records };
        let at = records.binary_search_by(|record| record.skill.cmp(skill)).ok()?;
        records.get(at)
    }
}

/// Reads the catalog of the user whose part of the bucket is `space`. It takes `ceil(files / 1000)` LIST and one ranged
/// GET for each SKILL.md whose version is not in `previous`, 64 at a time. An unreadable SKILL.md leaves its skill out,
/// with the diagnostic `unreadable`.
///
/// # Errors
/// `store_unavailable` if a listing fails, if reads of half of the skills or more fail with transient errors, or if all
/// of several skills are denied. `invalid_path` if the user's keys would be too long.
pub async fn discover(
    store: &dyn Store,
    space: &UserSpace,
    clock: &dyn Clock,
    previous: Option<&Discovery>,
) -> Result<Discovery> {
    PendingListing::list(store, Layer::User, space, clock).await?.read(store, previous).await
}

/// A listing whose files are not read yet.
#[derive(Debug)]
pub(super) struct PendingListing {
    layer: Layer,
    layout: SkillFolders,
    as_of: Timestamp,
}

impl PendingListing {
    /// Lists the skills of a layer in `space`.
    pub(super) async fn list(store: &dyn Store, layer: Layer, space: &UserSpace, clock: &dyn Clock) -> Result<Self> {
        let as_of = clock.now();
        let skills = space.skills()?;
        let (listed, cut) = store.list_all(&skills, LIST_OBJECTS).await?;
        let mut layout = SkillFolders::from_listing(&skills, &listed);
        if cut {
            layout.diagnostics.push(cut_short());
        }
        Ok(Self { layer, layout, as_of })
    }

    /// Reads each SKILL.md that is not in `previous`.
    pub(super) async fn read(self, store: &dyn Store, previous: Option<&Discovery>) -> Result<Discovery> {
        let SkillFolders { folders, diagnostics: others, unnameable_keys } = self.layout;
        let mut records = Vec::with_capacity(folders.len());
        let mut unread = Vec::new();
        for folder in folders {
            let known = previous.and_then(|previous| previous.record(&folder.skill));
            match known.filter(|known| known.etag == folder.etag) {
                Some(known) => records.push(reused(known, &folder)),
                None => unread.push(read(store, self.layer, folder)),
            }
        }
        let mut unreadable = Vec::new();
        let mut reading = stream::iter(unread).buffer_unordered(PARALLEL_GETS);
        while let Some(read) = reading.next().await {
            match read {
                Ok(record) => records.push(record),
                Err(failed) => unreadable.push(failed),
            }
        }
        if let Some(failure) = failure_of_the_store(&unreadable, records.len() + unreadable.len()) {
            return Err(failure.clone().into());
        }
        records.sort_by(|one, two| one.skill.cmp(&two.skill));
        let unreadable = unreadable.iter().map(|failed| diagnose_unreadable(failed, previous)).collect();
        Ok(Discovery::new(RawReading { records, others, unnameable_keys, is_earlier: false }, unreadable, self.as_of))
    }
}

/// Reads the head of one SKILL.md.
async fn read(store: &dyn Store, layer: Layer, folder: FolderListing) -> Result<Record, Unreadable> {
    if folder.head_size == 0 {
        return Ok(record(&folder, layer, folder.etag.clone(), &Bytes::new()));
    }
    let head = store.get(&folder.head, GetOptions::range(0..SKILL_HEAD_BYTES));
    // A store may have no deadline of its own, and one file must not delay the others.
    let head = timeout(OPERATION_TIMEOUT, head).await.unwrap_or_else(|late| Err(StoreError::not_applied(late)));
    match head {
        Ok(object) => Ok(record(&folder, layer, object.meta.etag, &object.bytes)),
        Err(error) => Err(Unreadable { skill: folder.skill, key: folder.head, error }),
    }
}

/// The diagnostic of an unreadable skill. The log names it if it is new.
fn diagnose_unreadable(failed: &Unreadable, previous: Option<&Discovery>) -> CatalogDiagnostic {
    let found = failed.diagnostic();
    let known = previous.map(|previous| previous.view.diagnostics.as_slice()).unwrap_or_default();
    if !known.iter().any(|one| one.skill == found.skill && one.diagnostic.code == FindingCode::Unreadable.as_str()) {
        let Unreadable { skill, key, error } = failed;
        tracing::warn!(%skill, %key, %error, "the SKILL.md of a skill cannot be read");
    }
    found
}

fn record(folder: &FolderListing, layer: Layer, etag: ETag, bytes: &[u8]) -> Record {
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
            fingerprint: Some(folder.fingerprint.clone()),
            shadows: Vec::new(),
        })
    });
    Record { skill: folder.skill.clone(), etag, entry, diagnostics }
}

/// The record of an unchanged SKILL.md. The other files of its folder may have changed.
fn reused(known: &Record, folder: &FolderListing) -> Record {
    let mut record = known.clone();
    if let Some(entry) = &mut record.entry
        && ((entry.files, entry.size, entry.updated_at) != (folder.files, folder.size, folder.updated_at)
            || entry.fingerprint.as_ref() != Some(&folder.fingerprint))
    {
        let CatalogEntry { files, size, updated_at, fingerprint, .. } = Arc::make_mut(entry);
        (*files, *size, *updated_at) = (folder.files, folder.size, folder.updated_at);
        *fingerprint = Some(folder.fingerprint.clone());
    }
    record
}

fn cut_short() -> CatalogDiagnostic {
    let message = format!(
        "there are more than {LIST_OBJECTS} files below skills/: what follows in the order of keys was not looked at; \
         move some skills to another user"
    );
    CatalogDiagnostic { skill: String::new(), diagnostic: Diagnostic::new(FindingCode::TooManyFiles, message) }
}
