//! Strict records: a change is acknowledged once its record is in the store.

use std::{sync::Arc, time::Duration};

use jiff::Timestamp;
use skillmount::{
    Error, Outcome, Parts,
    audit::{AuditLog, AuditMode, BatchName},
    context::{Action, Caller},
    error::Code,
    limits::{AUDIT_RETRY, AUDIT_WAITING_BYTES},
    observer::Observer as _,
    path::{LayerOwner, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    session::{Change, Session},
    store::{GetOptions, MemoryStore, Store as _, Verb, testing::Fault},
    wire::{
        AuditRequest, BackendProtocol as _, CreateSession, LoadSkillRequest, Policy, ReadRequest, SkillsAccess,
        ToolRule, WriteRequest,
    },
};

use tokio::time::Instant;

use super::{Audited, digest, id, user};

fn write(path: &str, content: &str) -> WriteRequest {
    serde_json::from_value(serde_json::json!({"file_path": path, "content": content})).unwrap()
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test]
async fn a_change_is_acknowledged_once_its_record_is_in_the_store() {
    let world = Audited::new(AuditMode::Sync);
    world.session("s1").write(write("/workspace/a", "one")).await.unwrap();
    let records = world.records().await;
    assert_eq!((records.len(), &records[0].files[0].after), (1, &Some(digest("one"))));

    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let error = world.session("s1").write(write("/workspace/b", "two")).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreUnavailable);
    let parts = Parts { file: Some(Outcome::Applied), session: None, audit: Some(Outcome::NotApplied) };
    assert_eq!((error.parts(), error.outcome()), (Some(parts), Some(Outcome::Partial)));
    world.session("s1").ls(skillmount::wire::LsRequest { path: "/workspace".to_owned() }).await.unwrap();

    world.faulty.clear();
    world.recorder.flush_all().await;
    let records = world.records().await;
    assert_eq!(records[1].files[0].after, Some(digest("two")), "a record that could not be written is not given up");
    assert_eq!(records.len(), 3);
}

// S-AUDIT-19: The record of a change of a team's or the organisation's skill also lies with the team or the organisation,
// and names the user of the call.
#[tokio::test]
async fn a_change_of_a_shared_skill_is_acknowledged_once_both_of_its_records_are_in_the_store() {
    let world = Audited::layered(Arc::new(MemoryStore::like_s3()), AuditMode::Sync);
    let (team, skill) = (LayerOwner::Team(id("notaries")), SkillPath::parse("rent").unwrap());
    let publish = async |text: &str| {
        let main = format!("---\nname: rent\ndescription: Writes the lease.\n---\n{text}\n");
        let (files, options) = (vec![("SKILL.md".to_owned(), main.into())], PublishOptions::default());
        let (note, publisher) = (options.note.clone(), world.service.publisher());
        let publish = publisher.publish_skill(&team, &skill, UploadedSkill::Files(files), options);
        let author = world.service.author(Arc::new(Caller::new(user())));
        author.perform_recording((Action::PublishSkill, "rent"), &note, publish).await
    };
    let log = AuditLog::for_service(&world.service);
    let shared = async || log.page(&team, &AuditRequest::default()).await.unwrap().records;
    publish("one").await.unwrap();
    assert_eq!((shared().await.len(), world.records().await.len()), (1, 1));

    world.faulty.for_keys(Verb::Put, "_teams/notaries/.skillmount/audit/", Fault::Deny);
    let error = publish("two").await.unwrap_err();
    let parts = Parts { file: Some(Outcome::Applied), session: None, audit: Some(Outcome::NotApplied) };
    assert_eq!((error.code(), error.parts()), (Code::StoreUnavailable, Some(parts)));
    assert_eq!((shared().await.len(), world.records().await.len()), (1, 2));

    // What waits for the team's trail stays if the user leaves.
    world.recorder.deletion_started(&user());
    world.faulty.clear();
    world.recorder.flush_all().await;
    let records = shared().await;
    assert_eq!((records.len(), records[1].user.as_deref()), (2, Some("u1")));
}

