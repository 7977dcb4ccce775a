//! Use counts: which skills a prompt describes when not all of them fit, frozen when a session begins.

use std::{sync::Arc, time::Duration};

use skillmount::{
    handle::ServiceOptions,
    limits::{NOTE_FLUSH, PROMPT_TOKENS, RANKED_SKILLS},
    path::SkillPath,
    prompt::for_session,
    session::{Change, Ranks},
    store::Verb,
    wire::{
        BackendProtocol as _, CreateSession, DiscoverRequest, Policy, PromptMode, PromptRequest, UnloadSkillRequest,
    },
};
use tokio::time::{Instant, sleep};

use crate::support::{
    Wall,
    world::{BackendExt, World, id},
};

/// As many skills as cannot all be described.
const SKILLS: usize = 60;
const KEY: &str = "demo/.skillmount/uses.json";

fn path(number: usize) -> String {
    format!("c/s{number:02}")
}

/// A skill's description, which a listing that has room shows whole.
fn description(number: usize) -> String {
    format!("Skill {number:02} {}ends here{number:02}.", "does many things ".repeat(20))
}

async fn crowded() -> World {
    let world = World::new();
    for number in 0..SKILLS {
        world.put_skill("demo", &path(number), &description(number), "").await;
    }
    world
}

/// The listing within the usual budget.
async fn listing(world: &World, session: &str) -> String {
    let request = PromptRequest { mode: Some(PromptMode::Listing), ..PromptRequest::default() };
    assert_eq!(request.max_tokens, PROMPT_TOKENS);
    for_session(&world.agent_of("demo", session), &request).await.unwrap().prompt
}

/// Lets what was noted be counted.
async fn counted() {
    sleep(NOTE_FLUSH * 2).await;
}

async fn ranks(world: &World, session: &str) -> Vec<(String, u64)> {
    let session = world.agent_of("demo", session).ranked_state().await.unwrap().session;
    session.ranks.iter().map(|(skill, times)| (skill.to_string(), *times)).collect()
}

/// How many characters of a skill's description a listing shows.
fn shown(prompt: &str, number: usize) -> usize {
    let whole = description(number);
    let fits = |length: &usize| prompt.contains(&whole[..*length]);
    (1..=whole.len()).take_while(fits).last().unwrap_or_default()
}

// S-PROMPT-5: If a listing must shrink, the least used skills shrink first, by the counts at the beginning of the
// session.
#[tokio::test(start_paused = true)]
async fn the_skills_used_most_are_described_at_most_length() {
    let world = crowded().await;
    for session in ["a", "b", "c"] {
        world.agent_of("demo", session).load(&path(37)).await.unwrap();
    }
    world.agent_of("demo", "a").load(&path(11)).await.unwrap();
    counted().await;
    world.service.create_session(&id("demo"), &id("new"), CreateSession::default()).await.unwrap();
    let prompt = listing(&world, "new").await;
    let most = shown(&prompt, 37);
    assert!((0..SKILLS).all(|number| shown(&prompt, number) <= most), "{prompt}");
    assert!((0..SKILLS).all(|number| number == 37 || shown(&prompt, number) <= shown(&prompt, 11)), "{prompt}");
    assert!((0..SKILLS).any(|number| shown(&prompt, number) < most), "not all fit, or this shows nothing");
    assert_eq!(ranks(&world, "new").await, [(path(11), 1), (path(37), 3)]);
}

#[tokio::test(start_paused = true)]
async fn what_is_used_later_leaves_the_prompts_of_a_session_as_they_are() {
    let world = crowded().await;
    world.service.create_session(&id("demo"), &id("old"), CreateSession::default()).await.unwrap();
    let before = listing(&world, "old").await;
    for session in ["a", "b", "c"] {
        world.agent_of("demo", session).load(&path(59)).await.unwrap();
    }
    counted().await;
    let replica = world.replica();
    assert_eq!(listing(&replica, "old").await, before);
    assert_ne!(listing(&replica, "new").await, before);
}

// S-PROMPT-9: A session that does not exist yet has the current counts, and its first change freezes them.
#[tokio::test(start_paused = true)]
async fn a_session_that_does_not_exist_has_the_ranks_that_its_first_change_freezes() {
    let world = crowded().await;
    world.agent_of("demo", "a").load(&path(59)).await.unwrap();
    counted().await;
    let world = world.replica();
    let before = listing(&world, "s").await;
    assert_eq!(ranks(&world, "s").await, [(path(59), 1)]);
    assert_eq!(world.agent().session().await.unwrap().version, 0);
    world.service.sessions().update(&id("demo"), &id("s"), |_| Ok(Change::Save(()))).await.unwrap();
    assert_eq!(listing(&world.replica(), "s").await, before);
    assert_eq!(ranks(&world.replica(), "s").await, [(path(59), 1)]);
}

