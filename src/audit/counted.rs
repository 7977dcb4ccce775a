//! Figures of use from the records in a store, which are read in pieces.

use std::collections::BTreeMap;

use jiff::{SignedDuration, Timestamp};

use super::{
    batch::BatchName,
    figures::{Usage, UsageRequest},
    log::{AuditLog, StoredBatch, earlier},
    pieces::Pieces,
    usage::UsageTally,
};
use crate::{
    backend::Service,
    error::Result,
    limits::{
        AUDIT_PAGE_BATCHES, AUDIT_PIECE_BYTES, CANDIDATE_BATCHES, CANDIDATE_DAYS, CANDIDATE_LISTED,
        CANDIDATES_PRELOADED, USAGE_BATCHES,
    },
    path::{Id, SkillPath},
};

/// Bytes of text that a token stands for.
const TOKEN_BYTES: u64 = 4;

/// The figures of `user` from the records in the store of `service`.
///
/// # Errors
/// The store's.
pub async fn usage(service: &Service, user: &Id, wanted: &UsageRequest) -> Result<Usage> {
    let counted = tally(&AuditLog::of(service), user, wanted).await?;
    let stored = service.stored_skills(user).await?;
    let instructions = stored.skills.iter().map(|stored| (stored.skill.to_string(), stored.main_size() / TOKEN_BYTES));
    Ok(counted.figures(&instructions.collect()))
}

/// The skills that conversations of `user` used so often of late that a new one may begin with them, the most used first. Looks at
/// the latest [`CANDIDATE_BATCHES`] of a month.
///
/// # Errors
/// The store's.
pub(super) async fn candidates(log: &AuditLog, user: &Id, now: Timestamp) -> Result<Vec<SkillPath>> {
    let since = now.checked_sub(SignedDuration::from_hours(24 * CANDIDATE_DAYS)).unwrap_or_default();
    let (mut batches, _) = log.batches(user, &BatchName::before(since), CANDIDATE_LISTED).await?;
    let latest = batches.split_off(batches.len().saturating_sub(CANDIDATE_BATCHES));
    let mut tally = UsageTally::new(Some(since));
    count(&mut tally, log, user, latest).await?;
    let skills = tally.figures(&BTreeMap::new()).default_candidates;
    Ok(skills.iter().filter_map(|skill| SkillPath::parse(skill).ok()).take(CANDIDATES_PRELOADED).collect())
}

/// The counts of the records in `log`, from the time that is wanted on.
async fn tally(log: &AuditLog, user: &Id, wanted: &UsageRequest) -> Result<UsageTally> {
    let mut tally = UsageTally::new(wanted.since);
    let mut from = wanted.since.map_or_else(String::new, |since| BatchName::before(earlier(since)));
    let mut read = 0;
    loop {
        let (batches, has_more) = log.batches(user, &from, AUDIT_PAGE_BATCHES.min(USAGE_BATCHES - read)).await?;
        let last = batches.last().map(|last| last.name.to_string());
        read += batches.len();
        count(&mut tally, log, user, batches).await?;
        match last {
            Some(last) if has_more && read < USAGE_BATCHES => from = last,
            _ => {
                tally.truncated |= has_more;
                return Ok(tally);
            }
        }
    }
}

/// Counts the records of batches, those of each piece in the order of time.
async fn count(tally: &mut UsageTally, log: &AuditLog, user: &Id, batches: Vec<StoredBatch>) -> Result<()> {
    let mut pieces = Pieces::new(log, user, batches, AUDIT_PIECE_BYTES);
    while let Some(mut piece) = pieces.next().await? {
        piece.sort_by_key(|stored| stored.record.time);
        for stored in &piece {
            tally.add(&stored.record);
        }
    }
    Ok(())
}
