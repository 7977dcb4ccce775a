//! The archive of a user.

use std::{collections::BTreeMap, io::Read as _, sync::Arc, time::Duration};

use skillmount::{
    Result,
    limits::{EXPORT_AHEAD, EXPORT_LEFT_NAMED, EXPORT_PIECE_BYTES},
    store::{MemoryStore, Verb, testing::Fault},
    wire::{Amount, ExportManifest},
};

use super::over;
use crate::support::world::{World, id};

async fn exported(world: &World, user: &str) -> Result<Vec<u8>> {
    let mut archive = world.service.users().export(&id(user)).unwrap();
    let mut whole = Vec::new();
    while let Some(piece) = archive.next().await? {
        whole.extend_from_slice(&piece);
    }
    Ok(whole)
}

/// The files of an archive, and its manifest.
fn unpacked(archive: &[u8]) -> (BTreeMap<String, Vec<u8>>, ExportManifest) {
    let mut files = BTreeMap::new();
    let mut last = String::new();
    for entry in tar::Archive::new(archive).entries().unwrap() {
        let mut entry = entry.unwrap();
        entry.path().unwrap().to_str().unwrap().clone_into(&mut last);
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(last.clone(), bytes);
    }
    assert_eq!(last, "_manifest.json");
    let manifest = serde_json::from_slice(&files.remove(&last).unwrap()).unwrap();
    (files, manifest)
}

// S-LEAVE-2: An export is one tar archive of every object of a user, whose last entry is `_manifest.json`.
#[tokio::test]
async fn an_archive_has_every_object_of_the_user_and_of_nobody_else() {
    let memory = Arc::new(MemoryStore::like_s3());
    let piece = usize::try_from(EXPORT_PIECE_BYTES).unwrap();
    let large: Vec<u8> = (0..3 * piece + 7).map(|at| u8::try_from(at % 251).unwrap()).collect();
    let long = format!("u1/threads/chat/{}notes.md", "deep/".repeat(60));
    let mut put = BTreeMap::from([
        ("u1/skills/a/SKILL.md".to_owned(), b"skill".to_vec()),
        ("u1/threads/chat/empty".to_owned(), Vec::new()),
        ("u1/threads/chat/exact".to_owned(), vec![1; piece]),
        ("u1/threads/chat/large".to_owned(), large),
        (long, b"far down".to_vec()),
        ("u1/tickets/t/\u{f1}.md".to_owned(), b"ticket".to_vec()),
        ("u1/.skillmount/audit/later".to_owned(), b"record".to_vec()),
        ("u1/.skillmount/policy.json".to_owned(), b"{}".to_vec()),
    ]);
    for at in 0..1100 {
        put.insert(format!("u1/notes/{at}"), vec![b'n'; at % 600]);
    }
    for (key, bytes) in &put {
        memory.put_raw(key, bytes.clone());
    }
    memory.put_raw("u10/threads/x", "another user's");
    memory.put_raw("u1/a//b", "no path names it");
    let (files, manifest) = unpacked(&exported(&over(&memory), "u1").await.unwrap());
    assert_eq!(files, put);
    let bytes = put.values().map(|bytes| bytes.len() as u64).sum();
    assert_eq!(manifest.total, Amount { objects: put.len() as u64, bytes });
    assert_eq!((manifest.areas["skills"].objects, manifest.areas["other"].objects), (1, 1100));
    assert_eq!(manifest.areas.values().map(|amount| amount.objects).sum::<u64>(), manifest.total.objects);
    assert_eq!((manifest.left_out_count, manifest.left_out[0].key.as_str()), (1, "u1/a//b"));
}

// S-LEAVE-2: An export is one tar archive of every object of a user, whose last entry is `_manifest.json`.
#[tokio::test(start_paused = true)]
async fn an_archive_is_sent_while_it_is_made_a_few_objects_ahead() {
    let memory = Arc::new(MemoryStore::like_s3());
    let objects = 3 * EXPORT_AHEAD;
    for at in 0..objects {
        memory.put_raw(&format!("u1/notes/{at:03}"), "x");
    }
    let world = over(&memory);
    world.faults.set_latency(Duration::from_millis(10));
    let read = || usize::try_from(world.ledger.counts().objects.requests.get).unwrap();
    let mut archive = world.service.users().export(&id("u1")).unwrap();
    assert_eq!(world.ledger.asked().len(), 0, "nothing is asked before somebody takes a piece");
    let (mut sent, mut most) = (0, 0);
    while let Some(piece) = archive.next().await.unwrap() {
        // Of each object a head, its bytes and what fills the block up.
        sent += usize::from(piece.as_ref() == b"x");
        most = most.max(read() - sent);
        assert!(read() <= sent + EXPORT_AHEAD + 1, "{} of {sent}", read());
    }
    assert_eq!((sent, read()), (objects, objects));
    assert!(most > 1, "a few are fetched at once");
}

#[tokio::test]
async fn an_archive_of_nobody_has_a_manifest_alone() {
    let memory = Arc::new(MemoryStore::like_s3());
    let (files, manifest) = unpacked(&exported(&over(&memory), "nobody").await.unwrap());
    assert_eq!((files.len(), manifest.total.objects), (0, 0));
}

// S-LEAVE-9: The manifest of an export names the omitted objects: objects deleted meanwhile, and objects whose keys no
// path can name.
#[tokio::test(start_paused = true)]
async fn an_archive_that_is_cut_says_so_and_what_was_deleted_meanwhile_is_named() {
    let memory = Arc::new(MemoryStore::like_s3());
    for key in ["u1/threads/a/one", "u1/threads/a/two"] {
        memory.put_raw(key, "text");
    }
    let world = over(&memory);
    world.faults.for_keys(Verb::Get, "/two", Fault::Refuse);
    assert!(exported(&world, "u1").await.is_err());
    world.faults.clear();

    for at in 0..=EXPORT_LEFT_NAMED {
        memory.put_raw(&format!("u1/notes//{at}"), "x");
    }
    let (files, manifest) = unpacked(&exported(&world, "u1").await.unwrap());
    assert_eq!(files.len(), 2);
    assert_eq!((manifest.left_out.len(), manifest.left_out_count), (EXPORT_LEFT_NAMED, EXPORT_LEFT_NAMED as u64 + 1));
}