// S-AUDIT-6: The service keeps records for 90 days, or as long as the operator configures.
#[tokio::test(start_paused = true)]
async fn no_change_waits_for_old_records_to_be_deleted() {
    let world = Audited::new(AuditMode::Sync);
    for second in 0..50 {
        let name = BatchName::new(Timestamp::from_second(second).unwrap(), "0a1b2c3d");
        world.memory.put_raw(&format!("u1/.skillmount/audit/{name}"), "{\"format\":1}\n");
    }
    world.faulty.for_keys(Verb::Delete, "/audit/", Fault::SlowRequest(Duration::from_secs(30)));
    let began = Instant::now();
    for path in ["/workspace/a", "/workspace/b"] {
        world.session("s1").write(write(path, "x")).await.unwrap();
    }
    world.recorder.flush_all().await;
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    tokio::time::sleep(Duration::from_mins(1)).await;
    let left = world.batches().await;
    assert!(!left.is_empty() && left.iter().all(|key| !key.as_str().contains("/audit/1970")), "{left:?}");
}

/// That a file was changed without a record that is known to be in the store.
#[track_caller]
fn is_unrecorded(error: &Error, audit: Outcome) {
    assert_eq!(error.code(), Code::StoreUnavailable, "{error:?}");
    let parts = Parts { file: Some(Outcome::Applied), session: None, audit: Some(audit) };
    assert_eq!(error.parts(), Some(parts), "{error:?}");
}

/// The paths of the files in all records.
async fn recorded(world: &Audited) -> Vec<String> {
    world.records().await.into_iter().flat_map(|record| record.files).map(|file| file.path).collect()
}

// S-AUDIT-3: In mode `sync` the service acknowledges a change after its record is in the store.
#[tokio::test(start_paused = true)]
async fn a_record_whose_put_has_an_unknown_outcome_is_said_to_be_unknown_and_is_there_once_in_the_end() {
    let hour = Duration::from_hours(1);
    for (fault, is_there) in [
        (Fault::LoseReply, true),
        (Fault::LoseRequest, false),
        (Fault::SlowReply(hour), true),
        (Fault::SlowRequest(hour), false),
    ] {
        let world = Audited::new(AuditMode::Sync);
        world.faulty.for_keys(Verb::Put, "/audit/", fault);
        // Nor can the store be asked what became of it.
        for verb in [Verb::Get, Verb::Head] {
            world.faulty.for_keys(verb, "/audit/", Fault::Refuse);
        }
        is_unrecorded(&world.session("s1").write(write("/workspace/a", "one")).await.unwrap_err(), Outcome::Unknown);
        assert_eq!(recorded(&world).await.len(), usize::from(is_there), "{fault:?}");

        world.faulty.clear();
        tokio::time::sleep(2 * AUDIT_RETRY).await;
        assert_eq!(recorded(&world).await, ["/workspace/a"], "{fault:?}: it is tried again, and is not there twice");
        world.session("s1").write(write("/workspace/b", "two")).await.unwrap();
        assert_eq!(recorded(&world).await, ["/workspace/a", "/workspace/b"], "{fault:?}");
        assert_eq!(world.recorder.counts().waiting, 0);
    }
}

/// The text of all batches.
async fn stored(world: &Audited) -> String {
    let mut text = String::new();
    for batch in world.batches().await {
        let object = world.memory.get(&batch, GetOptions::default()).await.unwrap();
        text.push_str(std::str::from_utf8(&object.bytes).unwrap());
    }
    text
}

