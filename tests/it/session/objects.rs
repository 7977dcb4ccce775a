//! Session objects: their lives, forks, pages, and what is shown of them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use crate::support::{
    SetClock,
    world::{BackendExt, World, code, id},
};
use jiff::Timestamp;
use serde_json::Value;
use skillmount::{
    Code,
    context::Caller,
    handle::{ServiceOptions, SessionBackend},
    json::UnknownMembers,
    limits::{FRESH, SESSION_PAGE_BYTES, SNAPSHOT_COPIED_FILES},
    path::{ETag, Layer, MountName, SkillPath},
    session::{Change, LoadedSkill, Session, list_sessions},
    skill::{Snapshot, SnapshotFile},
    store::{MemoryStore, Requests},
    wire::{CreateSession, Policy, SessionListRequest, SessionVersion, SkillRule},
};

pub(crate) const MONTH: i64 = 31 * 24 * 60 * 60;

pub(crate) async fn with_skills(world: &World, skills: &[&str]) {
    for skill in skills {
        world.put_skill("demo", skill, "One of several.", "Body.\n").await;
    }
}

async fn version(agent: &SessionBackend) -> SessionVersion {
    agent.session().await.unwrap().seen_version()
}

/// What requests for session objects `work` costs, and what it gave.
async fn session_cost<T>(world: &World, work: impl Future<Output = T>) -> (T, Requests) {
    let before = world.ledger.counts();
    let done = work.await;
    (done, (world.ledger.counts() - before).sessions.requests)
}

fn gets(number: u64) -> Requests {
    Requests { get: number, ..Requests::default() }
}

async fn fork(world: &World, parent: &str, name: &str) {
    let wanted = CreateSession { parent: Some(id(parent)), ..CreateSession::default() };
    let created = world.service.sessions().create(&id("demo"), &id(name), wanted).await.unwrap();
    assert!(created.is_new);
}

#[tokio::test]
async fn to_look_on_is_not_to_use_a_session() {
    let clock = SetClock::at(Timestamp::now().as_second());
    let world = World::at(Arc::new(MemoryStore::new()), ServiceOptions::default(), clock.clone());
    with_skills(&world, &["k0"]).await;
    world.agent().load("k0").await.unwrap();
    let stored = async || world.bytes("demo/.skillmount/sessions/s.json").await.unwrap();
    let before = stored().await;
    clock.set(Timestamp::now().as_second() + MONTH / 2);
    let sessions = world.service.sessions();
    let glanced = sessions.get_untouched(&id("demo"), &id("s"), 0).await.unwrap();
    assert_eq!((glanced.loaded_skills.len(), stored().await == before), (1, true));
    sessions.get(&id("demo"), &id("s"), 0).await.unwrap();
    assert!(stored().await != before, "it counts as used, and is kept for longer");
    clock.set(Timestamp::now().as_second() + 3 * MONTH);
    assert_eq!(sessions.get_untouched(&id("demo"), &id("s"), 0).await.unwrap().version, 0, "it has expired");
}

// S-SESSION-3: A client that sends back the session version of an answer never gets an answer from an older version.
#[tokio::test]
async fn a_session_that_was_deleted_and_made_again_elsewhere_is_never_answered_from_its_former_life() {
    let world = World::new();
    with_skills(&world, &["k0", "k1", "k2"]).await;
    for skill in ["k0", "k1", "k2"] {
        world.agent().load(skill).await.unwrap();
    }
    let old = version(&world.agent()).await;
    let other = world.replica();
    other.service.sessions().delete(&id("demo"), &id("s")).await.unwrap();
    other.agent().load("k1").await.unwrap();
    let new = version(&other.agent()).await;
    assert_eq!((old.number, new.number), (3, 1));
    assert_ne!(old.life, new.life);
    assert_eq!(world.agent().at_least(&new).names("/skills").await.unwrap(), ["/skills/k1"]);
    assert_eq!(world.agent().names("/skills").await.unwrap(), ["/skills/k1"], "and it is remembered");
}

