//! Events, as a library hears them: at once, from other replicas, and again after a break.

use std::{sync::Arc, time::Duration};

use serde_json::json;
use skillmount::{
    audit::{AuditMode, EventId, Events, Listener, Resume},
    catalog::Audience,
    limits::{AUDIT_BATCH_AGE, EVENTS_LOOK, EVENTS_PAGE_BYTES, EVENTS_WAITING},
    observer::{Effects, ObservedCall, ObservedOperation, Observer as _},
    path::KeyPrefix,
    session::{Change, Session},
    store::{DeleteOptions, MemoryStore, Store as _, Verb, testing::Fault},
    wire::{BackendProtocol as _, CallOutline, Event, ToolRule, WriteRequest},
};
use tokio::time::{Instant, timeout};

use super::{Audited, id, user};

fn write(path: &str) -> WriteRequest {
    serde_json::from_value(json!({"file_path": path, "content": "x", "overwrite": true})).unwrap()
}

fn events_of(world: &Audited) -> Events {
    world.events()
}

/// The path of the next file that was changed, and the id of that event.
async fn next_file(listener: &mut Listener) -> (String, EventId) {
    loop {
        let event = listener.next().await.unwrap().unwrap();
        if event.event == "file_changed" {
            return (event.data["path"].as_str().unwrap().to_owned(), EventId::parse(&event.id.unwrap()).unwrap());
        }
    }
}

fn two_replicas() -> (Audited, Audited) {
    let one = Audited::new(AuditMode::Async);
    let two = Audited::over(Arc::clone(&one.memory), AuditMode::Async);
    (one, two)
}

// S-EVENT-2: A replica sends its own events at once, and the events of other replicas within 65 seconds.
#[tokio::test(start_paused = true)]
async fn own_events_are_told_at_once_and_those_of_other_replicas_within_65_seconds() {
    let (one, two) = two_replicas();
    let mut listener = events_of(&one).listen(&user(), None, None).await.unwrap();
    let began = Instant::now();
    one.session("s1").write(write("/workspace/own")).await.unwrap();
    let first = listener.next().await.unwrap().unwrap();
    assert_eq!((first.event.as_str(), first.id), ("tool_use_start", None), "it has no record yet");
    let second = listener.next().await.unwrap().unwrap();
    assert_eq!((second.event.as_str(), &second.data["id"]), ("tool_result", &first.data["id"]));
    assert_eq!(next_file(&mut listener).await.0, "/workspace/own");
    assert!(began.elapsed() < EVENTS_LOOK);

    two.session("s2").write(write("/workspace/other")).await.unwrap();
    assert_eq!(next_file(&mut listener).await.0, "/workspace/other");
    assert!(
        began.elapsed() >= AUDIT_BATCH_AGE.checked_sub(Duration::from_secs(1)).unwrap()
            && began.elapsed() <= Duration::from_secs(65)
    );
}

// S-EVENT-3: A client that returns with the id of its last event, to any replica, gets every missed event.
#[tokio::test(start_paused = true)]
async fn whoever_comes_back_with_its_last_id_misses_nothing_at_any_replica() {
    let (one, two) = two_replicas();
    let mut listener = events_of(&one).listen(&user(), None, None).await.unwrap();
    let mut expected = Vec::new();
    let mut last = None;
    for round in 0..40 {
        for (name, world) in [("one", &one), ("two", &two)] {
            let path = format!("/workspace/{name}-{round}");
            world.session("s1").write(write(&path)).await.unwrap();
            expected.push(path);
        }
        if round == 10 {
            last = Some(next_file(&mut listener).await.1);
        }
        tokio::time::sleep(Duration::from_secs(11)).await;
    }
    drop(listener);
    let mut again = events_of(&two).listen(&user(), None, last.map(Into::into)).await.unwrap();
    one.recorder.flush_all().await;
    // The first event that the first listener was told is the first write of one.
    let mut missing: Vec<String> = expected.into_iter().filter(|path| path != "/workspace/one-0").collect();
    let mut ids = std::collections::BTreeMap::new();
    while !missing.is_empty() {
        let (path, id) = timeout(Duration::from_secs(70), next_file(&mut again)).await.expect("no event is left out");
        assert_eq!(*ids.entry(id).or_insert_with(|| path.clone()), path, "equal ids are equal events");
        missing.retain(|left| *left != path);
    }
}

