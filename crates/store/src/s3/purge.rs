//! Removing versions for good.
//!
//! A bucket without versioning lists each object as its one version `null`, so the same requests serve both kinds. Each
//! version is deleted by itself: S3 does not charge for that, and a request for many is XML, which cannot contain every key.

use aws_sdk_s3::{
    operation::list_object_versions::builders::ListObjectVersionsFluentBuilder as VersionsRequest,
    types::{DeleteMarkerEntry, EncodingType, ObjectVersion},
};
use futures_util::{StreamExt as _, stream};

use super::{
    bucket::{S3Store, within},
    list::key,
    request::RequestKind,
    whole_xml::XmlWitness,
};
use crate::{
    PurgeReply, PurgedVersion, StoreError, StoreResult,
    attempts::{read, retry},
};
use skillmount_base::{
    limits::{ATTEMPT_TIMEOUT, PARALLEL_GETS},
    path::KeyPrefix,
};

/// Versions that are listed at once: the most that S3 gives.
const PAGE: i32 = 1000;

/// A version that was listed, and its name.
struct ListedVersion {
    version: PurgedVersion,
    id: String,
}

pub(super) async fn purge_page(store: &S3Store, prefix: &KeyPrefix) -> StoreResult<PurgeReply> {
    let (listed, has_more) = read(&store.clock, || versions_once(store, prefix)).await?;
    let gone = stream::iter(listed).map(|one| async move {
        let outcome = retry(&store.clock, StoreError::is_transient, || purge_once(store, &one)).await;
        outcome.map(|()| one.version)
    });
    let gone: Vec<StoreResult<PurgedVersion>> = gone.buffer_unordered(PARALLEL_GETS).collect().await;
    let mut purged = PurgeReply { has_more, ..PurgeReply::default() };
    for outcome in gone {
        match outcome {
            Ok(version) => purged.removed.push(version),
            Err(error) => purged.failed = Some(error),
        }
    }
    Ok(purged)
}

async fn purge_once(store: &S3Store, one: &ListedVersion) -> StoreResult<()> {
    let request = store.client.delete_object().bucket(&store.bucket).key(&one.version.key).version_id(&one.id);
    let sent = within(ATTEMPT_TIMEOUT, RequestKind::Purge, request.send()).await?;
    match sent.map_err(|error| store.classify(error, RequestKind::Purge)) {
        Ok(_) | Err(StoreError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// One page of versions, and whether there are more.
async fn versions_once(store: &S3Store, prefix: &KeyPrefix) -> StoreResult<(Vec<ListedVersion>, bool)> {
    let request = store.client.list_object_versions().bucket(&store.bucket).prefix(prefix.as_str()).max_keys(PAGE);
    let listed = match send_versions(store, request.clone(), false).await {
        // As in a listing of objects: XML cannot contain every key, and then the keys are asked for in URL encoding.
        Err(StoreError::Unavailable { .. }) => {
            send_versions(store, request.encoding_type(EncodingType::Url), true).await
        }
        answer => answer,
    };
    // A server that ignores the prefix would have the objects of others removed.
    if listed.as_ref().is_ok_and(|(listed, _)| listed.iter().any(|one| !one.version.key.starts_with(prefix.as_str()))) {
        return Err(StoreError::broken("a listing has versions that were not asked for"));
    }
    listed
}

async fn send_versions(
    store: &S3Store,
    request: VersionsRequest,
    encoded: bool,
) -> StoreResult<(Vec<ListedVersion>, bool)> {
    let witness = XmlWitness::default();
    let sent = request.customize().interceptor(witness.clone()).send();
    let answer = within(ATTEMPT_TIMEOUT, RequestKind::Versions, sent).await?;
    let answer = answer.map_err(|error| store.classify(error, RequestKind::Versions))?;
    if !witness.saw_whole() {
        return Err(StoreError::broken("a listing of versions ends in the middle of its XML"));
    }
    let encoded = encoded && answer.encoding_type == Some(EncodingType::Url);
    let has_more = answer.is_truncated == Some(true);
    let versions = answer.versions.unwrap_or_default().into_iter().map(|version| of_version(version, encoded));
    let marks = answer.delete_markers.unwrap_or_default().into_iter().map(|mark| of_mark(mark, encoded));
    Ok((versions.chain(marks).collect::<StoreResult<_>>()?, has_more))
}

fn of_version(version: ObjectVersion, encoded: bool) -> StoreResult<ListedVersion> {
    let size = version.size.and_then(|size| u64::try_from(size).ok()).unwrap_or_default();
    let is_object = version.is_latest == Some(true);
    listed(PurgedVersion { key: key(version.key, encoded)?, size, is_object }, version.version_id)
}

fn of_mark(mark: DeleteMarkerEntry, encoded: bool) -> StoreResult<ListedVersion> {
    listed(PurgedVersion { key: key(mark.key, encoded)?, size: 0, is_object: false }, mark.version_id)
}

fn listed(version: PurgedVersion, id: Option<String>) -> StoreResult<ListedVersion> {
    let id = id.ok_or_else(|| StoreError::broken("a listing has a version without a name"))?;
    Ok(ListedVersion { version, id })
}
