//! A path is a file or a folder, on every store; and what is seen where a bucket holds both.

use std::sync::Arc;

use crate::support::{
    temporary_directory,
    world::{BackendExt, World, code},
};
use skillmount::{
    Code, Outcome, Result,
    store::{MemoryStore, Requests, SharedStore},
    wire::{BackendProtocol, GlobRequest, LsRequest, MoveRequest, UploadFile, WriteCondition, WriteReply},
};

/// A write that must fail, and change nothing.
fn refused(written: Result<WriteReply>) -> (Code, String) {
    let error = written.unwrap_err();
    assert_eq!(error.outcome(), Some(Outcome::NotApplied), "{error:?}");
    (error.code(), error.message().to_owned())
}

/// `/workspace/a` is a file and `/workspace/d` a folder: what an embedded store refuses.
async fn play(world: &World) {
    let agent = world.agent();
    agent.create("/workspace/a", "file").await.unwrap();
    agent.create("/workspace/d/e/f", "below").await.unwrap();
    let before = world.keys().await;
    for path in ["/workspace/a/b", "/workspace/a/b/c", "/workspace/d/e/f/g"] {
        let file = if path.contains("/a/") { "/workspace/a" } else { "/workspace/d/e/f" };
        for written in [agent.create(path, "x").await, agent.overwrite(path, "x").await] {
            let (code, message) = refused(written);
            assert_eq!(code, Code::NotADirectory, "{path}");
            assert!(message.starts_with(&format!("{file} is a file")) && message.contains(path), "{message}");
        }
    }
    for path in ["/workspace/d", "/workspace/d/e"] {
        for written in [agent.create(path, "x").await, agent.overwrite(path, "x").await] {
            let (code, message) = refused(written);
            assert_eq!(code, Code::IsADirectory, "{path}");
            assert!(message.starts_with(&format!("{path} is a folder")), "{message}");
        }
    }
    let upload = |path: &str| UploadFile { path: path.to_owned(), bytes: "x".into() };
    let uploaded = agent.upload(vec![upload("/workspace/a/b"), upload("/workspace/d")]).await.unwrap();
    let codes: Vec<_> = uploaded.into_iter().map(|file| file.result.unwrap_err().code()).collect();
    assert_eq!(codes, [Code::NotADirectory, Code::IsADirectory]);
    let put = agent.files().put_file("/workspace/a/b", "x".into(), WriteCondition::Always).await;
    assert_eq!(refused(put).0, Code::NotADirectory);
    assert_eq!(code(agent.replace("/workspace/a/b", "x", "y").await), Code::FileNotFound);
    assert_eq!(world.keys().await, before, "nothing was written");

    // A file may be changed, and once it is gone the other may come.
    agent.overwrite("/workspace/a", "again").await.unwrap();
    agent.replace("/workspace/d/e/f", "below", "changed").await.unwrap();
    agent.remove("/workspace/a").await.unwrap();
    agent.remove("/workspace/d").await.unwrap();
    agent.create("/workspace/a/b", "x").await.unwrap();
    agent.create("/workspace/d", "x").await.unwrap();
    assert_eq!(agent.names("/workspace").await.unwrap(), ["/workspace/a", "/workspace/d"]);
}

// S-TREE-1: A path is a file or a folder: a write below a file is `not_a_directory`, and a write to a folder
// `is_a_directory`.
#[tokio::test]
async fn embedded_stores_hold_a_file_or_a_folder_of_one_name() {
    let (_folder, directory) = temporary_directory();
    for store in [Arc::new(MemoryStore::new()) as SharedStore, directory] {
        let world = World::over(store);
        play(&world).await;
        // They know of it, whoever made it.
        let agent = world.replica().agent();
        assert_eq!(refused(agent.create("/workspace/a", "x").await).0, Code::IsADirectory);
        assert_eq!(refused(agent.create("/workspace/d/x", "x").await).0, Code::NotADirectory);
    }
}

/// A bucket with the file `a` and the folder `d` in the workspace, which other tools put there.
async fn planted(store: SharedStore) -> World {
    let world = World::over(store);
    world.put("demo/threads/s/a", "file").await;
    world.put("demo/threads/s/d/f", "below").await;
    world
}

/// Stores that hold a file and a folder of one name.
fn buckets() -> Vec<SharedStore> {
    Vec::from([
        Arc::new(MemoryStore::like_s3()) as SharedStore,
        #[cfg(feature = "s3")]
        Arc::new(crate::support::s3_in_process::s3_in_process().0),
    ])
}

