//! Figures of use: the "Success Metrics" of the first design, as far as they are about what this service sees.
//!
//! `the_figures_of_a_month_of_500_conversations_are_those_counted_by_hand` shows eight of them: "Discovery Rate", "Discovery
//! Success", "Context Savings", "Discovery-to-Use Latency", "Conversation Usage Rate", "Approval Rate", "Completion Rate" and
//! "Default Tool Candidates". Three have no figure here. "Skill Adoption" counts users who enable a tier, and skills have no
//! tiers. "Privacy Preference" counts users of local and of network skills, and no skill runs here that could use a network.
//! "MCP Adoption" counts servers that a user configures, and this service is one and has none.

use std::fmt::Write as _;

use jiff::{SignedDuration, Timestamp};
use skillmount::{
    audit::{AuditMode, BatchName, usage},
    context::{Action, Caller},
    limits::{CANDIDATE_BATCHES, CANDIDATES_PRELOADED, USAGE_BATCHES},
    observer::Effects,
    path::{KeyPrefix, SkillPath},
    store::{DeleteOptions, PutOptions, Store as _, Verb, testing::Fault},
    wire::{
        AuditRecord, AuditSkill, BackendProtocol as _, CreateSession, DiscoverRequest, LoadSkillRequest, LsRequest,
        Policy, Preload, ReadRequest, SkillRule, SkillUsage, ToolRule, Usage, UsageRequest,
    },
};

use super::{Audited, id, user};

/// When the month begins.
fn begin() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// A skill that is loaded.
fn skill_of(skill: &str) -> AuditSkill {
    let (name, description) = (skill.to_owned(), String::new());
    AuditSkill { skill: skill.to_owned(), name, description, status: "loaded".to_owned(), ..AuditSkill::default() }
}

/// The calls of one conversation of the month, in their order.
fn conversation(number: i64) -> Vec<AuditRecord> {
    let call = |operation: &str, outcome: &str| AuditRecord {
        session: Some(format!("chat-{number}")),
        operation: operation.to_owned(),
        outcome: outcome.to_owned(),
        subject: "/workspace/a".to_owned(),
        ..AuditRecord::default()
    };
    let load = |skill: &str| AuditRecord { skill: Some(skill_of(skill)), ..call("load_skill", "ok") };
    let search = |found| AuditRecord { found: Some(found), ..call("discover_skills", "ok") };
    let mut calls = vec![];
    if number % 50 == 9 {
        let began_with = vec![skill_of("preset"), skill_of("often")];
        calls.push(AuditRecord { began_with, subject: String::new(), ..call("create_session", "ok") });
    }
    calls.push(call("ls", "ok"));
    if number % 10 < 3 {
        calls.push(load("often"));
    }
    match number % 4 {
        0 => calls.extend([search(2), call("read", "ok"), load("found")]),
        2 => calls.push(search(0)),
        _ if number % 5 == 0 => calls.push(load("known")),
        _ => {}
    }
    if number % 10 == 7 {
        calls.extend([call("write", "approval_required"), call("write", "approval_required")]);
        calls.push(call("write", if number % 20 == 7 { "ok" } else { "denied" }));
    }
    let approval = format!("{number:032x}");
    let ask = || AuditRecord { approval: Some(approval.clone()), ..call("edit", "approval_required") };
    let decide =
        |decision: &str| AuditRecord { subject: format!("{decision} {approval}"), ..call("decide_approval", "ok") };
    match number % 100 {
        // It waits to the end.
        8 => calls.push(ask()),
        // A person denies it, and the agent does not come back to it.
        28 => calls.extend([ask(), decide("deny")]),
        // A person allows it, and the agent makes it.
        48 => calls.extend([ask(), decide("allow"), call("edit", "ok")]),
        _ => {}
    }
    if number % 25 == 3 {
        calls.push(call("read", "file_not_found"));
    }
    let start = begin() + SignedDuration::from_mins(80 * number);
    let timed = calls.into_iter().zip(0_i64..);
    timed.map(|(call, second)| AuditRecord { time: start + SignedDuration::from_secs(second), ..call }).collect()
}

