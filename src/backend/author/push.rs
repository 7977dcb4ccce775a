//! New versions of skills on their way into the store.

use std::{borrow::Cow, collections::BTreeMap};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::fetch;
use crate::{
    backend::Service,
    error::{Code, Error, Result},
    limits::{LIST_OBJECTS, PARALLEL_TRANSFERS, SKILL_FILES},
    path::{Id, KeyPrefix, ObjectKey, SkillPath},
    skill::MAIN,
    store::{Base, DeleteOptions, ListEntry, Metadata, StoreError, StoreExt as _},
    wire::{FileChange, FileChanges},
};

/// The files of one skill as its author has them.
#[async_trait]
pub trait SkillSource: Send + Sync {
    /// The paths of all files below the skill's folder, with `/`.
    fn paths(&self) -> Vec<&str>;

    /// The bytes of one of them. A push asks twice, because a whole skill may be more than memory should hold.
    ///
    /// # Errors
    /// Why there are none.
    async fn read(&self, path: &str) -> Result<Bytes>;
}

/// What the store has where skills are about to be pushed.
#[derive(Clone, Debug)]
pub struct PushListing {
    /// In byte order of the keys; `None` if there are too many to be listed at once.
    entries: Option<Vec<ListEntry>>,
}

/// What a push is about to do with each file of one skill.
#[derive(Clone, Debug)]
pub struct PushPlan {
    steps: Vec<Step>,
}

/// What to do with one file.
#[derive(Clone, Debug)]
struct Step {
    path: String,
    key: ObjectKey,
    change: FileChange,
    /// The version that it replaces or deletes.
    base: Base,
}

impl PushPlan {
    /// The files by what becomes of them, in the order of the source; those that only the store has come last.
    #[must_use]
    pub fn changes(&self) -> FileChanges {
        self.steps.iter().map(|step| (step.path.as_str(), step.change)).collect()
    }

    /// How many files are sent or deleted.
    #[must_use]
    pub fn due(&self) -> usize {
        self.due_steps().count()
    }

    fn due_steps(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| step.change.is_change())
    }
}

