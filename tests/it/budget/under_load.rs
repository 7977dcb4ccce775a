//! Work and memory have budgets: what is over them is refused at once, and while it runs every other caller is served.
//!
//! Each of these runs on one thread for requests. So an operation that did not leave that thread would be done before the
//! honest caller's turn came, and the tests below would see it.

use std::time::Duration;

use skillmount::{
    Code, Result,
    context::Budgets,
    handle::{ServiceOptions, SessionBackend},
    limits::{CHUNK_BYTES, SEARCH_LINE_BYTES},
    store::MemoryStore,
    wire::{BackendProtocol, EditRequest, GlobRequest, GrepOutput, GrepRequest},
};
use tokio::task::JoinHandle;

use crate::support::world::{BackendExt, World, code, grep};

/// A service whose requests have so many steps.
fn with_steps(steps: u64) -> World {
    let budgets = Budgets { steps, ..Budgets::default() };
    World::with(std::sync::Arc::new(MemoryStore::new()), ServiceOptions { budgets, ..ServiceOptions::default() })
}

/// The two operations that take the longest, each with what makes it so.
fn hostile(agent: SessionBackend, operation: &'static str) -> JoinHandle<Result<()>> {
    let glob =
        || format!("*{}{{{}}}*", "[!b]".repeat(150), (0..60).map(|n| format!("z{n}")).collect::<Vec<_>>().join(","));
    tokio::spawn(async move {
        match operation {
            "glob" => agent.glob(GlobRequest { pattern: glob(), path: Some("/workspace".into()) }).await.map(drop),
            "glob of grep" => {
                let request = GrepRequest { glob: Some(glob()), ..grep("x", Some("/workspace")) };
                agent.grep(request).await.map(drop)
            }
            _ => agent.grep(grep("[01]*1[01]{3000}x", Some("/workspace/digits"))).await.map(drop),
        }
    })
}

/// Names of 185 bytes, and lines of digits, in the workspace of the user `greedy`.
async fn fill(world: &World) {
    for file in 0..300 {
        world.put(&format!("greedy/threads/s/{file:0>185}"), "").await;
    }
    let digits: String =
        (0..60_000_u32).map(|n| if n.wrapping_mul(2_654_435_761) >> 13 & 1 == 0 { '0' } else { '1' }).collect();
    for file in 0..10 {
        world.put(&format!("greedy/threads/s/digits/{file}"), digits.clone()).await;
    }
}

// S-BUDGET-2: Work over its budget is `too_expensive`, at once, and the answer says what to change.
#[tokio::test]
async fn globs_and_expressions_over_their_steps_are_refused_and_say_what_to_change() {
    let world = with_steps(1 << 20);
    fill(&world).await;
    for (operation, advice) in
        [("glob", "fewer braces"), ("glob of grep", "fewer braces"), ("grep", "shorter repetitions")]
    {
        let error = hostile(world.agent_of("greedy", "s"), operation).await.unwrap().unwrap_err();
        assert_eq!(error.code(), Code::TooExpensive, "{operation}");
        assert!(error.message().contains(advice) && !error.retryable(), "{operation}: {error}");
    }
    let agent = world.agent_of("greedy", "s");
    assert_eq!(agent.find("**/digits/*").await.unwrap().len(), 10);
    assert_eq!(agent.hits("[01]*1[01]{30}", Some("/workspace/digits")).await.unwrap().len(), 10);
}

// S-BUDGET-1: Long work runs in a bounded pool, of which one user holds at most half.
#[tokio::test]
async fn long_work_of_one_user_holds_up_nobody_and_ends_when_its_caller_leaves() {
    for operation in ["glob", "glob of grep", "grep"] {
        let world = with_steps(u64::MAX);
        fill(&world).await;
        world.put("honest/threads/s/notes.md", "a needle\n").await;
        let callers: Vec<_> = (0..6).map(|_| hostile(world.agent_of("greedy", "s"), operation)).collect();
        while world.service.workers().busy() == 0 {
            tokio::task::yield_now().await;
        }
        let honest = world.agent_of("honest", "s");
        assert_eq!(honest.hits("ne+dle", None).await.unwrap(), ["/workspace/notes.md:1:a needle"]);
        assert_eq!(honest.find("*.md").await.unwrap(), ["/workspace/notes.md"]);
        assert!(callers.iter().any(|caller| !caller.is_finished()), "{operation}: the others were done before");
        let most = Budgets::default().workers / 2;
        assert!(world.service.workers().busy() <= most, "{operation}");
        callers.iter().for_each(JoinHandle::abort);
        while world.service.workers().busy() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test]
async fn large_edits_leave_the_thread_that_serves_requests() {
    let world = World::new();
    let letters = "ab".repeat(2 << 20);
    world.put("greedy/threads/s/letters", letters).await;
    world.put("honest/threads/s/notes.md", "one\n").await;
    let edit =
        |old: &str, new: &str| EditRequest { replace_all: true, ..EditRequest::new("/workspace/letters", old, new) };
    let edits = [("a", "c"), ("c", "a"), ("a", "d"), ("d", "a")].map(|(old, new)| {
        let (agent, request) = (world.agent_of("greedy", "s"), edit(old, new));
        tokio::spawn(async move { agent.edit(request).await })
    });
    while world.service.workers().busy() == 0 {
        tokio::task::yield_now().await;
    }
    world.agent_of("honest", "s").replace("/workspace/notes.md", "one", "two").await.unwrap();
    assert!(edits.iter().any(|edit| !edit.is_finished()), "the large edits were done before");
    for edit in edits {
        assert_eq!(edit.await.unwrap().unwrap().occurrences, 2 << 20);
    }
}

#[tokio::test]
async fn a_file_of_several_pieces_is_searched_like_one_and_a_line_that_is_too_long_is_said() {
    let world = World::new();
    let agent = world.agent_of("greedy", "s");
    let piece = usize::try_from(CHUNK_BYTES).unwrap();
    let line = format!("{}\n", "y".repeat(99));
    let mut text = line.repeat(2 * piece / 100 + 1000);
    let lines = text.len() / 100;
    // One hit right where a piece ends, one at the end.
    text.replace_range(piece / 100 * 100..piece / 100 * 100 + 6, "needle");
    text.push_str("needle\n");
    world.put("greedy/threads/s/large", text).await;
    let found = agent.grep(GrepRequest { context: 1, ..grep("needle", None) }).await.unwrap();
    let hits: Vec<_> =
        found.matches.unwrap().into_iter().map(|hit| (hit.line, hit.before.len(), hit.after.len())).collect();
    assert_eq!(hits, [(piece as u64 / 100 + 1, 1, 1), (lines as u64 + 1, 1, 0)]);
    assert!(!found.truncated);
    world.put("greedy/threads/s/large", "x".repeat(2 * piece + SEARCH_LINE_BYTES)).await;
    let found = agent.grep(GrepRequest { output_mode: GrepOutput::Count, ..grep("x", None) }).await.unwrap();
    assert!(found.truncation_reason.is_some_and(|why| why.contains("a line over")));
}

#[tokio::test]
async fn a_pattern_that_is_no_pattern_is_refused_before_anything_is_listed() {
    let world = World::new();
    let agent = world.agent();
    agent.names("/").await.unwrap();
    let (refused, cost) = world.cost(agent.grep(grep("(", None))).await;
    assert_eq!((code(refused), cost.total()), (Code::InvalidPattern, 0));
}
