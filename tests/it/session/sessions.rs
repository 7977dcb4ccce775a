//! Sessions: in the bucket, on any replica, through restarts and outages.

use std::collections::BTreeMap;

use crate::support::{
    clock,
    saboteur::under_test,
    world::{BackendExt, World, code, id},
};
use skillmount::{
    Code, Outcome,
    limits::{ARGUMENT_BYTES, LOADED_SKILLS, SNAPSHOT_INLINE_FILES},
    session::{Change, CreatedSession, list_sessions},
    store::{ReadOnly, Requests},
    wire::{BackendProtocol, CreateSession, LoadSkillRequest, Policy, SkillRule, SkillsAccess, Visibility},
};

// S-SESSION-1: A read in a session that does not exist answers as a new session would and creates nothing; the first
// change creates it.
#[tokio::test]
async fn reading_makes_no_session_and_the_first_change_does() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.names("/").await.unwrap();
    agent.hits("x", None).await.unwrap();
    assert_eq!(agent.session().await.unwrap().version, 0);
    assert!(!world.keys().await.iter().any(|key| key.contains("sessions/")));
    agent.load("hipoteca").await.unwrap();
    assert_eq!(agent.session().await.unwrap().version, 1);
    assert!(world.keys().await.contains(&"demo/.skillmount/sessions/s.json".to_owned()));
}

// S-SESSION-2: A session lives in the bucket: a restart loses nothing and any replica serves it.
// S-SESSION-3: A client that sends back the session version of an answer never gets an answer from an older version.
#[tokio::test]
async fn any_replica_serves_a_session_and_none_answers_from_an_older_one() {
    let world = World::new();
    world.put_fixtures().await;
    let other = world.replica();
    assert_eq!(other.agent().names("/").await.unwrap().len(), 2, "now it remembers that there is no session");
    world.agent().load("hipoteca").await.unwrap();
    let version = world.agent().session().await.unwrap().version;
    assert_eq!(other.agent().names("/").await.unwrap().len(), 2, "what it remembers is good for 30 seconds");
    assert_eq!(other.agent().at_least(version).names("/").await.unwrap().len(), 3);
    assert!(world.replica().agent().text("/skills/hipoteca/SKILL.md").await.is_ok(), "a replica that just started");
}

#[tokio::test(start_paused = true)]
async fn a_remembered_session_is_looked_at_again_after_thirty_seconds() {
    let world = World::new();
    world.put_fixtures().await;
    let other = world.replica();
    other.agent().names("/").await.unwrap();
    world.agent().load("hipoteca").await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(30)).await;
    assert_eq!(other.agent().names("/").await.unwrap().len(), 2);
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    assert_eq!(other.agent().names("/").await.unwrap().len(), 3);
}

