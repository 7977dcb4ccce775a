//! Random changes of skills, one after the other by two servers: each answers as one server would, and both show the same.

use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use skillmount::{content::DraftReader, handle::Service, wire::Policy};

use super::{
    calls::{Client, Files, observe, path},
    digests,
    model::{
        Condition::{self, Any, Body, Nothing},
        Do, State,
    },
};
use crate::support::{
    directory_in_memory,
    world::{World, id, seed, soak},
};

const SKILLS: [&str; 3] = ["n", "n/in", "g/m"];
const CALLS: usize = 200;

/// A random call on `skill`. Only the versions of `n` are named in conditions, because their digests are known.
fn random_call(dice: &mut StdRng, skill: &str) -> Do {
    let bodies = ["zero", "one", "two", "three"];
    let body = bodies[dice.random_range(0..bodies.len())];
    let condition: Condition = match dice.random_range(0..4) {
        0 if skill == "n" => Body(bodies[dice.random_range(0..bodies.len())]),
        _ => Any,
    };
    match dice.random_range(0..8) {
        0 | 1 => Do::Publish(body, condition),
        2 => Do::Publish(body, Nothing),
        3 => Do::Draft(body, condition),
        4 => Do::ToDraft(condition),
        5 => Do::ToPublished(condition),
        // The bytes of a changed text are not those of an upload, so no condition names this body.
        6 => Do::Text("draft", condition),
        _ => Do::Delete(condition),
    }
}

/// Whether a skill can be downloaded as an archive.
async fn has_archive(service: &Service, skill: &str) -> bool {
    let (library, policy) = (service.library(), Policy::unrestricted());
    library.skill_archive(&id("demo"), &policy, &path(skill), None, DraftReader::Control).await.is_ok()
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one
// change after the other. This holds for publish, rollback, draft, `PATCH` and deletion, on any number of servers.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn random_changes_by_two_servers_answer_as_one_and_each_form_of_a_skill_agrees() {
    let (_folder, bucket) = directory_in_memory();
    let digests = digests().await;
    let worlds = [World::over(bucket.clone()), World::over(bucket)];
    let (mut dice, mut state) = (StdRng::seed_from_u64(seed()), State::new());
    let mut done = Vec::new();
    for _ in 0..CALLS * soak() as usize {
        let (server, skill) = (dice.random_range(0..2), SKILLS[dice.random_range(0..SKILLS.len())]);
        let call = random_call(&mut dice, skill);
        let service = worlds[server].service.clone();
        let client = Client { service, user: id("demo"), files: Files::One, digests: digests.clone() };
        let reply = client.perform(skill, call).await;
        done.push(format!("{server}: {skill} {call:?}: {reply:?}"));
        let before = state.clone();
        assert_eq!(reply, call.apply(skill, &mut state), "from {before:?}\n{}", done.join("\n"));
        for skill in SKILLS {
            state.entry(skill).or_default();
        }
        for world in &worlds {
            let shown = observe(&world.service, &id("demo"), &SKILLS).await;
            assert_eq!(shown.as_ref(), Ok(&state), "\n{}", done.join("\n"));
            for (skill, at) in &state {
                let is_there = at.published.is_some() || at.draft.is_some();
                assert_eq!(has_archive(&world.service, skill).await, is_there, "{skill}\n{}", done.join("\n"));
            }
        }
    }
}
