//! Changes of skills that overlap in real time, held against the same sequential model.
//!
//! Here threads decide the order of requests, and each server keeps its caches from one round to the next.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use skillmount::{
    handle::{Service, ServiceOptions},
    path::Id,
    store::{SharedStore, Verb, testing::Fault},
    wire::VersionListRequest,
};

use super::{
    calls::{Client, Digests, check, observe, path},
    digests,
    explore::Case,
    is_chosen,
    model::{
        Condition::{Any, Body},
        Do, Entry, Reply, State, is_linearizable,
    },
    pairs,
    services::reader,
    triples,
};
use crate::support::{
    clock, directory_in_memory,
    s3_in_process::s3_in_process,
    world::{World, id, soak},
};

/// How the servers of a race meet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Race {
    pub(crate) servers: usize,
    /// How often each case runs, each time for a user of its own.
    pub(crate) rounds: usize,
    /// Whether every fifth reply to a PUT is lost.
    pub(crate) loses_replies: bool,
}

/// A case that ran for one user, with the answers of its calls.
struct CaseHistory {
    user: Id,
    case: Case,
    before: State,
    history: Vec<Entry>,
}

/// A server with sound indexes: `check` reports damaged ones.
fn undisturbed(bucket: &SharedStore) -> World {
    World::undisturbed(bucket.clone(), ServiceOptions::default(), clock())
}

/// Runs each case on servers that share `bucket`, and has each history judged an hour later.
async fn race(bucket: SharedStore, race: Race, cases: &[Case]) {
    let digests = digests().await;
    let worlds: Vec<_> = (0..race.servers).map(|_| undisturbed(&bucket)).collect();
    let mut rounds = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        for round in 0..race.rounds {
            let user = id(&format!("u{number}-{round}"));
            rounds.push(play(&worlds, user, case, race.loses_replies, &digests).await);
        }
    }
    judge(&bucket, &rounds, &digests).await;
}

/// Makes the calls of a case at once, call `n` at server `n` modulo their number.
async fn play(worlds: &[World], user: Id, case: &Case, loses_replies: bool, digests: &Digests) -> CaseHistory {
    let skills = case.skills();
    let client = |world: &World| Client {
        service: world.service.clone(),
        user: user.clone(),
        files: case.files,
        digests: digests.clone(),
    };
    for (skill, call) in &case.before {
        let made = client(&worlds[0]).perform(skill, *call).await;
        assert_eq!(made, Reply::Done, "{skill} {call:?}");
    }
    let before = observe(&worlds[0].service, &user, &skills).await.unwrap();
    for world in worlds.iter().filter(|_| loses_replies) {
        world.faults.every(Verb::Put, 5, Fault::LoseReply);
    }
    let time = Arc::new(AtomicUsize::new(0));
    let calls = case.calls.iter().enumerate().map(|(number, (skill, call))| {
        let client = client(&worlds[number % worlds.len()]);
        let (skill, call, time) = (*skill, *call, time.clone());
        tokio::spawn(async move {
            let begun = time.fetch_add(1, Ordering::SeqCst);
            let reply = client.perform(skill, call).await;
            Entry { skill, call, reply, begun, ended: time.fetch_add(1, Ordering::SeqCst) }
        })
    });
    let calls: Vec<_> = calls.collect();
    let mut history = Vec::new();
    for call in calls {
        history.push(call.await.unwrap());
    }
    for world in worlds {
        world.faults.clear();
    }
    CaseHistory { user, case: case.clone(), before, history }
}

/// Checks that an order of its calls explains each round, and that every acknowledged publish is a version.
async fn judge(bucket: &SharedStore, rounds: &[CaseHistory], digests: &Digests) {
    let later = clock().now().as_second() + 3_600;
    let first = reader(bucket.clone(), later);
    for round in rounds {
        // The first reader settles what is pending, so it may find the page and the listing of two moments.
        let _ = observe(&first, &round.user, &round.case.skills()).await;
    }
    let second = reader(bucket.clone(), later + 60);
    let mut faults = Vec::new();
    for round in rounds {
        let mut after = observe(&second, &round.user, &round.case.skills()).await;
        if let Err(fault) = check(&second, &round.user).await {
            after = Err(fault);
        }
        if let Some(body) = lost_version(&second, round, digests).await {
            after = Err(format!("no version has the body {body}, whose publish was acknowledged"));
        }
        if !after.as_ref().is_ok_and(|after| is_linearizable(&round.before, &round.history, after)) {
            faults.push(format!("{}\nbefore: {:?}\n{:#?}\nafter: {after:?}", round.user, round.before, round.history));
        }
    }
    println!("{} rounds, {} without an order", rounds.len(), faults.len());
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// The body of an acknowledged publish at `n` that no version has.
async fn lost_version(service: &Service, round: &CaseHistory, digests: &Digests) -> Option<&'static str> {
    let published = round.history.iter().filter(|one| one.skill == "n" && one.reply == Reply::Done);
    let published = published.filter_map(|one| if let Do::Publish(body, _) = one.call { Some(body) } else { None });
    let published: Vec<_> = published.collect();
    if published.is_empty() {
        return None;
    }
    let wanted = VersionListRequest::default();
    let listed = service.publisher().list_versions(&round.user, &path("n"), &wanted).await.unwrap();
    let is_listed = |body: &&str| listed.versions.iter().any(|one| one.digest == digests[&(round.case.files, *body)]);
    published.into_iter().find(|body| !is_listed(body))
}

