//! The tag by which a framework knows that prompt and tools are still the same.

use std::sync::Arc;

use skillmount::{
    handle::{ServiceOptions, SessionBackend},
    limits::FRESH,
    prompt::{self},
    store::MemoryStore,
    wire::PromptRequest,
};

use crate::support::{
    Wall,
    world::{BackendExt, World},
};

async fn render(agent: &SessionBackend) -> String {
    prompt::for_session(agent, &PromptRequest::default()).await.unwrap().prompt
}

// S-PROMPT-7: `x-skillmount-prompt-tag` and `x-skillmount-tools-tag` on replies under a session stay while prompt and
// tools stay, on every replica. They cost no request to the store: a reply omits them unless session, policies and a
// catalog of the last 30 seconds are in memory.
#[tokio::test(start_paused = true)]
async fn a_tag_stays_while_the_prompt_does_and_costs_nothing() {
    let bucket = Arc::new(MemoryStore::like_s3());
    let world = World::at(bucket.clone(), ServiceOptions::default(), Arc::new(Wall::new()));
    world.put_fixtures().await;
    let agent = world.agent();
    let (nothing, requests) = world.cost(agent.cached_tag()).await;
    assert_eq!((nothing, requests.total()), (None, 0), "nothing is in memory yet");

    render(&agent).await;
    let (fresh, requests) = world.cost(agent.cached_tag()).await;
    assert!(fresh.is_some() && requests.total() == 0);
    agent.create("/workspace/a", "one").await.unwrap();
    assert_eq!(agent.cached_tag().await, fresh, "files of the workspace are not in the prompt");

    agent.load("contratos/arrendamiento").await.unwrap();
    render(&agent).await;
    let loaded = agent.cached_tag().await;
    assert!(loaded.is_some() && loaded != fresh);
    let replica = World::at(bucket.clone(), ServiceOptions::default(), Arc::new(Wall::new()));
    render(&replica.agent()).await;
    assert_eq!(replica.agent().cached_tag().await, loaded, "replicas agree");

    bucket.put_raw("demo/skills/neu/SKILL.md", "---\ndescription: Neu.\n---\n");
    world.service.catalogs().view(&crate::support::world::id("demo"), true).await.unwrap();
    let grown = agent.cached_tag().await;
    assert!(grown.is_some() && grown != loaded, "a new skill changes the listing");

    tokio::time::sleep(FRESH * 4).await;
    assert_eq!(agent.cached_tag().await, None, "what is older is not known to be the same");
}