#[tokio::test]
async fn a_version_of_a_life_that_has_ended_is_answered_from_the_newest_there_is_after_one_look() {
    let world = World::new();
    with_skills(&world, &["k0", "k1"]).await;
    world.agent().load("k0").await.unwrap();
    world.agent().load("k1").await.unwrap();
    let old = version(&world.agent()).await;
    world.service.sessions().delete(&id("demo"), &id("s")).await.unwrap();
    let ask = || world.agent().at_least(&old);
    let (names, cost) = session_cost(&world, async { ask().names("/").await }).await;
    assert_eq!((names.unwrap().len(), cost), (2, gets(1)), "it is gone, which the store was asked for");
    assert_eq!(session_cost(&world, async { ask().names("/").await }).await.1, gets(0));
    world.agent().load("k0").await.unwrap();
    let (names, cost) = session_cost(&world, async { ask().names("/skills").await }).await;
    assert_eq!((names.unwrap(), cost), (vec!["/skills/k0".to_owned()], gets(0)));
}

#[tokio::test]
async fn a_version_that_never_was_settles_nothing_for_others() {
    let world = World::new();
    with_skills(&world, &["k0", "k1"]).await;
    world.agent().load("k0").await.unwrap();
    let first = version(&world.agent()).await;
    let invented = SessionVersion { number: 99, ..first };
    assert_eq!(world.agent().at_least(&invented).names("/skills").await.unwrap().len(), 1);
    assert_eq!(world.agent().at_least(99).names("/skills").await.unwrap().len(), 1);
    let other = world.replica();
    other.agent().load("k1").await.unwrap();
    let second = version(&other.agent()).await;
    assert_eq!(world.agent().at_least(&second).names("/skills").await.unwrap().len(), 2);
    other.agent().load("k0").await.unwrap();
    other.service.sessions().update(&id("demo"), &id("s"), |_| Ok(Change::Save(()))).await.unwrap();
    let (number, _) = session_cost(&world, async { world.agent().at_least(3).session().await.unwrap().version }).await;
    assert_eq!(number, version(&other.agent()).await.number, "a number alone is looked for too");
}

#[tokio::test]
async fn a_session_used_again_after_it_expired_shows_what_was_loaded_at_once() {
    let clock = SetClock::at(0);
    let world = World::at(Arc::new(MemoryStore::new()), ServiceOptions::default(), clock.clone());
    with_skills(&world, &["k0", "k1", "k2"]).await;
    for skill in ["k0", "k1", "k2"] {
        world.agent().load(skill).await.unwrap();
    }
    let old = version(&world.agent()).await;
    clock.set(MONTH);
    assert_eq!(version(&world.agent()).await, SessionVersion::default(), "it has expired");
    world.agent().load("k1").await.unwrap();
    let (names, cost) = session_cost(&world, async { world.agent().names("/skills").await }).await;
    assert_eq!((names.unwrap(), cost), (vec!["/skills/k1".to_owned()], gets(0)));
    let new = version(&world.agent()).await;
    assert_ne!(old.life, new.life);
    let (names, cost) = session_cost(&world, async { world.agent().at_least(&new).names("/skills").await }).await;
    assert_eq!((names.unwrap().len(), cost), (1, gets(0)));
}

// S-SESSION-6: A deleted or expired session is gone at once in the process that deleted or used it, and within 30
// seconds in every other.
#[tokio::test(start_paused = true)]
async fn a_deleted_session_is_gone_here_at_once_and_elsewhere_within_thirty_seconds() {
    let world = World::new();
    with_skills(&world, &["k0"]).await;
    world.agent().load("k0").await.unwrap();
    let other = world.replica();
    assert_eq!(other.agent().names("/").await.unwrap().len(), 3);
    world.service.sessions().delete(&id("demo"), &id("s")).await.unwrap();
    assert_eq!(world.agent().names("/").await.unwrap().len(), 2);
    tokio::time::sleep(FRESH + Duration::from_secs(1)).await;
    assert_eq!(other.agent().names("/").await.unwrap().len(), 2);
    assert_eq!(code(other.service.sessions().delete(&id("demo"), &id("s")).await), Code::SessionNotFound);
}

