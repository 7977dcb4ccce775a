//! What lies in the bucket, where any tool of its owner may have put it.

use std::{
    io::{Read as _, Write as _},
    sync::Arc,
};

use super::{driver, outcome, runtime};
use crate::support::{
    clock,
    world::{World, id},
};
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use skillmount::{
    Code,
    budget::Workers,
    catalog::{Catalogs, IndexState},
    path::{KeyPrefix, Namespace},
    store::{GetOptions, MemoryStore, Store as _},
    wire::{BackendProtocol, LoadSkillRequest, LsRequest},
};

const INDEX: &str = "u1/.skillmount/catalog.json";
const SESSION: &str = "demo/.skillmount/sessions/s.json";

/// The input is an index, or what one holds before it is deflated: few changes survive a checksum.
#[test]
fn an_index_of_a_catalog_is_told_or_as_good_as_absent() {
    let words = [
        "{",
        "}",
        "[",
        "]",
        "\"skill\":",
        "\"entry\":",
        "null",
        "\"\"",
        "\\u0000",
        "1e99",
        "-1",
        ",",
        "\n",
        "{\"schema\":2,",
        "\"user\"",
    ];
    let runtime = runtime();
    let (memory, written) = runtime.block_on(written_index());
    let space = Namespace::parse("").unwrap().user(&id("u1")).unwrap();
    driver::run("catalog_index", &words, |input| {
        let inside = input.strip_prefix(b"inflated\n");
        let index = inside.map_or_else(|| input.to_vec(), |inside| sealed(&written, inside));
        memory.put_raw(INDEX, index);
        let state = runtime.block_on(IndexState::read(&*memory, &space)).unwrap().unwrap();
        let catalogs =
            Catalogs::new(memory.clone(), Namespace::parse("").unwrap(), clock(), Workers::new(2)).with_index();
        let view = runtime.block_on(catalogs.view(&id("u1"), false)).unwrap();
        if state.as_of.is_err() {
            assert_eq!(view.entries.len(), 2, "an index that nobody uses changes the answer");
        }
        let reason = state.as_of.err().unwrap_or_default();
        format!("{} entries, {reason}", view.entries.len())
    });
}

/// The input lies where the session does.
#[test]
fn a_session_object_is_read_or_refused() {
    let words = [
        "{",
        "}",
        "[",
        "]",
        "\"loaded_skills\":",
        "\"vars\":",
        "\"policy\":",
        "\"version\":",
        "null",
        "0",
        "18446744073709551616",
        "\"..\"",
        "\"2026-01-01T00:00:00Z\"",
        "\\ud800",
        ",",
    ];
    // A damaged object may be a fault of the service to its caller: it fails closed.
    let refusals = [
        Code::ObjectDamaged,
        Code::Internal,
        Code::SessionNotFound,
        Code::InvalidRequest,
        Code::InvalidPath,
        Code::SkillChanged,
        Code::FileNotFound,
    ];
    let runtime = runtime();
    driver::run("session", &words, |input| {
        let memory = Arc::new(MemoryStore::new());
        memory.put_raw(SESSION, input.to_vec());
        memory.put_raw("demo/skills/k/SKILL.md", "---\ndescription: It is there.\n---\n");
        let agent = World::over(memory.clone()).agent();
        let listed = runtime.block_on(agent.ls(LsRequest { path: "/".to_owned() }));
        let skills = runtime.block_on(agent.ls(LsRequest { path: "/skills".to_owned() }));
        let loaded = runtime.block_on(agent.load_skill(LoadSkillRequest::new("k")));
        let key = KeyPrefix::all().key(SESSION).unwrap();
        let left = runtime.block_on(memory.get(&key, GetOptions::default())).unwrap().bytes;
        assert!(loaded.is_ok() || left == input, "a call that failed changed the session");
        let listed = outcome(listed, &refusals, |listed| format!("{} mounts", listed.entries.len()));
        let skills = outcome(skills, &refusals, |skills| format!("{} skills", skills.entries.len()));
        format!("{listed}, {skills}, {}", loaded.is_ok())
    });
}

/// A bucket with two skills, and the index that a service wrote of them.
async fn written_index() -> (Arc<MemoryStore>, Vec<u8>) {
    let memory = Arc::new(MemoryStore::new());
    memory.put_raw("u1/skills/a/b/SKILL.md", "---\nname: b\ndescription: Does b.\ntags: [x, y]\n---\n# Title\n");
    memory.put_raw("u1/skills/c/SKILL.md", "---\ndescription: Does c.\n---\n");
    memory.put_raw("u1/skills/broken/SKILL.md", "nothing");
    let catalogs = Catalogs::new(memory.clone(), Namespace::parse("").unwrap(), clock(), Workers::new(2)).with_index();
    catalogs.view(&id("u1"), true).await.unwrap();
    let key = KeyPrefix::all().key(INDEX).unwrap();
    loop {
        // It is written behind the answer.
        if let Ok(object) = memory.get(&key, GetOptions::default()).await {
            return (memory, object.bytes.to_vec());
        }
        tokio::task::yield_now().await;
    }
}

/// An index that holds `inside`, with the first line of the one that was written and a checksum that is right.
fn sealed(written: &[u8], inside: &[u8]) -> Vec<u8> {
    let end = written.iter().position(|byte| *byte == b'\n').unwrap();
    let mut header: Value = serde_json::from_slice(&written[..end]).unwrap();
    let mut deflate = DeflateEncoder::new(Vec::new(), Compression::fast());
    deflate.write_all(inside).unwrap();
    let body = deflate.finish().unwrap();
    let as_of = header["as_of"].as_str().unwrap().to_owned();
    let sum = Sha256::new().chain_update(as_of).chain_update([b'\n']).chain_update(&body).finalize();
    let digits = sum.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    header["sha256"] = json!(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect::<String>());
    [header.to_string().as_bytes(), b"\n", &body].concat()
}

#[test]
fn an_index_that_is_sealed_like_this_is_told() {
    let runtime = runtime();
    let (memory, written) = runtime.block_on(written_index());
    let end = written.iter().position(|byte| *byte == b'\n').unwrap();
    let mut inside = Vec::new();
    DeflateDecoder::new(&written[end + 1..]).read_to_end(&mut inside).unwrap();
    memory.put_raw(INDEX, sealed(&written, &inside));
    let space = Namespace::parse("").unwrap().user(&id("u1")).unwrap();
    let state = runtime.block_on(IndexState::read(&*memory, &space)).unwrap().unwrap();
    assert!(state.as_of.is_ok(), "{:?}", state.as_of);
}