// S-AUDIT-4: Memory for waiting records is bounded; the service drops and counts records that do not fit.
#[tokio::test]
async fn a_change_whose_record_has_no_room_to_wait_is_not_acknowledged() {
    let world = Audited::new(AuditMode::Sync);
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let agent = world.session("s1");
    // Five segments, because one has 255 bytes at most.
    let long = vec!["x".repeat(200); 5].join("/");
    while world.recorder.counts().dropped == 0 {
        let reads = (0..500).map(|_| agent.read(ReadRequest::new(format!("/workspace/{long}"))));
        futures_util::future::join_all(reads).await;
    }
    assert!(world.recorder.counts().waiting <= AUDIT_WAITING_BYTES as u64);
    // A record of this size is dropped now, and so is the one of a change.
    let path = format!("/workspace/{long}/a");
    let dropped = world.recorder.counts().dropped;
    is_unrecorded(&agent.write(write(&path, "one")).await.unwrap_err(), Outcome::NotApplied);
    assert_eq!(world.recorder.counts().dropped, dropped + 1);
    // What changes nothing is answered all the same.
    assert_eq!(
        agent.read(ReadRequest::new(format!("/workspace/{long}/b"))).await.unwrap_err().code(),
        Code::FileNotFound
    );

    world.faulty.clear();
    world.recorder.flush_all().await;
    assert!(!stored(&world).await.contains(&path), "it was counted, and is not made up later");
    agent.write(write("/workspace/b", "two")).await.unwrap();
    assert!(stored(&world).await.contains("/workspace/b"), "with room, a change has its record");
}

const MAIN: &str = "---\nname: minutes\ndescription: Writes minutes. Use it after a meeting.\n---\nBegin.\n";

/// A world whose session `s1` has loaded the skill `minutes` and may change its files.
async fn with_skill() -> Audited {
    let world = Audited::new(AuditMode::Sync);
    world.memory.put_raw("u1/skills/minutes/SKILL.md", MAIN);
    let policy = Some(Policy { skills_access: SkillsAccess::Write, ..Policy::default() });
    let wanted = CreateSession { policy, ..CreateSession::default() };
    world.service.create_session(&user(), &id("s1"), wanted).await.unwrap();
    let load: LoadSkillRequest = serde_json::from_value(serde_json::json!({"skill": "minutes"})).unwrap();
    world.session("s1").load_skill(load).await.unwrap();
    world
}

// S-AUDIT-13: In mode `sync` the service also holds back the error of a call that has changed something, or may have.
#[tokio::test(start_paused = true)]
async fn a_change_that_failed_in_part_is_answered_once_its_record_is_in_the_store() {
    let world = with_skill().await;
    for verb in [Verb::Put, Verb::Head] {
        world.faulty.for_keys(verb, "/sessions/", Fault::Deny);
    }
    let error = world.session("s1").write(write("/skills/minutes/one", "one")).await.unwrap_err();
    let half = Parts { file: Some(Outcome::Applied), session: Some(Outcome::NotApplied), audit: None };
    assert_eq!(error.parts(), Some(half), "{error:?}");
    let records = world.records().await;
    let last = records.last().unwrap();
    assert_eq!((last.operation.as_str(), last.outcome.as_str()), ("write", error.code().as_str()));
    assert_eq!((last.changed, &last.files[0].after), (Some(Outcome::Partial), &Some(digest("one"))));

    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let error = world.session("s1").write(write("/skills/minutes/two", "two")).await.unwrap_err();
    assert_eq!(error.parts(), Some(Parts { audit: Some(Outcome::NotApplied), ..half }), "{error:?}");
    assert_eq!((error.outcome(), world.records().await.len()), (Some(Outcome::Partial), records.len()));
}

