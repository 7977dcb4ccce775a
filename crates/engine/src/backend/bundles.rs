//! Archives in the place of many small requests: a search over a loaded skill, or a read of file after file, costs one.
//!
//! The archive of a published version is named by the digest of its files, which a session that loaded it knows. A skill of many
//! files that was never published gets a bundle: an archive named by the snapshot, whose tags say which bytes its files have. An
//! archive counts only if its files are those, and none is ever needed: if it is gone or damaged, the files are read one by
//! one. So who can write archives alone can change no answer.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    context::Context,
    files::ListedFile,
    publish::{Archive, ArchiveKind, ArchivedFile},
    service::Service,
    shared::Shared,
    tree::archive_of,
};
use crate::{
    error::{Error, Result},
    limits::{BUNDLE_BYTES, BUNDLE_FILES, BUNDLE_READ_BYTES, BUNDLED_FILES, PARALLEL_GETS},
    path::{ETag, KeyPrefix, ObjectKey, SkillPath},
    session::LoadedSkill,
    skill::{MAIN, Packer, Provenance, Snapshot, SnapshotFile},
    store::{CachePolicy, ExpectedVersion, GetOptions, StoreError, StoreResult},
};

/// Brings the contents of `files` into memory, those of each skill in one request, if many of them are not there.
pub(super) async fn fetch_bundles(context: &Context, files: &[ListedFile]) {
    let (store, versions) = (&context.shared.store, &context.shared.versions);
    let mut missed: BTreeMap<&ObjectKey, (&ArchivedFile, usize)> = BTreeMap::new();
    for file in files.iter().filter_map(|found| found.file.archived.as_ref()) {
        if !versions.holds(file) {
            missed.entry(&file.archive.key).or_insert((file, 0)).1 += 1;
        }
    }
    // All of them have to be in memory when the search begins.
    let mut left = BUNDLE_BYTES;
    for (file, count) in missed.into_values() {
        // If this process does not know whether a bundle is there, it looks for it where that is one request among many.
        let few = if versions.may_be_there(&file.archive).await { BUNDLE_FILES } else { BUNDLED_FILES + 1 };
        if count >= few && file.archive.unpacked <= left {
            left -= file.archive.unpacked;
            versions.unpack(store, file).await;
        }
    }
}

impl Shared {
    /// Notes that a file of a skill is read by itself. The archive of a small skill is fetched for the first file that is not in
    /// memory: that is one request either way, and an agent that reads one file often reads the others. The archive of a larger
    /// skill is fetched for the second file, and not again for a while. A bundle is looked for with the second file too, if this
    /// process does not know whether it is there.
    pub(super) async fn note_read(&self, file: &ArchivedFile) {
        let (versions, archive) = (&self.versions, &file.archive);
        // A load or a prompt has read SKILL.md before, so the cache of the store has it.
        if file.path == MAIN || archive.unpacked > BUNDLE_BYTES || versions.holds(file) {
            return;
        }
        let is_small = archive.unpacked <= BUNDLE_READ_BYTES && versions.may_be_there(archive).await;
        if is_small || versions.note_read(file).await {
            versions.unpack_for_read(&self.store, file).await;
        }
    }

    /// Whether the tag of `main`, the SKILL.md of a folder, is the MD5 of its bytes. If a key of KMS encrypts a bucket, tags there
    /// have the form of an MD5 and are none. The work counts for `owner`.
    ///
    /// # Errors
    /// The store's: `NotFound` or `PreconditionFailed` if the folder has another SKILL.md by now.
    pub(super) async fn tells_bytes(&self, owner: &str, main: &SnapshotFile, folder: &KeyPrefix) -> StoreResult<bool> {
        let (bytes, tag) = (self.plain_file(main, folder).await?, main.etag.clone());
        let errand = self.workers.errand(owner, main.size);
        errand.run(move |_| Ok(tag == ETag::md5_of(&bytes))).await.map_err(StoreError::not_applied)
    }

    async fn plain_file(&self, file: &SnapshotFile, folder: &KeyPrefix) -> StoreResult<Bytes> {
        let key = folder.key(&file.path).map_err(StoreError::not_applied)?;
        let options = GetOptions::pinned(file.etag.clone()).with_keep(CachePolicy::Not);
        Ok(self.store.get(&key, options).await?.bytes)
    }
}