// S-TREE-2: A bucket on S3 can hold a file and a folder under the same name: a write that makes the pair lands.
#[tokio::test]
async fn a_bucket_holds_a_file_and_a_folder_of_one_name_whoever_knows_of_the_first() {
    for store in buckets() {
        let world = planted(store).await;
        let agent = world.agent();
        let before = agent.names("/workspace").await.unwrap();
        assert_eq!(before, ["/workspace/a", "/workspace/d"]);
        agent.text("/workspace/a").await.unwrap();
        let upload = |path: &str| UploadFile { path: path.to_owned(), bytes: "x".into() };
        let writes = async {
            agent.create("/workspace/a/b", "x").await.unwrap();
            agent.create("/workspace/d", "x").await.unwrap();
            agent.overwrite("/workspace/a/c/d", "x").await.unwrap();
            let uploaded = agent.upload(vec![upload("/workspace/d/f/g")]).await.unwrap();
            assert!(uploaded.iter().all(|file| file.result.is_ok()), "{uploaded:?}");
        };
        let ((), spent) = world.cost(writes).await;
        assert_eq!(spent, Requests { put: 4, ..Requests::default() });
        assert_eq!(agent.create("/workspace/a", "x").await.unwrap_err().code(), Code::AlreadyExists);
        let kept = ["a", "a/b", "a/c/d", "d", "d/f", "d/f/g"].map(|name| format!("demo/threads/s/{name}"));
        let mut keys = world.keys().await;
        keys.retain(|key| key.starts_with("demo/threads/s/"));
        assert_eq!(keys, kept);
    }
}

// S-TREE-3: If a bucket holds a file and a folder of one name, `ls` shows the folder and names the file under `hidden`.
#[tokio::test]
async fn the_folder_is_shown_and_the_file_is_named_and_reached() {
    for store in buckets() {
        let world = planted(store).await;
        world.put("demo/threads/s/a/b", "below a file").await;
        world.put("demo/threads/s/a-b", "between them in the order of keys").await;
        let agent = world.agent();
        let reply = agent.ls(LsRequest { path: "/workspace".to_owned() }).await.unwrap();
        let shown = |entries: &[skillmount::wire::Entry]| {
            entries.iter().map(|entry| (entry.path.clone(), entry.is_dir, entry.size)).collect::<Vec<_>>()
        };
        let entry = |path: &str, is_dir: bool, size: u64| (format!("/workspace/{path}"), is_dir, size);
        assert_eq!(shown(&reply.entries), [entry("a", true, 0), entry("a-b", false, 33), entry("d", true, 0)]);
        assert_eq!(shown(&reply.hidden), [entry("a", false, 4)]);
        assert_eq!(agent.names("/workspace/a").await.unwrap(), ["/workspace/a/b"]);

        let downloaded = agent.download(vec!["/workspace/a".to_owned()]).await.unwrap();
        assert_eq!(downloaded[0].result.as_deref().unwrap(), b"file");
        assert_eq!(agent.text("/workspace/a").await.unwrap(), "file");
        agent.replace("/workspace/a", "file", "changed").await.unwrap();
        agent.overwrite("/workspace/a", "again").await.unwrap();
        assert_eq!(agent.find("**").await.unwrap().iter().filter(|path| path.starts_with("/workspace/a")).count(), 3);
        assert_eq!(agent.remove("/workspace/a").await.unwrap(), 2, "both are deleted");
    }
}

#[tokio::test]
async fn searching_and_moving_take_the_folder_and_a_move_names_the_file() {
    for store in buckets() {
        let world = planted(store).await;
        world.put("demo/threads/s/a/b", "file below a file").await;
        let agent = world.agent();
        let request = GlobRequest { pattern: "**".into(), path: Some("/workspace/a".into()) };
        let found = agent.glob(request).await.unwrap().matches;
        assert_eq!(found.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/workspace/a/b"]);
        let hits = agent.hits("file", Some("/workspace/a")).await.unwrap();
        assert_eq!(hits, ["/workspace/a/b:1:file below a file"]);

        let request = MoveRequest::new("/workspace/a", "/workspace/new");
        let reply = agent.move_path(request).await.unwrap();
        assert_eq!((reply.moved, reply.outcome), (1, Some(Outcome::Partial)));
        let [failed] = reply.failed.as_slice() else { panic!("{reply:?}") };
        assert_eq!((failed.path.as_str(), failed.code.as_str()), ("/workspace/a", "is_a_directory"));
        assert_eq!(failed.outcome, Outcome::NotApplied);
        assert_eq!(agent.text("/workspace/a").await.unwrap(), "file", "it stays");
        assert_eq!(agent.text("/workspace/new/b").await.unwrap(), "file below a file");
        agent.move_path(MoveRequest::new("/workspace/a", "/workspace/b")).await.unwrap();
        assert_eq!(agent.text("/workspace/b").await.unwrap(), "file", "alone it moves");
    }
}

#[tokio::test]
async fn a_loaded_skill_shows_the_folder_too() {
    let world = World::new();
    world.put_skill("demo", "venta", "Sells.", "x").await;
    world.put("demo/skills/venta/a", "file").await;
    world.put("demo/skills/venta/a/b", "below").await;
    let agent = world.agent();
    agent.load("venta").await.unwrap();
    let reply = agent.ls(LsRequest { path: "/skills/venta".to_owned() }).await.unwrap();
    let paths = |entries: &[skillmount::wire::Entry]| entries.iter().map(|one| one.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&reply.entries), ["/skills/venta/SKILL.md", "/skills/venta/a"]);
    assert_eq!(paths(&reply.hidden), ["/skills/venta/a"]);
    assert_eq!(agent.names("/skills/venta/a").await.unwrap(), ["/skills/venta/a/b"]);
    assert_eq!(agent.text("/skills/venta/a").await.unwrap(), "file");
    let request = GlobRequest { pattern: "**".into(), path: Some("/skills/venta/a".into()) };
    let found = agent.glob(request).await.unwrap().matches;
    assert_eq!(found.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["/skills/venta/a/b"]);
}
