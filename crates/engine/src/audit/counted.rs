//! Figures of use from the records in a store, which are read in pieces.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    batch::BatchName,
    log::{AuditLog, StoredBatch, earlier},
    pieces::ChunkedReader,
    record::StoredRecord,
    usage::UsageTally,
};
use crate::{
    error::Result,
    handle::Service,
    limits::{AUDIT_PIECE_BYTES, CANDIDATE_BATCHES, CANDIDATE_DAYS, CANDIDATES_PRELOADED, USAGE_BATCHES},
    path::{Id, SkillPath},
    wire::{Usage, UsageRequest},
};

/// Bytes of text that a token stands for.
const TOKEN_BYTES: u64 = 4;

/// The figures of `user` from the records in the store of `service`.
///
/// # Errors
/// The store's.
pub async fn usage(service: &Service, user: &Id, wanted: &UsageRequest) -> Result<Usage> {
    let counted = tally(&AuditLog::for_service(service), user, wanted).await?;
    let stored = service.authoring().stored_skills(user).await?;
    let instructions = stored.skills.iter().map(|stored| (stored.skill.to_string(), stored.main_size() / TOKEN_BYTES));
    Ok(counted.figures(&instructions.collect()))
}

/// The skills that conversations of `user` used so often of late that a new one may begin with them, the most used first. Looks at
/// the latest [`CANDIDATE_BATCHES`] of a month.
///
/// # Errors
/// The store's.
pub(super) async fn candidates(log: &AuditLog, user: &Id, now: Timestamp) -> Result<Vec<SkillPath>> {
    let (mut since, mut batches) = (now, Vec::new());
    // The names of a whole month may be many, and the latest are usually those of a day.
    for days in CANDIDATE_DAYS {
        since = now.checked_sub(SignedDuration::from_hours(24 * days)).unwrap_or_default();
        batches = latest(log, user, &BatchName::before(since), CANDIDATE_BATCHES).await?.0;
        if batches.len() == CANDIDATE_BATCHES {
            break;
        }
    }
    let mut tally = UsageTally::new(Some(since));
    count(&mut tally, log, user, batches).await?;
    let skills = tally.figures(&BTreeMap::new()).default_candidates;
    Ok(skills.iter().filter_map(|skill| SkillPath::parse(skill).ok()).take(CANDIDATES_PRELOADED).collect())
}

/// The counts of the records in `log`, from the time that is wanted on, or from later if there are too many of them.
async fn tally(log: &AuditLog, user: &Id, wanted: &UsageRequest) -> Result<UsageTally> {
    let from = wanted.since.map_or_else(String::new, |since| BatchName::before(earlier(since)));
    let (batches, is_cut) = latest(log, user, &from, USAGE_BATCHES).await?;
    let mut tally = UsageTally::new(wanted.since);
    count(&mut tally, log, user, batches).await?;
    tally.truncated |= is_cut;
    Ok(tally)
}

/// The latest `most` batches after `from`, in the order of time, and whether there are earlier ones. A LIST of a thousand names each.
async fn latest(log: &AuditLog, user: &Id, from: &str, most: usize) -> Result<(Vec<StoredBatch>, bool)> {
    let (mut latest, mut from, mut is_cut) = (Vec::new(), from.to_owned(), false);
    loop {
        let (batches, has_more) = log.batches(user, &from, USAGE_BATCHES).await?;
        let last = batches.last().map(|last| last.name.to_string());
        latest.extend(batches);
        if latest.len() > most {
            latest.drain(..latest.len() - most);
            is_cut = true;
        }
        match last {
            Some(last) if has_more => from = last,
            _ => return Ok((latest, is_cut)),
        }
    }
}

/// Counts the records of batches in the order of time. A record of one replica may lie in a later batch than a younger
/// record of another replica. So the latest records wait for the next piece, up to the bytes of one piece.
async fn count(tally: &mut UsageTally, log: &AuditLog, user: &Id, batches: Vec<StoredBatch>) -> Result<()> {
    let mut pieces = ChunkedReader::new(log, user, batches, AUDIT_PIECE_BYTES);
    let mut read = Vec::new();
    while let Some(piece) = pieces.next().await? {
        read.extend(piece);
        read.sort_by_key(|stored: &StoredRecord| stored.record.time);
        let first = pieces.next_batch().map_or(read.len(), |next| ready(&read, earlier(next.time())));
        for stored in read.drain(..first) {
            tally.add(&stored.record);
        }
    }
    for stored in read {
        tally.add(&stored.record);
    }
    Ok(())
}

/// How many of the first `records` wait no longer: those from before `time`, and more if the rest has more than a piece.
fn ready(records: &[StoredRecord], time: Timestamp) -> usize {
    let early = records.partition_point(|stored| stored.record.time < time);
    let sums = records.iter().rev().scan(0_u64, |sum, stored| {
        *sum = sum.saturating_add(stored.bytes as u64);
        Some(*sum)
    });
    let held = sums.take_while(|sum| *sum <= AUDIT_PIECE_BYTES).count();
    early.max(records.len() - held)
}
