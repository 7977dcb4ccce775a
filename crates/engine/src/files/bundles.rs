//! Archives in the place of many small requests: a search over a loaded skill, or a read of file after file, costs one.
//!
//! The archive of a published version is named by the digest of its files. A session that loaded the version knows the
//! digest. A skill of many files that was never published gets a bundle. A bundle is an archive named by the snapshot,
//! whose tags say which bytes its files have. An archive counts only if its files match the digest or the tags. If an
//! archive is gone or damaged, the files are read one by one. So a writer of archives alone cannot change an answer.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{listing::ListedFile, tree::archive_of};
use crate::{
    content::{Archive, ArchiveKind, ArchivedFile, identifies_bytes, plain_file},
    context::Context,
    error::{Error, Result},
    limits::{BUNDLE_BYTES, BUNDLE_FILES, BUNDLED_FILES, PARALLEL_GETS},
    path::{KeyPrefix, ObjectKey, SkillPath},
    session::LoadedSkill,
    skill::{MAIN, Packer, Provenance, Snapshot},
    store::{ExpectedVersion, StoreError},
};

/// Brings the contents of `files` into memory, those of each skill in one request, if many of them are not there.
pub(crate) async fn fetch_bundles(context: &Context, files: &[ListedFile]) {
    let (store, versions) = (&context.core.store(), &context.core.content().versions());
    let mut missed: BTreeMap<&ObjectKey, (&ArchivedFile, usize)> = BTreeMap::new();
    for file in files.iter().filter_map(|found| found.file.archived.as_ref()) {
        if !versions.holds(file) {
            missed.entry(&file.archive.key).or_insert((file, 0)).1 += 1;
        }
    }
    // All of them have to be in memory when the search begins.
    let mut left = BUNDLE_BYTES;
    for (file, count) in missed.into_values() {
        // If this process does not know whether a bundle exists, it looks for it only if many files are missing.
        let few = if versions.may_be_there(&file.archive).await { BUNDLE_FILES } else { BUNDLED_FILES + 1 };
        if count >= few && file.archive.unpacked <= left {
            left -= file.archive.unpacked;
            versions.unpack(store, file).await;
        }
    }
}

/// Notes that a skill is loaded. The second time, the bundle of a skill that has none is made behind the call.
pub(crate) async fn record_load(context: &Context, loaded: &LoadedSkill, snapshot: &Arc<Snapshot>) {
    let Ok(Some(home)) = context.home(loaded) else { return };
    let Ok(Some(archive)) = archive_of(loaded, snapshot, &home) else { return };
    let is_bundle = matches!(archive.kind, ArchiveKind::Bundle(_));
    if !is_bundle || archive.unpacked > BUNDLE_BYTES || context.core.sessions().check_writable().is_err() {
        return;
    }
    let Ok(folder) = home.skill(&loaded.skill) else { return };
    if !context.core.content().versions().record_load(&archive.key).await {
        return;
    }
    let (context, skill, snapshot) = (context.clone(), loaded.skill.clone(), Arc::clone(snapshot));
    tokio::spawn(async move {
        if let Err(error) = make_bundle(&context, &skill, snapshot, &folder, &archive).await {
            tracing::debug!(user = %context.user(), %skill, cause = %error.chain(), "no bundle was made");
            context.core.content().versions().record_unmade(&archive.key).await;
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
    let (store, versions, key) = (&context.core.store(), &context.core.content().versions(), &archive.key);
    let Some(main) = snapshot.file(MAIN) else { return Ok(()) };
    // A load has just read SKILL.md, so this costs no request.
    if !identifies_bytes(context.core.content(), context.user().as_str(), main, folder).await? {
        tracing::debug!(user = %context.user(), %skill, "no bundle is made: the tag of SKILL.md does not say its bytes");
        versions.record_unmakeable(key.clone()).await;
        return Ok(());
    }
    // A bundle that did not hold the files is replaced.
    let base = if versions.is_wrong(key).await { ExpectedVersion::Whatever } else { ExpectedVersion::Absent };
    match store.head(key).await {
        Ok(_) if matches!(base, ExpectedVersion::Absent) => {
            versions.record_bundle(key.clone()).await;
            return Ok(());
        }
        Ok(_) | Err(StoreError::NotFound) => {}
        Err(error) => return Err(error.into()),
    }
    // An archive may take as much again while it grows.
    let Some(_room) = versions.reserve_if_free(key, archive.room() + archive.unpacked).await? else {
        versions.record_unmade(key).await;
        return Ok(());
    };
    let files = plain_files(context, &snapshot, folder).await?;
    let zip = packed_bundle(context, skill, snapshot, files, archive).await?;
    let Some(zip) = zip.filter(|zip| zip.len() as u64 <= archive.most()) else {
        tracing::debug!(user = %context.user(), %skill, "no bundle was made: nobody could check it, or it is too large");
        versions.record_unmakeable(key.clone()).await;
        return Ok(());
    };
    // A user who is deleted while the bundle is made must leave nothing behind.
    context.core.deletions().check_not_deleted(context.user()).await?;
    match context.core.committer().commit(key, zip, &base).await {
        Ok(_) | Err(StoreError::PreconditionFailed) => versions.record_bundle(key.clone()).await,
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// The files of a snapshot, each in the version that it names.
async fn plain_files(context: &Context, snapshot: &Snapshot, folder: &KeyPrefix) -> Result<Vec<(String, Bytes)>> {
    let reads = snapshot.files().iter().map(|file| async move {
        let bytes = plain_file(context.core.content(), file, folder).await?;
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
    let from = Provenance { at: context.core.clock().now(), by: None, source: Some(snapshot.digest().to_owned()) };
    let skill = skill.clone();
    let errand = context.core.workers().errand(context.user().as_str(), archive.unpacked);
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