#[tokio::test]
async fn a_session_of_a_time_without_lives_keeps_the_one_it_is_given() {
    let world = World::new();
    with_skills(&world, &["k0", "k1"]).await;
    world.agent().load("k0").await.unwrap();
    let mut stored = stored(&world, "s").await;
    stored.as_object_mut().unwrap().remove("life").unwrap();
    world.put("demo/.skillmount/sessions/s.json", stored.to_string()).await;
    let other = world.replica();
    let before = version(&other.agent()).await;
    assert!(before.life.is_some() && before.number == 1);
    other.agent().load("k1").await.unwrap();
    let after = version(&world.replica().agent()).await;
    assert_eq!((&after.life, after.number), (&before.life, 2));
}

/// A session as it lies in the bucket.
pub(crate) async fn stored(world: &World, session: &str) -> Value {
    let key = format!("demo/.skillmount/sessions/{session}.json");
    serde_json::from_slice(&world.bytes(&key).await.unwrap()).unwrap()
}

/// Skills `large-0` … of `files` files, and `small`.
async fn with_large_skills(world: &World, skills: usize, files: usize) {
    for skill in 0..skills {
        with_skills(world, &[&format!("large-{skill}")]).await;
        for file in 1..files {
            world.put(&format!("demo/skills/large-{skill}/{file}.md"), format!("{skill}/{file}")).await;
        }
    }
    with_skills(world, &["small"]).await;
}

// S-SESSION-8: A fork shares the file lists of its parent's loaded skills and keeps them after the parent is deleted.
#[tokio::test]
async fn forks_share_snapshots_which_outlive_the_parent() {
    const SKILLS: usize = 4;
    const FORKS: usize = 25;
    let world = World::new();
    with_large_skills(&world, SKILLS, 4 * SNAPSHOT_COPIED_FILES).await;
    let parent = world.agent_of("demo", "parent");
    for skill in 0..SKILLS {
        parent.load(&format!("large-{skill}")).await.unwrap();
    }
    parent.load("small").await.unwrap();
    let whole = stored(&world, "parent").await.to_string().len() as u64;
    let before = world.ledger.counts();
    for number in 0..FORKS {
        fork(&world, "parent", &format!("fork-{number}")).await;
    }
    let spent = world.ledger.counts() - before;
    assert_eq!(spent.objects.requests, Requests { put: SKILLS as u64, ..Requests::default() }, "each snapshot once");
    assert_eq!(spent.sessions.requests.put, FORKS as u64);
    let written = spent.objects.bytes_written + spent.sessions.bytes_written;
    assert!(written < 4 * whole, "{FORKS} forks of {whole} bytes wrote {written}");
    let inline = |session: &Value, at: usize| session["loaded_skills"][at].get("snapshot").is_some();
    let made = stored(&world, "fork-0").await;
    assert!(!inline(&made, 0) && inline(&made, SKILLS), "the small one is copied");
    assert!(inline(&stored(&world, "parent").await, 0), "the parent stays as it was");

    world.service.sessions().delete(&id("demo"), &id("parent")).await.unwrap();
    let replica = world.replica();
    fork(&replica, "fork-0", "grandchild").await;
    for name in ["fork-0", "fork-24", "grandchild"] {
        let agent = replica.agent_of("demo", name);
        assert_eq!(agent.text("/skills/large-3/7.md").await.unwrap(), "3/7", "{name}");
        assert_eq!(agent.names("/skills").await.unwrap().len(), SKILLS + 1, "{name}");
    }
    let seen = replica.service.sessions();
    let of = async |name: &str| {
        let session = seen.get(&id("demo"), &id(name), 0).await.unwrap();
        seen.snapshot(&id("demo"), &session.loaded_skills[0]).await.unwrap()
    };
    let (one, other) = (of("fork-0").await, of("fork-24").await);
    assert!(Arc::ptr_eq(&one, &other), "in memory there is one");
}