/// A month of 500 conversations with a batch for each, and four skills.
async fn month() -> Audited {
    let audited = Audited::new(AuditMode::Off);
    let root = KeyPrefix::all();
    for (skill, tokens) in [("found", 100), ("known", 200), ("often", 300), ("never", 400)] {
        let head = format!("---\nname: {skill}\ndescription: d\n---\n");
        let text = format!("{head:<0$}", tokens * 4);
        let key = root.key(&format!("u1/skills/{skill}/SKILL.md")).unwrap();
        audited.memory.put(&key, text.into(), PutOptions::default()).await.unwrap();
    }
    for batch in (0..500).map(conversation) {
        let mut text = "{\"format\":1}\n".to_owned();
        for record in &batch {
            writeln!(text, "{}", serde_json::to_string(record).unwrap()).unwrap();
        }
        let name = BatchName::new(batch[0].time, "0a1b2c3d");
        let key = root.key(&format!("u1/.skillmount/audit/{name}")).unwrap();
        audited.memory.put(&key, text.into(), PutOptions::default()).await.unwrap();
    }
    audited
}

// S-USAGE-1: The figures of use come from audit records alone, and equal a count by hand.
// S-USAGE-4: `approval_rate` is the share of allowed calls among the calls that a person decided about.
// S-USAGE-5: A conversation uses the skills that it began with.
// S-USAGE-7: `context_saved_tokens` is the mean number of tokens that a conversation did not need.
#[tokio::test]
async fn the_figures_of_a_month_of_500_conversations_are_those_counted_by_hand() {
    let audited = month().await;
    let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
    let last = |number: i64, call: i64| begin() + SignedDuration::from_secs(80 * 60 * number + call);
    // 10 conversations began with `preset` and `often`: those whose number ends with 09 or 59, and none of them loaded either.
    let used = |skill: &str, conversations: u64, rate: f64, last_used| SkillUsage {
        skill: skill.to_owned(),
        loads: conversations,
        conversations,
        rate,
        last_used,
    };
    // Calls: 500 ls, 150 loads of often, 250 searches, 125 reads and 125 loads after them, 50 loads of known, 50 writes
    // that were let through or denied (25 each), 5 edits that were allowed, and 20 reads that failed: 1,275, of which 25 and 20
    // did not succeed. Of the calls that were told to ask, 25 writes were let through and 25 refused, 5 edits allowed and 5
    // denied, and 5 wait: 30 of 60.
    let expected = Usage {
        conversations: 500,
        discovery_rate: Some(0.5),
        discovery_success: Some(0.5),
        discovery_to_use_turns: Some(2.0),
        approval_rate: Some(0.5),
        completion_rate: Some(0.9647),
        // 1,000 tokens of all skills, without 125 x 100, 50 x 200 and 160 x 300 in 500 conversations.
        context_saved_tokens: Some(859),
        searches: 250,
        unanswered: 125,
        skills: vec![
            used("often", 160, 0.32, last(492, 1)),
            used("found", 125, 0.25, last(496, 3)),
            used("known", 50, 0.1, last(495, 1)),
            used("preset", 10, 0.02, last(459, 0)),
        ],
        default_candidates: vec!["often".to_owned()],
        truncated: false,
    };
    assert_eq!(figures, expected);
    let half = UsageRequest { since: Some(last(250, 0)) };
    let figures = usage(&audited.service, &user(), &half).await.unwrap();
    assert_eq!((figures.conversations, figures.searches), (250, 125));
}

