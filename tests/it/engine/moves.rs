//! Moving files and folders. Time is paused where it plays a part.

use std::{sync::Arc, time::Duration};

use skillmount::{
    Code, Outcome, Result,
    handle::SessionBackend,
    limits::MOVE_FILE_BYTES,
    store::{MemoryStore, Verb, testing::Fault},
    wire::{BackendProtocol as _, MoveReply, MoveRequest},
};

use crate::support::{
    s3_in_process::s3_with_script,
    world::{BackendExt, World, code},
};

async fn mv(agent: &SessionBackend, from: &str, to: &str) -> Result<MoveReply> {
    agent.move_path(MoveRequest { from: from.to_owned(), to: to.to_owned() }).await
}

fn world() -> World {
    World::over(Arc::new(MemoryStore::new()))
}

// S-MOVE-1: `move` takes a file, or a folder with everything below it, to a new path in `/workspace` and `/ticket`.
#[tokio::test]
async fn a_file_and_a_folder_move_with_all_they_hold() {
    let world = world();
    let agent = world.agent();
    agent.create("/workspace/a.md", "a").await.unwrap();
    let reply = mv(&agent, "/workspace/a.md", "/ticket/b.md").await.unwrap();
    assert_eq!((reply.moved, reply.outcome, reply.failed), (1, None, vec![]));
    assert_eq!(agent.text("/ticket/b.md").await.unwrap(), "a");
    assert_eq!(code(agent.text("/workspace/a.md").await), Code::FileNotFound);

    for name in ["1", "deep/2", "deep/er/3"] {
        agent.create(&format!("/workspace/old/{name}"), name).await.unwrap();
    }
    assert_eq!(mv(&agent, "/workspace/old", "/workspace/new/place").await.unwrap().moved, 3);
    let found =
        ["/ticket/b.md", "/workspace/new/place/1", "/workspace/new/place/deep/2", "/workspace/new/place/deep/er/3"];
    assert_eq!(agent.find("**/*").await.unwrap(), found);
    assert_eq!(agent.text("/workspace/new/place/deep/er/3").await.unwrap(), "deep/er/3");
}

#[tokio::test]
async fn what_cannot_be_moved_says_why_and_stays() {
    let world = world();
    world.put_skill("demo", "pdf", "d", "").await;
    let agent = world.agent();
    agent.load("pdf").await.unwrap();
    agent.create("/workspace/f/a", "a").await.unwrap();
    agent.create("/workspace/there", "there").await.unwrap();
    for (from, to, expected) in [
        ("/workspace/none", "/workspace/x", Code::FileNotFound),
        ("/workspace/f", "/workspace/f", Code::InvalidPath),
        ("/workspace/f", "/workspace/f/inside", Code::InvalidPath),
        ("/workspace/f/a", "/workspace/there", Code::AlreadyExists),
        ("/workspace/there", "/workspace/f", Code::AlreadyExists),
        ("/skills/pdf/SKILL.md", "/workspace/x", Code::ReadOnly),
        ("/workspace/f/a", "/skills/pdf/x", Code::ReadOnly),
        ("/workspace", "/ticket/all", Code::IsADirectory),
        ("/workspace/f/a", "/elsewhere", Code::ReadOnly),
        ("relative", "/workspace/x", Code::InvalidPath),
    ] {
        let error = mv(&agent, from, to).await.unwrap_err();
        assert_eq!((error.code(), error.outcome()), (expected, Some(Outcome::NotApplied)), "{from} {to}: {error}");
    }
    assert_eq!(agent.find("/workspace/**/*").await.unwrap(), ["/workspace/f/a", "/workspace/there"]);
}

// S-MOVE-2: `move` replaces nothing at the new path, and a file that changes during its move stays at the old path.
#[tokio::test(start_paused = true)]
async fn a_file_that_changes_while_it_is_moved_stays_and_its_copy_goes() {
    let world = world();
    let (agent, other) = (world.agent(), world.replica().agent());
    agent.create("/workspace/a", "old").await.unwrap();
    world.faults.script(Verb::Delete, [Fault::SlowRequest(Duration::from_secs(2))]);
    let change = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        other.overwrite("/workspace/a", "new").await.unwrap();
    };
    let (moved, ()) = tokio::join!(mv(&agent, "/workspace/a", "/workspace/b"), change);
    let error = moved.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::EditConflict, Some(Outcome::NotApplied)), "{error}");
    assert_eq!(other.text("/workspace/a").await.unwrap(), "new");
    assert_eq!(code(other.text("/workspace/b").await), Code::FileNotFound);
    assert_eq!(mv(&agent, "/workspace/a", "/workspace/b").await.unwrap().moved, 1);
    assert_eq!(other.text("/workspace/b").await.unwrap(), "new");
}

