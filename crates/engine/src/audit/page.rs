//! Reading records: pages of them, in the order of their positions.
//!
//! A listing begins behind the requested time. A page ends at its limit of records, of bytes or of batches read. So a
//! page costs the same however many records there are and however large they are.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{
    batch::{BatchName, Position},
    log::{AuditLog, StoredBatch, earlier},
    pieces::ChunkedReader,
    record::{AuditRecord, StoredRecord},
};
use crate::{
    error::{Code, Error, Result},
    limits::{AUDIT_PAGE_BATCHES, AUDIT_PAGE_BYTES, AUDIT_PAGE_READ_BYTES, AUDIT_PAGE_RECORDS, AUDIT_PIECE_BYTES},
    path::Id,
};

/// Which records to return.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct AuditRequest {
    /// Only those of this session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Only those of this operation, as `write` or `publish_skill`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Only those that ended then or later.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
    /// Records of one page, 1 to 1,000. A page may have fewer and still name a next one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One page of records.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = AuditList)]
pub struct AuditPage {
    /// In the order of time. Records of several replicas may lie a minute apart in it from page to page.
    pub records: Vec<AuditRecord>,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

impl AuditLog {
    /// A page of the records of `user`.
    ///
    /// # Errors
    /// `invalid_request` for a cursor that is none and a limit out of bounds; the store's.
    pub async fn page(&self, user: &Id, wanted: &AuditRequest) -> Result<AuditPage> {
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
        let (mut batches, mut has_more) = self.batches(user, &from, AUDIT_PAGE_BATCHES).await?;
        let taken = within(&batches, AUDIT_PAGE_READ_BYTES);
        has_more |= taken < batches.len();
        batches.truncate(taken);
        let behind = batches.last().map(|batch| Position { batch: batch.name.clone(), place: usize::MAX });
        let (mut page, mut bytes) = (AuditPage::default(), 0);
        let mut last = None;
        let mut pieces = ChunkedReader::new(self, user, batches, AUDIT_PIECE_BYTES);
        let mut is_cut = false;
        'read: while let Some(piece) = pieces.next().await? {
            for StoredRecord { position, record, bytes: size } in piece {
                if after.as_ref().is_some_and(|after| position <= *after) || !wanted.takes(&record) {
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

impl AuditRequest {
    fn takes(&self, record: &AuditRecord) -> bool {
        self.session.as_ref().is_none_or(|session| record.session.as_ref() == Some(session))
            && self.operation.as_ref().is_none_or(|operation| record.operation == *operation)
            && self.since.is_none_or(|since| record.time >= since)
    }
}

impl Position {
    /// The same, with a place that can be written and read again: no batch has so many records.
    fn capped(self) -> Self {
        Self { place: self.place.min(999_999_999), ..self }
    }
}
