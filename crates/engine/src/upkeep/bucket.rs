//! Objects of no user: deletions, and leftovers of probes.

use super::survey::too_many;
use crate::{
    context::Core,
    deletions::{DeletionError, read_receipt},
    error::Result,
    limits::{LIST_OBJECTS, ORPHAN_AGE},
    path::{Id, KeyPrefix},
    store::{DeleteOptions, ListEntry, StoreExt as _},
    wire::{DeletionState, FindingCode, FsckFinding},
};

/// The beginnings of the names of objects that a probe or `doctor` writes below `.skillmount/` and deletes again.
const CHECKS: [&str; 2] = ["probe-", "doctor-"];
/// The same below `_probe/`.
const RACES: [&str; 1] = ["race-"];
/// The stored result of the last probe, below `_probe/`.
const RESULT: &str = "result.json";

/// Checks the tombstones and the core's own folders.
pub(super) async fn check(core: &Core, repair: bool) -> Result<(u64, Vec<FsckFinding>)> {
    let mut findings = Vec::new();
    let deletions = core.namespace().deletions()?;
    let entries = list(core, &deletions, &mut findings).await?;
    let mut objects = entries.len() as u64;
    for entry in entries {
        let name = deletions.relative(&entry.key).unwrap_or_default();
        let receipt = name.strip_prefix(".receipts/");
        match Id::parse(receipt.unwrap_or(name)) {
            Ok(user) if receipt.is_none() => findings.extend(check_tombstone(core, &user, &entry, repair).await?),
            Ok(user) => findings.extend(check_receipt(core, &user, &entry).await?),
            Err(_) => findings.push(unknown(entry.key)),
        }
    }
    for (folder, left_over, kept) in [(".skillmount", CHECKS.as_slice(), None), ("_probe", &RACES, Some(RESULT))] {
        let folder = core.namespace().prefix().folder(folder)?;
        let entries = list(core, &folder, &mut findings).await?;
        objects += entries.len() as u64;
        for entry in entries.into_iter().filter(|entry| folder.relative(&entry.key) != kept) {
            findings.extend(check_left_over(core, &folder, entry, left_over, repair).await?);
        }
    }
    Ok((objects, findings))
}

/// Checks a left-over object. The names of a probe and of `doctor` begin with one of `names`.
async fn check_left_over(
    core: &Core,
    folder: &KeyPrefix,
    entry: ListEntry,
    names: &[&str],
    repair: bool,
) -> Result<Option<FsckFinding>> {
    let name = folder.relative(&entry.key).unwrap_or_default();
    let Some(key) = folder.admit(&entry.key).filter(|_| names.iter().any(|known| name.starts_with(known))) else {
        return Ok(Some(unknown(entry.key)));
    };
    if core.clock().now().duration_since(entry.modified_at) < ORPHAN_AGE {
        return Ok(None);
    }
    if repair {
        core.check_writable()?;
        core.store().delete(&key, DeleteOptions::default()).await?;
    }
    let found = FsckFinding::new(None, FindingCode::LeftoverProbe, entry.key, "a check of the store left it");
    Ok(Some(FsckFinding { repaired: repair, ..found }))
}

/// The objects below `prefix`, and a finding if there are more.
async fn list(core: &Core, prefix: &KeyPrefix, findings: &mut Vec<FsckFinding>) -> Result<Vec<ListEntry>> {
    let (entries, has_more) = core.store().list_all(prefix, LIST_OBJECTS).await?;
    if has_more {
        findings.push(FsckFinding::new(None, FindingCode::TooManyObjects, prefix.to_string(), too_many()));
    }
    Ok(entries)
}

async fn check_receipt(core: &Core, user: &Id, entry: &ListEntry) -> Result<Option<FsckFinding>> {
    match read_receipt(core.deletions(), user).await {
        Err(DeletionError::Damaged(damage)) => {
            let detail = damage.message().to_owned();
            Ok(Some(FsckFinding::new(None, FindingCode::DamagedReceipt, &entry.key, detail)))
        }
        outcome => Ok(outcome.map(|_| None)?),
    }
}

async fn check_tombstone(core: &Core, user: &Id, entry: &ListEntry, repair: bool) -> Result<Option<FsckFinding>> {
    let deletion = match core.deletions().find_deletion(user).await {
        Ok(Some(deletion)) => deletion,
        Ok(None) => return Ok(None),
        Err(DeletionError::Damaged(damage)) => {
            let detail = damage.message().to_owned();
            return Ok(Some(FsckFinding::new(None, FindingCode::DamagedTombstone, &entry.key, detail)));
        }
        Err(error) => return Err(error.into()),
    };
    let is_due = core.clock().now() >= deletion.second_sweep_at;
    if deletion.state == DeletionState::Deleted || !is_due {
        return Ok(None);
    }
    let repaired = repair && core.deletions().advance_deletion(user).await?.state == DeletionState::Deleted;
    let detail = format!("the deletion of user {user} is not done");
    let found = FsckFinding::new(None, FindingCode::UnfinishedDeletion, &entry.key, detail);
    Ok(Some(FsckFinding { repaired, ..found }))
}

fn unknown(key: String) -> FsckFinding {
    FsckFinding::new(None, FindingCode::UnknownObject, key, "this version does not know what it is for")
}
