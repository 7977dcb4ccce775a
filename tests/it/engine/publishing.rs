//! Publishing skills: what readers see at every point of it, whoever else writes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bytes::Bytes;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use skillmount::{
    Code, Outcome, Result,
    catalog::Audience,
    content::DraftReader,
    handle::{ServiceOptions, SessionBackend},
    limits::{PUBLISH_TIMEOUT, UPLOAD_FILE_BYTES},
    path::{KeyPrefix, ObjectKey, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    session::Change,
    store::{DeleteOptions, GetOptions, MemoryStore, Object, PutOptions, Requests, Verb, testing::Fault},
    wire::{
        BackendProtocol, ChangeSkillRequest, CreateSession, FindingCode, LoadSkillRequest, Policy, PublishReply,
        PublishStatus, SkillsAccess, VersionListRequest, Visibility,
    },
};
use tokio::time::Instant;

use crate::support::{
    SetClock,
    world::{BackendExt, World, code, id},
};

const SKILL: &str = "a/demo";
pub(super) const FOLDER: &str = "demo/skills/a/demo/";

pub(super) type Files = BTreeMap<String, String>;

/// How the requests of a process that crashes end: refused, carried out without a reply, and lost.
pub(super) const FAULTS: [Fault; 3] = [Fault::Deny, Fault::LoseReply, Fault::LoseRequest];

/// The faults of requests that pass `crash` times, and then never more.
pub(super) fn from_the(crash: usize, fault: Fault) -> impl Iterator<Item = Fault> {
    std::iter::repeat_n(Fault::None, crash).chain(std::iter::repeat_n(fault, 100))
}

/// A version of the skill: its SKILL.md says which, and so does every other file.
pub(super) fn version(number: usize, others: &[&str]) -> Files {
    let main = format!("---\nname: demo\ndescription: Version {number}.\n---\nBody {number}\n");
    let others = others.iter().map(|path| ((*path).to_owned(), format!("{path} {number}")));
    others.chain([("SKILL.md".to_owned(), main)]).collect()
}

pub(super) fn uploaded(files: &Files) -> UploadedSkill {
    UploadedSkill::Files(files.iter().map(|(path, text)| (path.clone(), Bytes::from(text.clone()))).collect())
}

pub(super) fn from() -> PublishOptions {
    PublishOptions { by: Some("key".into()), source: Some("a test".into()), ..PublishOptions::default() }
}

fn only(digest: &str) -> PublishOptions {
    PublishOptions { condition: Some(digest.to_owned()).into(), ..from() }
}

pub(super) fn skill() -> SkillPath {
    SkillPath::parse(SKILL).unwrap()
}

pub(super) async fn publish_if(world: &World, files: &Files, only: Option<&str>) -> Result<PublishReply> {
    let options = PublishOptions { condition: only.map(str::to_owned).into(), ..from() };
    world.service.publisher().publish_skill(&id("demo"), &skill(), uploaded(files), options).await
}

pub(super) async fn publish(world: &World, files: &Files) -> PublishReply {
    publish_if(world, files, None).await.unwrap()
}

/// The plain files, as another tool sees them.
pub(super) async fn plain(world: &World) -> Files {
    let mut files = Files::new();
    for key in world.keys().await {
        if let Some(path) = key.strip_prefix(FOLDER) {
            let text = String::from_utf8(world.bytes(&key).await.unwrap()).unwrap();
            files.insert(path.to_owned(), text);
        }
    }
    files
}

/// The files of the loaded skill, as the agent reads them.
async fn loaded(agent: &SessionBackend) -> Files {
    let mut files = Files::new();
    for entry in agent
        .glob(skillmount::wire::GlobRequest { pattern: "**".into(), path: Some("/skills/demo".into()) })
        .await
        .unwrap()
        .matches
    {
        let text = agent.text(&entry.path).await.unwrap();
        files.insert(entry.path.strip_prefix("/skills/demo/").unwrap().to_owned(), text);
    }
    files
}

/// The skill as a new session of a new process sees it.
async fn seen(world: &World, session: &str) -> Files {
    let replica = world.replica();
    let agent = replica.agent_of("demo", session);
    agent.load(SKILL).await.unwrap();
    loaded(&agent).await
}

/// As [`seen`]; no files if there is no such skill.
pub(super) async fn seen_or_nothing(world: &World, session: &str) -> Files {
    let replica = world.replica();
    let agent = replica.agent_of("demo", session);
    match agent.load(SKILL).await {
        Ok(_) => loaded(&agent).await,
        Err(error) => {
            assert_eq!(error.code(), Code::SkillNotFound);
            Files::new()
        }
    }
}

