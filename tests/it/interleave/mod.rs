//! Changes of skills that overlap, under every schedule within a bound, held against a sequential model.
//!
//! Each call has a service of its own, with its own caches, over one store in memory. A scheduler lets one request pass at a
//! time. So the calls meet in every order that the bound of context switches allows.

mod calls;
mod explore;
mod failing;
mod gate;
mod model;
pub(crate) mod racing;
mod sequence;
mod services;

use std::sync::Arc;

use skillmount::{publish::PublishOptions, store::MemoryStore};

use self::{
    calls::{Digests, Files},
    explore::{Case, ExplorationCounts, explore, roll},
    model::{
        Condition::{Any, Body, Nothing},
        Do,
    },
    services::Services,
};
use crate::support::world::{World, id, seed, soak};

/// The bodies that skills have in the cases.
const BODIES: [&str; 5] = ["zero", "one", "two", "three", "draft"];

/// The digests of the skill `n`.
async fn digests() -> Digests {
    let world = World::over(Arc::new(MemoryStore::like_s3()));
    let mut digests = Digests::new();
    for files in [Files::One, Files::Two, Files::Some] {
        for body in BODIES {
            let upload = calls::upload("n", body, files);
            let (user, skill, publisher) = (id("demo"), calls::path("n"), world.service.publisher());
            let reply = publisher.publish_skill(&user, &skill, upload, PublishOptions::default()).await.unwrap();
            digests.insert((files, body), reply.digest);
        }
    }
    digests
}

/// A state by its name, the calls that lead to it, and the calls that make sense there: each kind without a condition, and as it
/// is with one.
type Start = (&'static str, Vec<(&'static str, Do)>, Vec<[Do; 2]>);

/// The skill `n` in each state that calls may meet.
fn starts() -> Vec<Start> {
    let published = vec![("n", Do::Publish("zero", Any)), ("n", Do::Publish("one", Any))];
    let common = [
        [Do::Publish("two", Any), Do::Publish("three", Body("one"))],
        [Do::ToDraft(Any), Do::ToDraft(Body("one"))],
        [Do::Text("draft", Any), Do::Text("draft", Body("one"))],
        [Do::Delete(Any), Do::Delete(Body("one"))],
        [Do::Draft("three", Any), Do::Draft("two", Body("one"))],
    ];
    let with = |more: [Do; 2]| common.into_iter().chain([more]).collect::<Vec<_>>();
    let alone = |calls: [Do; 3]| calls.map(|call| [call, call]).to_vec();
    vec![
        ("absent", Vec::new(), alone([Do::Publish("two", Any), Do::Draft("three", Any), Do::Delete(Any)])),
        ("published", published.clone(), with([Do::RollBack("zero", Any), Do::RollBack("zero", Body("one"))])),
        ("draft", vec![("n", Do::Draft("one", Any))], with([Do::ToPublished(Any), Do::ToPublished(Body("one"))])),
        (
            "returned",
            published.iter().copied().chain([("n", Do::ToDraft(Any))]).collect(),
            vec![
                [Do::Delete(Any), Do::Delete(Body("one"))],
                [Do::Draft("two", Body("one")), Do::Draft("three", Nothing)],
                [Do::ToPublished(Any), Do::ToPublished(Body("one"))],
            ],
        ),
        (
            "deleted",
            published.into_iter().chain([("n", Do::Delete(Any))]).collect(),
            alone([Do::Publish("two", Any), Do::RollBack("zero", Any), Do::Draft("three", Any)]),
        ),
    ]
}

/// Explores the cases, and returns the sums and the faults that were found.
fn explore_all(
    cases: &[Case],
    explore: &impl AsyncFn(&Case, &Digests, &mut Services) -> Result<ExplorationCounts, String>,
) -> (ExplorationCounts, Vec<String>) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let (digests, mut services) = (digests().await, Services::new());
        let (mut sum, mut faults) = (ExplorationCounts::default(), Vec::new());
        for case in cases {
            match explore(case, &digests, &mut services).await {
                Ok(explored) => {
                    // A long version may be stopped, and what it has explored by then counts.
                    if soak() > 1 {
                        println!("{:?}: {explored:?}", case.calls);
                    }
                    sum.states += explored.states;
                    sum.histories += explored.histories;
                    sum.steps += explored.steps;
                    sum.runs += explored.runs;
                }
                Err(fault) => faults.push(format!("{:?}\n{fault}", case.calls)),
            }
        }
        (sum, faults)
    })
}