// S-AUDIT-13: In mode `sync` the service also holds back the error of a call that has changed something, or may have.
#[tokio::test(start_paused = true)]
async fn a_change_of_which_nobody_knows_whether_it_was_made_is_answered_once_its_record_is_in_the_store() {
    let world = Audited::new(AuditMode::Sync);
    world.faulty.for_keys(Verb::Put, "/threads/", Fault::LoseReply);
    for verb in [Verb::Get, Verb::Head] {
        world.faulty.for_keys(verb, "/threads/", Fault::Refuse);
    }
    let error = world.session("s1").write(write("/workspace/a", "one")).await.unwrap_err();
    assert_eq!((error.outcome(), error.parts()), (Some(Outcome::Unknown), None), "{error:?}");
    let records = world.records().await;
    assert_eq!((records.len(), records[0].changed), (1, Some(Outcome::Unknown)));

    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let error = world.session("s1").write(write("/workspace/b", "one")).await.unwrap_err();
    let parts = Parts { file: Some(Outcome::Unknown), session: None, audit: Some(Outcome::NotApplied) };
    assert_eq!(error.parts(), Some(parts), "{error:?}");

    // Nobody waits for the record of what is known to have changed nothing.
    world.faulty.clear();
    world.faulty.for_keys(Verb::Put, "/threads/", Fault::Deny);
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    let error = world.session("s1").write(write("/workspace/c", "one")).await.unwrap_err();
    assert_eq!((error.outcome(), error.parts()), (Some(Outcome::NotApplied), None), "{error:?}");
}

// S-AUDIT-13: In mode `sync` the service also holds back the error of a call that has changed something, or may have.
#[tokio::test]
async fn a_publish_that_fails_after_its_commit_is_answered_once_its_record_is_in_the_store() {
    let world = Audited::new(AuditMode::Sync);
    let skill = SkillPath::parse("minutes").unwrap();
    let files = UploadedSkill::Files(vec![("SKILL.md".to_owned(), MAIN.into())]);
    let options = PublishOptions::default();
    let note = options.note.clone();
    let mut digest = None;
    let work = async {
        digest = Some(world.service.publisher().publish_skill(&user(), &skill, files, options).await?.digest);
        Err::<(), _>(Error::new(Code::EditConflict, "what follows failed").with_outcome(Outcome::NotApplied))
    };
    let author = world.service.author(Caller::new(user()));
    let action = (Action::PublishSkill, skill.as_str());
    let failed = Box::pin(author.perform_recording(action, &note, work)).await;
    assert_eq!(failed.unwrap_err().code(), Code::EditConflict);
    let records = world.records().await;
    assert_eq!((records.len(), records[0].outcome.as_str()), (1, "edit_conflict"));
    assert!(digest.is_some() && records[0].files[0].after == digest, "{records:?}");
}

// S-AUDIT-14: In mode `sync` the answer to a call that begins to wait for an approval comes after its record.
#[tokio::test]
async fn a_call_that_begins_to_wait_is_answered_once_its_record_is_in_the_store() {
    let world = Audited::new(AuditMode::Sync);
    let asks = |session: &mut Session| {
        session.policy.tools = [("*".to_owned(), ToolRule::Ask)].into();
        Ok(Change::Save(()))
    };
    world.service.sessions().update(&user(), &id("s1"), asks).await.unwrap();
    let call = async |path: &str, writes: bool| {
        let session = world.session("s1");
        let error = if writes {
            session.write(write(path, "x")).await.unwrap_err()
        } else {
            session.ls(skillmount::wire::LsRequest { path: path.to_owned() }).await.unwrap_err()
        };
        assert_eq!(error.code(), Code::ApprovalRequired);
        error.parts().and_then(|parts| parts.audit)
    };
    for (writes, path) in [(true, "/workspace/a"), (false, "/workspace")] {
        assert_eq!(call(path, writes).await, None);
        let last = world.records().await.pop().unwrap();
        assert_eq!((last.subject.as_str(), last.approval.is_some()), (path, true), "another process reads it");
    }
    world.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    for (writes, path) in [(true, "/workspace/b"), (false, "/")] {
        assert_eq!(call(path, writes).await, Some(Outcome::NotApplied));
        assert_eq!(call(path, writes).await, None, "it waits already, so nothing is to be recorded");
    }
}
