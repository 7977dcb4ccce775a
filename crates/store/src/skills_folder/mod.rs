//! An ordinary folder of skills as the skills of one user, and a folder of its own for everything else.
//!
//! It is two stores by prefix. Keys below `{user}/skills/` are files of the folder, seen by a view that follows links
//! inside it. All other keys lie in the state, which is elsewhere, so that nothing of the service gets into the folder.
//! The folder is changed only if that was asked for, and then by a [`DirectoryStore`], which never goes through a link.
//! Where it is not changed, no version can be published either: the published version would differ from the folder for
//! good.

mod view;

use std::{path::PathBuf, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;

pub(crate) use view::SkippedLink;

use self::view::{View, is_own};
use super::{
    Capabilities, Cause, DeleteOptions, DirectoryStore, GetOptions, ListOptions, ListPage, Object, ObjectMeta,
    PutOptions, PutResult, SharedStore, Store, StoreError, StoreExt as _, StoreResult, rules::page,
};
use skillmount_base::{
    clock::Clock,
    error::{Error, Result},
    limits::LIST_OBJECTS,
    path::{KeyPrefix, MountTemplates, ObjectKey, ObjectKind, UserSpace},
};

/// A folder of skills, and the state of the people who work with them.
#[derive(Clone, Debug)]
pub(super) struct SkillsFolder {
    folder: PathBuf,
    space: UserSpace,
    skills: KeyPrefix,
    view: Arc<View>,
    /// Writes into the folder, if that was asked for.
    writer: Option<DirectoryStore>,
    state: SharedStore,
}

/// The contents of a folder of skills, counted.
#[derive(Debug)]
pub struct SkillsFolderScan {
    /// How many files are called SKILL.md.
    pub skills: usize,
    /// The links that are not followed.
    pub left_out: Vec<SkippedLink>,
}

impl SkillsFolder {
    /// The folder whose real path is `folder`, as the skills of the user of `space`, over `state`. With `may_change` it can be
    /// changed.
    ///
    /// # Errors
    /// As [`DirectoryStore::open`], if it can be changed.
    pub(super) fn open(
        folder: PathBuf,
        space: UserSpace,
        state: SharedStore,
        may_change: bool,
        clock: Arc<dyn Clock>,
    ) -> Result<Self> {
        let writer = if may_change { Some(DirectoryStore::open(&folder, clock)?) } else { None };
        let (skills, view) = (space.skills()?, Arc::new(View::new(folder.clone())));
        Ok(Self { folder, space, skills, view, writer, state })
    }

    /// Where `key` lies in the folder, if it does.
    fn inside<'key>(&self, key: &'key ObjectKey) -> Option<&'key str> {
        self.skills.relative(key.as_str())
    }

    /// Runs `look` on a thread that may block.
    async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&View) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let view = Arc::clone(&self.view);
        tokio::task::spawn_blocking(move || look(&view))
            .await
            .unwrap_or_else(|stopped| Err(StoreError::not_applied(stopped)))
    }

    /// The store that writes into the folder, or why nothing does.
    fn writer(&self) -> StoreResult<&DirectoryStore> {
        self.writer.as_ref().ok_or_else(|| {
            let cause = Cause::ServedAsItIs { folder: self.folder.display().to_string() };
            StoreError::denied(cause, "nobody asked for changes")
        })
    }

    /// Refuses a head or a version of a skill that could not be written into the folder afterwards.
    async fn check_publishing(&self, key: &ObjectKey) -> StoreResult<()> {
        let Some(relative) = self.space.root().relative(key.as_str()) else { return Ok(()) };
        let skill = match ObjectKind::classify(relative, &MountTemplates::default()) {
            ObjectKind::Heads => {
                relative.strip_prefix(".skillmount/heads/").and_then(|skill| skill.strip_suffix(".json"))
            }
            ObjectKind::Versions => relative
                .strip_prefix(".skillmount/versions/")
                .and_then(|version| version.rsplit_once('/'))
                .map(|(skill, _)| skill),
            _ => return Ok(()),
        };
        self.writer()?;
        let Some(skill) = skill else { return Ok(()) };
        if is_hidden(skill) {
            return Err(StoreError::Unsupported(format!("{skill:?} belongs to a tool, and is no folder of a skill")));
        }
        let path = skill.to_owned();
        if let Some(link) = self.look(move |view| view.link_on(&path)).await? {
            return Err(self.through_link(&link));
        }
        let below = format!("{skill}/");
        if self.look(move |view| view.walk(&below)).await?.has_links {
            return Err(self.through_link(skill));
        }
        Ok(())
    }

    fn through_link(&self, relative: &str) -> StoreError {
        let path = self.folder.join(relative).display().to_string();
        StoreError::denied(Cause::ThroughLink { path }, "links are only read through")
    }

    /// Whether `key` is a folder because the folder of skills lies below it.
    fn is_above(&self, key: &ObjectKey) -> bool {
        self.skills.as_str().strip_prefix(key.as_str()).is_some_and(|rest| rest.starts_with('/'))
    }
}