/// Every pair of calls at one path, from this start: the first without a condition, and the second as it is with one. The long
/// versions have every combination of conditions. `switches` gives those of each case by its number.
fn pairs(start: &str, switches: impl Fn(usize) -> usize, stops: usize) -> Vec<Case> {
    let (_, before, kinds) = starts().into_iter().find(|(name, ..)| *name == start).unwrap();
    let mut cases: Vec<Case> = Vec::new();
    for (first, one) in kinds.iter().enumerate() {
        for other in &kinds[first..] {
            let all = [(0, 1), (0, 0), (1, 1), (1, 0)];
            for (one_has, other_has) in if soak() > 1 { &all[..] } else { &all[..1] } {
                let calls = vec![("n", one[*one_has]), ("n", other[*other_has])];
                if cases.iter().all(|known| known.calls != calls) {
                    let switches = switches(cases.len());
                    let files = if soak() > 1 { Files::Two } else { Files::One };
                    cases.push(Case { files, switches, stops, ..Case::of(before.clone(), calls) });
                }
            }
        }
    }
    cases
}

/// Whether the seed chooses the case of this number as one of `of` cases. The long versions have them all.
fn is_chosen(number: usize, of: u64) -> bool {
    soak() > 1 || u64::try_from(number).unwrap() % of == seed() % of
}

/// The switches of a pair. The seed chooses a twelfth of the pairs with three, and half of them with two; the others have one.
fn most_switches(number: usize) -> usize {
    if is_chosen(number, 12) {
        3
    } else if is_chosen(number, 2) {
        2
    } else {
        1
    }
}

/// Pairs of which one call is at a path inside the other.
fn nested(switches: usize, stops: usize) -> Vec<Case> {
    let deleted = vec![("n", Do::Publish("zero", Any)), ("n", Do::Delete(Any))];
    let outer = [Do::Publish("two", Any), Do::ToPublished(Any), Do::RollBack("zero", Any), Do::Draft("three", Any)];
    let inner = [Do::Publish("one", Any), Do::Draft("one", Any)];
    let mut cases = Vec::new();
    for one in outer {
        for other in inner {
            let before = match one {
                Do::RollBack(..) => deleted.clone(),
                Do::ToPublished(_) => vec![("n", Do::Draft("zero", Any))],
                _ => Vec::new(),
            };
            let calls = vec![("n", one), ("n/in", other)];
            cases.push(Case { switches, stops, ..Case::of(before, calls) });
        }
    }
    cases.extend(ending(switches.min(2), stops));
    cases
}

/// Pairs at nested paths: one call ends or changes a skill, and the other begins one.
fn ending(switches: usize, stops: usize) -> Vec<Case> {
    let outer = vec![("n", Do::Publish("one", Any))];
    let inner = vec![("n/in", Do::Publish("one", Any))];
    let cases = [
        (&outer, ("n", Do::Delete(Any)), ("n/in", Do::Publish("two", Any))),
        (&outer, ("n", Do::ToDraft(Any)), ("n/in", Do::Publish("two", Any))),
        (&outer, ("n", Do::Publish("three", Body("one"))), ("n/in", Do::Publish("two", Any))),
        (&inner, ("n/in", Do::Delete(Any)), ("n", Do::Publish("two", Any))),
        (&inner, ("n/in", Do::ToDraft(Any)), ("n", Do::Publish("two", Any))),
        (&inner, ("n/in", Do::Delete(Any)), ("n", Do::Draft("two", Any))),
    ];
    let case =
        |(before, one, other): (&Vec<_>, _, _)| Case { switches, stops, ..Case::of(before.clone(), vec![one, other]) };
    cases.into_iter().map(case).collect()
}

