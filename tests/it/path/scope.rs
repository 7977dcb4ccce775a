//! No user meets another, whatever an agent asks for: random operations on random paths, with every request to the store
//! and every answer looked at.

use std::{fmt::Debug, io::Read as _};

use crate::support::{
    saboteur::INDEX,
    world::{BackendExt, World, id, soak},
};
use flate2::read::DeflateDecoder;
use proptest::prelude::*;
use skillmount::{
    handle::SessionBackend,
    wire::{
        BackendProtocol, CreateSession, GlobRequest, LoadSkillRequest, Policy, SkillsAccess, UnloadSkillRequest,
        UploadFile, Visibility,
    },
};

/// Two pairs of neighbours: each second one begins with the first.
const USERS: [&str; 4] = ["u1", "u10", "alice", "alice2"];
/// The second session may see every skill, and write those it loads.
const SESSIONS: [&str; 2] = ["s", "all"];
const SKILLS: [&str; 3] = ["venta", "compraventa", "a/venta"];
const SEGMENTS: [&str; 16] = [
    "workspace",
    "ticket",
    "skills",
    "venta",
    "compraventa",
    "a",
    "SKILL.md",
    "u1",
    "u10",
    "alice",
    "alice2",
    "threads",
    ".skillmount",
    "..",
    ".",
    "",
];
const NAMES: [&str; 9] =
    ["venta", "compraventa", "a/venta", "../u10/skills/venta", "u10", "alice2", "other", "mark", ""];

/// What all of a user's files hold and nobody else's do.
fn mark(user: &str) -> String {
    format!("mark-{user}-end")
}

