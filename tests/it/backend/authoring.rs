//! What authors do with the skills of a store, as any surface would ask for it: push, pull, lint and the catalog's state.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use async_trait::async_trait;
use bytes::Bytes;
use md5::{Digest as _, Md5};
use skillmount::{
    Code, Error, Result,
    backend::{PushPlan, Service, ServiceOptions, SkillSource},
    clock::SystemClock,
    path::{ETag, KeyPrefix, ObjectKey, SkillPath},
    skill::FindingCode,
    store::{
        Capabilities, DeleteOptions, GetOptions, ListOptions, ListPage, MemoryStore, Object, ObjectMeta, PutOptions,
        PutResult, Store, StoreResult, Verb, testing::Fault,
    },
    wire::{FileChange, FileChanges},
};

use crate::support::world::{World, id};

const MAIN: &str = "---\nname: sale\ndescription: Prepares a sale.\n---\nBegin.\n";

/// An author's files in memory. A file can be read as often as `left` says, where it says.
#[derive(Debug)]
struct Draft {
    files: BTreeMap<&'static str, &'static str>,
    left: Mutex<HashMap<&'static str, usize>>,
}

impl Draft {
    fn new(files: &[(&'static str, &'static str)]) -> Self {
        Self { files: files.iter().copied().collect(), left: Mutex::default() }
    }
}

#[async_trait]
impl SkillSource for Draft {
    fn paths(&self) -> Vec<&str> {
        self.files.keys().copied().collect()
    }

    async fn read(&self, path: &str) -> Result<Bytes> {
        if let Some(left) = self.left.lock().unwrap().get_mut(path) {
            *left = left.checked_sub(1).ok_or_else(|| Error::new(Code::InvalidRequest, "the disk is gone"))?;
        }
        Ok(Bytes::from_static(self.files[path].as_bytes()))
    }
}

fn sale() -> SkillPath {
    SkillPath::parse("legal/sale").unwrap()
}

async fn plan(service: &Service, draft: &Draft, delete: bool) -> Result<PushPlan> {
    let listing = service.list_for_push(&id("demo"), &[sale()]).await?;
    service.plan_push(&id("demo"), &sale(), draft, &listing, delete).await
}

