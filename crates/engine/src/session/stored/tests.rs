use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;

use super::{
    super::{SessionError, objects::CasObjects},
    *,
};
use crate::{
    clock::SystemClock,
    json::UnknownMembers,
    path::{ETag, KeyPrefix, MountName, Namespace},
    skill::SnapshotFile,
    store::{
        MemoryStore, Verb,
        testing::{Fault, Faulty},
    },
    wire::{Policy, SkillRule},
};

fn id(text: &str) -> Id {
    Id::parse(text).unwrap()
}

fn snapshot(files: usize, version: usize) -> Arc<Snapshot> {
    let file = |number: usize| SnapshotFile {
        path: format!("resources/chapter-{number}.md"),
        size: 4711,
        etag: ETag::new(&format!("{version:032x}")),
        modified_at: Timestamp::UNIX_EPOCH,
    };
    Arc::new(Snapshot::new((0..files).map(file).collect()))
}

fn loaded(number: usize, snapshot: Option<Arc<Snapshot>>) -> LoadedSkill {
    LoadedSkill {
        skill: SkillPath::parse(&format!("escrituras/skill-{number}")).unwrap(),
        layer: crate::path::Layer::User,
        team: None,
        mount: MountName::parse(&format!("skill-{number}")).unwrap(),
        name: format!("skill-{number}"),
        description: "Drafts one kind of deed and says which papers it takes.".to_owned(),
        digest: snapshot.as_ref().map_or_else(|| format!("sha256:{:064}", 0), |of| of.digest().to_owned()),
        version: None,
        draft: None,
        arguments: None,
        loaded_at: Timestamp::UNIX_EPOCH,
        snapshot,
        unknown: UnknownMembers::default(),
    }
}

fn session(name: &str, skills: Vec<LoadedSkill>) -> Session {
    let fresh = Session::fresh(id("u"), id(name), Timestamp::UNIX_EPOCH);
    Session {
        version: 1,
        life: Some(crate::wire::SessionIncarnation::begun(Timestamp::UNIX_EPOCH)),
        loaded_skills: skills,
        ..fresh
    }
}

fn key(name: &str) -> ObjectKey {
    Namespace::default().user(&id("u")).unwrap().session(&id(name)).unwrap()
}

fn objects(bytes: u64) -> (Arc<MemoryStore>, CasObjects<Session>) {
    let memory = Arc::new(MemoryStore::new());
    let objects = CasObjects::new(memory.clone(), Arc::new(SystemClock::new()), bytes);
    (memory, objects)
}

#[test]
fn a_session_weighs_more_than_its_text_and_not_many_times_as_much() {
    let rules = (0..200).map(|number| (format!("folder-{number}/*"), SkillRule::AskFirst)).collect();
    let policy = Policy { skills: rules, ..Policy::default() };
    let ranks = (0..200).map(|number| (SkillPath::parse(&format!("a/skill-{number}")).unwrap(), number)).collect();
    let past = |number: usize| SearchRecord {
        query: "which papers does a mortgage take, and who signs them?".to_owned(),
        skills: (0..10).map(|skill| SkillPath::parse(&format!("a/skill-{skill}")).unwrap()).collect(),
        total: number,
        at: Timestamp::UNIX_EPOCH,
        unknown: UnknownMembers::default(),
    };
    let many = (0..64).map(|number| loaded(number, Some(snapshot(506, number)))).collect();
    for whole in [
        session("snapshots", many),
        session("skills", (0..64).map(|number| loaded(number, None)).collect()),
        Session { policy, ..session("policy", Vec::new()) },
        Session { ranks, ..session("ranks", Vec::new()) },
        Session { discoveries: (0..20).map(past).collect(), ..session("past", Vec::new()) },
        Session { vars: BTreeMap::from([("ticket_id".to_owned(), id("T-1"))]), ..session("vars", Vec::new()) },
    ] {
        let (weight, text) = (whole.weight() + size_of::<Session>(), serde_json::to_vec(&whole).unwrap().len());
        assert!(weight > text, "{}: {weight} for {text} bytes of JSON", whole.session_id);
        assert!(weight < 6 * text, "{}: {weight} for {text} bytes of JSON", whole.session_id);
    }
}

#[tokio::test]
async fn sessions_in_memory_stay_within_their_bytes_and_absent_ones_count_too() {
    const ROOM: u64 = 1 << 20;
    let (_, sessions) = objects(ROOM);
    for number in 0..10_000 {
        sessions.get(&key(&format!("absent-{number}")), &SessionVersion::default()).await.unwrap();
    }
    let (entries, weight) = sessions.weighs().await;
    assert!(weight <= ROOM && entries > 500, "{entries} absences in {weight} bytes");
    assert!(entries < 2500, "{entries} absences cannot lie in a megabyte");
    for number in 0..100 {
        let name = format!("present-{number}");
        let base = sessions.refresh(&key(&name)).await.unwrap();
        let skills = vec![loaded(number, Some(snapshot(200, number)))];
        sessions.put(&key(&name), &base, session(&name, skills)).await.unwrap();
    }
    let (entries, weight) = sessions.weighs().await;
    assert!(weight <= ROOM && weight > ROOM / 2, "{entries} sessions in {weight} bytes");
    assert!(sessions.remembers(&key("present-99")), "the one that was used last is there");
}

