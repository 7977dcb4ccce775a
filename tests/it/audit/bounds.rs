//! How much of the records a reply and its reader hold, whatever is in them.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;
use skillmount::{
    audit::{AuditMode, BatchName, Events, Resume, usage},
    handle::{Service, ServiceOptions},
    limits::{
        AUDIT_LINE_BYTES, AUDIT_PAGE_BYTES, AUDIT_PIECE_BYTES, EVENTS_PAGE, EVENTS_PAGE_BYTES, EVENTS_PIECE_BYTES,
    },
    store::{Verb, testing::Faulty},
    wire::{AuditRequest, UsageRequest},
};

use super::{Audited, user};
use crate::support::clock;

const BATCHES: i64 = 12;
const RECORDS: usize = 256;

fn begin() -> Timestamp {
    Timestamp::from_second(1_700_000_000).unwrap()
}

fn name(batch: i64) -> BatchName {
    BatchName::new(begin() + jiff::SignedDuration::from_secs(batch * 60), "0a1b2c3d")
}

/// A line of a batch that is about something of `bytes` bytes.
fn line(call: &str, bytes: usize) -> String {
    let time = begin();
    let subject = "x".repeat(bytes);
    format!(
        "{{\"time\":\"{time}\",\"operation\":\"ls\",\"session\":\"s1\",\"outcome\":\"ok\",\"call\":\"{call}\",\"subject\":\"{subject}\"}}\n"
    )
}

/// Batches whose records have 4 KiB each: every batch is larger than a piece.
fn large() -> (Audited, BTreeSet<String>) {
    let world = Audited::new(AuditMode::Async);
    let mut calls = BTreeSet::new();
    for batch in 0..BATCHES {
        let named: Vec<_> = (0..RECORDS).map(|place| format!("{batch}-{place}")).collect();
        let lines: String = named.iter().map(|call| line(call, 4096)).collect();
        assert!(lines.len() as u64 > AUDIT_PIECE_BYTES);
        world.memory.put_raw(&format!("u1/.skillmount/audit/{}", name(batch)), format!("{{\"format\":1}}\n{lines}"));
        calls.extend(named);
    }
    (world, calls)
}

// S-AUDIT-5: A query comes in pages, and one page reads at most 64 batches.
#[tokio::test]
async fn a_page_stays_within_its_bytes_and_the_pages_together_have_every_record_once() {
    let (world, mut calls) = large();
    let mut wanted = AuditRequest::default();
    let mut pages = 0;
    loop {
        let page = world.page(&wanted).await.unwrap();
        let bytes = serde_json::to_vec(&page.records).unwrap().len();
        // Each record is written with its defaults, which a batch may leave out.
        assert!(bytes <= AUDIT_PAGE_BYTES + page.records.len() * 256, "{bytes}");
        assert!(!page.records.is_empty());
        for record in page.records {
            assert!(calls.remove(&record.call), "{} came twice", record.id);
        }
        pages += 1;
        wanted.cursor = page.next_cursor;
        if wanted.cursor.is_none() {
            break;
        }
    }
    assert!(calls.is_empty(), "{} records are in no page", calls.len());
    assert!(pages >= 12, "{pages}");
}

#[tokio::test]
async fn a_record_that_is_no_record_by_its_length_takes_its_place_and_no_memory() {
    let world = Audited::new(AuditMode::Async);
    let text = ["{\"format\":1}\n", &line("one", 10), &line("long", 2 * AUDIT_LINE_BYTES), &line("two", 10)].concat();
    assert!(text.len() as u64 > AUDIT_PIECE_BYTES);
    let long = format!("{text}{}", line("three", usize::try_from(AUDIT_PIECE_BYTES).unwrap() - 1000));
    world.memory.put_raw(&format!("u1/.skillmount/audit/{}", name(0)), long);
    let since = Resume::parse(&format!("{}.0.0", name(0))).unwrap();
    let events = Events::new(&world.service, Some(world.recorder.clone()), clock());
    let told = events.since(&user(), None, since, (EVENTS_PAGE, usize::MAX)).await.unwrap().events;
    let ids: Vec<_> = told.iter().filter(|event| event.event == "tool_result").map(|event| event.id.clone()).collect();
    let place = |place: u64| Some(format!("{}.{place}.1", name(0)));
    assert_eq!(ids, [place(1), place(3)], "the long ones are passed over, and the others keep their places");
}

// S-EVENT-16: A client that accepts JSON and no stream gets 1,000 events and 128 KiB at most, and in `next` the
// `Last-Event-ID` for the rest.
#[tokio::test]
async fn events_that_were_missed_come_in_answers_of_so_many_bytes() {
    let (world, mut calls) = large();
    let events = Events::new(&world.service, Some(world.recorder.clone()), clock());
    let mut next = Some(Resume::parse(&format!("{}.0.0", name(0))).unwrap());
    let mut answers = 0;
    while let Some(from) = next {
        let told = events.since(&user(), None, from, (EVENTS_PAGE, EVENTS_PAGE_BYTES)).await.unwrap();
        assert!(serde_json::to_vec(&told.events).unwrap().len() <= EVENTS_PAGE_BYTES + 2 * told.events.len());
        for event in told.events.iter().filter(|event| event.event == "tool_result") {
            assert!(calls.remove(event.data["id"].as_str().unwrap()), "{:?} came twice", event.id);
        }
        (next, answers) = (told.next, answers + 1);
    }
    assert!(answers > 100, "{answers}");
    assert!(calls.is_empty(), "{} are missing", calls.len());
}

// S-USAGE-3: The figures of a million records take bounded memory.
#[tokio::test]
async fn no_reader_fetches_more_at_once_than_a_piece() {
    let (world, _) = large();
    let counted = Arc::new(Faulty::new(world.memory.clone()));
    let service = Service::new(counted.clone(), ServiceOptions::default(), clock());
    let figures = usage(&service, &user(), &UsageRequest::default()).await.unwrap();
    assert_eq!(figures.conversations, 1);
    let size: u64 = (0..RECORDS).map(|place| line(&format!("0-{place}"), 4096).len() as u64).sum();
    let pieces = size.div_ceil(AUDIT_PIECE_BYTES) * u64::try_from(BATCHES).unwrap();
    assert!(counted.seen(Verb::Get) >= pieces, "{} requests for {pieces} pieces", counted.seen(Verb::Get));
    const { assert!(EVENTS_PIECE_BYTES < AUDIT_PIECE_BYTES) };
}