#[tokio::test]
async fn operations_leave_records_from_which_the_figures_are_made() {
    let audited = Audited::new(AuditMode::Async);
    let key = KeyPrefix::all().key("u1/skills/minutes/SKILL.md").unwrap();
    let text = "---\ndescription: Writes minutes.\n---\nSteps.";
    audited.memory.put(&key, text.into(), PutOptions::default()).await.unwrap();
    let (one, other) = (audited.session("one"), audited.session("other"));
    one.discover_skills(DiscoverRequest { explain: true, ..DiscoverRequest::new("minutes") }).await.unwrap();
    one.discover_skills(DiscoverRequest::new("minutes")).await.unwrap();
    one.load_skill(LoadSkillRequest::new("minutes")).await.unwrap();
    other.discover_skills(DiscoverRequest::new("xyzzy")).await.unwrap();
    other.ls(LsRequest { path: "/none".to_owned() }).await.unwrap_err();
    audited.recorder.flush(&user()).await.unwrap();
    let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
    assert_eq!((figures.conversations, figures.searches, figures.unanswered), (2, 2, 1));
    assert_eq!((figures.discovery_rate, figures.discovery_success), (Some(1.0), Some(0.5)));
    assert_eq!((figures.discovery_to_use_turns, figures.completion_rate), (Some(1.0), Some(0.8)));
    assert_eq!((figures.default_candidates, figures.skills[0].loads), (vec!["minutes".to_owned()], 1));
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn figures_are_made_of_so_many_batches_and_say_if_there_are_more() {
    let audited = Audited::new(AuditMode::Off);
    let add = |batch: usize| {
        let record = AuditRecord { session: Some(format!("chat-{batch}")), ..conversation(0).remove(0) };
        let text = format!("{{\"format\":1}}\n{}\n", serde_json::to_string(&record).unwrap());
        let time = begin() + SignedDuration::from_secs(i64::try_from(batch).unwrap());
        audited.memory.put_raw(&format!("u1/.skillmount/audit/{}", BatchName::new(time, "0a1b2c3d")), text);
    };
    (0..USAGE_BATCHES).for_each(add);
    for is_truncated in [false, true] {
        let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
        assert_eq!((figures.conversations, figures.truncated), (USAGE_BATCHES as u64, is_truncated));
        add(USAGE_BATCHES);
    }
}

// S-USAGE-1: The figures of use come from audit records alone, and equal a count by hand.
#[tokio::test]
async fn a_decision_counts_in_whichever_batch_its_replica_wrote_it() {
    let audited = Audited::new(AuditMode::Off);
    let at = |second: i64| begin() + SignedDuration::from_secs(second);
    let put = |batch: i64, record: &AuditRecord| {
        let text = format!("{{\"format\":1}}\n{}\n", serde_json::to_string(record).unwrap());
        let name = BatchName::new(at(batch), &format!("{batch:08x}"));
        audited.memory.put_raw(&format!("u1/.skillmount/audit/{name}"), text);
    };
    let call = |second: i64| AuditRecord { time: at(second), ..conversation(0).remove(0) };
    let approval = "0".repeat(31) + "1";
    let asked = AuditRecord {
        operation: "write".to_owned(),
        outcome: "approval_required".to_owned(),
        approval: Some(approval.clone()),
        ..call(50)
    };
    let decided =
        AuditRecord { operation: "decide_approval".to_owned(), subject: format!("allow {approval}"), ..call(51) };
    // Wherever a reading of several batches ends, the decision lies before the call in some of these.
    for batch in 0..32 {
        put(batch, &call(batch));
    }
    for (decision, request) in (0..32).map(|batch| (batch, batch + 1)) {
        put(decision, &decided);
        put(request, &asked);
        let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
        assert_eq!(figures.approval_rate, Some(1.0), "{decision}");
        put(decision, &call(decision));
    }
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn a_session_begins_with_so_many_skills_that_conversations_use() {
    for number in [CANDIDATES_PRELOADED, CANDIDATES_PRELOADED + 1] {
        let audited = Audited::new(AuditMode::Async);
        for skill in (0..number).map(|skill| format!("k{skill:02}")) {
            audited.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), "---\ndescription: Does it.\n---\nSteps.");
            audited.session("chat").load_skill(LoadSkillRequest::new(skill)).await.unwrap();
        }
        audited.recorder.flush(&user()).await.unwrap();
        let expected: Vec<_> = (0..CANDIDATES_PRELOADED).map(|skill| format!("k{skill:02}")).collect();
        assert_eq!(chosen(&audited, "new", Policy::default()).await, expected);
    }
}

/// Puts a batch with one record that a conversation loaded a skill.
fn put_load(audited: &Audited, skill: &str, at: Timestamp) {
    let name = BatchName::new(at, "0a1b2c3d");
    let loaded =
        AuditSkill { skill: skill.into(), name: skill.into(), status: "loaded".into(), ..AuditSkill::default() };
    let record = AuditRecord {
        session: Some(format!("{skill}-{at}")),
        skill: Some(loaded),
        time: at,
        ..conversation(0).remove(1)
    };
    let text = format!("{{\"format\":1}}\n{}\n", serde_json::to_string(&record).unwrap());
    audited.memory.put_raw(&format!("u1/.skillmount/audit/{name}"), text);
}

