//! Changes of one session that are made at once: how many writes they take, and what each learns.

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use skillmount::{
    Code, Error, Outcome,
    handle::ServiceOptions,
    path::KeyPrefix,
    session::{Change, Session},
    store::{
        MemoryStore, PutOptions, SharedStore, Store as _, Verb,
        testing::{Fault, Faulty, Quirk, Quirky},
    },
    wire::{BackendProtocol as _, CreateSession, DecideApproval, Decision, LoadSkillRequest, Policy, SkillRule},
};
use tokio::time::Instant;

use crate::support::world::{World, id};

/// A world whose store takes one write a second to one key, and a counter of the PUTs that the store takes or refuses.
async fn world_with_slow_keys() -> (World, Arc<Faulty>) {
    let memory: SharedStore = Arc::new(MemoryStore::like_s3());
    let taken = Arc::new(Faulty::new(memory));
    let world = World::undisturbed(
        Arc::new(Quirky::new(taken.clone(), Quirk::OneWriteASecond)),
        ServiceOptions::default(),
        crate::support::clock(),
    );
    for number in 0..16 {
        let text = format!("---\nname: s{number}\ndescription: Skill {number}.\n---\nText.");
        let key = KeyPrefix::all().key(&format!("demo/skills/s{number}/SKILL.md")).unwrap();
        taken.put(&key, text.into(), PutOptions::default()).await.unwrap();
    }
    (world, taken)
}

async fn load(world: &World, number: usize) -> Result<(), Error> {
    world.agent().load_skill(LoadSkillRequest::new(format!("s{number}"))).await.map(drop)
}

async fn loaded(world: &World) -> usize {
    world.replica().agent().session().await.unwrap().loaded_skills.len()
}

// S-SESSION-30: Changes of one session that are made at once share a write: all of them land, or none.
#[tokio::test(start_paused = true)]
async fn a_turn_of_eight_changes_takes_two_writes_where_a_key_takes_one_a_second() {
    let (world, taken) = world_with_slow_keys().await;
    let mut asking = Policy::unrestricted();
    asking.skills.insert("s7".to_owned(), SkillRule::AskFirst);
    let wanted = CreateSession { policy: Some(asking), ..CreateSession::default() };
    world.service.sessions().create(&id("demo"), &id("s"), wanted).await.unwrap();
    let waits = load(&world, 7).await.unwrap_err();
    assert_eq!(waits.code(), Code::ApprovalRequired);
    let approval = waits.details()["approval_id"].as_str().unwrap().to_owned();

    for first in [0, 8] {
        tokio::time::sleep(Duration::from_secs(2)).await;
        let (before, sent, began) = (taken.seen(Verb::Put), world.faults.seen(Verb::Put), Instant::now());
        let decides = async {
            if first == 0 {
                let allow = DecideApproval::new(Decision::Allow);
                world.agent().approvals().decide_approval(&approval, allow).await.map(drop)
            } else {
                load(&world, 15).await
            }
        };
        let (outcomes, decision) =
            tokio::join!(join_all((first..first + 7).map(|number| load(&world, number))), decides);
        decision.unwrap();
        assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
        assert!(began.elapsed() <= Duration::from_millis(2500), "{:?}", began.elapsed());
        let writes = taken.seen(Verb::Put) - before;
        assert!((1..=2).contains(&writes), "{writes} writes for eight changes");
        if first == 8 {
            assert_eq!(world.faults.seen(Verb::Put) - sent, writes, "the rate is known, so the store refuses nothing");
        }
    }
    assert_eq!(loaded(&world).await, 15);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_created_twice_at_once_is_new_once() {
    let (world, _) = world_with_slow_keys().await;
    let (user, session) = (id("demo"), id("s"));
    let creating = (0..4).map(|_| world.service.sessions().create(&user, &session, CreateSession::default()));
    let made: Vec<_> = join_all(creating).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(made.iter().filter(|created| created.is_new).count(), 1);
    assert!(made.iter().all(|created| created.session.version == 1));
}

async fn update(world: &World, change: impl FnMut(&mut Session) -> Result<Change<u64>, Error>) -> Result<u64, Error> {
    world.service.sessions().update(&id("demo"), &id("s"), change).await.map(|(_, said)| said)
}

#[tokio::test(start_paused = true)]
async fn a_write_that_fails_fails_each_change_in_it_and_one_that_loses_is_made_again() {
    for (fault, code) in [(Fault::Deny, Some(Code::StoreUnavailable)), (Fault::Disprove, None)] {
        let world = World::new();
        update(&world, |_| Ok(Change::Save(0))).await.unwrap();
        world.faults.script(Verb::Put, [fault]);
        let runs = std::sync::atomic::AtomicU64::new(0);
        let save = |said| {
            let runs = &runs;
            move |_: &mut Session| {
                runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                Ok(Change::Save(said))
            }
        };
        // The second refuses, and the third changes nothing. Both rest on the first, so they end with it.
        let refuse = |_: &mut Session| Err(Error::new(Code::Denied, "refused"));
        let (first, refused, none, last) = tokio::join!(
            update(&world, save(1)),
            update(&world, refuse),
            update(&world, |_| Ok(Change::None(3))),
            update(&world, save(4)),
        );
        let version = world.agent().session().await.unwrap().version;
        let runs = runs.into_inner();
        if let Some(code) = code {
            for failed in [first, refused, none, last] {
                let failed = failed.unwrap_err();
                assert_eq!((failed.code(), failed.outcome()), (code, Some(Outcome::NotApplied)));
            }
            assert_eq!((version, runs), (1, 2));
        } else {
            assert_eq!((first.unwrap(), none.unwrap(), last.unwrap()), (1, 3, 4));
            assert_eq!(refused.unwrap_err().code(), Code::Denied);
            assert_eq!((version, runs), (2, 4), "each change runs again on the newer version, and they share a write");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_goes_away_takes_no_other_change_with_it() {
    let world = World::new();
    update(&world, |_| Ok(Change::Save(0))).await.unwrap();
    world.faults.set_latency(Duration::from_millis(80));
    let leaving = tokio::time::timeout(Duration::from_millis(10), update(&world, |_| Ok(Change::Save(1))));
    let (left, stays) = tokio::join!(leaving, update(&world, |_| Ok(Change::Save(2))));
    assert!(left.is_err());
    assert_eq!(stays.unwrap(), 2);
    assert_eq!(world.agent().session().await.unwrap().version, 2);
}