/// Notes that a skill is loaded. The second time, the bundle of a skill that has none is made behind the call.
pub(super) async fn note_load(context: &Context, loaded: &LoadedSkill, snapshot: &Arc<Snapshot>) {
    let Ok(Some(home)) = context.home(loaded) else { return };
    let Ok(Some(archive)) = archive_of(loaded, snapshot, &home) else { return };
    let is_bundle = matches!(archive.kind, ArchiveKind::Bundle(_));
    if !is_bundle || archive.unpacked > BUNDLE_BYTES || context.shared.sessions.check_writable().is_err() {
        return;
    }
    let Ok(folder) = home.skill(&loaded.skill) else { return };
    if !context.shared.versions.note_load(&archive.key).await {
        return;
    }
    let (context, skill, snapshot) = (context.clone(), loaded.skill.clone(), Arc::clone(snapshot));
    tokio::spawn(async move {
        if let Err(error) = make_bundle(&context, &skill, snapshot, &folder, &archive).await {
            tracing::debug!(user = %context.user(), %skill, cause = %error.chain(), "no bundle was made");
            context.shared.versions.note_unmade(&archive.key).await;
        }
    });
}

async fn make_bundle(
    context: &Context,
    skill: &SkillPath,
    snapshot: Arc<Snapshot>,
    folder: &KeyPrefix,
    archive: &Archive,
) -> Result<()> {
    let (store, versions, key) = (&context.shared.store, &context.shared.versions, &archive.key);
    let Some(main) = snapshot.file(MAIN) else { return Ok(()) };
    // A load has just read SKILL.md, so this costs no request.
    if !context.shared.tells_bytes(context.user().as_str(), main, folder).await? {
        tracing::debug!(user = %context.user(), %skill, "no bundle is made: the tag of SKILL.md does not say its bytes");
        versions.note_unmakeable(key.clone()).await;
        return Ok(());
    }
    // A bundle that did not hold the files is replaced.
    let base = if versions.is_wrong(key).await { ExpectedVersion::Whatever } else { ExpectedVersion::Absent };
    match store.head(key).await {
        Ok(_) if matches!(base, ExpectedVersion::Absent) => {
            versions.note_bundle(key.clone()).await;
            return Ok(());
        }
        Ok(_) | Err(StoreError::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    // An archive may take as much again while it grows.
    let Some(_room) = versions.enter_if_free(key, archive.room() + archive.unpacked).await? else {
        versions.note_unmade(key).await;
        return Ok(());
    };
    let files = plain_files(context, &snapshot, folder).await?;
    let zip = packed_bundle(context, skill, snapshot, files, archive).await?;
    let Some(zip) = zip.filter(|zip| zip.len() as u64 <= archive.most()) else {
        tracing::debug!(user = %context.user(), %skill, "no bundle was made: nobody could check it, or it is too large");
        versions.note_unmakeable(key.clone()).await;
        return Ok(());
    };
    // Who leaves while it is made leaves nothing behind.
    Service::over(&context.shared).check_not_deleted(context.user()).await?;
    match context.shared.committer.commit(key, zip, &base).await {
        Ok(_) | Err(StoreError::PreconditionFailed) => versions.note_bundle(key.clone()).await,
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// The files of a snapshot, each in the version that it names.
async fn plain_files(context: &Context, snapshot: &Snapshot, folder: &KeyPrefix) -> Result<Vec<(String, Bytes)>> {
    let reads = snapshot.files().iter().map(|file| async move {
        let bytes = context.shared.plain_file(file, folder).await?;
        Ok::<_, Error>((file.path.clone(), bytes))
    });
    stream::iter(reads.collect::<Vec<_>>()).buffered(PARALLEL_GETS).try_collect().await
}

/// The bundle of `files`; `None` if the tags of `snapshot` are not the MD5 of their bytes: no process could check it.
async fn packed_bundle(
    context: &Context,
    skill: &SkillPath,
    snapshot: Arc<Snapshot>,
    files: Vec<(String, Bytes)>,
    archive: &Archive,
) -> Result<Option<Bytes>> {
    let from = Provenance { at: context.shared.clock.now(), by: None, source: Some(snapshot.digest().to_owned()) };
    let skill = skill.clone();
    let errand = context.shared.workers.errand(context.user().as_str(), archive.unpacked);
    let packed = errand.run(move |_| {
        if !snapshot.holds(&files) {
            return Ok(None);
        }
        let mut packer = Packer::default();
        for (path, bytes) in &files {
            packer.add(path, bytes).map_err(|why| Error::internal(why.message))?;
        }
        packer.finish(&skill, &from).map(|package| Some(package.zip)).map_err(|why| Error::internal(why.message))
    });
    packed.await
}