// S-SESSION-4: With the store down, cached sessions still read what is cached, and the service refuses changes within
// the deadline.
#[tokio::test(start_paused = true)]
async fn loaded_skills_are_read_on_while_the_store_is_down() {
    let world = World::new();
    world.put_fixtures().await;
    let agent = world.agent();
    agent.load("compraventa").await.unwrap();
    let before = agent.text("/skills/compraventa/resources/ejemplo.md").await.unwrap();
    world.faults.set_down(true);
    tokio::time::sleep(std::time::Duration::from_mins(2)).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(agent.text("/skills/compraventa/resources/ejemplo.md").await.unwrap(), before);
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/compraventa"]);
    let refused = agent.create("/workspace/a", "x").await.unwrap_err();
    assert_eq!((refused.code(), refused.outcome()), (Code::StoreUnavailable, Some(Outcome::NotApplied)));
    assert_eq!(code(agent.text("/workspace/a").await), Code::StoreUnavailable);
    assert!(begun.elapsed() <= 2 * skillmount::limits::OPERATION_TIMEOUT);
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question.
#[tokio::test]
async fn the_users_policy_holds_beside_the_sessions() {
    let world = World::new();
    world.put_fixtures().await;
    let strict =
        Policy { skills: BTreeMap::from([("escrituras/*".to_owned(), SkillRule::Blocked)]), ..Policy::default() };
    world.service.sessions().set_user_policy(&id("demo"), strict).await.unwrap();
    let lax = Policy { skills_access: SkillsAccess::Write, ..Policy::default() };
    let wanted = CreateSession { policy: Some(lax), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
    let agent = world.agent();
    assert_eq!(code(agent.load("compraventa").await), Code::SkillNotFound);
    agent.load("arrendamiento").await.unwrap();
    assert_eq!(code(agent.create("/skills/arrendamiento/x", "x").await), Code::ReadOnly);
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question.
// S-POLICY-7: `visibility` is the session's alone: it says how a session finds permitted skills, and permits none.
#[tokio::test]
async fn a_session_shows_every_permitted_skill_whatever_the_users_policy_says_of_where_they_are_found() {
    let world = World::new();
    world.put_fixtures().await;
    let blocked = BTreeMap::from([("escrituras/*".to_owned(), SkillRule::Blocked)]);
    let of_user = |visibility| Policy { visibility, skills: blocked.clone(), ..Policy::default() };
    for (user, session, shown) in
        [(Visibility::Loaded, Visibility::All, true), (Visibility::All, Visibility::Loaded, false)]
    {
        world.service.sessions().set_user_policy(&id("demo"), of_user(user)).await.unwrap();
        let policy = Some(Policy { visibility: session, ..Policy::default() });
        let name = id(if shown { "all" } else { "loaded" });
        let wanted = CreateSession { policy, ..CreateSession::default() };
        world.service.create_session(&id("demo"), &name, wanted).await.unwrap();
        let agent = world.agent_of("demo", name.as_str());
        let listed = agent.names("/skills").await.unwrap_or_default();
        assert_eq!(listed.contains(&"/skills/arrendamiento".to_owned()), shown, "{listed:?}");
        assert!(!listed.contains(&"/skills/compraventa".to_owned()), "a blocked skill is never shown: {listed:?}");
    }
}

#[tokio::test]
async fn creating_is_idempotent_and_checks_what_it_is_given() {
    let world = World::new();
    world.put_fixtures().await;
    let sessions = world.service.sessions();
    let (user, session) = (id("demo"), id("s"));
    let with_var =
        |name: &str| CreateSession { vars: [(name.to_owned(), id("T-1"))].into(), ..CreateSession::default() };
    for bad in ["skills", "user", "tiket_id", "A"] {
        assert_eq!(code(sessions.create(&user, &session, with_var(bad)).await), Code::InvalidRequest, "{bad}");
    }
    let CreatedSession { session: made, is_new, .. } =
        sessions.create(&user, &session, with_var("ticket_id")).await.unwrap();
    assert!(is_new && made.version == 1);
    let CreatedSession { session: again, is_new, .. } =
        sessions.create(&user, &session, CreateSession::default()).await.unwrap();
    assert!(!is_new && again.vars == made.vars);
    let preload = Policy {
        preload: vec![skillmount::path::SkillPath::parse("escrituras/hipoteca").unwrap()].into(),
        ..Policy::default()
    };
    let wanted = CreateSession { policy: Some(preload), ..CreateSession::default() };
    let loaded = world.service.create_session(&user, &id("p"), wanted).await.unwrap().session;
    assert_eq!(loaded.loaded_skills.len(), 1);
    let child = CreateSession { parent: Some(id("p")), ..CreateSession::default() };
    let child = sessions.create(&user, &id("c"), child).await.unwrap().session;
    assert_eq!((child.loaded_skills.len(), child.parent.clone()), (1, Some(id("p"))));
    let orphan = CreateSession { parent: Some(id("none")), ..CreateSession::default() };
    assert_eq!(code(sessions.create(&user, &id("o"), orphan).await), Code::SessionNotFound);
}

#[tokio::test]
async fn sessions_are_listed_in_pages_and_deleted() {
    let world = World::new();
    let sessions = world.service.sessions();
    for name in ["a", "b", "c"] {
        sessions.create(&id("demo"), &id(name), CreateSession::default()).await.unwrap();
    }
    let first = list_sessions(sessions, &id("demo"), 2, None).await.unwrap();
    let names = |page: &skillmount::wire::SessionPage| {
        page.sessions.iter().map(|one| one.session_id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(&first), ["a", "b"]);
    let second = list_sessions(sessions, &id("demo"), 2, first.next_cursor.as_deref()).await.unwrap();
    assert_eq!((names(&second), second.next_cursor), (vec!["c".to_owned()], None));
    sessions.delete(&id("demo"), &id("a")).await.unwrap();
    assert_eq!(code(sessions.delete(&id("demo"), &id("a")).await), Code::SessionNotFound);
    assert_eq!(names(&list_sessions(sessions, &id("demo"), 9, None).await.unwrap()), ["b", "c"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_changes_of_one_session_by_two_replicas_are_all_there() {
    let world = World::new();
    for number in 0..20 {
        world.put_skill("demo", &format!("skill-{number}"), "One of many.", "x").await;
    }
    let replicas = [world.replica(), world.replica()];
    let loads = (0..20).map(|number| {
        let agent = replicas[number % 2].agent();
        tokio::spawn(async move { agent.load(&format!("skill-{number}")).await.map(|_| ()) })
    });
    for load in loads.collect::<Vec<_>>() {
        load.await.unwrap().unwrap();
    }
    assert_eq!(world.replica().agent().names("/skills").await.unwrap().len(), 20);
}

#[tokio::test]
async fn snapshots_ride_in_the_session_up_to_their_limit_and_lie_beside_it_beyond() {
    let world = World::new();
    world.put_skill("demo", "small", "Small.", "x").await;
    world.put_skill("demo", "large", "Large.", "x").await;
    for number in 1..=SNAPSHOT_INLINE_FILES {
        if number < SNAPSHOT_INLINE_FILES {
            world.put(&format!("demo/skills/small/{number}.md"), "x").await;
        }
        world.put(&format!("demo/skills/large/{number}.md"), "x").await;
    }
    let agent = world.agent();
    let aside = async || world.keys().await.iter().filter(|key| key.contains("/snapshots/")).count();
    assert_eq!(agent.load("small").await.unwrap().files.len(), SNAPSHOT_INLINE_FILES);
    assert_eq!(aside().await, 0);
    assert_eq!(agent.load("large").await.unwrap().files.len(), SNAPSHOT_INLINE_FILES + 1);
    assert_eq!(aside().await, 1);
    assert_eq!(world.replica().agent().text("/skills/large/7.md").await.unwrap(), "x");
}

#[tokio::test]
async fn a_snapshot_of_few_files_with_long_names_lies_beside_its_session_too() {
    let world = World::new();
    world.put_skill("demo", "short", "Short names.", "x").await;
    world.put_skill("demo", "long", "Long names.", "x").await;
    let folders = ["f".repeat(200).as_str(); 4].join("/");
    for number in 0..SNAPSHOT_INLINE_FILES / 2 {
        world.put(&format!("demo/skills/short/{number}.md"), "x").await;
        world.put(&format!("demo/skills/long/{folders}/{number}.md"), "x").await;
    }
    for (skill, aside) in [("short", 0), ("long", 1)] {
        world.agent().load(skill).await.unwrap();
        let there = world.keys().await.iter().filter(|key| key.contains("/snapshots/")).count();
        assert_eq!(there, aside, "{skill}");
    }
}

#[tokio::test]
async fn skills_are_loaded_up_to_the_limit() {
    let world = World::new();
    for number in 0..=LOADED_SKILLS {
        world.put_skill("demo", &format!("s{number}"), "One.", "x").await;
    }
    let agent = world.agent();
    for number in 0..LOADED_SKILLS {
        agent.load(&format!("s{number}")).await.unwrap();
    }
    assert_eq!(code(agent.load(&format!("s{LOADED_SKILLS}")).await), Code::RateLimited);
}

#[tokio::test]
async fn arguments_are_taken_up_to_the_limit_and_refused_beyond_it_without_asking_the_store() {
    let world = World::new();
    world.put_skill("demo", "one", "One.", "x").await;
    let agent = world.agent();
    let load = |bytes: usize| {
        agent.load_skill(LoadSkillRequest { arguments: Some("x".repeat(bytes)), ..LoadSkillRequest::new("one") })
    };
    load(ARGUMENT_BYTES).await.unwrap();
    let (refused, requests) = world.cost(load(ARGUMENT_BYTES + 1)).await;
    let error = refused.unwrap_err();
    assert_eq!((error.code(), requests), (Code::InvalidRequest, Requests::default()));
    assert!(error.message().contains(&ARGUMENT_BYTES.to_string()), "{error}");
    assert_eq!(agent.session().await.unwrap().loaded_skills[0].arguments.as_ref().unwrap().len(), ARGUMENT_BYTES);
}

#[tokio::test]
async fn a_load_tells_what_to_ask_for_where_the_author_says_it() {
    let world = World::new();
    let fields = "description: d\nparameters:\n- {name: lang, description: which language, required: true}\n- name: to";
    world.put("demo/skills/one/SKILL.md", format!("---\nname: one\n{fields}\n---\n{{{{lang}}}}")).await;
    let reply = world.agent().load("one").await.unwrap();
    assert_eq!(reply.parameters[0].description.as_deref(), Some("which language"));
    let sent = serde_json::to_value(&reply.parameters).unwrap();
    assert_eq!(sent[1], serde_json::json!({ "name": "to", "required": false, "value": null }));
}

#[tokio::test]
async fn a_change_that_fails_changes_nothing() {
    let world = World::new();
    let (user, session) = (id("demo"), id("s"));
    let refused = world.service.sessions().update(&user, &session, |session| {
        session.policy.plan_mode = true;
        Err::<Change<()>, _>(skillmount::Error::new(Code::Denied, "no"))
    });
    assert_eq!(refused.await.unwrap_err().code(), Code::Denied);
    assert!(!world.agent().session().await.unwrap().policy.plan_mode);
    assert_eq!(world.keys().await, [""; 0]);
}

#[tokio::test]
async fn a_service_that_only_reads_changes_nothing_and_says_why() {
    let world = World::new();
    world.put_fixtures().await;
    world.agent().load("hipoteca").await.unwrap();
    let before = world.keys().await;
    let options = skillmount::handle::ServiceOptions {
        access: ReadOnly::from("the bucket ignores If-Match").into(),
        ..Default::default()
    };
    let (bucket, options) = under_test(world.bucket.clone(), options, clock());
    let service = skillmount::handle::Service::new(bucket, options, clock());
    let agent = service.session(id("demo"), id("s"));
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/hipoteca"]);
    let refused = [
        agent.create("/workspace/a", "x").await.map(|_| ()),
        agent.load("compraventa").await.map(|_| ()),
        service.sessions().delete(&id("demo"), &id("s")).await,
        service.sessions().set_user_policy(&id("demo"), Policy::default()).await.map(|_| ()),
        service.sessions().create(&id("demo"), &id("new"), CreateSession::default()).await.map(|_| ()),
    ];
    for refusal in refused {
        let error = refusal.unwrap_err();
        assert_eq!(error.code(), Code::ReadOnly);
        assert!(error.message().contains("ignores If-Match"), "{error}");
    }
    assert_eq!(world.keys().await, before);
}