#[tokio::test]
async fn equal_snapshots_of_different_sessions_are_one_in_memory_and_a_false_digest_joins_nothing() {
    let (memory, sessions) = objects(16 << 20);
    let put = |name: &str, snapshot: &Snapshot| {
        let whole = session(name, vec![loaded(1, Some(Arc::new(snapshot.clone())))]);
        memory.put_raw(key(name).as_str(), serde_json::to_vec(&whole).unwrap());
    };
    let [original, other] = [snapshot(3, 1), snapshot(3, 2)];
    put("a", &original);
    put("b", &original);
    let text = serde_json::to_string(&*other).unwrap().replace(other.digest(), original.digest());
    put("liar", &serde_json::from_str(&text).unwrap());
    let of = async |name: &str| {
        let seen = sessions.get(&key(name), &SessionVersion::default()).await.unwrap();
        seen.value().unwrap().unwrap().loaded_skills[0].snapshot.clone().unwrap()
    };
    let (a, b, liar) = (of("a").await, of("b").await, of("liar").await);
    assert!(Arc::ptr_eq(&a, &b));
    assert!(!Arc::ptr_eq(&a, &liar) && liar.files() == other.files());
    let base = sessions.refresh(&key("c")).await.unwrap();
    sessions.put(&key("c"), &base, session("c", vec![loaded(1, Some(original))])).await.unwrap();
    assert!(Arc::ptr_eq(&a, &of("c").await), "also one that was just loaded");
}

#[test]
fn names_of_dropped_snapshots_do_not_pile_up() {
    let known = SharedSnapshots::default();
    let held = known.share(snapshot(1, 0));
    for version in 1..10_000 {
        known.share(snapshot(1, version));
    }
    let names = known.known.lock().unwrap().by_digest.len();
    assert!(names < 200, "{names}");
    assert!(Arc::ptr_eq(&held, &known.share(snapshot(1, 0))));
}

// S-SESSION-6: A deleted or expired session is gone at once in the process that deleted or used it, and within 30
// seconds in every other.
#[tokio::test(start_paused = true)]
async fn a_read_that_was_sent_before_a_delete_does_not_bring_the_session_back() {
    let memory = Arc::new(MemoryStore::new());
    let faulty = Arc::new(Faulty::new(memory.clone()));
    let sessions: CasObjects<Session> = CasObjects::new(faulty.clone(), Arc::new(SystemClock::new()), 1 << 20);
    memory.put_raw(key("a").as_str(), serde_json::to_vec(&session("a", Vec::new())).unwrap());
    faulty.script(Verb::Get, [Fault::SlowReply(Duration::from_secs(1))]);
    let delete = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        sessions.delete(&key("a"), None).await.unwrap();
    };
    let key = key("a");
    let (slow, ()) = tokio::join!(sessions.refresh(&key), delete);
    assert!(slow.unwrap().value().unwrap().is_some(), "it was there when the read was sent");
    let now = sessions.get(&key, &SessionVersion::default()).await.unwrap();
    assert!(now.value().unwrap().is_none());
}

#[tokio::test]
async fn a_session_of_another_name_or_user_at_its_key_is_damaged() {
    let (memory, sessions) = objects(1 << 20);
    memory.put_raw(key("b").as_str(), serde_json::to_vec(&session("a", Vec::new())).unwrap());
    let seen = sessions.refresh(&key("b")).await.unwrap();
    assert!(matches!(seen.value(), Err(SessionError::Damaged(error)) if error.code() == Code::ObjectDamaged));
    let whole = KeyPrefix::all().key("p/v/.skillmount/sessions/a.json").unwrap();
    assert!(session("a", Vec::new()).check(&whole).is_err());
    let below = KeyPrefix::all().key("p/u/.skillmount/sessions/a.json").unwrap();
    assert!(session("a", Vec::new()).check(&below).is_ok());
    let alike = KeyPrefix::all().key("vu/.skillmount/sessions/a.json").unwrap();
    assert!(session("a", Vec::new()).check(&alike).is_err());
    memory.put_raw(key("c").as_str(), "{}");
    let seen = sessions.refresh(&key("c")).await.unwrap();
    assert!(Error::from(seen.value().unwrap_err()).message().contains("the session c is damaged"));
}
