//! A query over a million records: what a page of it asks the store for.

use std::sync::Arc;

use bytes::Bytes;
use jiff::Timestamp;
use skillmount::{
    audit::{AuditLog, BatchName},
    handle::{Service, ServiceOptions},
    limits::{AUDIT_PAGE_BATCHES, AUDIT_PAGE_RECORDS},
    store::{CountingStore, MemoryStore, RequestCounts, Requests},
    wire::{AuditPage, AuditRequest},
};

use super::user;
use crate::support::clock;

const BATCHES: usize = 10_000;
const RECORDS: usize = 100;

fn at(batch: usize) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 60 * i64::try_from(batch).unwrap()).unwrap()
}

/// Queries over a bucket, with what each of them costs.
struct Counted {
    log: AuditLog,
    ledger: Arc<RequestCounts>,
    /// The bytes of one batch.
    batch: u64,
}

impl Counted {
    /// A million records, whose time is later than any that is asked for.
    fn new() -> Self {
        let memory = Arc::new(MemoryStore::like_s3());
        let line = "{\"time\":\"2099-01-01T00:00:00Z\",\"operation\":\"write\",\"session\":\"s1\",\"subject\":\"/workspace/a\"}\n";
        let batch = Bytes::from(format!("{{\"format\":1}}\n{}", line.repeat(RECORDS)));
        for number in 0..BATCHES {
            let name = BatchName::new(at(number), "0a1b2c3d");
            memory.put_raw(&format!("u1/.skillmount/audit/{name}"), batch.clone());
        }
        let ledger = Arc::new(RequestCounts::new());
        let store = Arc::new(CountingStore::new(memory, ledger.clone()));
        let log = AuditLog::for_service(&Service::new(store, ServiceOptions::default(), clock()));
        Self { log, ledger, batch: batch.len() as u64 }
    }

    /// One page, which is within the bounds of any, and what it asked for.
    async fn page(&self, wanted: &AuditRequest) -> (AuditPage, Requests) {
        let before = self.ledger.counts();
        let page = self.log.page(&user(), wanted).await.unwrap();
        let spent = (self.ledger.counts() - before).objects;
        let Requests { get, list, put, head, delete } = spent.requests;
        assert!(get <= AUDIT_PAGE_BATCHES as u64 && list <= 1, "{wanted:?}: {:?}", spent.requests);
        assert_eq!((put, head, delete), (0, 0, 0));
        assert!(spent.bytes_read <= AUDIT_PAGE_BATCHES as u64 * self.batch, "{wanted:?}: {} bytes", spent.bytes_read);
        assert!(page.records.len() <= wanted.limit.unwrap_or(AUDIT_PAGE_RECORDS));
        (page, spent.requests)
    }
}

// S-AUDIT-5: A query comes in pages, and one page reads at most 64 batches.
#[tokio::test]
async fn a_page_of_a_million_records_costs_what_a_page_costs_wherever_it_begins_and_whatever_it_finds() {
    let counted = Counted::new();
    let all = AuditRequest::default();
    let (first, cost) = counted.page(&all).await;
    assert_eq!(first.records.len(), AUDIT_PAGE_RECORDS);
    assert!(cost.get < 32, "a full page ends the reading: {cost:?}");

    for begin in [BATCHES / 2, BATCHES - 200] {
        let since = AuditRequest { since: Some(at(begin)), ..AuditRequest::default() };
        let (page, cost) = counted.page(&since).await;
        assert!(page.records.len() == AUDIT_PAGE_RECORDS && cost.get < 32, "{begin}: {cost:?}");
        assert!(page.next_cursor.is_some());
    }

    // A filter that takes none reads its batches, and says where to go on.
    let mut none = AuditRequest { operation: Some("delete".to_owned()), ..AuditRequest::default() };
    for number in 1..=3 {
        let (page, cost) = counted.page(&none).await;
        assert_eq!((page.records.len(), cost.get), (0, AUDIT_PAGE_BATCHES as u64));
        let cursor = page.next_cursor.unwrap();
        let last = BatchName::new(at(number * AUDIT_PAGE_BATCHES - 1), "0a1b2c3d");
        assert!(cursor.starts_with(&last.to_string()) || number > 1, "{cursor} and {last}");
        assert!(none.cursor.is_none_or(|before| before < cursor), "it goes on");
        none.cursor = Some(cursor);
    }

    // The end of all is found from near it.
    let mut near = AuditRequest { since: Some(at(BATCHES - 20)), ..AuditRequest::default() };
    let (mut records, mut pages) = (0, 0);
    loop {
        let (page, _) = counted.page(&near).await;
        (records, pages) = (records + page.records.len(), pages + 1);
        near.cursor = page.next_cursor;
        if near.cursor.is_none() {
            break;
        }
    }
    // Batches of up to 65 seconds before may have records of the time that is asked for.
    assert!((20 * RECORDS..=23 * RECORDS).contains(&records) && pages == 3, "{records} in {pages} pages");
}
