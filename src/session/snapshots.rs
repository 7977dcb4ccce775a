//! Snapshots too large to ride in their session: an object each, named by the digest, so that it never changes.

use std::sync::Arc;

use moka::future::Cache;

use super::{LoadedSkill, Session};
use crate::{
    clock::Clock,
    error::{Code, Error, Result},
    json,
    limits::SNAPSHOT_INLINE_FILES,
    path::UserSpace,
    skill::Snapshot,
    store::{Base, Committer, GetOptions, SharedStore, StoreError},
};

/// Large snapshots kept in memory.
const REMEMBERED: u64 = 1000;

/// The large snapshots of every user.
#[derive(Debug)]
pub(super) struct Snapshots {
    store: SharedStore,
    committer: Committer,
    kept: Cache<String, Arc<Snapshot>>,
}

impl Snapshots {
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>) -> Self {
        Self { committer: Committer::new(store.clone(), clock), store, kept: Cache::new(REMEMBERED) }
    }

    /// The files of a loaded skill, wherever they are kept.
    pub(super) async fn of(&self, space: &UserSpace, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        if let Some(snapshot) = &loaded.snapshot {
            return Ok(snapshot.clone());
        }
        let key = space.snapshot(name(&loaded.digest))?;
        let fetch = async {
            let object = self.store.get(&key, GetOptions::default()).await?;
            let snapshot: Snapshot = json::from_slice(&object.bytes).map_err(Error::internal)?;
            Ok(Arc::new(snapshot))
        };
        let fetched = self.kept.try_get_with_by_ref(key.as_str(), fetch).await;
        fetched.map_err(|error: Arc<Error>| match error.code() {
            Code::FileNotFound => Error::new(
                Code::SkillChanged,
                format!(
                    "the file list of skill {} is gone; call load_skill({:?}) again",
                    loaded.skill,
                    loaded.skill.as_str()
                ),
            ),
            _ => error.as_ref().clone(),
        })
    }

    /// Stores the snapshots of `session` that are too large to ride in it, and leaves their digests.
    pub(super) async fn put_aside(&self, space: &UserSpace, session: &mut Session) -> Result<()> {
        for loaded in &mut session.loaded_skills {
            let Some(snapshot) = loaded.snapshot.take_if(|snapshot| snapshot.files().len() > SNAPSHOT_INLINE_FILES)
            else {
                continue;
            };
            let key = space.snapshot(name(&loaded.digest))?;
            let bytes = serde_json::to_vec(&snapshot).map_err(Error::internal)?;
            // Named by its digest: one that is there already holds the same.
            match self.committer.commit(&key, bytes.into(), &Base::Absent).await {
                Ok(_) | Err(StoreError::PreconditionFailed) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

fn name(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}