#[tokio::test]
async fn the_latest_records_count_if_there_are_too_many() {
    let audited = Audited::new(AuditMode::Async);
    for skill in ["old", "new"] {
        audited.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), "---\ndescription: Does it.\n---\nSteps.");
    }
    let now = audited.clock.now();
    let before = |seconds: usize| now - SignedDuration::from_secs(i64::try_from(seconds).unwrap());
    (0..USAGE_BATCHES).for_each(|number| put_load(&audited, "old", before(USAGE_BATCHES + 1000 - number)));
    (0..CANDIDATE_BATCHES).for_each(|number| put_load(&audited, "new", before(CANDIDATE_BATCHES + 1 - number)));
    assert_eq!(chosen(&audited, "s", Policy::default()).await, ["new"]);
    let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
    assert!(figures.truncated);
    let loads: Vec<_> = figures.skills.iter().map(|one| (one.skill.as_str(), one.loads)).collect();
    assert_eq!(loads, [("old", (USAGE_BATCHES - CANDIDATE_BATCHES) as u64), ("new", CANDIDATE_BATCHES as u64)]);
}

/// The skills that a new session of `audited` begins with, if its policy leaves that to the records.
async fn chosen(audited: &Audited, session: &str, policy: Policy) -> Vec<String> {
    let policy = Some(Policy { preload: Preload::Auto, ..policy });
    let wanted = CreateSession { policy, ..CreateSession::default() };
    let made = audited.service.create_session(&user(), &id(session), wanted).await.unwrap();
    made.session.loaded_skills.iter().map(|loaded| loaded.skill.to_string()).collect()
}

// S-SESSION-18: With `preload: "auto"` a session begins with the skills that conversations choose often.
#[tokio::test]
async fn a_session_may_begin_with_the_skills_that_conversations_use() {
    let audited = Audited::new(AuditMode::Async);
    for skill in ["minutes", "rare", "gone"] {
        let text = "---\ndescription: Writes minutes.\n---\nSteps.";
        audited.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
    }
    for chat in 0..4 {
        let agent = audited.session(&format!("chat-{chat}"));
        agent.load_skill(LoadSkillRequest::new("minutes")).await.unwrap();
        agent.load_skill(LoadSkillRequest::new("gone")).await.unwrap();
        if chat == 0 {
            agent.load_skill(LoadSkillRequest::new("rare")).await.unwrap();
        }
    }
    audited.recorder.flush(&user()).await.unwrap();
    let gone = KeyPrefix::all().key("u1/skills/gone/SKILL.md").unwrap();
    audited.memory.delete(&gone, DeleteOptions::default()).await.unwrap();

    // Another process, which knows nothing yet.
    let audited = Audited::over(audited.memory.clone(), AuditMode::Async);
    assert_eq!(chosen(&audited, "new", Policy::default()).await, ["minutes"], "one that is gone is left out");
    let blocked = Policy { skills: [("minutes".to_owned(), SkillRule::Blocked)].into(), ..Policy::default() };
    assert!(chosen(&audited, "blocked", blocked).await.is_empty(), "and so is one that the policy forbids");
    let no_tool = Policy { tools: [("load_skill".to_owned(), ToolRule::Blocked)].into(), ..Policy::default() };
    assert!(chosen(&audited, "no-tool", no_tool).await.is_empty());

    let fresh = Audited::over(audited.memory.clone(), AuditMode::Async);
    fresh.faulty.for_keys(Verb::Get, "/audit/", Fault::Deny);
    assert!(chosen(&fresh, "unread", Policy::default()).await.is_empty(), "a session needs no records");
    fresh.faulty.clear();
    assert_eq!(
        chosen(&fresh, "read", Policy::default()).await,
        ["minutes"],
        "what could not be read is not remembered"
    );
}

