//! Archives in the place of many small requests: a search over a loaded skill, or a read of file after file, costs one.
//!
//! The archive of a published version is named by the digest of its files, which a session that loaded it knows. A skill of many
//! files that was never published gets a bundle: an archive named by the snapshot, whose record says which content it had. An
//! archive counts only if its bytes are what its name or its record says, and none is ever needed: if it is gone or
//! damaged, the files are read one by one.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    SkillBackend,
    files::ListedFile,
    publish::{Archive, ArchiveKind, ArchivedFile},
    service::Shared,
    tree::archive_of,
};
use crate::{
    error::{Error, Result},
    limits::{BUNDLE_BYTES, BUNDLE_FILES, BUNDLE_READ_BYTES, BUNDLED_FILES, PARALLEL_GETS},
    path::{KeyPrefix, ObjectKey},
    session::LoadedSkill,
    skill::{MAIN, Packer, Provenance, Snapshot},
    store::{Base, GetOptions, Keep, StoreError},
};

impl SkillBackend {
    /// Brings the contents of `files` into memory, those of each skill in one request, if many of them are not there.
    pub(super) async fn fetch_bundles(&self, files: &[ListedFile]) {
        let mut missed: BTreeMap<&Archive, (usize, u64)> = BTreeMap::new();
        for found in files {
            if let Some(archived) = &found.file.archived
                && !self.shared.versions.holds(archived)
            {
                let (count, bytes) = missed.entry(&archived.archive).or_default();
                (*count, *bytes) = (*count + 1, *bytes + found.size);
            }
        }
        for (archive, (count, bytes)) in missed {
            // Nobody knows whether a bundle is there. It is looked for where that is one request among many.
            let few = if self.shared.versions.may_be_there(archive) { BUNDLE_FILES } else { BUNDLED_FILES + 1 };
            if count >= few && bytes <= BUNDLE_BYTES {
                self.shared.versions.unpack(&self.shared.store, archive, BUNDLE_BYTES).await;
            }
        }
    }
}

impl Shared {
    /// Notes that a file of a skill is read by itself. The archive of a small skill is fetched for the first that is not in
    /// memory: that is one request either way, and who reads one file often reads the others. That of a larger one is fetched
    /// for the second. A load or a prompt has read SKILL.md before, so the cache of the store has it.
    pub(super) async fn note_read(&self, file: &ArchivedFile) {
        let versions = &self.versions;
        if !versions.may_be_there(&file.archive) || versions.holds(file) {
            return;
        }
        let is_small = file.archive.unpacked <= BUNDLE_READ_BYTES && file.path != MAIN;
        if is_small || versions.note_read(file).await {
            versions.unpack(&self.store, &file.archive, BUNDLE_READ_BYTES).await;
        }
    }
}

impl SkillBackend {
    /// Notes that a skill is loaded. The second time, the bundle of a skill that has none is made behind the call.
    pub(super) async fn note_load(&self, loaded: &LoadedSkill, snapshot: &Snapshot) {
        let Ok(Some(home)) = self.home(loaded) else { return };
        let Ok(Some(Archive { key, kind: ArchiveKind::Bundle, unpacked })) = archive_of(loaded, snapshot, &home) else {
            return;
        };
        let can_write = self.shared.sessions.check_writable().is_ok();
        if unpacked > BUNDLE_BYTES || !can_write || !self.shared.versions.note_load(&key).await {
            return;
        }
        let Ok(folder) = home.skill(&loaded.skill) else { return };
        let backend = self.clone();
        let (loaded, snapshot) = (loaded.clone(), snapshot.clone());
        tokio::spawn(async move {
            if let Err(error) = backend.make_bundle(&loaded, &snapshot, &folder, &key).await {
                tracing::debug!(user = %backend.user(), skill = %loaded.skill, cause = %error.chain(), "no bundle was made");
                backend.shared.versions.note_unmade(&key).await;
            }
        });
    }

    async fn make_bundle(
        &self,
        loaded: &LoadedSkill,
        snapshot: &Snapshot,
        folder: &KeyPrefix,
        key: &ObjectKey,
    ) -> Result<()> {
        let (store, versions) = (&self.shared.store, &self.shared.versions);
        // One that is there and was no help is made anew.
        let base = if versions.is_unusable(key) { Base::Whatever } else { Base::Absent };
        match store.head(key).await {
            Ok(_) if matches!(base, Base::Absent) => {
                versions.note_bundle(key.clone()).await;
                return Ok(());
            }
            Ok(_) | Err(StoreError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        let _room = versions.enter(key, 3 * BUNDLE_BYTES).await?;
        let reads = snapshot.files().iter().map(|file| async move {
            let options = GetOptions { if_match: Some(file.etag.clone()), ..GetOptions::default() };
            let object = store.get(&folder.key(&file.path)?, options.with_keep(Keep::Not)).await?;
            Ok::<_, Error>((file.path.clone(), object.bytes))
        });
        let files: Vec<(String, Bytes)> =
            stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect().await?;
        let from = Provenance { at: self.shared.clock.now(), by: None, source: Some(snapshot.digest().to_owned()) };
        let skill = loaded.skill.clone();
        let errand = self.shared.workers.errand(key.as_str(), BUNDLE_BYTES);
        let packed = errand.run(move |_| {
            let mut packer = Packer::default();
            for (path, bytes) in &files {
                packer.add(path, bytes).map_err(|why| Error::internal(why.message))?;
            }
            packer.finish(&skill, &from).map_err(|why| Error::internal(why.message))
        });
        let zip = packed.await?.zip;
        match self.shared.committer.commit(key, zip, &base).await {
            Ok(_) | Err(StoreError::PreconditionFailed) => versions.note_bundle(key.clone()).await,
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }
}