/// The skill `n` in two versions, and these calls.
fn at_a_published_skill(calls: &[(&'static str, Do)]) -> Case {
    Case::of(vec![("n", Do::Publish("zero", Any)), ("n", Do::Publish("one", Any))], calls.to_vec())
}

/// A deletion and a change to a draft, with `If-Match` and without. If the change put its draft and then met the deletion, the
/// draft would stay although both callers were told otherwise.
fn deletions_beside_changes_to_drafts() -> Vec<Case> {
    let of = |condition| at_a_published_skill(&[("n", Do::ToDraft(condition)), ("n", Do::Delete(condition))]);
    vec![of(Any), of(Body("one"))]
}

/// Changes of every kind with `If-Match` of one version. A draft that is taken back would match it for a moment.
fn changes_that_name_one_version() -> Vec<Case> {
    let one = Body("one");
    let calls = [Do::ToDraft(one), Do::Delete(one), Do::Text("draft", one), Do::Publish("two", one)];
    let rolled_back = [Do::ToDraft(one), Do::Delete(one), Do::RollBack("zero", one), Do::Publish("three", one)];
    [calls, rolled_back].map(|calls| at_a_published_skill(&calls.map(|call| ("n", call)))).to_vec()
}

/// A publish beside one inside its folder. Both would be acknowledged, and neither would be complete.
fn publishes_inside_each_other() -> Vec<Case> {
    let calls = vec![("n", Do::Publish("two", Any)), ("n/in", Do::Publish("one", Any))];
    vec![Case::of(Vec::new(), calls)]
}

/// Runs the cases on a folder, with one server and with two.
async fn race_on_a_folder(cases: &[Case]) {
    for servers in [1, 2] {
        let (_folder, store) = directory_in_memory();
        race(store, Race { servers, rounds: 20 * soak() as usize, loses_replies: false }, cases).await;
    }
}

/// Every attack above, each case `times` times.
pub(crate) async fn attacks(bucket: SharedStore, servers: usize, times: usize) {
    for cases in [deletions_beside_changes_to_drafts(), changes_that_name_one_version(), publishes_inside_each_other()]
    {
        Box::pin(race(bucket.clone(), Race { servers, rounds: times, loses_replies: false }, &cases)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_and_a_change_to_a_draft_race_and_no_draft_is_left_that_nobody_asked_for() {
    race_on_a_folder(&deletions_beside_changes_to_drafts()).await;
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_with_if_match_of_one_version_race_and_none_meets_a_draft_that_is_taken_back() {
    race_on_a_folder(&changes_that_name_one_version()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_skill_and_one_inside_it_are_published_at_once_and_one_of_them_is_refused() {
    race_on_a_folder(&publishes_inside_each_other()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attacks_on_publishing_find_nothing_on_s3() {
    attacks(Arc::new(s3_in_process().0), 2, 10 * soak() as usize).await;
}

// S-WRITE-5: The service applies nothing twice, and never reports its own success as a conflict.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn changes_race_while_replies_are_lost_and_their_answers_have_an_order() {
    let starts = ["absent", "published", "draft", "deleted"];
    let pairs = starts.into_iter().flat_map(|start| pairs(start, |_| 0, 0));
    let cases = pairs.chain(triples(0, 0)).enumerate();
    let cases: Vec<_> = cases.filter(|(number, _)| is_chosen(*number, 4)).map(|(_, case)| case).collect();
    let racing = Race { servers: 2, rounds: soak() as usize, loses_replies: true };
    race(Arc::new(s3_in_process().0), racing, &cases).await;
}