// S-USAGE-6: A conversation chose a skill if the agent loaded the skill or read a file of it, or if the session's
// policy named it.
#[tokio::test]
async fn a_skill_that_only_the_records_choose_is_chosen_no_more_once_nobody_uses_it() {
    let audited = Audited::new(AuditMode::Async);
    for skill in ["minutes", "letters"] {
        let text = format!("---\nname: {skill}\ndescription: Writes {skill}.\n---\nSteps.");
        audited.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
        audited.memory.put_raw(&format!("u1/skills/{skill}/more.md"), "more");
    }
    for skill in ["minutes", "letters"] {
        audited.session("first").load_skill(LoadSkillRequest::new(skill)).await.unwrap();
    }
    audited.recorder.flush(&user()).await.unwrap();
    // Each conversation begins with both, and looks into one of them.
    let audited = Audited::over(audited.memory.clone(), AuditMode::Async);
    for number in 0..9 {
        let (session, user) = (id(&format!("auto-{number}")), user());
        let policy = Policy { preload: Preload::Auto, ..Policy::default() };
        let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
        let author = audited.service.author(Caller::new(user.clone()));
        let work = audited.service.create_session(&user, &session, wanted);
        let made = author
            .in_session(session.clone())
            .perform_with((Action::CreateSession, ""), Effects::of_session, work)
            .await
            .unwrap();
        assert_eq!(made.session.loaded_skills.len(), 2);
        audited.session(session.as_str()).read(ReadRequest::new("/skills/letters/more.md")).await.unwrap();
    }
    audited.recorder.flush(&user()).await.unwrap();
    let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
    let counted: Vec<_> = figures.skills.iter().map(|one| (one.skill.as_str(), one.conversations)).collect();
    assert_eq!(counted, [("letters", 10), ("minutes", 10)]);
    assert_eq!(figures.default_candidates, ["letters"], "one conversation in ten has loaded the other");
}

// S-USAGE-5: A conversation uses the skills that it began with.
#[tokio::test]
async fn what_a_session_is_made_with_is_recorded_told_and_counted() {
    let audited = Audited::new(AuditMode::Async);
    for skill in ["minutes", "letters"] {
        let text = format!("---\nname: {skill}\ndescription: Writes {skill}.\n---\nSteps.");
        audited.memory.put_raw(&format!("u1/skills/{skill}/SKILL.md"), text);
    }
    let mut listener = audited.events().listen(&user(), None, None).await.unwrap();
    let make = async |session: &str, wanted: CreateSession| {
        let (session, user) = (id(session), user());
        let author = audited.service.author(Caller::new(user.clone()));
        let work = audited.service.create_session(&user, &session, wanted);
        author
            .in_session(session.clone())
            .perform_with((Action::CreateSession, ""), Effects::of_session, work)
            .await
            .unwrap();
    };
    let preload = Preload::Skills(["minutes", "letters"].map(|skill| SkillPath::parse(skill).unwrap()).to_vec());
    let with = CreateSession { policy: Some(Policy { preload, ..Policy::default() }), ..CreateSession::default() };
    make("p", with.clone()).await;
    make("c", CreateSession { parent: Some(id("p")), ..CreateSession::default() }).await;
    // Neither one that is there already nor one that begins with nothing.
    make("p", with).await;
    make("plain", CreateSession::default()).await;
    for session in ["p", "c"] {
        let event = listener.next().await.unwrap().unwrap();
        let skills: Vec<_> = event.data["skills"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
        assert_eq!((event.event.as_str(), event.session.as_deref()), ("skill_activated", Some(session)));
        assert!(event.id.is_some() && skills == ["minutes", "letters"], "{skills:?}");
    }
    for session in ["p", "c", "plain"] {
        audited.session(session).ls(LsRequest { path: "/workspace".to_owned() }).await.unwrap();
    }
    let event = listener.next().await.unwrap().unwrap();
    assert_eq!(event.event, "tool_use_start", "nothing else was told: {event:?}");
    audited.recorder.flush(&user()).await.unwrap();
    let figures = usage(&audited.service, &user(), &UsageRequest::default()).await.unwrap();
    let counted: Vec<_> = figures.skills.iter().map(|one| (one.skill.as_str(), one.loads, one.conversations)).collect();
    assert_eq!((figures.conversations, counted), (3, vec![("letters", 2, 2), ("minutes", 2, 2)]));
    assert_eq!(figures.default_candidates, ["letters", "minutes"]);
}
