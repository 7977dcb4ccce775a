//! What a record says, and which records there are.

use std::{sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use skillmount::{
    audit::{AuditMode, AuditOptions, BatchName},
    error::Code,
    limits::{
        AUDIT_BATCH_AGE, AUDIT_BATCH_RECORDS, AUDIT_PAGE_BATCHES, AUDIT_PAGE_RECORDS, AUDIT_RETENTION_DAYS,
        AUDIT_WAITING_BYTES, DELETIONS_KNOWN,
    },
    path::KeyPrefix,
    store::{
        GetOptions, MemoryStore, Store as _, StoreExt as _, Verb,
        testing::{Fault, Faulty},
    },
    wire::{
        AuditFile, AuditRequest, BackendProtocol as _, DeleteRequest, DiscoverRequest, EditRequest, LoadSkillRequest,
        MoveRequest, ReadRequest, UnloadSkillRequest, WriteRequest,
    },
};

use super::{Audited, digest, user};
use crate::support::SetClock;

const SKILL: &str = "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n";

fn write(path: &str, content: &str) -> WriteRequest {
    serde_json::from_value(serde_json::json!({"file_path": path, "content": content, "overwrite": true})).unwrap()
}

fn edit(path: &str, old: &str, new: &str) -> EditRequest {
    serde_json::from_value(serde_json::json!({"file_path": path, "old_string": old, "new_string": new})).unwrap()
}

// S-AUDIT-8: A record has paths, the ETag before if the service saw it, and the SHA-256 of the content after.
#[tokio::test]
async fn every_operation_leaves_a_record_with_paths_and_digests_and_no_content() {
    let world = Audited::new(AuditMode::Async);
    world.memory.put_raw("u1/skills/minutes/SKILL.md", SKILL);
    let agent = world.session("s1");
    let first = agent.write(write("/workspace/a", "secret one")).await.unwrap();
    let second = agent.edit(edit("/workspace/a", "one", "two")).await.unwrap();
    let moved = MoveRequest { from: "/workspace/a".to_owned(), to: "/workspace/b".to_owned() };
    agent.move_path(moved).await.unwrap();
    agent
        .read(serde_json::from_value::<ReadRequest>(serde_json::json!({"file_path": "/workspace/b"})).unwrap())
        .await
        .unwrap();
    agent.delete(DeleteRequest { path: "/workspace/b".to_owned() }).await.unwrap();
    agent
        .discover_skills(
            serde_json::from_value::<DiscoverRequest>(serde_json::json!({"query": "secret minutes"})).unwrap(),
        )
        .await
        .unwrap();
    agent.load_skill(LoadSkillRequest::new("minutes")).await.unwrap();
    agent.unload_skill(UnloadSkillRequest { skill: "minutes".to_owned() }).await.unwrap();
    assert_eq!(
        agent.delete(DeleteRequest { path: "/workspace/none".to_owned() }).await.unwrap_err().code(),
        Code::FileNotFound
    );
    world.recorder.flush_all().await;

    let records = world.records().await;
    let said: Vec<_> =
        records.iter().map(|one| (one.operation.as_str(), one.subject.as_str(), one.outcome.as_str())).collect();
    assert_eq!(
        said,
        [
            ("write", "/workspace/a", "ok"),
            ("edit", "/workspace/a", "ok"),
            ("move", "/workspace/a /workspace/b", "ok"),
            ("read", "/workspace/b", "ok"),
            ("delete", "/workspace/b", "ok"),
            ("discover_skills", "", "ok"),
            ("load_skill", "minutes", "ok"),
            ("unload_skill", "minutes", "ok"),
            ("delete", "/workspace/none", "file_not_found"),
        ]
    );
    for record in &records {
        assert_eq!((record.by.as_deref(), record.session.as_deref()), (Some("anas-key"), Some("s1")));
        assert!(record.ms >= 0.0 && record.call.len() == 16, "{record:?}");
    }
    let tag = |etag: &Option<skillmount::path::ETag>| etag.as_ref().map(|etag| etag.as_str().to_owned());
    let file = |path: &str, before, after, etag| AuditFile { path: path.to_owned(), before, after, etag };
    let (one, two) = (tag(&first.etag), tag(&second.etag));
    assert_eq!(records[0].files, [file("/workspace/a", None, Some(digest("secret one")), one.clone())]);
    assert_eq!(records[1].files, [file("/workspace/a", one, Some(digest("secret two")), two.clone())]);
    assert_eq!(records[2].files[0], file("/workspace/a", two, None, None));
    assert_eq!(
        (records[2].files[1].path.as_str(), &records[2].files[1].after),
        ("/workspace/b", &Some(digest("secret two")))
    );
    assert_eq!((records[4].files[0].path.as_str(), &records[4].files[0].after), ("/workspace/b", &None));
    assert_eq!(records[5].found, Some(1));
    let skill = records[6].skill.as_ref().unwrap();
    assert_eq!(
        (skill.skill.as_str(), skill.description.as_str(), skill.status.as_str()),
        ("minutes", "Writes minutes", "loaded")
    );
    assert_eq!(records[7].skill.as_ref().unwrap().status, "unloaded");
    assert_eq!(records[8].changed, Some(skillmount::Outcome::NotApplied));

    for batch in world.batches().await {
        let stored = world.memory.get(&batch, GetOptions::default()).await.unwrap();
        assert!(!String::from_utf8(stored.bytes.to_vec()).unwrap().contains("secret"), "{batch}");
    }
}

// S-AUDIT-2: In mode `async` the service writes records each minute, after each 256 records, and at the end of the
// process.
#[tokio::test]
async fn relaxed_records_are_written_in_batches_and_none_is_missing_after_the_end() {
    let world = Audited::new(AuditMode::Async);
    let agent = world.session("s1");
    for number in 0..AUDIT_BATCH_RECORDS + 4 {
        agent.write(write(&format!("/workspace/{number}"), "x")).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(
        (world.batches().await.len(), world.records().await.len()),
        (1, AUDIT_BATCH_RECORDS),
        "a full one is written"
    );
    world.recorder.flush_all().await;
    let records = world.records().await;
    let paths: Vec<_> = records.iter().map(|record| record.files[0].path.clone()).collect();
    let all: Vec<_> = (0..AUDIT_BATCH_RECORDS + 4).map(|number| format!("/workspace/{number}")).collect();
    assert_eq!((world.batches().await.len(), paths), (2, all));
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_not_full_is_written_after_a_minute_and_when_the_store_is_back() {
    let world = Audited::new(AuditMode::Async);
    world.session("s1").write(write("/workspace/a", "x")).await.unwrap();
    tokio::time::sleep(AUDIT_BATCH_AGE.checked_sub(Duration::from_secs(1)).unwrap()).await;
    assert_eq!(world.records().await.len(), 0);
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!(world.records().await.len(), 0);
    world.faulty.clear();
    tokio::time::sleep(Duration::from_secs(20)).await;
    assert_eq!((world.records().await.len(), world.recorder.counts().waiting), (1, 0));
}

// S-LEAVE-7: Audit records of a deleted user that still wait never reach the store.
#[tokio::test(start_paused = true)]
async fn what_waits_of_a_user_who_is_deleted_is_never_written() {
    let world = Audited::new(AuditMode::Async);
    let [other, idle] = [0, 1].map(|_| Audited::over(world.memory.clone(), AuditMode::Async));
    for world in [&world, &other, &idle] {
        world.service.deletions().check_not_deleted(&user()).await.unwrap();
        world.session("s1").write(write("/workspace/a", "x")).await.unwrap();
    }
    world.service.deletions().delete_user(&user(), None).await.unwrap();
    // One process sees the tombstone with one of its calls, and one has no calls any more.
    tokio::time::sleep(DELETIONS_KNOWN + Duration::from_secs(1)).await;
    other.service.deletions().check_not_deleted(&user()).await.unwrap_err();
    tokio::time::sleep(10 * AUDIT_BATCH_AGE).await;
    let (left, _) = world.memory.list_all(&KeyPrefix::all().folder("u1").unwrap(), 10).await.unwrap();
    assert!(left.is_empty(), "nothing came after the sweeps: {left:?}");

    for world in [&world, &other, &idle] {
        world.service.deletions().check_not_deleted(&user()).await.unwrap();
        world.session("s1").write(write("/workspace/new", "x")).await.unwrap();
        world.recorder.flush_all().await;
    }
    assert_eq!(world.records().await.len(), 3, "whoever has the id now has records again");
}

// S-AUDIT-4: Memory for waiting records is bounded; the service drops and counts records that do not fit.
#[tokio::test]
async fn records_that_a_store_does_not_take_are_bounded_and_counted() {
    let world = Audited::new(AuditMode::Async);
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let agent = world.session("s1");
    let long = "x".repeat(1000);
    let read = || agent.read(ReadRequest::new(format!("/workspace/{long}")));
    while world.recorder.counts().dropped == 0 {
        let calls = (0..500).map(|_| read());
        futures_util::future::join_all(calls).await;
    }
    assert!(world.recorder.counts().waiting <= AUDIT_WAITING_BYTES as u64);
    // Whoever listens is told of calls without a record too.
    let mut listener = world.events().listen(&user(), None, None).await.unwrap();
    agent.write(write("/workspace/told", "x")).await.unwrap();
    let mut told = async || listener.next().await.unwrap().unwrap();
    let told: Vec<_> = [told().await, told().await, told().await].map(|event| event.event).into();
    assert_eq!(told, ["tool_use_start", "tool_result", "file_changed"]);
    world.faulty.clear();
    world.recorder.flush_all().await;
    let counts = world.recorder.counts();
    assert!(counts.waiting == 0 && counts.records > 1000, "{counts:?}");
}

// S-AUDIT-5: A query comes in pages, and one page reads at most 64 batches.
#[tokio::test]
async fn pages_come_in_the_order_of_time_and_are_bounded_however_many_records_there_are() {
    let world = Audited::new(AuditMode::Async);
    let batches = 1000;
    let line = |second: i64, place: i64| {
        let time = at(second + place);
        let (operation, session) = if place == 0 { ("write", "s1") } else { ("ls", "s2") };
        format!("{{\"time\":\"{time}\",\"operation\":\"{operation}\",\"session\":\"{session}\"}}\n")
    };
    for batch in 0..batches {
        let name = BatchName::new(at(batch * 60), "0a1b2c3d");
        let lines: String = (0..20).map(|place| line(batch * 60, place)).collect();
        world.memory.put_raw(&format!("u1/.skillmount/audit/{name}"), format!("{{\"format\":1}}\n{lines}"));
    }
    let mut wanted =
        AuditRequest { session: Some("s1".to_owned()), operation: Some("write".to_owned()), ..AuditRequest::default() };
    let (mut seen, mut pages) = (Vec::new(), 0);
    loop {
        let counted = Arc::new(Faulty::new(world.memory.clone()));
        let page = world.page_over(&counted, &wanted).await.unwrap();
        assert!(counted.seen(Verb::Get) <= AUDIT_PAGE_BATCHES as u64 && counted.seen(Verb::List) <= 1);
        pages += 1;
        seen.extend(page.records.into_iter().map(|record| record.time));
        wanted.cursor = page.next_cursor;
        if wanted.cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, (0..batches).map(|batch| at(batch * 60)).collect::<Vec<_>>());
    assert!(pages < 20, "{pages}");

    let since = AuditRequest { since: Some(at(59_045)), limit: Some(7), ..AuditRequest::default() };
    let page = world.page(&since).await.unwrap();
    assert_eq!((page.records.len(), page.records[0].time), (7, at(59_045)));
    let next = AuditRequest { cursor: page.next_cursor, ..since };
    assert_eq!(world.page(&next).await.unwrap().records[0].time, at(59_052));
    for limit in [0, AUDIT_PAGE_RECORDS + 1] {
        let wanted = AuditRequest { limit: Some(limit), ..AuditRequest::default() };
        assert_eq!(world.page(&wanted).await.unwrap_err().code(), Code::InvalidRequest);
    }
    let most = AuditRequest { limit: Some(AUDIT_PAGE_RECORDS), ..AuditRequest::default() };
    assert_eq!(world.page(&most).await.unwrap().records.len(), AUDIT_PAGE_RECORDS);
    let wrong = AuditRequest { cursor: Some("../x".to_owned()), ..AuditRequest::default() };
    assert_eq!(world.page(&wrong).await.unwrap_err().code(), Code::InvalidRequest);
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second).unwrap()
}

// S-AUDIT-6: The service keeps records for 90 days, or as long as the operator configures.
#[tokio::test]
async fn batches_older_than_ninety_days_are_deleted_and_no_other_object() {
    let world = Audited::new(AuditMode::Async);
    let put = |hours: i64| {
        let name = BatchName::new(
            Timestamp::now() - SignedDuration::from_hours(24 * i64::from(AUDIT_RETENTION_DAYS) + hours),
            "0a1b2c3d",
        );
        let key = format!("u1/.skillmount/audit/{name}");
        world.memory.put_raw(&key, "{\"format\":1}\n");
        key
    };
    let (_old, young) = (put(1), put(-1));
    world.memory.put_raw("u1/.skillmount/audit/notes.txt", "another tool's");
    world.session("s1").write(write("/workspace/a", "x")).await.unwrap();
    world.recorder.flush_all().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let left: Vec<_> = world.batches().await.iter().map(|key| key.as_str().to_owned()).collect();
    assert_eq!((left.len(), &left[0], left[2].ends_with("notes.txt")), (3, &young, true), "{left:?}");
}

// S-AUDIT-6: The service keeps records for 90 days, or as long as the operator configures.
#[tokio::test]
async fn records_are_kept_for_the_days_that_are_configured() {
    const DAY: i64 = 24 * 60 * 60;
    let clock = SetClock::at(100 * DAY);
    let options = AuditOptions { mode: AuditMode::Async, retention_days: 7 };
    let world = Audited::at(Arc::new(MemoryStore::like_s3()), options, clock.clone());
    let write_at = async |day: i64| {
        clock.set(day * DAY);
        world.session("s1").write(write(&format!("/workspace/{day}"), "x")).await.unwrap();
        world.recorder.flush_all().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    write_at(100).await;
    assert_eq!(world.batches().await.len(), 1);
    // Another process, since one looks once a day by its own clock.
    let later = Audited::at(world.memory.clone(), options, SetClock::at(107 * DAY + 1));
    later.session("s1").write(write("/workspace/later", "x")).await.unwrap();
    later.recorder.flush_all().await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let left: Vec<_> = world.batches().await.iter().map(|key| key.as_str().to_owned()).collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(left[0].contains("/audit/19700418T"), "{left:?}");
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_leaves_a_record() {
    let world = Audited::new(AuditMode::Async);
    world.faulty.set_latency(Duration::from_mins(1));
    let agent = world.session("s1");
    let call = tokio::time::timeout(Duration::from_millis(20), agent.write(write("/workspace/a", "x"))).await;
    assert!(call.is_err());
    world.faulty.set_latency(Duration::ZERO);
    world.recorder.flush_all().await;
    assert_eq!(world.records().await[0].outcome, "abandoned");
}

// S-AUDIT-7: Reads of skills outside sessions leave records like those of operations.
#[tokio::test]
async fn a_resource_that_a_host_reads_in_its_session_leaves_a_record_and_no_conversation() {
    let world = Audited::new(AuditMode::Async);
    world
        .memory
        .put_raw("u1/skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Writes minutes\n---\nBegin.\n");
    let agent = world.session("s1");
    let entry = agent.host_skills().catalog_skills(false).await.unwrap().remove(0);
    agent.host_skills().catalog_file(&entry, "SKILL.md").await.unwrap();
    assert_eq!(agent.host_skills().catalog_file(&entry, "none.md").await.unwrap_err().code(), Code::FileNotFound);
    world.recorder.flush_all().await;
    let records = world.records().await;
    let said: Vec<_> = records.iter().map(|one| (one.subject.as_str(), one.outcome.as_str())).collect();
    assert_eq!(said, [("minutes/SKILL.md", "ok"), ("minutes/none.md", "file_not_found")]);
    for record in &records {
        assert_eq!((record.operation.as_str(), record.session.as_deref()), ("get_skill_file", Some("s1")));
        assert_eq!(record.by.as_deref(), Some("anas-key"));
    }
    let figures =
        skillmount::audit::usage(&world.service, &user(), &skillmount::wire::UsageRequest::default()).await.unwrap();
    assert_eq!(figures.conversations, 0);
}