#[tokio::test]
async fn a_snapshot_that_is_gone_or_damaged_is_skill_changed_and_loading_again_mends_it() {
    let world = World::new();
    with_large_skills(&world, 1, 2 * SNAPSHOT_COPIED_FILES).await;
    world.agent_of("demo", "parent").load("large-0").await.unwrap();
    fork(&world, "parent", "fork").await;
    let aside = world.keys().await.into_iter().find(|key| key.contains("/snapshots/")).unwrap();
    let text = String::from_utf8(world.bytes(&aside).await.unwrap()).unwrap();
    for damage in ["", "[]", &text[..text.len() / 2], &text.replace("\"size\":3", "\"size\":4")] {
        world.put(&aside, damage.to_owned()).await;
        let replica = world.replica();
        let agent = replica.agent_of("demo", "fork");
        assert_eq!(code(agent.text("/skills/large-0/7.md").await), Code::SkillChanged, "{damage:?}");
        // Another fork finds the object there, and that it is not what it should be.
        fork(&replica, "parent", &format!("fork-{}", damage.len())).await;
        assert_eq!(world.bytes(&aside).await.unwrap(), text.as_bytes());
        assert_eq!(world.replica().agent_of("demo", "fork").text("/skills/large-0/7.md").await.unwrap(), "0/7");
    }
}

/// A session with snapshots of `files` files, as it lies in the bucket.
fn heavy(name: &str, files: usize) -> String {
    let file = |number: usize| SnapshotFile {
        path: format!("resources/chapter-{number}.md"),
        size: 1,
        etag: ETag::new(&format!("{number:032}")),
        modified_at: Timestamp::UNIX_EPOCH,
    };
    let snapshot = Snapshot::new((0..files).map(file).collect());
    let loaded = LoadedSkill {
        skill: SkillPath::parse("a/b").unwrap(),
        layer: Layer::User,
        team: None,
        mount: MountName::parse("b").unwrap(),
        name: "b".to_owned(),
        description: "d".to_owned(),
        digest: snapshot.digest().to_owned(),
        version: None,
        draft: None,
        arguments: None,
        loaded_at: Timestamp::UNIX_EPOCH,
        snapshot: Some(Arc::new(snapshot)),
        unknown: UnknownMembers::default(),
    };
    let fresh = Session::fresh(id("demo"), id(name), Timestamp::now());
    serde_json::to_string(&Session { version: 1, loaded_skills: vec![loaded], ..fresh }).unwrap()
}

