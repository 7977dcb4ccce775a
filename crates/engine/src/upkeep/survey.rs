//! One owner's objects, sorted by purpose, and the findings on them.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::{
    context::Core,
    error::Result,
    limits::{LIST_OBJECTS, ORPHAN_AGE},
    path::{ObjectKey, ObjectKind, SkillPath, UserSpace},
    store::{ListEntry, StoreError, StoreExt as _},
    wire::{FindingCode, FsckFinding},
};

/// The message about a prefix with more objects than a check looks at.
pub(super) fn too_many() -> String {
    format!("there are more than {LIST_OBJECTS} objects")
}

/// One owner's objects.
#[derive(Debug)]
pub(super) struct OwnerObjects {
    /// Whose, in findings.
    pub(super) owner: String,
    pub(super) space: UserSpace,
    pub(super) now: Timestamp,
    pub(super) repair: bool,
    /// All objects in byte order, by the part of the key that follows the owner's prefix.
    pub(super) objects: BTreeMap<String, ListEntry>,
    pub(super) findings: Vec<FsckFinding>,
}

impl OwnerObjects {
    /// Lists everything of one owner.
    pub(super) async fn read(core: &Core, owner: String, space: UserSpace, repair: bool) -> Result<Self> {
        let (entries, has_more) = core.store().list_all(space.root(), LIST_OBJECTS).await?;
        let mut survey = Self {
            owner,
            now: core.clock().now(),
            // If the listing is cut, the objects that use another may be missing from it.
            repair: repair && !has_more,
            objects: BTreeMap::new(),
            findings: Vec::new(),
            space,
        };
        if has_more {
            let root = survey.space.root().to_string();
            survey.find(FindingCode::TooManyObjects, root, too_many());
        }
        for entry in entries {
            let root = survey.space.root();
            if root.admit(&entry.key).is_none() {
                let key = entry.key.clone();
                survey.find(
                    FindingCode::UnnameableKey,
                    key,
                    "its key has an empty segment, or one that no path may have",
                );
                continue;
            }
            let relative = root.relative(&entry.key).unwrap_or_default().to_owned();
            if ObjectKind::classify(&relative, core.templates()) == ObjectKind::Unknown {
                let detail = "this version does not know what it is for";
                survey.find(FindingCode::UnknownObject, entry.key.clone(), detail);
            }
            survey.objects.insert(relative, entry);
        }
        Ok(survey)
    }

    /// Notes a finding.
    pub(super) fn find(&mut self, code: FindingCode, key: impl Into<String>, detail: impl Into<String>) {
        self.findings.push(FsckFinding::new(Some(&self.owner), code, key, detail));
    }

    /// Notes a finding, and whether it was repaired.
    pub(super) fn find_repaired(&mut self, code: FindingCode, key: &str, detail: impl Into<String>, repaired: bool) {
        let found = FsckFinding::new(Some(&self.owner), code, key, detail);
        self.findings.push(FsckFinding { repaired, ..found });
    }

    /// The objects of the core whose names begin with `area` (`heads/`), by the rest of the name.
    pub(super) fn of_area(&self, area: &str) -> Vec<(String, ListEntry)> {
        let prefix = format!(".skillmount/{area}");
        let from = self.objects.range(prefix.clone()..);
        let within = from.map_while(|(name, entry)| Some((name.strip_prefix(&prefix)?.to_owned(), entry.clone())));
        within.collect()
    }

    /// Whether there is no object of this key, neither in the listing nor now. The object that names the key may be younger than
    /// the listing.
    pub(super) async fn is_missing(&self, core: &Core, key: &ObjectKey) -> Result<bool> {
        let relative = self.space.root().relative(key.as_str());
        if relative.is_some_and(|relative| self.objects.contains_key(relative)) {
            return Ok(false);
        }
        match core.store().head(key).await {
            Ok(_) => Ok(false),
            Err(StoreError::NotFound) => Ok(true),
            Err(error) => Err(error.into()),
        }
    }

    /// The objects of the folder of a skill.
    pub(super) fn folder(&self, skill: &SkillPath) -> Vec<ListEntry> {
        let prefix = format!("skills/{skill}/");
        let from = self.objects.range(prefix.clone()..);
        from.take_while(|(name, _)| name.starts_with(&prefix)).map(|(_, entry)| entry.clone()).collect()
    }

    /// The skills that have anything in `area`, whose objects `skill_of` names.
    pub(super) fn skills_in(&self, area: &str, skill_of: impl Fn(&str) -> Option<SkillPath>) -> BTreeSet<SkillPath> {
        self.of_area(area).iter().filter_map(|(name, _)| skill_of(name)).collect()
    }

    /// Whether an unused object may go: no process is about to use an object that has lain there for a day.
    pub(super) fn is_old(&self, entry: &ListEntry) -> bool {
        self.is_older(entry.modified_at)
    }

    /// As [`is_old`](Self::is_old), for an object that was changed at `modified_at`.
    pub(super) fn is_older(&self, modified_at: Timestamp) -> bool {
        self.now.duration_since(modified_at) >= ORPHAN_AGE
    }

    /// Whether what began then is not just under way.
    pub(super) fn is_settled(&self, began: Timestamp) -> bool {
        self.now.duration_since(began) >= SignedDuration::from_mins(5)
    }

    /// Deletes an object that can be rebuilt or is unused. Deletes only the listed version if the store can do that. Returns
    /// false if the object is another by now.
    pub(super) async fn delete(&self, core: &Core, key: &ObjectKey, entry: &ListEntry) -> Result<bool> {
        let store = core.store();
        core.check_writable()?;
        match store.delete_version(key, &entry.etag).await {
            Ok(()) | Err(StoreError::NotFound) => Ok(true),
            Err(StoreError::PreconditionFailed) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}