// S-PROMPT-10: A use is the first load of a skill in a session.
#[tokio::test(start_paused = true)]
async fn a_session_counts_once_for_a_skill_and_what_is_preloaded_does_not() {
    let world = crowded().await;
    let agent = world.agent();
    for _ in 0..3 {
        agent.load(&path(1)).await.unwrap();
    }
    world.put(&format!("demo/skills/{}/more.md", path(1)), "more").await;
    agent.load(&path(1)).await.unwrap();
    agent.unload_skill(UnloadSkillRequest { skill: path(1) }).await.unwrap();
    agent.load(&path(1)).await.unwrap();
    let policy = Some(Policy { preload: vec![SkillPath::parse(&path(2)).unwrap()].into(), ..Policy::default() });
    let wanted = CreateSession { policy, ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("preloaded"), wanted).await.unwrap();
    counted().await;
    assert_eq!(ranks(&world.replica(), "new").await, [(path(1), 1)]);
}

// S-PROMPT-10: A use is the first load of a skill in a session.
#[tokio::test(start_paused = true)]
async fn uses_are_written_together_and_those_of_two_replicas_add_up() {
    let world = crowded().await;
    let other = world.replica();
    for number in 0..8 {
        for world in [&world, &other] {
            world.agent_of("demo", &format!("s{number}")).at_least(1).load(&path(number % 2)).await.unwrap();
        }
    }
    let puts =
        |world: &World| world.ledger.asked().iter().filter(|(verb, key)| *verb == Verb::Put && key == KEY).count();
    assert_eq!((puts(&world), puts(&other)), (0, 0));
    counted().await;
    // One of the two may have lost a race, and then it tried again.
    assert!(puts(&world) + puts(&other) <= 3);
    let counts = ranks(&world.replica(), "new").await;
    assert_eq!(counts.iter().map(|(skill, _)| skill.clone()).collect::<Vec<_>>(), [path(0), path(1)]);
    assert_eq!(counts.iter().map(|(_, times)| times).sum::<u64>(), 8, "each session was counted by who loaded first");
}

#[tokio::test(start_paused = true)]
async fn counts_that_cannot_be_read_begin_anew() {
    let world = crowded().await;
    world.put(KEY, "nonsense").await;
    assert_eq!(ranks(&world, "new").await, []);
    assert!(!listing(&world, "s").await.is_empty());
    world.agent().load(&path(1)).await.unwrap();
    counted().await;
    assert_eq!(ranks(&world.replica(), "new").await, [(path(1), 1)]);
}

#[tokio::test(start_paused = true)]
async fn what_is_noted_is_written_when_a_process_ends_in_good_order() {
    let world = crowded().await;
    world.agent().load(&path(1)).await.unwrap();
    let question = DiscoverRequest { limit: 1, ..DiscoverRequest::new("many things") };
    world.agent().discover_skills(question).await.unwrap();
    world.service.sessions().flush_all().await;
    let next = world.replica();
    assert_eq!(ranks(&next, "new").await, [(path(1), 1)]);
    assert_eq!(next.agent().session().await.unwrap().discoveries.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_fork_begins_with_the_ranks_of_its_parent() {
    let world = crowded().await;
    world.agent_of("demo", "parent").load(&path(1)).await.unwrap();
    counted().await;
    let wanted = CreateSession { parent: Some(id("parent")), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("child"), wanted).await.unwrap();
    assert_eq!(ranks(&world, "child").await, ranks(&world, "parent").await);
    assert_eq!(ranks(&world, "child").await, []);
}

#[tokio::test(start_paused = true)]
async fn a_session_remembers_the_skills_used_most_up_to_the_limit() {
    let world = World::new();
    let counts: Ranks = (0..=RANKED_SKILLS)
        .map(|number| (SkillPath::parse(&format!("s{number:03}")).unwrap(), u64::try_from(number).unwrap() + 1))
        .collect();
    world.put(KEY, serde_json::json!({ "version": 1, "sessions": counts }).to_string()).await;
    let kept = ranks(&world, "new").await;
    assert_eq!((kept.len(), kept[0].0.as_str()), (RANKED_SKILLS, "s001"));
}

#[tokio::test(start_paused = true)]
async fn the_first_prompt_of_a_new_process_takes_one_round_trip() {
    let trip = Duration::from_secs(1);
    let clock = Arc::new(Wall::new());
    let process =
        |bucket| World::undisturbed(bucket, ServiceOptions { index: true, ..ServiceOptions::default() }, clock.clone());
    let first = process(crowded().await.bucket);
    first.agent_of("demo", "a").load(&path(59)).await.unwrap();
    let before = listing(&first, "s").await;
    counted().await;
    let fresh = process(first.bucket.clone());
    fresh.faults.set_latency(trip);
    let begun = Instant::now();
    assert_ne!(listing(&fresh, "s").await, before, "what is used most is described at more length");
    assert_eq!(begun.elapsed(), trip, "session, policy, counts and index at once");
}