/// A move beside other calls: at the old path, at the new path, and inside both.
fn moves(switches: usize, stops: usize) -> Vec<Case> {
    let others = [
        ("n", Do::Publish("two", Any)),
        ("n", Do::Publish("three", Body("one"))),
        ("n", Do::Text("draft", Any)),
        ("n", Do::ToDraft(Any)),
        ("n", Do::RollBack("zero", Any)),
        ("n", Do::Delete(Any)),
        ("n", Do::Draft("three", Any)),
        ("n", Do::Move("m")),
        ("n", Do::Move("k")),
        ("m", Do::Publish("two", Any)),
        ("m", Do::Draft("three", Any)),
        ("m/in", Do::Publish("two", Any)),
        ("n/in", Do::Publish("two", Any)),
    ];
    let before = vec![("n", Do::Publish("zero", Any)), ("n", Do::Publish("one", Any))];
    let case = |other| Case { switches, stops, ..Case::of(before.clone(), vec![("n", Do::Move("m")), other]) };
    others.into_iter().map(case).collect()
}

/// All triples of a few calls at one path and inside it, from a published skill and from a draft. In the first cases a
/// publish meets a draft, and both meet a deletion.
fn triples(switches: usize, stops: usize) -> Vec<Case> {
    let refused = |condition| {
        let calls = vec![("n", Do::Publish("two", condition)), ("n", Do::Draft("three", Any)), ("n", Do::Delete(Any))];
        Case { switches, stops, ..Case::of(Vec::new(), calls) }
    };
    let mut cases = vec![refused(Any), refused(Nothing)];
    for start in ["published", "draft"] {
        let (_, before, _) = starts().into_iter().find(|(name, ..)| *name == start).unwrap();
        let calls = [
            ("n", Do::Publish("two", Any)),
            ("n", Do::Publish("three", Body("one"))),
            ("n", Do::ToDraft(Any)),
            ("n", Do::ToPublished(Any)),
            ("n", Do::Delete(Any)),
            ("n/in", Do::Publish("two", Any)),
        ];
        for (first, one) in calls.iter().enumerate() {
            for (second, two) in calls.iter().enumerate().skip(first) {
                for three in &calls[second..] {
                    let (before, calls) = (before.clone(), vec![*one, *two, *three]);
                    cases.push(Case { switches, stops, ..Case::of(before, calls) });
                }
            }
        }
    }
    cases
}

fn report(what: &str, cases: &[Case]) {
    let switches = || cases.iter().map(|case| case.switches);
    let (most, least) = (switches().max().unwrap(), switches().min().unwrap());
    report_by(what, cases, &format!("more than {most} switches ({least} in some cases)"), &explore);
}

fn report_at_random(what: &str, cases: &[Case], runs: usize) {
    let explore = async |case: &Case, digests: &Digests, services: &mut Services| {
        roll(case, digests, services, (runs, seed())).await
    };
    report_by(what, cases, "every schedule that the dice did not choose", &explore);
}