/// Loads the skill in a process whose clock is a minute ahead, and waits until it has brought the plain files up to the head.
pub(super) async fn settled(world: &World) {
    let soon = SetClock::at(Timestamp::now().as_second() + 60);
    let later = World::at(world.bucket.clone(), ServiceOptions::default(), soon);
    let found = later.agent_of("demo", "later").load(SKILL).await;
    assert!(found.is_ok() || code(found) == Code::SkillNotFound);
    for _ in 0..100 {
        let head = world.bytes("demo/.skillmount/heads/a/demo.json").await;
        if head.is_none_or(|head| String::from_utf8(head).unwrap().contains("\"materialised\":true")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("nobody brought the plain files up to the head");
}

/// The published version, as a new process sees it.
async fn current(world: &World) -> String {
    let service = world.replica().service;
    let listed =
        service.publisher().list_versions(&id("demo"), &skill(), &VersionListRequest::default()).await.unwrap();
    listed.current.unwrap()
}

async fn versions(world: &World) -> Vec<String> {
    let listed =
        world.service.publisher().list_versions(&id("demo"), &skill(), &VersionListRequest::default()).await.unwrap();
    listed.versions.into_iter().map(|version| version.digest).collect()
}

// S-PUBLISH-1: A published skill is plain files in the bucket, a head that names the version, and the archive of that
// version.
#[tokio::test]
async fn a_published_skill_is_plain_files_and_the_same_again_changes_nothing() {
    let world = World::new();
    let first = version(1, &["b.md", "c/d.md"]);
    let reply = publish(&world, &first).await;
    assert_eq!((reply.status, reply.complete, reply.kept.len()), (PublishStatus::Created, true, 0));
    assert_eq!(plain(&world).await, first);
    assert!(world.keys().await.contains(&format!("demo/.skillmount/versions/a/demo/{}.zip", &reply.digest[7..])));
    assert_eq!(seen(&world, "s").await, first);
    let agent = world.agent();
    assert_eq!(agent.load(SKILL).await.unwrap().version, Some(reply.digest.clone()));

    let (again, cost) = Box::pin(world.cost(publish(&world, &first))).await;
    assert_eq!((again.status, again.digest), (PublishStatus::Unchanged, reply.digest.clone()));
    assert_eq!((cost.put, cost.delete), (0, 0));

    let second = version(2, &["b.md", "e.md"]);
    let updated = publish(&world, &second).await;
    assert_eq!((updated.status, plain(&world).await), (PublishStatus::Updated, second.clone()));
    assert_eq!(seen(&world, "t").await, second);
    assert_eq!(versions(&world).await.len(), 2);
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn at_every_crash_point_readers_see_one_version_whole() {
    let (one, two) = (version(1, &["b.md", "c.md", "gone.md"]), version(2, &["b.md", "c.md", "new.md"]));
    let mut outcomes = Vec::new();
    for (is_managed, fault) in [true, false].into_iter().flat_map(|managed| FAULTS.map(|fault| (managed, fault))) {
        for crash in 0..10 {
            for verb in [Verb::Put, Verb::Delete] {
                let world = World::new();
                if is_managed {
                    publish(&world, &one).await;
                } else {
                    for (path, text) in &one {
                        world.put(&format!("{FOLDER}{path}"), text.clone()).await;
                    }
                }
                world.faults.script(verb, from_the(crash, fault));
                let outcome = publish_if(&world, &two, None).await;
                world.faults.clear();
                let now = seen(&world, "s").await;
                assert!(now == one || now == two, "{fault:?} {verb:?} {crash}: {now:?}");
                match &outcome {
                    Ok(_) => assert_eq!(now, two, "what was published is seen"),
                    Err(error) if error.outcome() == Some(Outcome::Unknown) => {}
                    Err(error) => assert_eq!(now, one, "{fault:?} {verb:?} {crash}: {error}"),
                }
                settled(&world).await;
                assert_eq!(plain(&world).await, now, "{fault:?} {verb:?} {crash}: the plain files follow");
                assert_eq!(seen(&world, "t").await, now);
                outcomes.push((now == two, outcome.is_ok_and(|reply| reply.complete)));
                assert!(publish(&world, &two).await.complete);
                assert_eq!(plain(&world).await, two);
            }
        }
    }
    for case in [(false, false), (true, false), (true, true)] {
        assert!(outcomes.contains(&case), "{case:?} never happened");
    }
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn at_every_crash_point_of_a_rollback_or_a_deletion_readers_see_one_version_whole() {
    let (one, two) = (version(1, &["b.md", "gone.md"]), version(2, &["b.md", "new.md"]));
    for deletes in [true, false] {
        let mut outcomes = Vec::new();
        for (crash, fault) in (0..10).flat_map(|crash| FAULTS.map(|fault| (crash, fault))) {
            for verb in [Verb::Put, Verb::Delete] {
                let world = World::new();
                let first = publish(&world, &one).await.digest;
                publish(&world, &two).await;
                world.faults.script(verb, from_the(crash, fault));
                let change = async || {
                    if deletes {
                        return world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await;
                    }
                    world.service.publisher().roll_back_skill(&id("demo"), &skill(), &first, from()).await.map(drop)
                };
                let told = change().await;
                world.faults.clear();
                let is_told = told.is_ok();
                let after = if deletes { Files::new() } else { one.clone() };
                let now = seen_or_nothing(&world, "s").await;
                assert!(now == two || now == after, "{deletes} {verb:?} {crash}: {now:?}");
                assert!(!is_told || now == after, "{deletes} {fault:?} {verb:?} {crash}: what was told is seen");
                let is_unknown = told.is_err_and(|error| error.outcome() == Some(Outcome::Unknown));
                assert!(
                    is_told || is_unknown || now == two,
                    "{deletes} {fault:?} {verb:?} {crash}: nothing was changed"
                );
                settled(&world).await;
                assert_eq!(plain(&world).await, now, "{deletes} {verb:?} {crash}: the plain files follow");
                outcomes.push((is_told, now == after));
                assert!(
                    change().await.is_ok() || now.is_empty(),
                    "{deletes} {verb:?} {crash}: the same call completes it"
                );
                assert_eq!(plain(&world).await, after);
            }
        }
        assert!(outcomes.contains(&(true, true)) && outcomes.contains(&(false, false)), "{deletes}: {outcomes:?}");
    }
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn a_reader_at_any_moment_of_a_publish_sees_one_version() {
    let (one, two) = (version(1, &["b.md", "c.md", "gone.md"]), version(2, &["b.md", "c.md", "new.md"]));
    for is_managed in [true, false] {
        for moment in 0..30 {
            let world = World::new();
            if is_managed {
                publish(&world, &one).await;
            } else {
                for (path, text) in &one {
                    world.put(&format!("{FOLDER}{path}"), text.clone()).await;
                }
            }
            world.faults.set_latency(Duration::from_millis(10));
            let reader = world.replica();
            // Each kind of request takes another time, so that the three looks of a load are of three moments.
            reader.faults.for_keys(Verb::List, "skills/", Fault::SlowRequest(Duration::from_millis(25)));
            let read = async {
                tokio::time::sleep(Duration::from_millis(5 * moment)).await;
                let agent = reader.agent_of("demo", "s");
                agent.load(SKILL).await.unwrap();
                loaded(&agent).await
            };
            let (published, now) = tokio::join!(publish_if(&world, &two, None), read);
            published.unwrap();
            assert!(now == one || now == two, "{is_managed} {moment}: {now:?}");
        }
    }
}

// S-GATE-7: Under `visibility: all` each operation sees the version that a load would pin at its beginning.
#[tokio::test(start_paused = true)]
async fn what_is_shown_without_a_load_is_one_version_at_any_moment_of_a_publish() {
    let others = ["b.md", "c.md", "d.md"];
    let (one, two) = (version(1, &others), version(2, &others));
    let mut seen = [0, 0];
    for moment in 0..30 {
        let world = World::new();
        publish(&world, &one).await;
        world.faults.set_latency(Duration::from_millis(10));
        let reader = world.replica();
        let agent = reader.agent_of("demo", "s");
        let (user, session) = (id("demo"), id("s"));
        let update = reader.service.sessions().update(&user, &session, |session| {
            session.policy.visibility = Visibility::All;
            Ok(Change::Save(()))
        });
        update.await.unwrap();
        reader.faults.for_keys(Verb::List, "skills/", Fault::SlowRequest(Duration::from_millis(25)));
        let read = async {
            tokio::time::sleep(Duration::from_millis(5 * moment)).await;
            agent.hits("[12]$", Some("/skills")).await.unwrap()
        };
        // The first reads end before the head is replaced.
        let late = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            publish_if(&world, &two, None).await
        };
        let (published, hits) = tokio::join!(late, read);
        published.unwrap();
        assert_eq!(hits.len(), 1 + others.len(), "{moment}: {hits:?}");
        let of_two = hits.iter().filter(|hit| hit.ends_with('2')).count();
        assert!(of_two == 0 || of_two == hits.len(), "{moment}: {hits:?}");
        seen[usize::from(of_two > 0)] += 1;
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

// S-PUBLISH-4: The service runs concurrent publishes one after the other, and the files are those of the last.
// S-PUBLISH-20: With `If-Match` only the first of concurrent publishers succeeds: the header names the version that the
// skill must have.
#[tokio::test(start_paused = true)]
async fn of_two_publishers_one_wins_whole() {
    for round in 0..20 {
        let world = World::new();
        let base = publish(&world, &version(0, &["b.md", "c.md"])).await.digest;
        let other = world.replica();
        world.faults.set_latency(Duration::from_millis(7));
        other.faults.set_latency(Duration::from_millis(10));
        let (one, two) = (version(1, &["b.md", "x.md"]), version(2, &["c.md", "y.md"]));
        let later = async {
            tokio::time::sleep(Duration::from_millis(5 * round)).await;
            publish_if(&other, &two, None).await
        };
        let (first, second) = tokio::join!(publish_if(&world, &one, None), later);
        assert!(first.is_ok() && second.is_ok(), "{first:?} {second:?}");
        settled(&world).await;
        let now = plain(&world).await;
        assert!(now == one || now == two, "{round}: {now:?}");
        assert_eq!(seen(&world, "s").await, now);
        assert_eq!(versions(&world).await.len(), 3, "both were published");

        let (one, two) = (version(3, &["b.md"]), version(4, &["c.md"]));
        let current = current(&world).await;
        let stale = publish_if(&world, &one, Some(&base)).await.unwrap_err();
        assert_eq!((stale.code(), &stale.details()["current"]), (Code::VersionConflict, &current.clone().into()));
        let (first, second) =
            tokio::join!(publish_if(&world, &one, Some(&current)), publish_if(&other, &two, Some(&current)));
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        settled(&world).await;
        assert_eq!(plain(&world).await, if first.is_ok() { one } else { two });
        let archives = world.keys().await.iter().filter(|key| key.contains("/versions/")).count();
        assert_eq!((archives, versions(&world).await.len()), (5, 4), "what lost was stored, and is no version");
        // Who lost publishes the same again, and then it is one.
        let lost = if first.is_ok() { version(4, &["c.md"]) } else { version(3, &["b.md"]) };
        publish(&world, &lost).await;
        assert_eq!(versions(&world).await.len(), 5);
        world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
        assert_eq!(versions(&world).await.len(), 5);
    }
}

// S-PUBLISH-27: If the service cannot know whether an archive counted, it lists the archive.
#[tokio::test]
async fn of_a_head_that_does_not_say_what_was_published_every_archive_is_a_version() {
    let world = World::new();
    let one = publish(&world, &version(1, &[])).await.digest;
    publish(&world, &version(2, &[])).await;
    world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
    // As an earlier version of this program wrote it.
    let head = world.bytes("demo/.skillmount/heads/a/demo.json").await.unwrap();
    let mut head: serde_json::Value = serde_json::from_slice(&head).unwrap();
    assert!(head["numbers"].as_object_mut().unwrap().remove("former").is_some());
    world.put("demo/.skillmount/heads/a/demo.json", head.to_string()).await;
    assert_eq!(versions(&world.replica()).await.len(), 2);
    publish(&world.replica(), &version(3, &[])).await;
    assert_eq!(versions(&world.replica()).await.len(), 3);
    assert!(versions(&world.replica()).await.contains(&one));
}

/// How often the archives of the skill were listed.
fn listings_of_versions(world: &World) -> usize {
    let asked = world.ledger.asked();
    asked.iter().filter(|(verb, key)| *verb == Verb::List && key.contains("/.skillmount/versions/")).count()
}

// S-PUBLISH-27: If the service cannot know whether an archive counted, it lists the archive.
#[tokio::test]
async fn what_was_published_before_its_head_was_lost_is_listed_after_the_next_publish_too() {
    for rolls_back in [false, true] {
        let world = World::new();
        let mut expected = Vec::new();
        for number in 1..=3 {
            expected.push(publish(&world, &version(number, &[])).await.digest);
        }
        world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
        assert_eq!(listings_of_versions(&world), 1, "the first publish alone asks what lies there");
        // The head was damaged, and an operator deleted it.
        let head = KeyPrefix::all().key("demo/.skillmount/heads/a/demo.json").unwrap();
        world.bucket.delete(&head, DeleteOptions::default()).await.unwrap();

        let world = world.replica();
        if rolls_back {
            world.service.publisher().roll_back_skill(&id("demo"), &skill(), &expected[1], from()).await.unwrap();
        } else {
            expected.push(publish(&world, &version(4, &[])).await.digest);
        }
        let mut listed = versions(&world).await;
        listed.sort();
        expected.sort();
        assert_eq!(listed, expected, "{rolls_back}");
        world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
        assert_eq!(versions(&world).await.len(), expected.len());
    }
}

// S-PUBLISH-28: A caller with the digest of an archive rolls back to it, listed or not, and the rollback makes it a
// version.
#[tokio::test]
async fn who_knows_the_digest_of_an_archive_that_never_counted_rolls_back_to_it() {
    let (world, elsewhere) = (World::new(), World::new());
    publish(&world, &version(1, &[])).await;
    let lost = publish(&elsewhere, &version(2, &[])).await.digest;
    let key = elsewhere.keys().await.into_iter().find(|key| key.contains("/versions/")).unwrap();
    world.put(&key, elsewhere.bytes(&key).await.unwrap()).await;
    assert!(!versions(&world).await.contains(&lost));
    world.service.publisher().roll_back_skill(&id("demo"), &skill(), &lost, from()).await.unwrap();
    assert_eq!((plain(&world).await, versions(&world).await.len()), (version(2, &[]), 2));
}

// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
// S-PUBLISH-21: Files that another tool writes during a publish stay, and the answer names them in `kept`.
#[tokio::test(start_paused = true)]
async fn a_foreign_write_at_any_moment_of_a_publish_is_not_lost() {
    let (one, two) = (version(1, &["b.md", "gone.md"]), version(2, &["b.md", "new.md"]));
    for path in ["b.md", "gone.md", "new.md", "SKILL.md", "other.md"] {
        let mut stayed = 0;
        for moment in 0..16 {
            let world = World::new();
            publish(&world, &one).await;
            world.faults.set_latency(Duration::from_millis(10));
            let foreign = version(9, &[path])[path].clone();
            let write = async {
                tokio::time::sleep(Duration::from_millis(10 * moment + 5)).await;
                world.put(&format!("{FOLDER}{path}"), foreign.clone()).await;
            };
            let (published, ()) = tokio::join!(publish_if(&world, &two, None), write);
            published.unwrap();
            settled(&world).await;
            let is_there = plain(&world).await.get(path) == Some(&foreign);
            stayed += usize::from(is_there);
            let mut is_kept = is_there;
            for (number, digest) in versions(&world).await.iter().enumerate() {
                let agent = world.agent_of("demo", &format!("s{number}"));
                let request = LoadSkillRequest { digest: Some(digest.clone()), ..LoadSkillRequest::new(SKILL) };
                agent.load_skill(request).await.unwrap();
                is_kept |= loaded(&agent).await.get(path) == Some(&foreign);
            }
            assert!(is_kept, "{path} at {moment}");
        }
        assert!(stayed > 0, "{path} never stayed");
    }
}

// S-PUBLISH-21: Files that another tool writes during a publish stay, and the answer names them in `kept`.
#[tokio::test(start_paused = true)]
async fn a_file_that_another_tool_rewrote_with_our_metadata_is_no_late_write_of_ours() {
    for foreign in ["b.md 9".to_owned(), "x".repeat(600 << 10)] {
        let mut stayed = 0;
        for moment in 0..16 {
            let world = World::new();
            publish(&world, &version(1, &["b.md"])).await;
            let key = KeyPrefix::all().key(&format!("{FOLDER}b.md")).unwrap();
            world.faults.set_latency(Duration::from_millis(10));
            let two = version(2, &["b.md"]);
            let write = async {
                tokio::time::sleep(Duration::from_millis(10 * moment + 5)).await;
                let metadata = world.bucket.head(&key).await.unwrap().metadata;
                assert!(!metadata.is_empty());
                let options = PutOptions::default().with_metadata(metadata);
                world.bucket.put(&key, foreign.clone().into(), options).await.unwrap();
            };
            let (published, ()) = tokio::join!(publish_if(&world, &two, None), write);
            let kept = published.unwrap().kept;
            settled(&world).await;
            let is_there = plain(&world).await["b.md"] == foreign;
            stayed += usize::from(is_there && kept == ["b.md"]);
            let is_kept = is_there || versions(&world).await.len() == 3;
            assert!(is_kept, "at {moment}");
        }
        assert!(stayed > 0, "it never came between");
    }
}

// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
#[tokio::test(start_paused = true)]
async fn a_file_with_our_metadata_that_is_larger_than_any_of_ours_is_not_read_through() {
    let world = World::new();
    publish(&world, &version(1, &["b.md"])).await;
    let key = KeyPrefix::all().key(&format!("{FOLDER}b.md")).unwrap();
    world.faults.for_keys(Verb::Put, key.as_str(), Fault::SlowRequest(Duration::from_secs(20)));
    let two = version(2, &["b.md"]);
    let write = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        let metadata = world.bucket.head(&key).await.unwrap().metadata;
        let options = PutOptions::default().with_metadata(metadata);
        world.bucket.put(&key, vec![b'x'; UPLOAD_FILE_BYTES + 1].into(), options).await.unwrap();
    };
    let asked = world.ledger.asked().len();
    let (published, ()) = tokio::join!(publish_if(&world, &two, None), write);
    assert_eq!(published.unwrap().kept, ["b.md"]);
    let asked = world.ledger.asked().split_off(asked);
    let reads = asked.iter().filter(|(verb, asked)| *verb == Verb::Get && asked == key.as_str()).count();
    assert_eq!(reads, 1, "{asked:?}");
}

// S-PUBLISH-6: If other tools change a folder, the folder is the skill until the next publish, which first keeps it as
// a version. Changes by an agent count as such changes.
#[tokio::test]
async fn what_an_agent_wrote_to_a_published_skill_is_kept_as_a_version() {
    let world = World::new();
    let one = publish(&world, &version(1, &["b.md"])).await.digest;
    let policy = Policy { skills_access: SkillsAccess::Write, ..Policy::default() };
    let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
    let agent = world.agent();
    agent.load(SKILL).await.unwrap();
    agent.overwrite("/skills/demo/b.md", "by the agent").await.unwrap();
    let by_agent = plain(&world).await;
    assert_eq!(by_agent["b.md"], "by the agent");

    let two = version(2, &[]);
    let conflict = publish_if(&world, &two, Some(&one)).await.unwrap_err();
    assert_eq!((conflict.code(), plain(&world).await), (Code::VersionConflict, by_agent.clone()));
    let current = conflict.details()["current"].as_str().unwrap().to_owned();
    assert_eq!(versions(&world).await, std::slice::from_ref(&one), "nothing was stored");

    let published = publish(&world, &two).await.digest;
    assert_eq!(plain(&world).await, two);
    let mut listed = versions(&world).await;
    listed.sort();
    let mut expected = [one, current.clone(), published];
    expected.sort();
    assert_eq!(listed, expected);
    world.service.publisher().roll_back_skill(&id("demo"), &skill(), &current, from()).await.unwrap();
    assert_eq!(plain(&world).await, by_agent);
}

// S-PUBLISH-6: If other tools change a folder, the folder is the skill until the next publish, which first keeps it as
// a version.
#[tokio::test]
async fn a_folder_that_differs_from_its_head_wins_and_is_kept_as_a_version() {
    let world = World::new();
    let one = publish(&world, &version(1, &["b.md"])).await.digest;
    world.put(&format!("{FOLDER}b.md"), "by hand").await;
    let by_hand = plain(&world).await;
    assert_eq!(seen(&world, "s").await, by_hand);
    let agent = world.agent();
    assert_eq!(agent.load(SKILL).await.unwrap().version, None);

    let conflict = publish_if(&world, &version(2, &[]), Some(&one)).await.unwrap_err();
    assert_eq!(conflict.code(), Code::VersionConflict);
    let current = conflict.details()["current"].as_str().unwrap().to_owned();
    assert_eq!(plain(&world).await, by_hand, "nothing was changed");
    publish_if(&world, &version(2, &[]), Some(&current)).await.unwrap();
    assert!(versions(&world).await.contains(&current));
    let back = world.service.publisher().roll_back_skill(&id("demo"), &skill(), &current, from()).await.unwrap();
    assert_eq!((back.digest, plain(&world).await), (current, by_hand));
}

// S-PUBLISH-7: A session that loaded a published version reads it to the session's end, through every later publish and
// deletion.
#[tokio::test]
async fn a_session_reads_the_version_it_loaded_to_its_end() {
    let world = World::new();
    let one = version(1, &["b.md", "c/d.md"]);
    publish(&world, &one).await;
    let agent = world.agent();
    agent.load(SKILL).await.unwrap();
    publish(&world, &version(2, &["b.md"])).await;
    assert_eq!(loaded(&agent).await, one);
    publish(&world, &version(3, &["c/d.md"])).await;
    world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
    let elsewhere = world.replica().agent();
    assert_eq!(loaded(&elsewhere).await, one, "in a process that remembers nothing");
    assert_eq!(elsewhere.hits("b.md 1", Some("/skills")).await.unwrap().len(), 1);
}

// S-PUBLISH-8: Deleting a skill keeps its versions, and a rollback to a version brings the skill back.
// S-PUBLISH-11: `load_skill` with `digest` loads that version, also of a deleted skill.
#[tokio::test]
async fn a_deleted_skill_is_gone_and_comes_back() {
    let world = World::new();
    let one = version(1, &["b.md"]);
    let digest = publish(&world, &one).await.digest;
    world.service.publisher().delete_skill(&id("demo"), &skill(), only(&digest)).await.unwrap();
    assert!(plain(&world).await.is_empty());
    assert_eq!(code(world.agent().load(SKILL).await), Code::SkillNotFound);
    let listed =
        world.service.publisher().list_versions(&id("demo"), &skill(), &VersionListRequest::default()).await.unwrap();
    assert_eq!((listed.versions.len(), &listed.current), (1, &None));
    assert_eq!((listed.versions[0].by.as_deref(), listed.versions[0].files), (Some("key"), Some(2)));
    let again = world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await;
    assert_eq!(code(again), Code::SkillNotFound);

    let request = LoadSkillRequest { digest: Some(digest.clone()), ..LoadSkillRequest::new(SKILL) };
    let agent = world.agent_of("demo", "old");
    assert_eq!(agent.load_skill(request).await.unwrap().version, Some(digest.clone()));
    assert_eq!(loaded(&agent).await, one);

    let back = world.service.publisher().roll_back_skill(&id("demo"), &skill(), &digest, from()).await.unwrap();
    assert_eq!((back.status, plain(&world).await), (PublishStatus::Created, one));
    let absent = format!("sha256:{}", "0".repeat(64));
    let none = world.service.publisher().roll_back_skill(&id("demo"), &skill(), &absent, from()).await;
    assert_eq!(code(none), Code::VersionNotFound);
}

// S-PUBLISH-9: Skills do not lie in one another: a publish into a skill, or over a folder of skills, is `already_exists`.
#[tokio::test]
async fn a_skill_is_published_in_no_other_and_around_none() {
    let world = World::new();
    publish(&world, &version(1, &[])).await;
    for path in ["a/demo/inner/demo", "a"] {
        let files = Files::from([(
            "SKILL.md".to_owned(),
            format!("---\nname: {}\ndescription: d\n---\nB\n", path.rsplit('/').next().unwrap()),
        )]);
        let place = SkillPath::parse(path).unwrap();
        let refused = world.service.publisher().publish_skill(&id("demo"), &place, uploaded(&files), from()).await;
        assert_eq!(code(refused), Code::AlreadyExists, "{path}");
    }
    assert_eq!(world.keys().await.iter().filter(|key| key.contains("/versions/")).count(), 1);
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn a_late_write_of_an_earlier_publish_is_set_right() {
    let world = World::new();
    let (one, two) = (version(1, &["b.md"]), version(2, &["b.md", "late.md"]));
    publish(&world, &one).await;
    world.faults.for_keys(Verb::Put, "late.md", Fault::SlowRequest(Duration::from_secs(20)));
    let other = world.replica();
    let three = version(3, &["b.md"]);
    let later = async {
        tokio::time::sleep(Duration::from_secs(5)).await;
        publish_if(&other, &three, None).await
    };
    let (slow, fast) = tokio::join!(publish_if(&world, &two, None), later);
    assert!(slow.is_ok() && fast.is_ok(), "{slow:?} {fast:?}");
    settled(&world).await;
    assert_eq!(plain(&world).await, three, "the late file of the second version is not left in the third");
    assert_eq!(seen(&world, "s").await, three);
}

// A load leaves a change of the last 30 seconds to its server.
// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it.
#[tokio::test(start_paused = true)]
async fn a_load_completes_the_files_of_a_change_once_its_server_has_had_time() {
    let world = World::new();
    let two = version(2, &["new.md"]);
    publish(&world, &version(1, &[])).await;
    world.faults.for_keys(Verb::Put, "new.md", Fault::Deny);
    assert!(!publish(&world, &two).await.complete);
    let other = world.replica();
    let agent = other.agent();
    let load = async {
        agent.load(SKILL).await.unwrap();
        World::quiet().await;
    };
    let ((), cost) = other.cost(load).await;
    assert_eq!((cost.put, cost.delete), (0, 0), "the server may be at work");
    assert_eq!(loaded(&agent).await, two);
    assert!(!plain(&world).await.contains_key("new.md"));
    settled(&world).await;
    assert_eq!(plain(&world).await, two);
}

// S-PUBLISH-13: A publish continues if its client leaves, and ends within five minutes.
#[tokio::test(start_paused = true)]
async fn a_program_without_a_server_gives_up_the_files_of_a_publish_after_five_minutes_too() {
    let world = World::new();
    let two = version(2, &["new.md"]);
    publish(&world, &version(1, &[])).await;
    world.faults.for_keys(Verb::Put, "new.md", Fault::SlowRequest(Duration::from_hours(1)));
    let began = Instant::now();
    assert!(!publish(&world, &two).await.complete);
    assert_eq!(began.elapsed(), PUBLISH_TIMEOUT);
    assert_eq!(seen(&world, "s").await, two, "the change is made");
    settled(&world).await;
    assert_eq!(plain(&world).await, two);
}

// If the dead server changed a plain file even later, the service restores the file at the next change or load of the skill.
// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it.
#[tokio::test(start_paused = true)]
async fn a_file_that_a_slow_server_deleted_is_restored_unless_a_tool_has_a_folder_there() {
    let world = World::over(Arc::new(MemoryStore::new()));
    publish(&world, &version(1, &["deleted.md", "tool.md"])).await;
    let key = "demo/.skillmount/heads/a/demo.json";
    let mut head: serde_json::Value = serde_json::from_slice(&world.bytes(key).await.unwrap()).unwrap();
    head["late"] =
        serde_json::json!({"until": "2999-01-01T00:00:00Z", "files": {}, "deleted": ["deleted.md", "tool.md"]});
    world.put(key, head.to_string()).await;
    for path in ["deleted.md", "tool.md"] {
        let key = KeyPrefix::all().key(&format!("{FOLDER}{path}")).unwrap();
        world.bucket.delete(&key, DeleteOptions::default()).await.unwrap();
    }
    world.put(&format!("{FOLDER}tool.md/other.md"), "of another tool").await;
    world.replica().agent().load(SKILL).await.unwrap();
    World::quiet().await;
    let files = plain(&world).await;
    assert_eq!((&*files["deleted.md"], &*files["tool.md/other.md"]), ("deleted.md 1", "of another tool"));
    let two = version(2, &["deleted.md"]);
    publish(&world, &two).await;
    assert_eq!(plain(&world).await, two);
    assert_eq!(versions(&world).await.len(), 3, "the folder of the other tool is a version");
}

// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
#[tokio::test]
async fn a_skill_that_a_tool_put_around_another_can_be_changed_after_the_inner_one() {
    let world = World::new();
    let inner = SkillPath::parse("a/demo/inner").unwrap();
    let publisher = world.service.publisher();
    let files = |number, others: &[&str]| {
        let main = format!("---\nname: inner\ndescription: Version {number}.\n---\nBody {number}\n");
        let others = others.iter().map(|path| ((*path).to_owned(), format!("{path} {number}")));
        uploaded(&others.chain([("SKILL.md".to_owned(), main)]).collect())
    };
    publisher.publish_skill(&id("demo"), &inner, files(1, &[]), from()).await.unwrap();
    world.put(&format!("{FOLDER}SKILL.md"), version(1, &[])["SKILL.md"].clone()).await;
    let changed = ChangeSkillRequest { body: Some("Changed\n".into()), ..ChangeSkillRequest::default() };
    publisher.change_skill(&id("demo"), &skill(), changed, from()).await.unwrap();
    publisher.publish_skill(&id("demo"), &inner, files(2, &["new.md"]), from()).await.unwrap();
    let changed = ChangeSkillRequest { body: Some("Changed again\n".into()), ..ChangeSkillRequest::default() };
    publisher.change_skill(&id("demo"), &skill(), changed, from()).await.unwrap();
    let plain = plain(&world).await;
    assert!(plain["SKILL.md"].ends_with("Changed again\n"), "{plain:?}");
    assert_eq!(plain["inner/new.md"], "new.md 2");
}

// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it. A
// change of another server comes before or after it.
#[tokio::test]
async fn a_late_file_of_a_deleted_skill_that_another_skill_has_by_now_stays() {
    let world = World::new();
    let publisher = world.service.publisher();
    let main = "---\nname: inner\ndescription: Lies inside.\n---\nBody\n".to_owned();
    let inner = Files::from([("SKILL.md".to_owned(), main.clone())]);
    let mut outer = version(1, &[]);
    outer.insert("inner/SKILL.md".to_owned(), main.clone());
    publish(&world, &outer).await;
    publisher.delete_skill(&id("demo"), &skill(), from()).await.unwrap();
    // A server that died had settled a publish of these files.
    let key = "demo/.skillmount/heads/a/demo.json";
    let mut head: serde_json::Value = serde_json::from_slice(&world.bytes(key).await.unwrap()).unwrap();
    let sha256 = hex::encode(Sha256::digest(&main));
    head["late"] = serde_json::json!({"until": "2000-01-01T00:00:00Z", "files": {"inner/SKILL.md": sha256}});
    world.put(key, head.to_string()).await;
    let place = SkillPath::parse("a/demo/inner").unwrap();
    publisher.publish_skill(&id("demo"), &place, uploaded(&inner), from()).await.unwrap();
    // A change at the outer path ends the list.
    let refused = publish_if(&world, &version(2, &[]), None).await;
    assert_eq!(code(refused), Code::AlreadyExists);
    assert_eq!(plain(&world).await, Files::from([("inner/SKILL.md".to_owned(), main)]));
    let head: serde_json::Value = serde_json::from_slice(&world.bytes(key).await.unwrap()).unwrap();
    assert!(head.get("late").is_none(), "the list has ended: {head}");
}

/// Puts a file of the skill at `from` back that the service wrote and removed since. `late` is the skill whose head lists it.
async fn land_late(world: &World, object: Object, key: &ObjectKey, (head, path): (&str, &str)) {
    let mut listed: serde_json::Value = serde_json::from_slice(&world.bytes(head).await.unwrap()).unwrap();
    let sha256 = hex::encode(Sha256::digest(&object.bytes));
    listed["late"] = serde_json::json!({"until": "2999-01-01T00:00:00Z", "files": {path: sha256}});
    world.put(head, listed.to_string()).await;
    let options = PutOptions::default().with_metadata(object.meta.metadata);
    world.bucket.put(key, object.bytes, options).await.unwrap();
}

// If the dead server changed a plain file even later, the service restores the file at the next change or load of the skill.
// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it.
#[tokio::test(start_paused = true)]
async fn a_file_that_comes_late_to_a_deleted_skill_goes_with_the_next_change_or_page() {
    for publishes in [true, false] {
        let world = World::new();
        publish(&world, &version(1, &["late.md"])).await;
        let key = KeyPrefix::all().key(&format!("{FOLDER}late.md")).unwrap();
        let object = world.bucket.get(&key, GetOptions::default()).await.unwrap();
        world.service.publisher().delete_skill(&id("demo"), &skill(), from()).await.unwrap();
        land_late(&world, object, &key, ("demo/.skillmount/heads/a/demo.json", "late.md")).await;
        if publishes {
            publish(&world, &version(2, &["b.md"])).await;
            assert_eq!(plain(&world).await, version(2, &["b.md"]));
            assert_eq!(versions(&world).await.len(), 2, "the late file is in no version");
        } else {
            let library = world.service.library();
            let page = library.show_skill(&id("demo"), &Policy::unrestricted(), &skill(), DraftReader::Control).await;
            assert_eq!(code(page), Code::SkillNotFound);
            assert_eq!(plain(&world).await, Files::new());
        }
    }
}

// If the dead server changed a plain file even later, the service restores the file at the next change or load of the skill.
// S-PUBLISH-33: If a server dies in the middle of a change, the change is made or it is not, and another server settles it.
#[tokio::test(start_paused = true)]
async fn a_skill_file_that_comes_late_hides_no_skill_inside_its_folder() {
    for comes_first in [true, false] {
        let world = World::new();
        publish(&world, &version(1, &[])).await;
        let key = KeyPrefix::all().key(&format!("{FOLDER}SKILL.md")).unwrap();
        let object = world.bucket.get(&key, GetOptions::default()).await.unwrap();
        let publisher = world.service.publisher();
        publisher.delete_skill(&id("demo"), &skill(), from()).await.unwrap();
        let place = SkillPath::parse("a/demo/inner").unwrap();
        let main = "---
name: inner
description: Lies inside.
---
Body
"
        .to_owned();
        let inner = Files::from([("SKILL.md".to_owned(), main.clone())]);
        let late = ("demo/.skillmount/heads/a/demo.json", "SKILL.md");
        if comes_first {
            land_late(&world, object, &key, late).await;
            publisher.publish_skill(&id("demo"), &place, uploaded(&inner), from()).await.unwrap();
            assert!(world.bytes(&format!("{FOLDER}SKILL.md")).await.is_none(), "the publish removes it");
        } else {
            publisher.publish_skill(&id("demo"), &place, uploaded(&inner), from()).await.unwrap();
            land_late(&world, object, &key, late).await;
        }
        let other = world.replica();
        other.service.catalogs().view(Audience::from(&id("demo")), true).await.unwrap();
        let library = other.service.library();
        let page = library.show_skill(&id("demo"), &Policy::unrestricted(), &place, DraftReader::Control).await;
        assert!(page.is_ok(), "{comes_first}: {:?}", code(page));
        assert_eq!(plain(&world).await, Files::from([("inner/SKILL.md".to_owned(), main)]), "{comes_first}");
    }
}

// S-PUBLISH-31: A publish where no skill is begins as pending. Until it is final, readers find the state before it, and
// `If-Match` does not match its version.
#[tokio::test(start_paused = true)]
async fn a_publish_that_ends_before_it_knows_whether_it_counts_removes_the_files_that_it_wrote_too_late() {
    let world = World::new();
    world.faults.script(Verb::Put, from_the(2, Fault::Deny));
    publish_if(&world, &version(1, &[]), None).await.unwrap_err();
    let other = world.replica();
    other.faults.for_keys(Verb::Put, "heads/a/demo.json", Fault::Deny);
    other.faults.for_keys(Verb::Put, "skills/a/demo/inner", Fault::SlowRequest(Duration::from_secs(1)));
    let place = SkillPath::parse("a/demo/inner").unwrap();
    let main = "---\nname: inner\ndescription: Lies inside.\n---\nBody\n".to_owned();
    let inner = uploaded(&Files::from([("SKILL.md".to_owned(), main)]));
    let refused = other.service.publisher().publish_skill(&id("demo"), &place, inner, from()).await.unwrap_err();
    assert_eq!(refused.outcome(), Some(Outcome::Unknown), "{refused}");
    let files = plain(&world).await;
    assert!(!files.keys().any(|path| path.starts_with("inner/")), "{files:?}");
}

// S-PUBLISH-30: Changes of a skill that overlap have an order: their answers and the skills after them are those of one change
// after the other.
#[tokio::test(start_paused = true)]
async fn a_first_publish_that_others_have_built_upon_twice_is_a_success() {
    let world = World::new();
    let other = world.replica();
    world.faults.for_keys(Verb::Put, "SKILL.md", Fault::SlowRequest(Duration::from_secs(5)));
    let later = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        publish(&other, &version(2, &[])).await;
        publish(&other, &version(3, &[])).await
    };
    let one = version(1, &["b.md"]);
    let (first, last) = tokio::join!(publish_if(&world, &one, None), later);
    assert_eq!(first.unwrap().status, PublishStatus::Created);
    assert_eq!(last.status, PublishStatus::Updated);
    assert_eq!(plain(&world).await, version(3, &[]));
    assert_eq!(versions(&world).await.len(), 3);
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test]
async fn a_page_completes_a_skill_whose_files_its_server_did_not_write() {
    let world = World::new();
    world.faults.for_keys(Verb::Put, "SKILL.md", Fault::Deny);
    assert!(!publish(&world, &version(1, &[])).await.complete);
    let soon = SetClock::at(Timestamp::now().as_second() + 60);
    let later = World::at(world.bucket.clone(), ServiceOptions::default(), soon);
    let library = later.service.library();
    let page = library.show_skill(&id("demo"), &Policy::unrestricted(), &skill(), DraftReader::Control).await.unwrap();
    assert_eq!(page.body, "Body 1\n");
    assert_eq!(plain(&world).await, version(1, &[]));
}

// S-PUBLISH-14: A version has up to 10,000 files, 64 MiB zipped and 256 MiB unpacked, and a file has up to 64 MiB. The list of its
// files, with the replaced ones, has up to 8 MiB.
#[tokio::test]
async fn a_list_of_files_that_no_head_could_hold_is_refused_before_it_is_stored() {
    let world = World::new();
    let folder = "d".repeat(250);
    let end = "e".repeat(190);
    let others: Vec<String> = (0..8_500).map(|number| format!("{folder}/{folder}/{folder}/{end}{number}.md")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let refused = publish_if(&world, &version(1, &others), None).await.unwrap_err();
    assert_eq!((refused.code(), refused.outcome()), (Code::FileTooLarge, Some(Outcome::NotApplied)), "{refused}");
    assert!(refused.message().contains("shorter paths"), "{refused}");
    assert!(plain(&world).await.is_empty() && !world.keys().await.iter().any(|key| key.contains("/heads/")));
    publish(&world, &version(2, &["b.md"])).await;
}

// S-PUBLISH-12: Heads and versions carry the number of their format, and the service refuses a newer format in words
// that say so.
#[tokio::test]
async fn a_head_that_is_damaged_or_newer_costs_its_skill_and_says_why() {
    let world = World::new();
    publish(&world, &version(1, &[])).await;
    world.put_skill("demo", "b/fine", "Fine.", "Body\n").await;
    for (head, says) in [(r#"{"format":2}"#, "newer version"), ("[]", "damaged"), (r#"{"format":1}"#, "damaged")] {
        world.put("demo/.skillmount/heads/a/demo.json", head).await;
        let refused = [
            world.agent().load(SKILL).await.map(drop).unwrap_err(),
            publish_if(&world, &version(2, &[]), None).await.map(drop).unwrap_err(),
        ];
        for error in refused {
            assert!(error.message().contains(says), "{error}");
        }
        assert!(world.agent().load("b/fine").await.is_ok());
    }
}

// S-PUBLISH-12: Heads and versions carry the number of their format, and the service refuses a newer format in words
// that say so. A damaged head costs its own skill and no other.
#[tokio::test]
async fn a_head_that_cannot_be_read_holds_up_no_publish_around_it_or_inside_it() {
    for head in [r#"{"format":2}"#, "[]"] {
        let world = World::new();
        world.put("demo/.skillmount/heads/a/demo/inner.json", head).await;
        publish(&world, &version(1, &[])).await;
        assert_eq!(seen(&world, "s").await, version(1, &[]), "the head lies inside");

        let world = World::new();
        world.put("demo/.skillmount/heads/a.json", head).await;
        publish(&world, &version(1, &[])).await;
        assert_eq!(seen(&world, "s").await, version(1, &[]), "the head lies around");
    }
}

// S-COST-5: `load_skill` is a LIST, a GET of SKILL.md and a GET of the head, all at once.
#[tokio::test(start_paused = true)]
async fn loading_a_published_skill_is_three_requests_in_one_round_trip() {
    let world = World::new();
    let others: Vec<String> = (0..199).map(|number| format!("r/{number:03}.md")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    publish(&world, &version(1, &others)).await;
    world.agent().names("/").await.unwrap();
    world.faults.set_latency(Duration::from_secs(1));
    let begun = tokio::time::Instant::now();
    let (reply, cost) = world.cost(world.agent().load(SKILL)).await;
    assert_eq!(reply.unwrap().files.len(), 200);
    assert_eq!(cost, Requests { list: 1, get: 2, put: 0, head: 0, delete: 0 });
    assert_eq!(begun.elapsed().as_secs(), 1 + 1, "one round trip for the skill, one to note it in the session");

    // It is the same in a process that has not read the catalog.
    let replica = world.replica();
    let fresh = replica.agent_of("demo", "fresh");
    fresh.names("/").await.unwrap();
    replica.faults.set_latency(Duration::from_secs(1));
    let begun = tokio::time::Instant::now();
    let (reply, cost) = replica.cost(fresh.load(SKILL)).await;
    assert_eq!(reply.unwrap().files.len(), 200);
    assert_eq!(cost, Requests { list: 1, get: 2, put: 0, head: 0, delete: 0 });
    assert_eq!(begun.elapsed().as_secs(), 1 + 1);
}

// S-PUBLISH-2: The service checks a whole skill before it stores anything: paths, size, secrets, and the errors of
// lint.
#[tokio::test]
async fn a_refused_skill_stores_nothing() {
    let world = World::new();
    // Looks drawn at random, as a key does.
    let drawn: String = (0..60_u8).map(|number| char::from(b'A' + number % 26 * 7 % 26)).collect();
    let key = format!("-----BEGIN PRIVATE KEY-----\n{drawn}\n");
    for (path, text) in [("../x", "x"), ("/x", "x"), ("b.MD", "x"), (".env", "A=1"), ("k.pem", &key)] {
        let mut files = version(1, &["b.md"]);
        files.insert(path.to_owned(), text.to_owned());
        let refused = publish_if(&world, &files, None).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidSkill, "{path}");
        assert_eq!(refused.details()["findings"][0]["severity"], "error");
    }
    let unnamed = Files::from([("SKILL.md".to_owned(), "no frontmatter".to_owned())]);
    assert_eq!(code(publish_if(&world, &unnamed, None).await), Code::InvalidSkill);
    assert_eq!(code(publish_if(&world, &Files::new(), None).await), Code::InvalidSkill);
    assert_eq!(world.keys().await, Vec::<String>::new());
}

// S-PUBLISH-25: A rollback is a publish: the service refuses a version in which another tool had left a secret.
#[tokio::test]
async fn a_version_in_which_another_tool_left_a_secret_is_not_rolled_back_to() {
    let world = World::new();
    publish(&world, &version(1, &[])).await;
    world.put(&format!("{FOLDER}.env"), "PASSWORD=x").await;
    publish(&world, &version(2, &[])).await;
    let of_tool = versions(&world).await.into_iter().rev().collect::<Vec<_>>();
    let service = &world.service;
    let mut refused = 0;
    for digest in &of_tool {
        match service.publisher().roll_back_skill(&id("demo"), &skill(), digest, from()).await {
            Ok(_) => assert!(!plain(&world).await.contains_key(".env")),
            Err(error) => {
                refused += 1;
                assert_eq!(
                    (error.code(), &error.details()["findings"][0]["code"]),
                    (Code::InvalidSkill, &"secret_file".into())
                );
            }
        }
    }
    assert_eq!((of_tool.len(), refused), (3, 1));
}

// S-ERROR-2: No client sees the cause of an internal error.
#[tokio::test]
async fn a_damaged_head_is_told_without_its_key_and_without_what_the_parser_says() {
    let world = World::new();
    publish(&world, &version(1, &[])).await;
    world.put("demo/.skillmount/heads/a/demo.json", "{").await;
    let error = world.replica().agent().load(SKILL).await.unwrap_err();
    assert_eq!(error.code(), Code::ObjectDamaged);
    assert!(error.message().contains("fsck") && !error.message().contains(".json"), "{error}");
    assert!(error.chain().contains("heads/a/demo.json"), "the log has it: {}", error.chain());
}

// S-PUBLISH-12: Heads and versions carry the number of their format, and the service refuses a newer format in words
// that say so.
#[tokio::test]
async fn a_check_does_not_advise_to_delete_the_head_of_a_newer_version() {
    let world = World::new();
    publish(&world, &version(1, &[])).await;
    for (head, expected) in [(r#"{"format":2}"#, FindingCode::NewerHead), (r#"{"format":1}"#, FindingCode::DamagedHead)]
    {
        world.put("demo/.skillmount/heads/a/demo.json", head).await;
        let report = world.replica().service.upkeep().check_user(&id("demo"), false).await.unwrap();
        let found = report.findings.iter().find(|one| one.key.ends_with("heads/a/demo.json")).unwrap();
        assert_eq!((found.code, found.fix.contains("delete")), (expected, expected == FindingCode::DamagedHead));
    }
}

#[tokio::test]
async fn a_published_skill_shows_at_once_and_on_a_store_that_deletes_without_conditions_too() {
    let world = World::over(Arc::new(MemoryStore::like_s3()));
    publish(&world, &version(1, &["b.md"])).await;
    let view = world.agent().catalog(false).await.unwrap();
    assert!(view.entry(&skill()).is_some());
    publish(&world, &version(2, &[])).await;
    let view = world.agent().catalog(false).await.unwrap();
    assert_eq!(view.entry(&skill()).unwrap().description(), "Version 2.");
}