/// Scans the folder whose real path is `folder`. Blocks.
pub(super) fn survey(folder: PathBuf) -> StoreResult<SkillsFolderScan> {
    let seen = View::new(folder).walk("")?;
    let skills = seen.entries.iter().filter(|entry| entry.key.ends_with("/SKILL.md")).count();
    Ok(SkillsFolderScan { skills, left_out: seen.left_out })
}

/// Whether a file belongs to a tool, so that it is not there for the store.
fn is_hidden(relative: &str) -> bool {
    relative.split('/').any(is_own)
}

/// The key of the file `relative` in a store of the folder alone.
fn in_folder(relative: &str) -> StoreResult<ObjectKey> {
    KeyPrefix::all().key(relative).map_err(|error: Error| StoreError::Unsupported(error.message().to_owned()))
}

#[async_trait]
impl Store for SkillsFolder {
    fn capabilities(&self) -> Capabilities {
        Capabilities { conditional_delete: true, ..Capabilities::default() }
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        let Some(relative) = self.inside(key) else { return self.state.get(key, options).await };
        if let Some(writer) = self.writer.as_ref().filter(|_| !is_hidden(relative)) {
            match writer.get(&in_folder(relative)?, options.clone()).await {
                // It may be there through a link.
                Err(StoreError::NotFound) => {}
                answer => return answer,
            }
        }
        let relative = relative.to_owned();
        self.look(move |view| view.get(&relative, &options)).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        let Some(relative) = self.inside(key) else {
            if self.is_above(key) {
                return Err(StoreError::IsFolder);
            }
            self.check_publishing(key).await?;
            return self.state.put(key, bytes, options).await;
        };
        let writer = self.writer()?;
        if is_hidden(relative) {
            return Err(StoreError::Unsupported(format!("{relative:?} belongs to a tool, and is no file of a skill")));
        }
        writer.put(&in_folder(relative)?, bytes, options).await.map_err(|error| match error {
            StoreError::BelowFile(file) => StoreError::BelowFile(format!("{}{file}", self.skills)),
            error => error,
        })
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        let Some(relative) = self.inside(key) else { return self.state.head(key).await };
        if let Some(writer) = self.writer.as_ref().filter(|_| !is_hidden(relative)) {
            match writer.head(&in_folder(relative)?).await {
                Err(StoreError::NotFound) => {}
                answer => return answer,
            }
        }
        let relative = relative.to_owned();
        self.look(move |view| view.head(&relative)).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let (asked, skills) = (prefix.as_str(), self.skills.as_str());
        let is_above = skills.starts_with(asked) && asked != skills;
        let Some(below) = asked.strip_prefix(skills).or(is_above.then_some("")) else {
            return self.state.list(prefix, options).await;
        };
        let below = below.to_owned();
        let mut entries = self.look(move |view| view.walk(&below)).await?.entries;
        for entry in &mut entries {
            entry.key.insert_str(0, skills);
        }
        if is_above {
            let (others, has_more) = self.state.list_all(prefix, LIST_OBJECTS).await?;
            if has_more {
                return Err(StoreError::Unsupported(format!("more than {LIST_OBJECTS} objects in one listing")));
            }
            entries.extend(others);
            entries.sort_unstable_by(|one, other| one.key.cmp(&other.key));
        }
        page(prefix, &options, entries.into_iter())
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        let Some(relative) = self.inside(key) else { return self.state.delete(key, options).await };
        let writer = self.writer()?;
        if is_hidden(relative) {
            return Ok(());
        }
        let own = in_folder(relative)?;
        if matches!(writer.head(&own).await, Err(StoreError::NotFound)) {
            let path = relative.to_owned();
            return match self.look(move |view| view.head(&path)).await {
                Err(StoreError::NotFound) => Ok(()),
                Err(error) => Err(error),
                Ok(_) => Err(self.through_link(relative)),
            };
        }
        writer.delete(&own, options).await
    }
}