// S-EVENT-4: If the records since an id are gone, the first event is `gap`.
#[tokio::test]
async fn an_id_that_is_no_longer_kept_gives_a_gap() {
    let world = Audited::new(AuditMode::Async);
    let old = EventId::parse("20200102T030405.000006Z-0a1b2c3d.1.5").unwrap();
    let mut listener = events_of(&world).listen(&user(), None, Some(old.clone().into())).await.unwrap();
    let event = listener.next().await.unwrap().unwrap();
    assert_eq!((event.event.as_str(), &event.id, &event.data["after"]), ("gap", &None, &json!(old.to_string())));
    let batch = "{\"format\":1}\n{\"time\":\"2020-01-02T03:04:05Z\",\"operation\":\"ls\",\"session\":\"s1\",\"outcome\":\"ok\"}\n";
    world.memory.put_raw("u1/.skillmount/audit/20200102T030405.000006Z-0a1b2c3d", batch);
    let since = events_of(&world).since(&user(), None, old.into(), (10, EVENTS_PAGE_BYTES)).await.unwrap().events;
    assert!(since.is_empty(), "its batch is there, and it was the last of it: {since:?}");
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test]
async fn a_listener_that_does_not_read_is_dropped_with_a_mark_and_goes_on_from_its_last_id() {
    let world = Audited::new(AuditMode::Async);
    let events = events_of(&world);
    let mut slow = events.listen(&user(), Some(&id("s1")), None).await.unwrap();
    world.session("s1").write(write("/workspace/first")).await.unwrap();
    let (_, last) = next_file(&mut slow).await;
    for number in 0..EVENTS_WAITING {
        world.session("s1").write(write(&format!("/workspace/{number}"))).await.unwrap();
    }
    let mark = slow.next().await.unwrap().unwrap();
    assert_eq!((mark.event.as_str(), mark.id), ("dropped", Some(last.to_string())));
    assert_eq!(slow.next().await.unwrap(), None);
    let mut again = events.listen(&user(), Some(&id("s1")), Some(last.into())).await.unwrap();
    for number in 0..EVENTS_WAITING {
        assert_eq!(next_file(&mut again).await.0, format!("/workspace/{number}"));
    }
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test(start_paused = true)]
async fn a_listener_that_reads_gets_more_events_of_another_replica_at_once_than_may_wait() {
    let (one, two) = two_replicas();
    let mut listener = events_of(&one).listen(&user(), Some(&id("s1")), None).await.unwrap();
    let written = 2 * EVENTS_WAITING;
    for number in 0..written {
        two.session("s1").write(write(&format!("/workspace/{number}"))).await.unwrap();
    }
    two.recorder.flush(&user()).await.unwrap();
    for number in 0..written {
        assert_eq!(next_file(&mut listener).await.0, format!("/workspace/{number}"));
    }
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test]
async fn a_listener_that_was_dropped_before_it_read_anything_goes_on_from_its_mark() {
    let world = Audited::new(AuditMode::Async);
    let events = events_of(&world);
    let mut slow = events.listen(&user(), None, None).await.unwrap();
    for number in 0..EVENTS_WAITING {
        world.session("s1").write(write(&format!("/workspace/{number}"))).await.unwrap();
    }
    let mark = slow.next().await.unwrap().unwrap();
    let from = EventId::parse(&mark.id.unwrap()).unwrap();
    let mut again = events.listen(&user(), None, Some(from.into())).await.unwrap();
    for number in 0..EVENTS_WAITING {
        assert_eq!(next_file(&mut again).await.0, format!("/workspace/{number}"));
    }
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_listener_that_reads_no_events_of_another_replica() {
    let (one, two) = two_replicas();
    let events = events_of(&one);
    let _stuck = events.listen(&user(), None, None).await.unwrap();
    let mut reading = events.listen(&user(), None, None).await.unwrap();
    let began = Instant::now();
    for batch in 0..10 {
        for number in 0..EVENTS_WAITING / 2 {
            two.session("s1").write(write(&format!("/workspace/{batch}-{number}"))).await.unwrap();
        }
        two.recorder.flush(&user()).await.unwrap();
    }
    for batch in 0..10 {
        for number in 0..EVENTS_WAITING / 2 {
            assert_eq!(next_file(&mut reading).await.0, format!("/workspace/{batch}-{number}"));
        }
    }
    assert!(began.elapsed() < EVENTS_LOOK + Duration::from_secs(3), "{:?}", began.elapsed());
}

// S-EVENT-2: A replica sends its own events at once, and the events of other replicas within 65 seconds.
#[tokio::test(start_paused = true)]
async fn a_listener_that_could_not_begin_leaves_the_next_one_all_events() {
    let (one, two) = two_replicas();
    let events = events_of(&one);
    one.faulty.for_keys(Verb::List, "/audit/", Fault::Deny);
    assert!(events.listen(&user(), None, None).await.is_err());
    one.faulty.clear();
    one.faulty.set_latency(Duration::from_secs(10));
    assert!(timeout(Duration::from_secs(1), events.listen(&user(), None, None)).await.is_err(), "it left");
    one.faulty.set_latency(Duration::ZERO);
    let mut listener = events.listen(&user(), None, None).await.unwrap();
    two.session("s1").write(write("/workspace/other")).await.unwrap();
    assert_eq!(next_file(&mut listener).await.0, "/workspace/other");
}

// S-EVENT-2: A replica sends its own events at once, and the events of other replicas within 65 seconds.
#[tokio::test(start_paused = true)]
async fn a_listener_whose_own_records_cannot_be_written_leaves_the_next_ones_each_event_once() {
    let (one, two) = two_replicas();
    let events = events_of(&one);
    one.session("s1").write(write("/workspace/own")).await.unwrap();
    let begin = Some(EventId::parse("20200102T030405.000006Z-0a1b2c3d.1.5").unwrap().into());
    one.faulty.for_keys(Verb::Put, "/audit/", Fault::Deny);
    assert!(events.listen(&user(), None, begin).await.is_err());
    one.faulty.clear();
    let mut listeners =
        [events.listen(&user(), None, None).await.unwrap(), events.listen(&user(), None, None).await.unwrap()];
    two.session("s1").write(write("/workspace/other")).await.unwrap();
    two.recorder.flush_all().await;
    tokio::time::sleep(10 * EVENTS_LOOK).await;
    one.session("s1").write(write("/workspace/last")).await.unwrap();
    for listener in &mut listeners {
        let paths = [next_file(listener).await.0, next_file(listener).await.0];
        assert_eq!(paths, ["/workspace/other", "/workspace/last"]);
    }
}

// S-EVENT-5: The service drops a listener that does not read, says so in the event `dropped`, and waits for no
// listener.
#[tokio::test(start_paused = true)]
async fn a_slow_listing_for_one_user_holds_up_no_listener_of_another() {
    let world = Audited::new(AuditMode::Async);
    let events = events_of(&world);
    world.faulty.for_keys(Verb::List, "u1/.skillmount/audit/", Fault::SlowRequest(Duration::from_mins(1)));
    let began = Instant::now();
    let other = id("u2");
    let (slow, fast) = (user(), &other);
    let slow = events.listen(&slow, None, None);
    let fast = async {
        let listener = events.listen(fast, None, None).await;
        (listener, began.elapsed())
    };
    let (slow, (fast, after)) = tokio::join!(slow, fast);
    assert!(slow.is_ok() && fast.is_ok() && after < Duration::from_secs(1), "{after:?}");
}

// S-EVENT-3: A client that returns with the id of its last event, to any replica, gets every missed event.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn events_are_told_in_the_order_of_their_ids() {
    const WRITERS: usize = 8;
    let world = Audited::new(AuditMode::Async);
    let mut listener = events_of(&world).listen(&user(), None, None).await.unwrap();
    // As many events as may wait, three of each write, so that a busy machine drops no listener.
    let each = EVENTS_WAITING / (3 * WRITERS);
    let told = tokio::spawn(async move {
        let mut ids = Vec::new();
        while ids.len() < WRITERS * each {
            ids.push(next_file(&mut listener).await.1);
        }
        ids
    });
    let writers = (0..WRITERS).map(|writer| {
        let session = world.session(&format!("s{writer}"));
        tokio::spawn(async move {
            for number in 0..each {
                session.write(write(&format!("/workspace/{writer}-{number}"))).await.unwrap();
                tokio::task::yield_now().await;
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let ids = told.await.unwrap();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
}

// S-EVENT-6: Every replica reports a permission request within 5 seconds, and once.
#[tokio::test(start_paused = true)]
async fn a_permission_request_of_another_replica_is_told_within_5_seconds() {
    let (one, two) = two_replicas();
    let mut listener = events_of(&one).listen(&user(), Some(&id("s1")), None).await.unwrap();
    let began = Instant::now();
    let call = ObservedCall {
        user: user(),
        session: Some(id("s1")),
        by: None,
        call: "c".to_owned(),
        operation: "write",
        input: Some(CallOutline::default().path("file_path", "/workspace/a")),
        subject: "/workspace/a".to_owned(),
        is_change: true,
    };
    let outcome = "approval_required";
    let effects = Effects { approval: Some("p-1".to_owned()), ..Effects::default() };
    two.recorder.ended(ObservedOperation { call, outcome, changed: None, milliseconds: 0.0, effects });
    let event = loop {
        let event = listener.next().await.unwrap().unwrap();
        if event.event == "permission_request" {
            break event;
        }
    };
    assert_eq!(event.data, json!({"requestId": "p-1", "toolName": "write", "input": {"file_path": "/workspace/a"}}));
    assert!(began.elapsed() <= Duration::from_secs(5), "{:?}", began.elapsed());
}

async fn next_request(listener: &mut Listener) -> Event {
    loop {
        let event = listener.next().await.unwrap().unwrap();
        if event.event == "permission_request" {
            return event;
        }
    }
}

// S-EVENT-6: Every replica reports a permission request within 5 seconds, and once.
#[tokio::test(start_paused = true)]
async fn a_call_that_waits_is_told_once_by_every_replica_with_and_without_records() {
    for mode in [AuditMode::Off, AuditMode::Async] {
        let one = Audited::new(AuditMode::Async);
        let two = Audited::over(Arc::clone(&one.memory), mode);
        let asks = |session: &mut Session| {
            session.policy.tools = [("write".to_owned(), ToolRule::Ask)].into();
            Ok(Change::Save(()))
        };
        two.service.sessions().update(&user(), &id("s1"), asks).await.unwrap();
        let mut listeners = Vec::new();
        for world in [&one, &two] {
            listeners.push(world.events().listen(&user(), None, None).await.unwrap());
        }
        let began = Instant::now();
        two.session("s1").write(write("/workspace/a")).await.unwrap_err();
        for listener in &mut listeners {
            let request = next_request(listener).await;
            assert!(began.elapsed() <= Duration::from_secs(5), "{mode:?} {:?}", began.elapsed());
            assert_eq!((&request.data["toolName"], request.session.as_deref()), (&json!("write"), Some("s1")));
            // Agents may listen, so no replica tells what was to be written.
            let input = json!({"file_path": "/workspace/a", "content": {"bytes": 1}, "overwrite": true});
            assert_eq!(request.data["input"], input, "{mode:?}");
        }
        for listener in &mut listeners {
            assert!(timeout(Duration::from_mins(2), next_request(listener)).await.is_err(), "{mode:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_store_is_asked_only_while_somebody_listens_and_sessions_are_told_apart() {
    let (one, two) = two_replicas();
    let listener = events_of(&one).listen(&user(), Some(&id("s1")), None).await.unwrap();
    drop(listener);
    tokio::time::sleep(Duration::from_secs(10)).await;
    let before = one.faulty.seen(skillmount::store::Verb::List);
    tokio::time::sleep(Duration::from_mins(1)).await;
    assert_eq!(one.faulty.seen(skillmount::store::Verb::List), before);

    let mut listener = events_of(&one).listen(&user(), Some(&id("s1")), None).await.unwrap();
    for session in ["s2", "s1"] {
        one.session(session).write(write("/workspace/a")).await.unwrap();
    }
    let told: [Event; 2] = [listener.next().await.unwrap().unwrap(), listener.next().await.unwrap().unwrap()];
    assert!(told.iter().all(|event| event.session.as_deref() == Some("s1")), "{told:?}");
    drop(two);
}

// S-EVENT-12: In an event, `input` has the members of the call's input without contents and questions, and `content` is
// the outcome.
#[tokio::test]
async fn the_input_of_a_call_is_told_without_contents() {
    let world = Audited::new(AuditMode::Async);
    let mut listener = events_of(&world).listen(&user(), None, None).await.unwrap();
    let agent = world.session("s1");
    agent.write(write("/workspace/a")).await.unwrap();
    let edit = json!({"file_path": "/workspace/a", "old_string": "x", "new_string": "sk-secret-token"});
    agent.edit(serde_json::from_value(edit).unwrap()).await.unwrap();
    agent.grep(serde_json::from_value(json!({"pattern": "sk-secret", "path": "/workspace"})).unwrap()).await.unwrap();
    let mut inputs = Vec::new();
    while inputs.len() < 3 {
        let event = listener.next().await.unwrap().unwrap();
        assert!(!event.data.to_string().contains("sk-secret"), "{event:?}");
        if event.event == "tool_use_start" {
            inputs.push(event.data["input"].clone());
        }
    }
    assert_eq!(inputs[0], json!({"file_path": "/workspace/a", "content": {"bytes": 1}, "overwrite": true}));
    assert_eq!((&inputs[1]["old_string"], &inputs[1]["new_string"]), (&json!({"bytes": 1}), &json!({"bytes": 15})));
    assert_eq!((&inputs[2]["pattern"], &inputs[2]["path"]), (&json!({"bytes": 9}), &json!("/workspace")));
    // Who comes back reads the same from the records.
    world.recorder.flush_all().await;
    let from = world.records().await[0].id.rsplit_once('.').map(|(batch, _)| format!("{batch}.0.0")).unwrap();
    let missed =
        events_of(&world).since(&user(), None, Resume::parse(&from).unwrap(), (100, EVENTS_PAGE_BYTES)).await.unwrap();
    let again: Vec<_> = missed.events.into_iter().filter(|event| event.event == "tool_use_start").collect();
    assert_eq!(again.iter().map(|event| &event.data["input"]).collect::<Vec<_>>(), inputs.iter().collect::<Vec<_>>());
}

/// The next event, if one comes soon.
async fn soon(listener: &mut Listener) -> Option<Event> {
    timeout(Duration::from_millis(100), listener.next()).await.ok().map(|event| event.unwrap().unwrap())
}

// S-EVENT-10: Each process that finds a change by other tools in the bucket reports it as `catalog_changed`.
#[tokio::test]
async fn changes_by_other_tools_are_told_to_those_who_see_the_layer_and_cost_no_request() {
    let memory = Arc::new(MemoryStore::like_s3());
    let world = Audited::layered(memory.clone(), AuditMode::Async);
    let in_team = |user: &str, team: Option<&str>| Audience { user: id(user), team: team.map(id) };
    let readers = [in_team("u1", Some("sales")), in_team("u2", None)];
    let put = |folder: &str, text: &str| {
        memory.put_raw(&format!("{folder}/skills/s/SKILL.md"), format!("---\ndescription: {text}\n---\nSteps."));
    };
    let catalogs = world.service.catalogs();
    let look = async || {
        for reader in &readers {
            catalogs.view(reader.clone(), true).await.unwrap();
        }
    };
    look().await;
    let asked = world.faulty.seen(Verb::List) + world.faulty.seen(Verb::Get);
    let mut heard = Vec::new();
    for reader in &readers {
        heard.push(world.events().listen(reader.clone(), Some(&id("s1")), None).await.unwrap());
    }
    // That is the records and the sessions of other replicas alone, a LIST of each for each user.
    assert_eq!(world.faulty.seen(Verb::List) + world.faulty.seen(Verb::Get), asked + 4);

    for (folder, by) in [("u1", [true, false]), ("_teams/sales", [true, false]), ("_org", [true, true])] {
        for (text, change) in
            [("new", json!({"changed": 1, "removed": 0})), ("other", json!({"changed": 1, "removed": 0}))]
        {
            put(folder, text);
            look().await;
            for (listener, hears) in heard.iter_mut().zip(by) {
                let event = soon(listener).await;
                assert_eq!(event.is_some(), hears, "{folder} {text}: {event:?}");
                if let Some(event) = event {
                    assert_eq!((event.id, event.event.as_str(), event.session), (None, "catalog_changed", None));
                    assert_eq!(event.data, change);
                }
            }
        }
    }
    let key = KeyPrefix::all().key("u1/skills/s/SKILL.md").unwrap();
    memory.delete(&key, DeleteOptions::default()).await.unwrap();
    look().await;
    assert_eq!(soon(&mut heard[0]).await.unwrap().data, json!({"changed": 0, "removed": 1}));
    assert_eq!((soon(&mut heard[0]).await, soon(&mut heard[1]).await), (None, None), "each change is told once");
}

// S-EVENT-10: Each process that finds a change by other tools in the bucket reports it as `catalog_changed`.
#[tokio::test]
async fn a_caller_that_reports_what_changed_is_not_told_it_twice() {
    let world = Audited::new(AuditMode::Async);
    world.service.catalogs().view(&user(), true).await.unwrap();
    let mut listener = world.events().listen(&user(), None, None).await.unwrap();
    world.memory.put_raw("u1/skills/s/SKILL.md", "---\ndescription: New.\n---\nSteps.");
    let refreshed = world.service.catalogs().refresh(&user()).await.unwrap();
    assert_eq!(refreshed.difference.changed.len(), 1);
    assert_eq!(soon(&mut listener).await, None);
}