/// Plans and pushes, with how often it was told that a file is done.
async fn push(service: &Service, draft: &Draft, delete: bool) -> Result<(FileChanges, usize)> {
    let plan = plan(service, draft, delete).await?;
    let done = AtomicUsize::new(0);
    service.push(draft, &plan, &|| _ = done.fetch_add(1, Ordering::Relaxed)).await?;
    assert_eq!(done.load(Ordering::Relaxed), plan.due());
    Ok((plan.changes(), plan.due()))
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn a_push_sends_what_differs_and_deletes_only_when_asked() {
    let world = World::new();
    let first = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one"), ("b.md", "two"), ("c.md", "three")]);
    let (changes, due) = push(&world.service, &first, false).await.unwrap();
    assert_eq!((changes.created, due), (names(&["SKILL.md", "a.md", "b.md", "c.md"]), 4));
    let second = Draft::new(&[("SKILL.md", MAIN), ("a.md", "ONE"), ("b.md", "longer")]);
    let (changes, _) = push(&world.service, &second, false).await.unwrap();
    let kept =
        FileChanges { updated: names(&["a.md", "b.md"]), unchanged: 1, kept: names(&["c.md"]), ..Default::default() };
    assert_eq!(changes, kept);
    assert_eq!(world.bytes("demo/skills/legal/sale/a.md").await.unwrap(), b"ONE");
    let (changes, _) = push(&world.service, &second, true).await.unwrap();
    assert_eq!((changes.deleted, changes.unchanged), (names(&["c.md"]), 3));
    assert_eq!(world.bytes("demo/skills/legal/sale/c.md").await, None);
}

/// A store whose listings have the MD5 of the bytes as tags, or another one of that length for `encrypted` keys: those of S3.
#[derive(Debug)]
struct Digesting {
    inner: MemoryStore,
    encrypted: &'static str,
}

#[async_trait]
impl Store for Digesting {
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    async fn get(&self, key: &ObjectKey, options: GetOptions) -> StoreResult<Object> {
        self.inner.get(key, options).await
    }

    async fn put(&self, key: &ObjectKey, bytes: Bytes, options: PutOptions) -> StoreResult<PutResult> {
        self.inner.put(key, bytes, options).await
    }

    async fn head(&self, key: &ObjectKey) -> StoreResult<ObjectMeta> {
        self.inner.head(key).await
    }

    async fn list(&self, prefix: &KeyPrefix, options: ListOptions) -> StoreResult<ListPage> {
        let mut page = self.inner.list(prefix, options).await?;
        for entry in &mut page.objects {
            let key = prefix.admit(&entry.key).unwrap();
            let bytes = self.inner.get(&key, GetOptions::default()).await?.bytes;
            let digest = Md5::digest(if entry.key.contains(self.encrypted) { b"other".as_slice() } else { &bytes });
            let number = digest.iter().fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
            entry.etag = ETag::new(&format!("{number:032x}"));
        }
        Ok(page)
    }

    async fn delete(&self, key: &ObjectKey, options: DeleteOptions) -> StoreResult<()> {
        self.inner.delete(key, options).await
    }
}

// S-AUTHOR-4: `push` of N unchanged files is the LIST requests of the user's skills where the listing has their digests, as on
// S3 without KMS, and N GET where it has not.
#[tokio::test]
async fn what_a_listing_shows_to_be_unchanged_is_not_fetched() {
    let store = Digesting { inner: MemoryStore::like_s3(), encrypted: "c.md" };
    let world = World::over(Arc::new(store));
    let draft = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one"), ("b.md", "two"), ("c.md", "three")]);
    push(&world.service, &draft, false).await.unwrap();
    let skills: Vec<_> = ["legal/sale", "legal/rent"].map(|skill| SkillPath::parse(skill).unwrap()).into();
    let asked = async |draft: &Draft| {
        // As a process that remembers nothing.
        let world = world.replica();
        let listing = world.service.list_for_push(&id("demo"), &skills).await.unwrap();
        let mut changes = Vec::new();
        for skill in &skills {
            let plan = world.service.plan_push(&id("demo"), skill, draft, &listing, false).await.unwrap();
            changes.push(plan.changes());
        }
        let asked: Vec<_> = world.ledger.asked().iter().map(|(verb, key)| (*verb, key.clone())).collect();
        (changes, asked)
    };
    let (changes, requests) = asked(&draft).await;
    assert_eq!((changes[0].unchanged, changes[0].changed(), changes[1].is_new()), (4, 0, true));
    let list = (Verb::List, "demo/skills/".to_owned());
    assert_eq!(requests, [list.clone(), (Verb::Get, "demo/skills/legal/sale/c.md".to_owned())]);
    // The same size with another digest is read before it is believed.
    let (changes, requests) = asked(&Draft::new(&[("SKILL.md", MAIN), ("a.md", "ONE"), ("b.md", "longer")])).await;
    assert_eq!(changes[0].updated, names(&["a.md", "b.md"]));
    let of = |verb, file: &str| (verb, format!("demo/skills/legal/sale/{file}"));
    assert_eq!(requests, [list, of(Verb::Get, "a.md"), of(Verb::Head, "b.md")]);
}

#[tokio::test]
async fn a_push_that_fails_midway_shows_no_new_skill() {
    let world = World::new();
    let draft = Draft::new(&[("SKILL.md", MAIN), ("a.md", "one")]);
    draft.left.lock().unwrap().insert("a.md", 1);
    assert_eq!(push(&world.service, &draft, false).await.unwrap_err().message(), "the disk is gone");
    assert_eq!(world.bytes("demo/skills/legal/sale/SKILL.md").await, None);
}

#[tokio::test]
async fn a_push_replaces_the_version_it_was_compared_with_and_no_other() {
    let world = World::new();
    push(&world.service, &Draft::new(&[("SKILL.md", MAIN), ("a.md", "one")]), false).await.unwrap();
    for (draft, delete) in [
        (Draft::new(&[("SKILL.md", MAIN), ("a.md", "two")]), false),
        (Draft::new(&[("SKILL.md", MAIN), ("a.md", "one"), ("b.md", "new")]), false),
    ] {
        let plan = plan(&world.service, &draft, delete).await.unwrap();
        let changed = plan.changes();
        let file = changed.updated.iter().chain(&changed.created).next().unwrap();
        let key = format!("demo/skills/legal/sale/{file}");
        world.put(&key, "somebody else's").await;
        let refused = world.service.push(&draft, &plan, &|| {}).await.unwrap_err();
        assert_eq!(refused.code(), Code::EditConflict, "{file}");
        assert!(refused.message().starts_with(file), "{refused}");
        assert_eq!(world.bytes(&key).await.unwrap(), b"somebody else's");
        world.put("demo/skills/legal/sale/a.md", "one").await;
    }
}

#[tokio::test]
async fn nothing_is_pushed_to_a_store_that_can_only_be_read() {
    let options = ServiceOptions { read_only: Some("it is being moved".to_owned()), ..ServiceOptions::default() };
    let world = World::with(Arc::new(MemoryStore::like_s3()), options);
    let draft = Draft::new(&[("SKILL.md", MAIN)]);
    assert_eq!(push(&world.service, &draft, false).await.unwrap_err().code(), Code::ReadOnly);
    assert_eq!(world.bytes("demo/skills/legal/sale/SKILL.md").await, None);
}

#[tokio::test]
async fn stored_skills_come_with_all_their_files_and_the_outermost_folder_decides() {
    let world = World::new();
    world.put_skill("demo", "legal/sale", "Prepares a sale.", "").await;
    world.put("demo/skills/legal/sale/inner/SKILL.md", "inner").await;
    world.put("demo/skills/legal/readme.md", "no skill's").await;
    world.put("demo/skills/broken/SKILL.md", "nothing").await;
    let stored = world.service.stored_skills(&id("demo")).await.unwrap();
    let found: Vec<_> = stored
        .skills
        .iter()
        .map(|skill| (skill.skill.as_str(), skill.files.iter().map(|file| skill.place(file)).collect::<Vec<_>>()))
        .collect();
    let sale = names(&["legal/sale/SKILL.md", "legal/sale/inner/SKILL.md"]);
    assert_eq!(found, [("broken", names(&["broken/SKILL.md"])), ("legal/sale", sale)]);
    assert!(!stored.is_cut);
    assert_eq!(stored.choose(&names(&["legal/sale"])).unwrap(), [&stored.skills[1]]);
    assert_eq!(stored.choose(&names(&["sale"])).unwrap(), [&stored.skills[1]], "a folder's name is enough");
    let unknown = stored.choose(&names(&["seal"])).unwrap_err();
    assert_eq!((unknown.code(), &unknown.details()["suggestions"][0]), (Code::SkillNotFound, &"legal/sale".into()));
    let linted = world.service.lint_stored(&stored.skills[0]).await.unwrap();
    assert_eq!((linted.skill.as_str(), linted.file.as_str()), ("broken", "broken/SKILL.md"));
    assert!(linted.errors_only().is_some());
    assert_eq!(world.service.lint_stored(&stored.skills[1]).await.unwrap().errors_only(), None);
}

#[tokio::test]
async fn a_pull_says_what_it_would_do_and_gives_bytes_only_to_do_it() {
    let world = World::new();
    world.put_skill("demo", "sale", "Prepares a sale.", "").await;
    world.put("demo/skills/sale/a.md", "one").await;
    let stored = world.service.stored_skills(&id("demo")).await.unwrap();
    let skill = &stored.skills[0];
    let file = skill.files.iter().find(|file| file.path == "a.md").unwrap();
    let pulled = async |here: Option<&[u8]>, dry_run| {
        let pulled = world.service.pull_file(skill, file, here, dry_run).await.unwrap();
        (pulled.change, pulled.bytes.is_some())
    };
    for (here, change) in [
        (None, FileChange::Created),
        (Some(b"ONE".as_slice()), FileChange::Updated),
        (Some(b"longer".as_slice()), FileChange::Updated),
    ] {
        assert_eq!((pulled(here, true).await, pulled(here, false).await), ((change, false), (change, true)));
    }
    assert_eq!(pulled(Some(b"one"), false).await, (FileChange::Unchanged, false));
    let key = KeyPrefix::all().key("demo/skills/sale/a.md").unwrap();
    world.bucket.delete(&key, DeleteOptions::default()).await.unwrap();
    let gone = world.service.pull_file(skill, file, None, false).await.unwrap_err();
    assert_eq!(gone.code(), Code::EditConflict);
    assert!(gone.message().starts_with("sale/a.md was deleted"), "{gone}");
}

#[tokio::test]
async fn a_file_that_no_path_can_name_is_listed_and_not_pulled() {
    let store = Arc::new(MemoryStore::like_s3());
    store.put_raw("demo/skills/sale/SKILL.md", MAIN);
    store.put_raw("demo/skills/sale//odd", "x");
    let world = World::over(store);
    let stored = world.service.stored_skills(&id("demo")).await.unwrap();
    let refused: Vec<_> =
        stored.skills[0].files.iter().filter_map(|file| stored.skills[0].pullable(file).err()).collect();
    assert_eq!(refused.len(), 1);
    assert_eq!(refused[0].message(), "\"demo/skills/sale//odd\" is not a name any path could have");
}

#[tokio::test]
async fn a_stored_skill_that_may_not_be_read_is_a_finding() {
    let world = World::new();
    world.put_skill("demo", "sale", "Prepares a sale.", "").await;
    let stored = world.service.stored_skills(&id("demo")).await.unwrap();
    world.faults.for_keys(Verb::Get, "sale/SKILL.md", Fault::Deny);
    let linted = world.service.lint_stored(&stored.skills[0]).await.unwrap();
    assert_eq!(linted.findings[0].diagnostic.code, FindingCode::Unreadable.as_str());
}

#[tokio::test]
async fn a_rebuild_of_the_catalog_writes_the_index_that_its_status_shows() {
    let store = Arc::new(MemoryStore::like_s3());
    store.put_raw("demo/skills/sale/SKILL.md", MAIN);
    store.put_raw("demo/skills/bad/SKILL.md", "nothing");
    let options = ServiceOptions { index: true, ..ServiceOptions::default() };
    let clock = Arc::new(SystemClock::new());
    let world = World::undisturbed(store, options, clock);
    let before = world.service.catalog_status(&id("demo")).await.unwrap();
    assert_eq!((before.skills, before.errors, before.index), (1, 1, None));
    let index = world.service.rebuild_catalog(&id("demo")).await.unwrap().index.unwrap();
    assert_eq!((index.key.as_str(), index.problem), ("demo/.skillmount/catalog.json", None));
}

/// A server runs them in tasks, which may move between threads.
#[test]
fn the_work_of_authors_can_be_spawned() {
    fn spawned(_: impl Future + Send) {}
    let (world, draft) = (World::new(), Draft::new(&[]));
    let service = &world.service;
    let (user, skill) = (id("demo"), sale());
    spawned(service.stored_skills(&user));
    spawned(async {
        let listing = service.list_for_push(&user, std::slice::from_ref(&skill)).await?;
        let plan = service.plan_push(&user, &skill, &draft, &listing, false).await?;
        service.push(&draft, &plan, &|| {}).await
    });
    spawned(service.catalog_status(&user));
    spawned(service.rebuild_catalog(&user));
}
