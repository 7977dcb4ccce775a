//! Bundles: archives of the files of a folder, which stand in for them and can be made again.

use std::collections::{BTreeMap, BTreeSet};

use super::survey::OwnerObjects;
use crate::{
    content,
    context::Core,
    error::{Error, Result},
    limits::{BUNDLE_BYTES, BUNDLE_NAMES_BYTES, SKILL_FILE_BYTES},
    path::{KeyPrefix, SkillPath},
    skill::{MAIN, Snapshot, SnapshotFile, Version, VersionArchive, VersionFile, VersionRecord, record_in},
    store::{CachePolicy, GetOptions, ListEntry, StoreError},
    wire::FindingCode,
};

/// The most that a bundle has.
const MOST: u64 = BUNDLE_BYTES + BUNDLE_NAMES_BYTES;

/// The folder of a skill as it is now.
#[derive(Debug)]
struct Folder {
    root: KeyPrefix,
    /// The files that a load would pin.
    snapshot: Snapshot,
}

/// A fault of a bundle, and the reason.
type Fault = (FindingCode, &'static str);

/// Checks every bundle of one owner. `loaded` has the digests of the snapshots that sessions have loaded. If it is absent, no
/// bundle counts as unused.
pub(super) async fn check(core: &Core, survey: &mut OwnerObjects, loaded: Option<&BTreeSet<String>>) -> Result<()> {
    let bundles = survey.of_area("bundles/");
    if bundles.is_empty() {
        return Ok(());
    }
    let folders = folders_with(survey, &bundles.iter().filter_map(|(name, _)| digest_in(name)).collect());
    for (name, entry) in bundles {
        let Some(digest) = digest_in(&name) else {
            survey.find(FindingCode::UnknownObject, entry.key, "its name is not that of a bundle");
            continue;
        };
        let is_used = loaded.is_none_or(|loaded| loaded.contains(&digest)) || folders.contains_key(&digest);
        let found = if !is_used && survey.is_old(&entry) {
            Some((FindingCode::OrphanBundle, "no folder and no session has the files that it stands for"))
        } else {
            fault(core, survey, &digest, folders.get(&digest), &entry).await?
        };
        if let Some((code, why)) = found {
            let key = survey.space.bundle(&digest)?;
            let repaired = survey.repair && survey.delete(core, &key, &entry).await?;
            survey.find_repaired(code, &entry.key, why, repaired);
        }
    }
    Ok(())
}

/// The digest of the snapshot that a bundle of this name stands for.
fn digest_in(name: &str) -> Option<String> {
    name.strip_suffix(".zip").map(|name| format!("sha256:{name}"))
}

/// Each folder of a skill whose snapshot has one of the digests `wanted` now, by that digest.
fn folders_with(survey: &OwnerObjects, wanted: &BTreeSet<String>) -> BTreeMap<String, Folder> {
    let mains = survey.objects.keys().filter_map(|name| name.strip_prefix("skills/")?.strip_suffix("/SKILL.md"));
    let skills = mains.filter_map(|path| SkillPath::parse(path).ok());
    let folder = |skill: SkillPath| {
        let root = survey.space.skill(&skill).ok()?;
        let file = |entry: ListEntry| {
            Some(SnapshotFile {
                path: root.relative(&entry.key)?.to_owned(),
                size: entry.size,
                etag: entry.etag,
                modified_at: entry.modified_at,
            })
        };
        let snapshot = Snapshot::new(survey.folder(&skill).into_iter().filter_map(file).collect());
        wanted.contains(snapshot.digest()).then(|| (snapshot.digest().to_owned(), Folder { root, snapshot }))
    };
    skills.filter_map(folder).collect()
}

/// The fault of a bundle, if it has one. Only a bundle that is young or in use is checked. The bundle of `folder` is in use,
/// and a bundle in a session.
async fn fault(
    core: &Core,
    survey: &OwnerObjects,
    digest: &str,
    folder: Option<&Folder>,
    entry: &ListEntry,
) -> Result<Option<Fault>> {
    let unused = (FindingCode::OrphanBundle, "its files have tags that are no MD5, so no process uses it");
    if folder.is_some_and(|folder| !folder.snapshot.may_identify_bytes()) {
        return Ok(Some(unused));
    }
    if is_sound(core, survey, digest, folder.map(|folder| &folder.snapshot), entry).await? {
        return Ok(None);
    }
    if let Some(folder) = folder
        && !identifies_bytes(core, survey, folder).await?
    {
        return Ok(Some(unused));
    }
    Ok(Some((FindingCode::DamagedBundle, "it does not hold what its name says")))
}

/// Whether the tag of SKILL.md says its bytes, as far as it can be seen.
async fn identifies_bytes(core: &Core, survey: &OwnerObjects, folder: &Folder) -> Result<bool> {
    let Some(main) = folder.snapshot.file(MAIN).filter(|main| main.size <= SKILL_FILE_BYTES) else { return Ok(true) };
    match content::identifies_bytes(core.content(), &survey.owner, main, &folder.root).await {
        Ok(found) => Ok(found),
        Err(StoreError::NotFound | StoreError::PreconditionFailed) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Whether the content of a bundle agrees with its name and record. If its folder is there, the bundle must also hold the
/// files of `snapshot`. A bundle that is gone by now is no damage.
async fn is_sound(
    core: &Core,
    survey: &OwnerObjects,
    digest: &str,
    snapshot: Option<&Snapshot>,
    entry: &ListEntry,
) -> Result<bool> {
    if entry.size > MOST {
        return Ok(false);
    }
    let key = survey.space.bundle(digest)?;
    let _room = core.content().versions().reserve(&key, entry.size + BUNDLE_BYTES).await?;
    let whole = GetOptions::range(0..MOST + 1).with_keep(CachePolicy::Not);
    let zip = match core.store().get(&key, whole).await {
        Ok(object) if object.is_whole() => object.bytes,
        Ok(_) => return Ok(false),
        Err(StoreError::NotFound) => return Ok(true),
        Err(error) => return Err(error.into()),
    };
    let (digest, snapshot) = (digest.to_owned(), snapshot.cloned());
    let errand = core.workers().errand(&survey.owner, entry.size);
    let is_sound = errand.run(move |_| {
        let record = record_in(&zip);
        let files = VersionArchive::open(zip).and_then(|mut archive| archive.files_up_to(BUNDLE_BYTES));
        let files = files.map_err(Error::internal)?;
        let version = Version::new(files.iter().map(|(path, bytes)| VersionFile::from_bytes(path, bytes)).collect());
        let says_so = |record: VersionRecord| {
            record.digest == version.digest() && record.source.as_deref() == Some(digest.as_str())
        };
        Ok(record.is_some_and(says_so) && snapshot.is_none_or(|snapshot| snapshot.holds(&files)))
    });
    Ok(is_sound.await.unwrap_or(false))
}
