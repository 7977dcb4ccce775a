//! Bundles: archives of the files of a folder, which stand in for them and can be made again.

use std::collections::BTreeSet;

use super::{super::Service, survey::Survey};
use crate::{
    error::Result,
    limits::BUNDLE_BYTES,
    path::SkillPath,
    skill::{Snapshot, SnapshotFile, VersionArchive, record_in},
    store::{GetOptions, Keep, ListEntry, StoreError},
    wire::FindingCode,
};

/// Checks every bundle of one owner. `loaded` are the digests of the snapshots that sessions have loaded; if they are not known, no
/// bundle counts as one that nothing uses.
pub(super) async fn check(service: &Service, survey: &mut Survey, loaded: Option<&BTreeSet<String>>) -> Result<()> {
    let bundles = survey.of_area("bundles/");
    if bundles.is_empty() {
        return Ok(());
    }
    let folders = snapshots_of_folders(survey);
    for (name, entry) in bundles {
        let Some(digest) = name.strip_suffix(".zip").map(|name| format!("sha256:{name}")) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a bundle");
            continue;
        };
        let is_used = loaded.is_none_or(|loaded| loaded.contains(&digest)) || folders.contains(&digest);
        let found = if !is_used && survey.is_old(&entry) {
            Some((FindingCode::OrphanBundle, "no folder and no session has the files that it stands for"))
        } else if is_sound(service, survey, &digest, &entry).await? {
            None
        } else {
            Some((FindingCode::DamagedBundle, "it does not hold what its name says"))
        };
        if let Some((code, why)) = found {
            let key = survey.space.bundle(&digest)?;
            let repaired = survey.repair && survey.delete(service, &key, &entry).await?;
            survey.find_mended(code, &entry.key, why, repaired);
        }
    }
    Ok(())
}

/// The digests of what a load would pin of each folder of a skill now.
fn snapshots_of_folders(survey: &Survey) -> BTreeSet<String> {
    let mains = survey.objects.keys().filter_map(|name| name.strip_prefix("skills/")?.strip_suffix("/SKILL.md"));
    let skills = mains.filter_map(|path| SkillPath::parse(path).ok());
    let snapshot = |skill: SkillPath| {
        let folder = survey.space.skill(&skill).ok()?;
        let file = |entry: ListEntry| {
            Some(SnapshotFile {
                path: folder.relative(&entry.key)?.to_owned(),
                size: entry.size,
                etag: entry.etag,
                modified_at: entry.modified_at,
            })
        };
        Some(Snapshot::new(survey.folder(&skill).into_iter().filter_map(file).collect()).digest().to_owned())
    };
    skills.filter_map(snapshot).collect()
}

/// Whether a bundle holds what its name and its record say. One that is gone by now is no damage.
async fn is_sound(service: &Service, survey: &Survey, digest: &str, entry: &ListEntry) -> Result<bool> {
    if entry.size > BUNDLE_BYTES {
        return Ok(false);
    }
    let _room = service.shared.versions.enter(&survey.space.bundle(digest)?, 3 * entry.size).await?;
    let whole = GetOptions::range(0..BUNDLE_BYTES + 1).with_keep(Keep::Not);
    let zip = match service.store().get(&survey.space.bundle(digest)?, whole).await {
        Ok(object) if object.is_whole() => object.bytes,
        Ok(_) => return Ok(false),
        Err(StoreError::NotFound) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let record = record_in(&zip);
    let errand = service.workers().errand(&survey.owner, entry.size);
    let version = errand.run(move |_| {
        let mut archive = VersionArchive::open(zip).map_err(crate::Error::internal)?;
        archive.version().map_err(crate::Error::internal)
    });
    let Ok(version) = version.await else { return Ok(false) };
    Ok(record.is_some_and(|record| record.digest == version.digest() && record.source.as_deref() == Some(digest)))
}