fn report_by(
    what: &str,
    cases: &[Case],
    left_out: &str,
    explore: &impl AsyncFn(&Case, &Digests, &mut Services) -> Result<ExplorationCounts, String>,
) {
    let began = tokio::time::Instant::now();
    let (sum, faults) = explore_all(cases, explore);
    println!(
        "{what}: {} cases, {} states, {} histories, {} runs, {} steps in {:.1?}; {} cases have a fault",
        cases.len(),
        sum.states,
        sum.histories,
        sum.runs,
        sum.steps,
        began.elapsed(),
        faults.len()
    );
    let most = |of: fn(&Case) -> usize| cases.iter().map(of).max().unwrap();
    println!(
        "left out: {left_out}, more than {} dead servers, more than {} lost replies to puts of heads and drafts, requests for \
         archives and for the catalog as steps, and calls of other tools",
        most(|case| case.stops),
        most(|case| case.losses)
    );
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn two_calls_where_nothing_is_have_an_order_under_every_schedule() {
    report("nothing there", &pairs("absent", |_| 3, 0));
}

#[test]
fn two_calls_at_a_published_skill_have_an_order_under_every_schedule() {
    report("a published skill", &pairs("published", most_switches, 0));
}

#[test]
fn two_calls_at_a_draft_have_an_order_under_every_schedule() {
    report("a draft", &pairs("draft", most_switches, 0));
}

#[test]
fn two_calls_at_a_deleted_skill_have_an_order_under_every_schedule() {
    report("a deleted skill", &pairs("deleted", most_switches, 0));
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn two_calls_at_a_skill_that_became_a_draft_have_an_order_under_every_schedule() {
    report("a skill that became a draft", &pairs("returned", most_switches, 0));
}

// S-WRITE-5: The service applies nothing twice, and never reports its own success as a conflict. If the reply to a PUT is lost, the
// write ids in the object's metadata decide whether it landed.
#[test]
fn two_calls_have_an_order_if_a_reply_is_lost() {
    let switches = if soak() > 1 { 2 } else { 1 };
    let starts = ["absent", "published", "draft", "returned", "deleted"];
    let pairs = starts.into_iter().flat_map(|start| pairs(start, |_| switches, 0)).enumerate();
    let pairs = pairs.filter(|(number, _)| is_chosen(*number, 8));
    let cases: Vec<_> = pairs.map(|(_, case)| Case { losses: 1, ..case }).collect();
    report("a lost reply", &cases);
}

// S-PUBLISH-31: A publish where no skill is begins as pending. Until it is final, readers find the state before it, and
// `If-Match` does not match its version. If another skill has a nested path by then, the publish is undone, and the
// answer is `already_exists`.
#[test]
fn two_calls_at_nested_paths_have_an_order_under_every_schedule() {
    let mut cases = nested(3, 0);
    for (number, case) in cases.iter_mut().enumerate() {
        case.switches = case.switches.min(most_switches(number));
    }
    report("nested paths", &cases);
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn a_move_has_an_order_with_any_other_call_under_every_schedule() {
    let cases = moves(if soak() > 1 { 3 } else { 2 }, 0).into_iter().enumerate();
    let cases: Vec<_> = cases.filter(|(number, _)| is_chosen(*number, 13)).map(|(_, case)| case).collect();
    report("a move", &cases);
}

// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it. A
// change of another server comes before or after it.
#[test]
fn a_server_that_dies_leaves_a_change_or_none() {
    let switches = usize::from(soak() > 1);
    let starts = ["absent", "published", "draft", "returned", "deleted"];
    let pairs = starts.into_iter().flat_map(|start| pairs(start, |_| switches, 1));
    let cases = pairs.chain(nested(switches, 1)).enumerate();
    let cases: Vec<_> = cases.filter(|(number, _)| is_chosen(*number, 4)).map(|(_, case)| case).collect();
    report("a server that dies", &cases);
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn soak_three_calls_have_an_order() {
    let cases = triples(2, 0);
    let few = if soak() > 1 { cases.len() } else { 1 };
    report("three calls", &cases[..few]);
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn three_calls_that_once_met_badly_have_an_order() {
    let publish = Do::Publish("two", Any);
    let text = Do::Publish("three", Body("one"));
    let to_draft = Do::ToDraft(Any);
    let to_published = Do::ToPublished(Any);
    let delete = Do::Delete(Any);
    // The start, the calls and the turns. After the turns a service may die.
    let cases: [(_, _, &[(usize, usize)]); 8] = [
        // A publish writes SKILL.md late. The next publish finds the file and keeps it, and then the first one deleted it.
        ("draft", [publish, publish, to_draft], &[(0, 7), (2, 24), (0, 4), (1, 10)]),
        // Two more changes hide a publish that another call has confirmed, and then its call writes SKILL.md.
        ("draft", [publish, text, delete], &[(1, 7), (0, 16), (2, 13), (0, 4), (1, 1)]),
        // A deletion reads the head of a draft, no draft beside a published skill, and the folder of a draft again.
        ("draft", [publish, to_draft, delete], &[(2, 1), (0, 10), (2, 1), (1, 14)]),
        // A publish that changes nothing finds the draft that the skill became since.
        ("draft", [to_draft, to_published, to_published], &[(2, 16), (1, 7), (0, 11), (1, 3)]),
        // A late write brings a deleted draft back: between the steps of its deletion, and beside an old head.
        ("published", [to_draft, delete, delete], &[(0, 10), (2, 14), (0, 5), (1, 7)]),
        ("published", [to_draft, delete, delete], &[(0, 10), (2, 9), (1, 7), (0, 5)]),
        // The server of this deletion dies at any step. Another call says that nothing is there, and then comes the late write.
        ("published", [to_draft, delete, delete], &[(0, 9), (2, 9)]),
        ("published", [to_draft, delete, delete], &[(0, 10), (2, 9)]),
    ];
    let cases = cases.map(|(start, calls, turns)| {
        let (_, before, _) = starts().into_iter().find(|(name, ..)| *name == start).unwrap();
        Case { stops: 1, turns: turns.to_vec(), ..Case::of(before, calls.map(|call| ("n", call)).to_vec()) }
    });
    report("calls that once met badly", &cases);
}

// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it. A
// change of another server comes before or after it.
#[test]
fn a_server_that_completes_another_publish_and_dies_leaves_no_file_of_it() {
    let before = vec![("n", Do::Publish("one", Any))];
    let calls = vec![("n", Do::Publish("two", Any)), ("n", Do::ToDraft(Any)), ("n", Do::RollBack("one", Any))];
    // The head of the first call is stored with its fourth request. The second call completes it, and lets one write wait.
    let cases = (5..11).map(|requests| {
        let turns = vec![(0, 4), (1, requests), (0, 40), (2, 40), (1, 1)];
        Case { files: Files::Some, stops: 1, turns, ..Case::of(before.clone(), calls.clone()) }
    });
    let cases: Vec<_> = cases.collect();
    report("a server that completes a publish", &cases);
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn a_slow_change_takes_no_file_of_equal_content_from_the_next_publish() {
    let (_, before, _) = starts().into_iter().find(|(name, ..)| *name == "published").unwrap();
    let others = [Do::Delete(Any), Do::ToDraft(Any), Do::Publish("two", Any), Do::RollBack("zero", Any)];
    let bounds = if soak() > 1 { vec![(3, 0), (2, 1)] } else { vec![(2, 0), (1, 1)] };
    let cases = others.into_iter().flat_map(|other| bounds.iter().map(move |bound| (other, *bound)));
    let cases = cases.map(|(other, (switches, stops))| {
        let calls = vec![("n", other), ("n", Do::Publish("one", Any))];
        Case { switches, stops, is_tagged_by_content: true, ..Case::of(before.clone(), calls) }
    });
    let cases: Vec<_> = cases.collect();
    report("equal content with equal tags", &cases);
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[test]
fn two_and_three_calls_in_random_order_have_an_order() {
    let starts = ["absent", "published", "draft", "deleted"];
    let mut cases: Vec<_> = starts.into_iter().flat_map(|start| pairs(start, |_| 0, 0)).collect();
    cases.extend(nested(0, 0).into_iter().chain(nested(0, 1)));
    let triples = triples(0, 0).into_iter().chain(triples(0, 1)).enumerate();
    cases.extend(triples.filter(|(number, _)| is_chosen(*number, 8)).map(|(_, case)| case));
    for case in &mut cases {
        case.files = Files::Two;
    }
    let runs = if soak() > 1 { 100 } else { 1 };
    report_at_random("calls at random", &cases, runs);

    // A publish that is undone writes its file late, and a change of the text meets this file. A change of the state meets a
    // deletion and a new skill inside.
    let late = vec![("n", Do::Text("draft", Any)), ("n", Do::ToPublished(Any)), ("n", Do::Draft("three", Any))];
    let gone = vec![("n", Do::ToPublished(Any)), ("n", Do::Delete(Any)), ("n/in", Do::Publish("two", Any))];
    // A publish inside meets a draft at its own path, and then a skill around it.
    let between =
        vec![("n", Do::Publish("two", Any)), ("n/in", Do::Publish("two", Nothing)), ("n/in", Do::Draft("one", Any))];
    let rare = [
        (vec![("n", Do::Draft("one", Any))], late),
        (vec![("n", Do::Publish("one", Any))], gone),
        (Vec::new(), between),
    ];
    let rare = rare.map(|(before, calls)| Case { files: Files::One, ..Case::of(before, calls) });
    report_at_random("calls that seldom meet", &rare, 150);
}
