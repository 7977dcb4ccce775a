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

/// The beginnings of the names of objects that a probe or `doctor` writes and deletes again.
const PROBES: [&str; 2] = ["probe-", "doctor-"];

/// Checks the tombstones and the core's own folder.
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
    let own = core.namespace().prefix().folder(".skillmount")?;
    let entries = list(core, &own, &mut findings).await?;
    objects += entries.len() as u64;
    let now = core.clock().now();
    for entry in entries {
        let name = own.relative(&entry.key).unwrap_or_default();
        let Some(key) = own.admit(&entry.key).filter(|_| PROBES.iter().any(|probe| name.starts_with(probe))) else {
            findings.push(unknown(entry.key));
            continue;
        };
        if now.duration_since(entry.modified_at) >= ORPHAN_AGE {
            let found = FsckFinding::new(None, FindingCode::LeftoverProbe, entry.key, "a check of the store left it");
            if repair {
                core.check_writable()?;
                core.store().delete(&key, DeleteOptions::default()).await?;
            }
            findings.push(FsckFinding { repaired: repair, ..found });
        }
    }
    Ok((objects, findings))
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
