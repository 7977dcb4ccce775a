//! Reading records: pages of them, in the order of their positions.
//!
//! A listing begins behind the requested time. A page ends at its limit of records, of bytes or of batches read. So a
//! page costs the same however many records there are and however large they are.

use super::{
    batch::{BatchName, Position},
    log::{AuditLog, StoredBatch, earlier},
    pieces::ChunkedReader,
    record::StoredRecord,
};
use crate::{
    error::{Code, Error, Result},
    limits::{AUDIT_PAGE_BATCHES, AUDIT_PAGE_BYTES, AUDIT_PAGE_READ_BYTES, AUDIT_PAGE_RECORDS, AUDIT_PIECE_BYTES},
    path::LayerOwner,
    wire::{AuditPage, AuditRecord, AuditRequest},
};

impl AuditLog {
    /// A page of the records of a user, or of the changes of the skills of a team or the organisation.
    ///
    /// # Errors
    /// `invalid_request` for a cursor that is none and a limit out of bounds; the store's.
    pub async fn page(&self, owner: impl Into<LayerOwner>, wanted: &AuditRequest) -> Result<AuditPage> {
        let owner = owner.into();
        let limit = wanted.limit.unwrap_or(AUDIT_PAGE_RECORDS);
        if !(1..=AUDIT_PAGE_RECORDS).contains(&limit) {
            let message = format!("limit is {limit} and may be 1 to {AUDIT_PAGE_RECORDS}");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let after = wanted.cursor.as_deref().map(Position::parse).transpose()?;
        let from = match (&after, wanted.since) {
            // The batch of the cursor may have records behind it.
            (Some(after), _) => BatchName::before(after.batch.time()),
            (None, Some(since)) => BatchName::before(earlier(since)),
            (None, None) => String::new(),
        };
        let (mut batches, mut has_more) = self.batches(&owner, &from, AUDIT_PAGE_BATCHES).await?;
        let taken = within(&batches, AUDIT_PAGE_READ_BYTES);
        has_more |= taken < batches.len();
        batches.truncate(taken);
        let behind = batches.last().map(|batch| Position { batch: batch.name.clone(), place: usize::MAX });
        let (mut page, mut bytes) = (AuditPage::default(), 0);
        let mut last = None;
        let mut pieces = ChunkedReader::new(self, owner, batches, AUDIT_PIECE_BYTES);
        let mut is_cut = false;
        'read: while let Some(piece) = pieces.next().await? {
            for StoredRecord { position, record, bytes: size } in piece {
                if after.as_ref().is_some_and(|after| position <= *after) || !is_wanted(wanted, &record) {
                    continue;
                }
                let is_full = page.records.len() == limit || bytes + size > AUDIT_PAGE_BYTES;
                if is_full && last.is_some() {
                    is_cut = true;
                    break 'read;
                }
                bytes += size;
                last = Some(position);
                page.records.push(record);
            }
        }
        let next = if is_cut { last } else { behind.filter(|_| has_more) };
        page.next_cursor = next.map(|next| next.capped().to_string());
        page.records.sort_by_key(|record| record.time);
        Ok(page)
    }
}

/// How many of the first `batches` have up to `bytes` together: at least one.
fn within(batches: &[StoredBatch], bytes: u64) -> usize {
    let sums = batches.iter().scan(0_u64, |sum, batch| {
        *sum = sum.saturating_add(batch.bytes);
        Some(*sum)
    });
    sums.take_while(|sum| *sum <= bytes).count().max(1)
}

fn is_wanted(request: &AuditRequest, record: &AuditRecord) -> bool {
    request.session.as_ref().is_none_or(|session| record.session.as_ref() == Some(session))
        && request.operation.as_ref().is_none_or(|operation| record.operation == *operation)
        && request.since.is_none_or(|since| record.time >= since)
}

impl Position {
    /// The same, with a place that can be written and read again: no batch has so many records.
    fn capped(self) -> Self {
        Self { place: self.place.min(999_999_999), ..self }
    }
}
