//! Snapshots stored beside their sessions: an object each, named by the digest, so that it never changes.
//!
//! A snapshot is stored here if it is too large for a session object, or if a fork shares it with its parent. No
//! session owns a snapshot: a session can end while its forks go on, so nothing here deletes one.

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use moka::{future::Cache, policy::EvictionPolicy};

use super::{LoadedSkill, Session, stored::SharedSnapshots};
use crate::{
    budget::weight,
    clock::Clock,
    error::{Code, Error, Result},
    json,
    limits::{
        ORPHAN_AGE, PARALLEL_GETS, SNAPSHOT_CACHE_BYTES, SNAPSHOT_COPIED_FILES, SNAPSHOT_INLINE_BYTES,
        SNAPSHOT_INLINE_FILES, SNAPSHOTS_REMEMBERED,
    },
    path::{ObjectKey, UserSpace},
    skill::Snapshot,
    store::{CachePolicy, Committer, ExpectedVersion, GetOptions, SharedStore, StoreError},
};

/// The snapshots beside the sessions of every user.
#[derive(Debug)]
pub(super) struct Snapshots {
    store: SharedStore,
    committer: Committer,
    /// The snapshots in memory, by key.
    kept: Cache<ObjectKey, Arc<Snapshot>>,
    /// The keys that this process put of late, or whose objects it found young: no check takes them for orphans yet.
    stored: Cache<ObjectKey, ()>,
    clock: Arc<dyn Clock>,
    known: Arc<SharedSnapshots>,
}

impl Snapshots {
    /// An equal snapshot in `known` takes the place of a fetched snapshot.
    pub(super) fn new(store: SharedStore, clock: Arc<dyn Clock>, known: Arc<SharedSnapshots>) -> Self {
        let weigh = |key: &ObjectKey, snapshot: &Arc<Snapshot>| {
            weight::counted(weight::SLOT + weight::text(key.as_str()) + snapshot.weight())
        };
        let kept = Cache::builder()
            .max_capacity(SNAPSHOT_CACHE_BYTES)
            .weigher(weigh)
            .eviction_policy(EvictionPolicy::lru())
            .build();
        let stored =
            Cache::builder().max_capacity(SNAPSHOTS_REMEMBERED).time_to_live((ORPHAN_AGE / 2).unsigned_abs()).build();
        Self { committer: Committer::new(store.clone(), clock.clone()), store, kept, stored, clock, known }
    }

    /// The files of a loaded skill, from the session object or from their own.
    pub(super) async fn for_loaded(&self, space: &UserSpace, loaded: &LoadedSkill) -> Result<Arc<Snapshot>> {
        if let Some(snapshot) = &loaded.snapshot {
            return Ok(snapshot.clone());
        }
        let key = space.snapshot(name(&loaded.digest))?;
        let fetch = async {
            let object = self.store.get(&key, GetOptions { keep: CachePolicy::Not, ..GetOptions::default() }).await;
            match object {
                Ok(object) => read(&object.bytes, &loaded.digest)
                    .map(|snapshot| self.known.share(snapshot))
                    .ok_or_else(|| gone(loaded, "damaged")),
                Err(StoreError::NotFound) => Err(gone(loaded, "gone")),
                Err(error) => Err(error.into()),
            }
        };
        let fetched = self.kept.try_get_with_by_ref(&key, fetch).await;
        fetched.map_err(|error: Arc<Error>| error.as_ref().clone())
    }

    /// Stores the large snapshots of `session` as objects of their own, and leaves their digests in the session. In a
    /// fork that `is_new` all snapshots except the small ones count as large.
    pub(super) async fn put_aside(&self, space: &UserSpace, session: &mut Session, is_new: bool) -> Result<()> {
        let is_fork = is_new && session.parent.is_some();
        let most = if is_fork { SNAPSHOT_COPIED_FILES } else { SNAPSHOT_INLINE_FILES };
        let is_large =
            |snapshot: &Arc<Snapshot>| snapshot.files().len() > most || snapshot.weight() > SNAPSHOT_INLINE_BYTES;
        let large = session.loaded_skills.iter().filter_map(|loaded| loaded.snapshot.clone().filter(is_large));
        let large: Vec<Arc<Snapshot>> = large.collect();
        // Snapshots are stored first, so a session never names a missing snapshot.
        stream::iter(large)
            .map(|snapshot| self.put(space, snapshot))
            .buffer_unordered(PARALLEL_GETS)
            .try_collect::<()>()
            .await?;
        for loaded in &mut session.loaded_skills {
            loaded.snapshot = loaded.snapshot.take().filter(|snapshot| !is_large(snapshot));
        }
        Ok(())
    }

    async fn put(&self, space: &UserSpace, snapshot: Arc<Snapshot>) -> Result<()> {
        let key = space.snapshot(name(snapshot.digest()))?;
        if self.stored.contains_key(&key) {
            return Ok(());
        }
        let bytes = bytes::Bytes::from(serde_json::to_vec(&snapshot).map_err(Error::internal)?);
        match self.committer.commit(&key, bytes.clone(), &ExpectedVersion::Absent).await {
            Ok(_) => {}
            // The name is the digest, so an existing object has the same content unless it is damaged. An old one is put again: it
            // may lie there without a session, and a check would delete it before the session is stored.
            Err(StoreError::PreconditionFailed) => {
                let there =
                    self.store.get(&key, GetOptions { keep: CachePolicy::Not, ..GetOptions::default() }).await?;
                let age = self.clock.now().duration_since(there.meta.modified_at);
                if age >= ORPHAN_AGE / 2 || read(&there.bytes, snapshot.digest()).is_none() {
                    let put = self.committer.commit(&key, bytes, &ExpectedVersion::version(&there.meta)).await;
                    put.map_err(StoreError::without_effect)?;
                }
            }
            Err(error) => return Err(error.without_effect().into()),
        }
        self.stored.insert(key.clone(), ()).await;
        self.kept.insert(key, snapshot).await;
        Ok(())
    }

    /// Forgets which objects of a user are there.
    pub(super) async fn forget(&self, space: &UserSpace) {
        let of_user: Vec<_> = self.stored.iter().map(|(key, ())| key).filter(|key| is_of(space, key)).collect();
        for key in of_user {
            self.stored.invalidate(&*key).await;
        }
        let of_user: Vec<_> = self.kept.iter().map(|(key, _)| key).filter(|key| is_of(space, key)).collect();
        for key in of_user {
            self.kept.invalidate(&*key).await;
        }
    }
}

fn is_of(space: &UserSpace, key: &ObjectKey) -> bool {
    space.root().relative(key.as_str()).is_some()
}

/// Decodes the snapshot, if the bytes have this digest.
fn read(bytes: &[u8], digest: &str) -> Option<Arc<Snapshot>> {
    let snapshot: Snapshot = json::from_slice(bytes).ok()?;
    (snapshot.digest() == digest && snapshot.is_sound()).then(|| Arc::new(snapshot))
}

fn gone(loaded: &LoadedSkill, what: &str) -> Error {
    let skill = &loaded.skill;
    Error::new(
        Code::SkillChanged,
        format!("the file list of skill {skill} is {what}; call load_skill({:?}) again", skill.as_str()),
    )
}

fn name(digest: &str) -> &str {
    digest.strip_prefix("sha256:").unwrap_or(digest)
}