/// One call, from small alphabets so that paths meet.
#[derive(Clone, Debug)]
enum Call {
    Ls(String),
    Read(String),
    Grep(&'static str, Option<String>),
    Glob(&'static str, Option<String>),
    Create(String),
    Overwrite(String),
    Replace(String),
    Delete(String),
    Upload(String),
    Download(String),
    Stat(String),
    Load(&'static str, Option<&'static str>),
    Unload(&'static str),
    Catalog(bool),
}

fn path() -> impl Strategy<Value = String> {
    let segments = prop::collection::vec(prop::sample::select(&SEGMENTS[..]), 0..4);
    let below = prop::sample::select(vec!["/", "/workspace/", "/ticket/", "/skills/", "/skills/venta/", "", "//"]);
    (below, segments).prop_map(|(below, segments)| format!("{below}{}", segments.join("/")))
}

fn call() -> impl Strategy<Value = Call> {
    let pattern = prop::sample::select(vec!["mark", "e", "u1", "^"]);
    let glob = prop::sample::select(vec!["**", "*", "../**", "/**/*.md", "u10/**", "skills/**"]);
    let name = || prop::sample::select(&NAMES[..]);
    let alias = prop::option::of(prop::sample::select(vec!["other", "u10", "../x"]));
    prop_oneof![
        path().prop_map(Call::Ls),
        path().prop_map(Call::Read),
        (pattern, prop::option::of(path())).prop_map(|(pattern, path)| Call::Grep(pattern, path)),
        (glob, prop::option::of(path())).prop_map(|(pattern, path)| Call::Glob(pattern, path)),
        path().prop_map(Call::Create),
        path().prop_map(Call::Overwrite),
        path().prop_map(Call::Replace),
        path().prop_map(Call::Delete),
        path().prop_map(Call::Upload),
        path().prop_map(Call::Download),
        path().prop_map(Call::Stat),
        (name(), alias).prop_map(|(skill, alias)| Call::Load(skill, alias)),
        name().prop_map(Call::Unload),
        any::<bool>().prop_map(Call::Catalog),
    ]
}

/// Makes the call and writes down all it answered.
async fn make(agent: &SessionBackend, call: Call) -> String {
    fn said(answer: impl Debug) -> String {
        format!("{answer:?}")
    }
    let text = mark(agent.user().as_str());
    match call {
        Call::Ls(path) => said(agent.entries(&path).await),
        Call::Read(path) => said(agent.text(&path).await),
        Call::Grep(pattern, path) => said(agent.hits(pattern, path.as_deref()).await),
        Call::Glob(pattern, path) => said(agent.glob(GlobRequest { pattern: pattern.into(), path }).await),
        Call::Create(path) => said(agent.create(&path, &text).await),
        Call::Overwrite(path) => said(agent.overwrite(&path, &text).await),
        Call::Replace(path) => said(agent.replace(&path, "mark", "mark").await),
        Call::Delete(path) => said(agent.remove(&path).await),
        Call::Upload(path) => said(agent.upload(vec![UploadFile { path, bytes: text.into() }]).await),
        Call::Download(path) => said(agent.download(vec![path]).await),
        Call::Stat(path) => said(agent.files().stat(&path).await),
        Call::Load(skill, alias) => {
            let mount_as = alias.map(str::to_owned);
            said(agent.load_skill(LoadSkillRequest { mount_as, ..LoadSkillRequest::new(skill) }).await)
        }
        Call::Unload(skill) => said(agent.unload_skill(UnloadSkillRequest { skill: skill.into() }).await),
        Call::Catalog(fresh) => said(agent.catalog(fresh).await),
    }
}

/// Four users with the same skills and the same file names, and everything marked as theirs.
async fn four_users() -> World {
    let world = World::new();
    for user in USERS {
        for skill in SKILLS {
            world.put_skill(user, skill, &mark(user), &mark(user)).await;
        }
        world.put_skill(user, &mark(user), &mark(user), "x").await;
        for session in SESSIONS {
            world.put(&format!("{user}/threads/{session}/a"), mark(user)).await;
            world.put(&format!("{user}/threads/{session}/venta/SKILL.md"), mark(user)).await;
        }
        let policy = Policy { visibility: Visibility::All, skills_access: SkillsAccess::Write, ..Policy::default() };
        let all = CreateSession { policy: Some(policy), ..CreateSession::default() };
        world.service.create_session(&id(user), &id("all"), all).await.unwrap();
    }
    world
}

async fn play(calls: Vec<(&str, &str, Call)>) {
    let world = four_users().await;
    for (user, session, call) in calls {
        let before = world.ledger.asked().len();
        let shown = format!("{user}/{session}: {call:?}");
        let answer = make(&world.agent_of(user, session), call).await;
        // What the call left to run on its own is part of it.
        World::quiet().await;
        for (verb, key) in world.ledger.asked().split_off(before) {
            assert!(key.starts_with(&format!("{user}/")), "{shown} made a {verb:?} of {key}");
        }
        for other in USERS.into_iter().filter(|other| *other != user) {
            assert!(!answer.contains(&mark(other)), "{shown} answered with what is {other}'s: {answer}");
        }
    }
    for key in world.keys().await {
        let (owner, _) = key.split_once('/').unwrap();
        let text = text_of(&key, world.bytes(&key).await.unwrap());
        let strangers: Vec<_> = USERS.iter().filter(|user| **user != owner && text.contains(&mark(user))).collect();
        assert!(strangers.is_empty(), "{key} holds what is of {strangers:?}");
    }
}

/// What an object says; the index of a catalog as far as it can still be inflated.
fn text_of(key: &str, bytes: Vec<u8>) -> String {
    if !key.ends_with(INDEX) {
        return String::from_utf8(bytes).unwrap();
    }
    let body = bytes.split(|byte| *byte == b'\n').next().map_or(0, |line| line.len() + 1);
    let mut text = Vec::new();
    let _ = DeflateDecoder::new(bytes.get(body..).unwrap_or_default()).read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64 * soak(), failure_persistence: None, ..ProptestConfig::default() })]

    // S-PATH-6: For a session the service asks the store only for keys below the prefix of its user, or of its caller's
    // team and organisation.
    #[test]
    fn no_user_ever_meets_another(
        calls in prop::collection::vec((prop::sample::select(&USERS[..]), prop::sample::select(&SESSIONS[..]), call()), 40)
    ) {
        tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(play(calls));
    }
}