impl Service {
    /// Lists what the store has of `skills`: the folder of a single one, else all skills of the user at once.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_for_push(&self, user: &Id, skills: &[SkillPath]) -> Result<PushListing> {
        let space = self.namespace().user(user)?;
        let prefix = match skills {
            [one] => space.skill(one)?,
            _ => space.skills()?,
        };
        let (entries, more) = self.store().list_all(&prefix, LIST_OBJECTS).await?;
        Ok(PushListing { entries: (!more).then_some(entries) })
    }

    /// Compares `source` with what the store has of the user's skill `skill`, and changes nothing. `listing` is of
    /// skills that this one is among. With `delete`, files that only the store has are to be deleted.
    ///
    /// # Errors
    /// Those of `source`; `file_too_large` if the stored skill has too many files; `invalid_path` for a path that no key may
    /// have; the store's.
    pub async fn plan_push(
        &self,
        user: &Id,
        skill: &SkillPath,
        source: &dyn SkillSource,
        listing: &PushListing,
        delete: bool,
    ) -> Result<PushPlan> {
        let prefix = self.namespace().user(user)?.skill(skill)?;
        let listed = match &listing.entries {
            Some(all) => Cow::Borrowed(below(all, &prefix)),
            None => Cow::Owned(self.store().list_all(&prefix, SKILL_FILES + 1).await?.0),
        };
        if listed.len() > SKILL_FILES {
            return Err(Error::new(Code::FileTooLarge, format!("{prefix} holds more than {SKILL_FILES} files")));
        }
        let mut there: BTreeMap<&str, &ListEntry> =
            listed.iter().filter_map(|entry| Some((prefix.relative(&entry.key)?, entry))).collect();
        let paths = source.paths().into_iter();
        let compared: Vec<_> = paths.map(|path| self.compare(&prefix, source, path, there.remove(path))).collect();
        let mut steps: Vec<Step> = stream::iter(compared).buffered(PARALLEL_TRANSFERS).try_collect().await?;
        for (path, entry) in there {
            let Some(key) = prefix.admit(&entry.key) else { continue };
            let change = if delete { FileChange::Deleted } else { FileChange::Kept };
            let base = Base::Version(entry.etag.clone(), Metadata::new());
            steps.push(Step { path: path.to_owned(), key, change, base });
        }
        Ok(PushPlan { steps })
    }

    /// Compares one file with the stored one, if there is one. Equal sizes alone say nothing: the contents are compared,
    /// by the digest in the listing if there is one and it is the same, else by the bytes.
    async fn compare(
        &self,
        prefix: &KeyPrefix,
        source: &dyn SkillSource,
        path: &str,
        listed: Option<&ListEntry>,
    ) -> Result<Step> {
        let key = prefix.key(path)?;
        let bytes = source.read(path).await?;
        let stored = match listed {
            None => None,
            Some(listed) if listed.size != bytes.len() as u64 => match self.store().head(&key).await {
                Ok(meta) => Some((FileChange::Updated, Base::version(&meta))),
                Err(StoreError::NotFound) => None,
                Err(error) => return Err(error.into()),
            },
            Some(listed) if listed.etag.is_md5_of(&bytes) => {
                Some((FileChange::Unchanged, Base::Version(listed.etag.clone(), Metadata::new())))
            }
            Some(_) => fetch(self.store(), &key).await?.map(|object| {
                let change = if object.bytes == bytes { FileChange::Unchanged } else { FileChange::Updated };
                (change, Base::version(&object.meta))
            }),
        };
        let (change, base) = stored.unwrap_or((FileChange::Created, Base::Absent));
        Ok(Step { path: path.to_owned(), key, change, base })
    }

    /// Sends and deletes what `plan` says, which was made from the same `source`: resources first and SKILL.md last, so that
    /// a new skill is whole when it is first listed. Each file replaces the version that was compared and no other. Calls
    /// `done` after each file.
    ///
    /// # Errors
    /// `edit_conflict` if a file has changed in the store since; `read_only`; those of `source`; the store's. Files before it
    /// have landed, and another push sends the rest.
    pub async fn push(&self, source: &dyn SkillSource, plan: &PushPlan, done: &(dyn Fn() + Send + Sync)) -> Result<()> {
        self.check_writable()?;
        let (last, first): (Vec<_>, Vec<_>) = plan.due_steps().partition(|step| step.path == MAIN);
        for batch in [first, last] {
            let taken: Vec<_> = batch.into_iter().map(|step| self.take(source, step, done)).collect();
            stream::iter(taken).buffer_unordered(PARALLEL_TRANSFERS).try_collect::<()>().await?;
        }
        Ok(())
    }

    async fn take(&self, source: &dyn SkillSource, step: &Step, done: &(dyn Fn() + Send + Sync)) -> Result<()> {
        let taken = if step.change == FileChange::Deleted {
            self.store().delete(&step.key, self.deleting(&step.base)).await
        } else {
            let bytes = source.read(&step.path).await?;
            self.shared.committer.commit(&step.key, bytes, &step.base).await.map(|_| ())
        };
        done();
        taken.map_err(|error| match error {
            StoreError::PreconditionFailed | StoreError::NotFound => Error::new(
                Code::EditConflict,
                format!("{} changed in the store while it was being pushed; look at it, then push again", step.path),
            ),
            other => other.into(),
        })
    }

    fn deleting(&self, base: &Base) -> DeleteOptions {
        match base {
            Base::Version(etag, _) if self.store().capabilities().conditional_delete => {
                DeleteOptions { if_match: Some(etag.clone()) }
            }
            _ => DeleteOptions::default(),
        }
    }
}

/// The entries below `prefix`, of entries in the order of a listing.
fn below<'listed>(entries: &'listed [ListEntry], prefix: &KeyPrefix) -> &'listed [ListEntry] {
    let from = entries.partition_point(|entry| entry.key.as_str() < prefix.as_str());
    let rest = entries.get(from..).unwrap_or_default();
    let many = rest.partition_point(|entry| entry.key.starts_with(prefix.as_str()));
    rest.get(..many).unwrap_or_default()
}
