//! Rights that another process lowers while a session goes on.

use std::time::Duration;

use crate::support::world::{BackendExt, World, id};
use skillmount::{
    handle::SessionBackend,
    prompt, tools,
    wire::{Policy, PromptMode, PromptRequest, SkillRule},
};

/// All texts for the model of a session: prompts of each mode, and the tools.
async fn told(agent: &SessionBackend) -> String {
    let mut text = format!("{:?}", tools::for_session(agent).await.unwrap());
    for mode in [PromptMode::TwoState, PromptMode::Listing, PromptMode::Combined] {
        let request = PromptRequest { mode: Some(mode), ..PromptRequest::default() };
        text += &prompt::for_session(agent, &request).await.unwrap().prompt;
    }
    text
}

// S-SESSION-27: Within 30 seconds after a key is revoked or changed, its user is deleted or a policy is stricter, nothing that began
// before gives more than a new call would.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_a_client_keeps_is_another_within_thirty_seconds_of_a_stricter_policy_elsewhere() {
    let world = World::new();
    world.put_fixtures().await;
    let other = world.replica();
    let agent = other.agent_of("demo", "s");
    agent.load("hipoteca").await.unwrap();
    assert!(told(&agent).await.contains("hipoteca"));
    let tag = agent.cached_tag().await.unwrap();
    let hidden = Policy { skills: [("*".to_owned(), SkillRule::Blocked)].into(), ..Policy::default() };
    world.service.sessions().set_user_policy(&id("demo"), hidden).await.unwrap();
    tokio::time::sleep(Duration::from_millis(30_001)).await;
    let now = told(&agent).await;
    assert!(!now.contains("hipoteca"), "{now}");
    assert_ne!(agent.cached_tag().await, Some(tag), "a client that compares tags asks again");
}
