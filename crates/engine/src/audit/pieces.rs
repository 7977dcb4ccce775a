//! Reading batches in pieces, so that a reader holds as much however large they are.
//!
//! A piece is several small batches, which are read at once, or a part of a large one: the sizes in the listing say
//! which. Each record comes with its bytes, so a reader knows the size of the records that it keeps.

use std::collections::VecDeque;

use futures_util::{TryStreamExt as _, stream};

use super::{
    batch::BatchName,
    log::{AuditLog, StoredBatch},
    record::{StoredRecord, records_in_lines},
};
use crate::{
    error::Result,
    limits::{AUDIT_BATCH_BYTES, AUDIT_LINE_BYTES},
    path::{ETag, LayerOwner},
    store::GetOptions,
};

/// Batches that are read at once.
const PARALLEL: usize = 8;

/// Batches that are read piece by piece, in their order.
#[derive(Debug)]
pub(super) struct ChunkedReader {
    log: AuditLog,
    owner: LayerOwner,
    batches: VecDeque<StoredBatch>,
    large: Option<LargeBatch>,
    /// Bytes of one piece.
    most: u64,
}

/// A batch of which only a part is in memory.
#[derive(Debug)]
struct LargeBatch {
    name: BatchName,
    etag: Option<ETag>,
    /// Where the next piece begins.
    at: u64,
    /// The lines that have been read.
    lines: usize,
    /// The beginning of the next line.
    rest: Vec<u8>,
    /// Whether the next line is too long to be a record.
    is_passed_over: bool,
}

impl ChunkedReader {
    /// The records of `batches`, in pieces of `most` bytes.
    pub(super) fn new(
        log: &AuditLog,
        owner: impl Into<LayerOwner>,
        batches: impl IntoIterator<Item = StoredBatch>,
        most: u64,
    ) -> Self {
        let batches = batches.into_iter().collect();
        Self { log: log.clone(), owner: owner.into(), batches, large: None, most }
    }

    /// Reads these batches too.
    pub(super) fn extend(&mut self, batches: impl IntoIterator<Item = StoredBatch>) {
        self.batches.extend(batches);
    }

    /// The first batch that is not read to its end.
    pub(super) fn next_batch(&self) -> Option<&BatchName> {
        let large = self.large.as_ref().map(|large| &large.name);
        large.or_else(|| self.batches.front().map(|batch| &batch.name))
    }

    /// The records of the next piece, in the order of their positions; `None` after the last piece. A piece may be empty.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<StoredRecord>>> {
        if let Some(mut large) = self.large.take() {
            let (records, has_more) = large.next(&self.log, &self.owner, self.most).await?;
            self.large = Some(large).filter(|_| has_more);
            return Ok(Some(records));
        }
        let sums = self.batches.iter().scan(0_u64, |sum, batch| {
            *sum = sum.saturating_add(batch.bytes);
            Some(*sum)
        });
        let small = sums.take_while(|sum| *sum <= self.most).take(PARALLEL).count();
        if small == 0 {
            self.large = self.batches.pop_front().map(|batch| LargeBatch::new(batch.name));
            return Ok(self.large.as_ref().map(|_| Vec::new()));
        }
        let reads: Vec<_> = self.batches.drain(..small).collect();
        let reads = reads.into_iter().map(|batch| Ok(whole(&self.log, &self.owner, batch)));
        let batches: Vec<_> = stream::iter(reads).try_buffered(PARALLEL).try_collect().await?;
        Ok(Some(batches.into_iter().flatten().collect()))
    }
}

/// The records of a small batch; none if it is gone.
async fn whole(log: &AuditLog, owner: &LayerOwner, batch: StoredBatch) -> Result<Vec<StoredRecord>> {
    let StoredBatch { name, bytes } = batch;
    let read = log.read(owner, &name, GetOptions::range(0..bytes.max(1))).await?;
    Ok(read.map_or_else(Vec::new, |object| records_in_lines(&name, 0, &object.bytes)))
}

impl LargeBatch {
    fn new(name: BatchName) -> Self {
        Self { name, etag: None, at: 0, lines: 0, rest: Vec::new(), is_passed_over: false }
    }

    /// The records of its next piece, and whether there may be more.
    async fn next(&mut self, log: &AuditLog, owner: &LayerOwner, most: u64) -> Result<(Vec<StoredRecord>, bool)> {
        let end = (self.at + most).min(AUDIT_BATCH_BYTES);
        let options = GetOptions { if_match: self.etag.clone(), ..GetOptions::range(self.at..end) };
        let Some(object) = log.read(owner, &self.name, options).await? else { return Ok((Vec::new(), false)) };
        let has_more =
            object.range.end > self.at && object.range.end < object.meta.size && object.range.end < AUDIT_BATCH_BYTES;
        self.at = object.range.end;
        self.etag = Some(object.meta.etag);
        self.rest.extend_from_slice(&object.bytes);
        let whole = match self.rest.iter().rposition(|byte| *byte == b'\n') {
            _ if !has_more => self.rest.len(),
            Some(last) => last + 1,
            None => 0,
        };
        let rest = self.rest.split_off(whole);
        let mut text = std::mem::replace(&mut self.rest, rest);
        if self.is_passed_over && !text.is_empty() {
            // The line goes on taking its place.
            let end = text.iter().position(|byte| *byte == b'\n').unwrap_or(text.len());
            text.drain(..end);
            self.is_passed_over = false;
        }
        let records = records_in_lines(&self.name, self.lines, &text);
        self.lines += text.split(|byte| *byte == b'\n').skip(1).count();
        if self.rest.len() > AUDIT_LINE_BYTES {
            self.rest.clear();
            self.is_passed_over = true;
        }
        Ok((records, has_more))
    }
}