#[tokio::test]
async fn without_conditional_deletes_the_version_is_looked_at_first() {
    let (store, _memory, _script) = s3_with_script();
    let world = World::over(Arc::new(store));
    assert!(!world.bucket.capabilities().conditional_delete);
    let agent = world.agent();
    agent.create("/workspace/a", "a").await.unwrap();
    let (moved, cost) = world.cost(mv(&agent, "/workspace/a", "/workspace/b")).await;
    assert_eq!(moved.unwrap().moved, 1);
    assert_eq!((cost.head, cost.delete), (2, 1), "one look finds the file, one comes before the delete: {cost:?}");
    assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/b"]);
}

#[tokio::test(start_paused = true)]
async fn without_conditional_deletes_a_copy_of_a_file_that_changed_stays_beside_it() {
    let (store, _memory, _script) = s3_with_script();
    let world = World::over(Arc::new(store));
    let (agent, other) = (world.agent(), world.replica().agent());
    agent.create("/workspace/a", "old").await.unwrap();
    world.faults.script(Verb::Put, [Fault::SlowRequest(Duration::from_secs(2))]);
    let change = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        other.overwrite("/workspace/a", "new").await.unwrap();
    };
    let (moved, ()) = tokio::join!(mv(&agent, "/workspace/a", "/workspace/b"), change);
    let error = moved.unwrap_err();
    assert_eq!((error.code(), error.outcome()), (Code::EditConflict, Some(Outcome::Partial)), "{error}");
    assert!(error.message().contains("its earlier bytes are at /workspace/b"), "{error}");
    assert_eq!(other.text("/workspace/a").await.unwrap(), "new", "the change of the other caller is kept");
    assert_eq!(other.text("/workspace/b").await.unwrap(), "old", "and the copy is not deleted without a condition");
}

// S-MOVE-4: If the store does not delete the old file of a move, the answer is `partial` and says that both files are there.
#[tokio::test(start_paused = true)]
async fn a_move_that_breaks_off_leaves_both_files_never_neither() {
    for fault in [Fault::Refuse, Fault::LoseRequest, Fault::Deny] {
        let world = world();
        let agent = world.agent();
        agent.create("/workspace/a", "a").await.unwrap();
        world.faults.for_keys(Verb::Delete, "", fault);
        let error = mv(&agent, "/workspace/a", "/workspace/b").await.unwrap_err();
        assert_eq!(error.outcome(), Some(Outcome::Partial), "{fault:?}: {error}");
        let stays = if fault == Fault::LoseRequest { "may still be there" } else { "the old file stays" };
        assert!(error.message().contains("/workspace/a was copied to /workspace/b"), "{fault:?}: {error}");
        assert!(
            error.message().contains(stays) && !error.message().contains("nothing was changed"),
            "{fault:?}: {error}"
        );
        for path in ["/workspace/a", "/workspace/b"] {
            assert_eq!(agent.text(path).await.unwrap(), "a", "{fault:?}: {path}");
        }
    }
    let world = world();
    let agent = world.agent();
    agent.create("/workspace/a", "a").await.unwrap();
    world.faults.script(Verb::Delete, [Fault::LoseReply]);
    assert_eq!(mv(&agent, "/workspace/a", "/workspace/b").await.unwrap().moved, 1, "the lost reply is settled");
}

// S-MOVE-3: The answer to the move of a folder names each file that stayed, and the same call moves the rest.
#[tokio::test(start_paused = true)]
async fn a_folder_of_which_some_files_stay_names_them_and_the_same_call_moves_the_rest() {
    let world = world();
    let agent = world.agent();
    for name in ["a", "b", "c"] {
        agent.create(&format!("/workspace/from/{name}"), name).await.unwrap();
    }
    agent.create("/workspace/to/b", "in the way").await.unwrap();
    let reply = mv(&agent, "/workspace/from", "/workspace/to").await.unwrap();
    assert_eq!((reply.moved, reply.outcome), (2, Some(Outcome::Partial)));
    let [failed] = &reply.failed[..] else { panic!("{reply:?}") };
    assert_eq!((failed.path.as_str(), failed.code.as_str()), ("/workspace/from/b", "already_exists"));
    assert_eq!(failed.outcome, Outcome::NotApplied);
    assert_eq!(agent.text("/workspace/to/b").await.unwrap(), "in the way");

    agent.remove("/workspace/to/b").await.unwrap();
    let rest = mv(&agent, "/workspace/from", "/workspace/to").await.unwrap();
    assert_eq!((rest.moved, rest.outcome, rest.failed), (1, None, vec![]));
    assert_eq!(agent.find("/workspace/**/*").await.unwrap(), ["/workspace/to/a", "/workspace/to/b", "/workspace/to/c"]);
}

// S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
#[tokio::test]
async fn a_file_of_the_largest_size_moves_and_one_byte_more_does_not() {
    let world = world();
    let agent = world.agent();
    let largest = usize::try_from(MOVE_FILE_BYTES).unwrap();
    world.put("demo/threads/s/fits", vec![0; largest]).await;
    world.put("demo/threads/s/over", vec![0; largest + 1]).await;
    assert_eq!(mv(&agent, "/workspace/fits", "/workspace/moved").await.unwrap().moved, 1);
    assert_eq!(code(mv(&agent, "/workspace/over", "/workspace/x").await), Code::FileTooLarge);
}