// S-SESSION-9: A page of sessions ends if the objects read for it reach 4 MiB, whatever the limit, and its
// `next_cursor` continues from there.
#[tokio::test]
async fn a_page_of_large_sessions_is_short_and_displaces_none_that_is_in_use() {
    let world = World::new();
    let name = |number: usize| format!("s{number}");
    let first = heavy("s0", 10_000);
    let each = first.len() as u64;
    assert!(each < SESSION_PAGE_BYTES / 2 && each > SESSION_PAGE_BYTES / 4, "{each}");
    world.put("demo/.skillmount/sessions/s0.json", first).await;
    for number in 1..5 {
        world.put(&format!("demo/.skillmount/sessions/{}.json", name(number)), heavy(&name(number), 10_000)).await;
    }
    world.put("demo/.skillmount/sessions/s9.json", heavy("s9", 40_000)).await;
    let sessions = world.service.sessions();
    let (mut cursor, mut pages) = (None, Vec::new());
    let before = world.ledger.counts();
    loop {
        let page = list_sessions(sessions, &id("demo"), 1000, cursor.as_deref()).await.unwrap();
        pages.push(page.sessions.iter().map(|one| one.session_id.to_string()).collect::<Vec<_>>());
        assert!(page.sessions.iter().all(|one| one.loaded_skills.len() == 1));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let per_page = usize::try_from(SESSION_PAGE_BYTES / each).unwrap();
    let listed: Vec<_> = pages.iter().flatten().cloned().collect();
    assert_eq!(listed, ["s0", "s1", "s2", "s3", "s4", "s9"]);
    assert!(pages.iter().all(|page| (1..=per_page).contains(&page.len())), "{pages:?}");
    assert_eq!(pages.last().unwrap(), &["s9"], "one over the limit has a page of its own");
    let spent = (world.ledger.counts() - before).sessions;
    let wanted = Requests { get: 6, list: pages.len() as u64, ..Requests::default() };
    assert_eq!(spent.requests, wanted, "each was read once");
    let before = world.ledger.counts();
    sessions.get(&id("demo"), &id("s0"), 0).await.unwrap();
    let read = (world.ledger.counts() - before).sessions;
    assert_eq!((read.requests, read.bytes_read), (gets(1), each), "no memory was filled");
    list_sessions(sessions, &id("demo"), 1, None).await.unwrap();
    let listed = (world.ledger.counts() - before).sessions.requests;
    assert_eq!(listed, Requests { get: 1, list: 1, ..Requests::default() }, "what is in memory is not read again");
}

// S-SESSION-10: No answer about a session names a skill that its reader may not see.
#[tokio::test]
async fn a_session_names_no_skill_that_its_reader_may_not_see() {
    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let world = World::with(Arc::new(MemoryStore::new()), options);
    with_skills(&world, &["open"]).await;
    world.put_skill("demo", "sec/hidden", "Hidden.", "x").await;
    world.put_skill("_teams/notaries", "shared", "Of a team.", "x").await;
    let member = || world.agent_in(Some("notaries"), "demo", "s");
    for skill in ["open", "shared", "sec/hidden"] {
        member().load(skill).await.unwrap();
    }
    let seen = async |agent: SessionBackend| {
        let callers = [Some(id("notaries")), None].map(|team| Arc::new(Caller::new(id("demo")).in_team(team)));
        let shown = agent.summary().await.unwrap();
        let wanted = SessionListRequest { limit: Some(10), cursor: None };
        let pages = callers.each_ref().map(|caller| world.service.list_sessions(caller, &wanted));
        let [of_member, of_other] = pages.map(|page| async move { page.await.unwrap().sessions.remove(0) });
        let listed = [of_member.await, of_other.await];
        let names = |summary: &skillmount::wire::SessionSummary| {
            let loaded = summary.loaded_skills.iter().map(|loaded| loaded.skill.to_string()).collect::<Vec<_>>();
            (loaded.join(" "), summary.current_skill.as_ref().map(ToString::to_string))
        };
        (names(&shown), listed.map(|summary| names(&summary)))
    };
    let all = ("open shared sec/hidden".to_owned(), Some("sec/hidden".to_owned()));
    let own = ("open sec/hidden".to_owned(), Some("sec/hidden".to_owned()));
    assert_eq!(seen(member()).await, (all.clone(), [all, own.clone()]));
    assert_eq!(seen(world.agent()).await.0, own);
    let rules = BTreeMap::from([("sec/*".to_owned(), SkillRule::Blocked)]);
    let strict = Policy { skills: rules, ..Policy::default() };
    world.service.sessions().set_user_policy(&id("demo"), strict).await.unwrap();
    let (open, shared) = (("open".to_owned(), None), ("open shared".to_owned(), None));
    assert_eq!(seen(member()).await, (shared.clone(), [shared.clone(), open.clone()]));
    let (user, session) = (id("demo"), id("s"));
    let update = world.service.sessions().update(&user, &session, |session| {
        session.policy.skills.insert("shared".to_owned(), SkillRule::Disabled);
        Ok(Change::Save(()))
    });
    let (changed, ()) = update.await.unwrap();
    let policy = world.service.sessions().user_policy(&user).await.unwrap();
    assert_eq!(member().summary_of(&changed, &policy).loaded_skills.len(), 1);
    assert_eq!(seen(member()).await, (open.clone(), [open.clone(), open]));
}
