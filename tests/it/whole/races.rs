//! Many agents on one file: every acknowledged edit is in it exactly once, every create has one winner.

use std::{collections::HashSet, sync::Arc};

use skillmount::{
    Code, Outcome,
    store::{MemoryStore, SharedStore, Verb, testing::Fault},
};

use crate::support::{
    temporary_directory,
    world::{BackendExt, World, soak},
};

const AGENTS: usize = 64;
const EDITS: usize = 100;

/// `agents` agents append `edits` lines each to one file, through `worlds` processes in turn; returns how
/// many were acknowledged, all of which are in it exactly once.
async fn edit_together(worlds: &[Arc<World>], agents: usize, edits: usize) -> usize {
    const END: &str = "<end>";
    worlds[0].agent().create("/workspace/log.md", END).await.unwrap();
    let mut tasks = Vec::new();
    for agent in 0..agents {
        let world = worlds[agent % worlds.len()].clone();
        tasks.push(tokio::spawn(async move {
            let backend = world.agent();
            let mut acknowledged = Vec::new();
            for edit in 0..edits {
                let line = format!("agent {agent} edit {edit}\n");
                match backend.replace("/workspace/log.md", END, &format!("{line}{END}")).await {
                    Ok(_) => acknowledged.push(line),
                    // What may or may not have landed is not acknowledged; whether it did is checked below.
                    Err(error) => {
                        assert!(error.outcome().is_some(), "{error:?}");
                        println!("not acknowledged: {}", error.chain());
                    }
                }
            }
            acknowledged
        }));
    }
    let mut acknowledged = Vec::new();
    for task in tasks {
        acknowledged.extend(task.await.unwrap());
    }
    let text = String::from_utf8(worlds[0].bytes("demo/threads/s/log.md").await.unwrap()).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let distinct: HashSet<&str> = lines.iter().copied().collect();
    assert_eq!(distinct.len(), lines.len(), "an edit is in the file twice");
    let lost: Vec<_> = acknowledged.iter().filter(|line| !distinct.contains(line.as_str())).collect();
    assert!(lost.is_empty(), "{} acknowledged edits are lost, such as {:?}", lost.len(), lost.first());
    acknowledged.len()
}

/// 64 agents in one process: their edits share puts.
pub(crate) async fn many_edits(bucket: SharedStore, drop_replies: bool) {
    let world = Arc::new(World::over(bucket));
    if drop_replies {
        world.faults.every(Verb::Put, 5, Fault::LoseReply);
    }
    let edits = EDITS * soak() as usize;
    let acknowledged = edit_together(std::slice::from_ref(&world), AGENTS, edits).await as u64;
    assert_eq!(acknowledged, (AGENTS * edits) as u64, "every edit is acknowledged in the end");
    let puts = world.ledger.counts().objects.requests.put;
    println!("{puts} PUT for {acknowledged} acknowledged edits");
    assert!(puts * 5 <= acknowledged, "more than 0.2 PUT per acknowledged edit: {puts} for {acknowledged}");
}

// S-EDIT-4: Of any number of concurrent edits, every acknowledged edit is in the file exactly once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_in_memory() {
    many_edits(Arc::new(MemoryStore::new()), false).await;
}

// S-WRITE-5: The service applies nothing twice, and never reports its own success as a conflict.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_in_memory_while_replies_are_lost() {
    many_edits(Arc::new(MemoryStore::new()), true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_in_a_directory() {
    let (_folder, store) = temporary_directory();
    many_edits(store, false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_agents_edit_one_file_in_a_directory_while_replies_are_lost() {
    let (_folder, store) = temporary_directory();
    many_edits(store, true).await;
}

/// Two replicas with nothing in common but the bucket, 8 agents each: compare-and-swap alone decides. Every edit is
/// acknowledged in the end.
pub(crate) async fn two_replicas(bucket: SharedStore, edits: usize, drop_replies: bool) {
    assert_eq!(two_replicas_try(bucket, edits, drop_replies).await, 16 * edits);
}

/// The same; returns how many edits of the 16 agents were acknowledged.
pub(crate) async fn two_replicas_try(bucket: SharedStore, edits: usize, drop_replies: bool) -> usize {
    let worlds = [Arc::new(World::over(bucket.clone())), Arc::new(World::over(bucket))];
    if drop_replies {
        for world in &worlds {
            world.faults.every(Verb::Put, 5, Fault::LoseReply);
        }
    }
    edit_together(&worlds, 16, edits).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_edit_one_file_in_memory() {
    for drop_replies in [false, true] {
        two_replicas(Arc::new(MemoryStore::new()), 25 * soak() as usize, drop_replies).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_replicas_edit_one_file_in_a_directory() {
    for drop_replies in [false, true] {
        let (_folder, store) = temporary_directory();
        two_replicas(store, 25 * soak() as usize, drop_replies).await;
    }
}

/// 16 writers race to create one file, `rounds` times: one is told that it did, the file is its own, the others are told
/// that it exists (or, where a reply was lost, that nobody knows).
pub(crate) async fn create_races(bucket: SharedStore, rounds: usize, drop_replies: bool) {
    let worlds: Vec<_> = (0..4).map(|_| Arc::new(World::over(bucket.clone()))).collect();
    if drop_replies {
        for world in &worlds {
            world.faults.every(Verb::Put, 5, Fault::LoseReply);
        }
    }
    for round in 0..rounds {
        let path = format!("/workspace/{round}.md");
        let race = (0..16).map(|writer| {
            let backend = worlds[writer % worlds.len()].agent();
            let path = path.clone();
            tokio::spawn(async move { (writer, backend.create(&path, &format!("writer {writer}")).await) })
        });
        let race: Vec<_> = race.collect();
        let mut winners = Vec::new();
        for outcome in race {
            match outcome.await.unwrap() {
                (writer, Ok(_)) => winners.push(writer),
                (_, Err(error)) => assert!(
                    error.code() == Code::AlreadyExists || (drop_replies && error.outcome() == Some(Outcome::Unknown)),
                    "{error:?}"
                ),
            }
        }
        let text = worlds[0].bytes(&format!("demo/threads/s/{round}.md")).await.unwrap();
        assert_eq!(winners.len(), 1, "round {round}");
        assert_eq!(text, format!("writer {}", winners[0]).into_bytes(), "round {round}");
    }
}

// S-WRITE-1: `write` creates a file, and its answer is `already_exists` if a file is there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creates_race_in_memory_and_one_wins() {
    for drop_replies in [false, true] {
        create_races(Arc::new(MemoryStore::new()), 1000 * soak() as usize, drop_replies).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creates_race_in_a_directory_and_one_wins() {
    for drop_replies in [false, true] {
        let (_folder, store) = temporary_directory();
        create_races(store, 1000 * soak() as usize, drop_replies).await;
    }
}
