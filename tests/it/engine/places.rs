//! Where a skill may lie, and what is none: no change of one skill touches the files of another.

use std::collections::BTreeMap;

use skillmount::{
    Code, Result,
    path::{KeyPrefix, SkillPath},
    publish::PublishOptions,
    store::DeleteOptions,
    wire::{ChangeSkillRequest, PublishReply, SkillState, VersionListRequest},
};

use super::publishing::{Files, from, uploaded};
use crate::support::world::{BackendExt, World, code, id};

fn path(text: &str) -> SkillPath {
    SkillPath::parse(text).unwrap()
}

/// A version of the skill at `at`, with a file in a folder.
fn files(at: &str, number: usize) -> Files {
    let name = at.rsplit('/').next().unwrap();
    let main = format!("---\nname: {name}\ndescription: Version {number}.\n---\nBody {number}\n");
    Files::from([("SKILL.md".to_owned(), main), ("res/a.md".to_owned(), format!("{at} {number}"))])
}

async fn publish(world: &World, at: &str, number: usize) -> Result<PublishReply> {
    let files = uploaded(&files(at, number));
    Box::pin(world.service.publisher().publish_skill(&id("demo"), &path(at), files, from())).await
}

async fn delete(world: &World, at: &str) -> Result<()> {
    Box::pin(world.service.publisher().delete_skill(&id("demo"), &path(at), from())).await
}

async fn roll_back(world: &World, at: &str, digest: &str) -> Result<PublishReply> {
    Box::pin(world.service.publisher().roll_back_skill(&id("demo"), &path(at), digest, from())).await
}

/// Every object with its content.
async fn objects(world: &World) -> BTreeMap<String, Vec<u8>> {
    let mut objects = BTreeMap::new();
    for key in world.keys().await {
        objects.insert(key.clone(), world.bytes(&key).await.unwrap());
    }
    // An index is made from the others.
    objects.retain(|key, _| !key.ends_with("/catalog.json"));
    objects
}

/// Another tool removes every file below a key.
async fn wipe(world: &World, below: &str) {
    for key in world.keys().await.iter().filter(|key| key.starts_with(below)) {
        world.bucket.delete(&KeyPrefix::all().key(key).unwrap(), DeleteOptions::default()).await.unwrap();
    }
}

// S-PUBLISH-22: A folder without SKILL.md and a folder inside a skill are no skills, so a deletion of either is
// `skill_not_found`.
#[tokio::test]
async fn a_folder_that_is_no_skill_is_neither_deleted_nor_changed_as_one() {
    for once_a_skill in [false, true] {
        let world = World::new();
        if once_a_skill {
            publish(&world, "cat", 1).await.unwrap();
            delete(&world, "cat").await.unwrap();
        }
        publish(&world, "cat/one", 1).await.unwrap();
        world.put_skill("demo", "cat/two", "Of another tool.", "Body").await;
        world.put("demo/skills/cat/one/inner/SKILL.md", "---\nname: inner\ndescription: d\n---\nB\n").await;
        let before = objects(&world).await;
        for none in ["cat", "cat/one/res", "cat/one/inner", "cat/two/none", "none"] {
            assert_eq!(code(delete(&world, none).await), Code::SkillNotFound, "{once_a_skill} {none}");
            for state in [SkillState::Draft, SkillState::Published] {
                let wanted = ChangeSkillRequest { state: Some(state), ..ChangeSkillRequest::default() };
                let (user, none) = (id("demo"), path(none));
                let changed = Box::pin(world.service.publisher().change_skill(&user, &none, wanted, from())).await;
                assert_eq!(code(changed), Code::SkillNotFound, "{once_a_skill} {none}");
            }
        }
        let nothing = PublishOptions { condition: Some(format!("sha256:{}", "0".repeat(64))).into(), ..from() };
        let conditional = Box::pin(world.service.publisher().delete_skill(&id("demo"), &path("cat"), nothing)).await;
        assert_eq!(code(conditional), Code::VersionConflict);
        assert_eq!(objects(&world).await, before, "{once_a_skill}");
        for skill in ["cat/one", "cat/two"] {
            delete(&world, skill).await.unwrap();
        }
        assert!(!world.keys().await.iter().any(|key| key.starts_with("demo/skills/")));
    }
}

// S-PUBLISH-9: Skills do not lie in one another: a publish into a skill, or over a folder of skills, is `already_exists`.
#[tokio::test]
async fn a_draft_in_the_place_of_a_folder_of_skills_is_deleted_by_itself_and_not_published() {
    let world = World::new();
    let (user, cat) = (id("demo"), path("cat"));
    let draft = Box::pin(world.service.publisher().draft_skill(&user, &cat, uploaded(&files("cat", 1)), from()));
    let digest = draft.await.unwrap().digest;
    publish(&world, "cat/one", 1).await.unwrap();
    let plain = async || objects(&world).await.into_iter().filter(|(key, _)| key.starts_with("demo/skills/")).count();
    let wanted = ChangeSkillRequest { state: Some(SkillState::Published), ..ChangeSkillRequest::default() };
    let published = Box::pin(world.service.publisher().change_skill(&id("demo"), &path("cat"), wanted, from())).await;
    assert_eq!((code(published), plain().await), (Code::AlreadyExists, 2));
    let only = |digest: &str| PublishOptions { condition: Some(digest.to_owned()).into(), ..from() };
    let other = only(&format!("sha256:{}", "0".repeat(64)));
    let stale = Box::pin(world.service.publisher().delete_skill(&id("demo"), &path("cat"), other)).await;
    assert_eq!(code(stale), Code::VersionConflict);
    Box::pin(world.service.publisher().delete_skill(&id("demo"), &path("cat"), only(&digest))).await.unwrap();
    assert_eq!(plain().await, 2);
    assert!(!world.keys().await.iter().any(|key| key.starts_with("demo/.skillmount/heads/cat.json")));
    assert_eq!(code(delete(&world, "cat").await), Code::SkillNotFound);
}

// S-PUBLISH-9: Skills do not lie in one another: a publish into a skill, or over a folder of skills, is `already_exists`.
#[tokio::test]
async fn a_path_that_once_had_a_skill_is_published_in_no_other_and_around_none() {
    for (first, second) in [("a", "a/demo"), ("a/demo", "a")] {
        for is_emptied in [false, true] {
            let world = World::new();
            let digest = publish(&world, first, 1).await.unwrap().digest;
            if is_emptied {
                wipe(&world, &format!("demo/skills/{first}/")).await;
            } else {
                delete(&world, first).await.unwrap();
            }
            world.put_skill("demo", second, "Of another tool.", "Body").await;
            if !is_emptied {
                publish(&world, second, 2).await.unwrap();
            }
            let before = objects(&world).await;
            let refused = [roll_back(&world, first, &digest).await, publish(&world, first, 3).await];
            for refused in refused {
                assert_eq!(code(refused), Code::AlreadyExists, "{first} {is_emptied}");
            }
            assert_eq!(objects(&world).await, before, "{first} {is_emptied}");
            delete(&world, second).await.unwrap();
            assert!(roll_back(&world, first, &digest).await.is_ok(), "{first} {is_emptied}");
        }
    }
}

// S-PUBLISH-23: Another tool may remove the SKILL.md of a published skill and put skills below it.
#[tokio::test]
async fn a_published_skill_that_became_a_folder_of_skills_is_deleted_without_them() {
    let world = World::new();
    publish(&world, "cat", 1).await.unwrap();
    wipe(&world, "demo/skills/cat/SKILL.md").await;
    world.put_skill("demo", "cat/one", "Of another tool.", "Body").await;
    delete(&world, "cat").await.unwrap();
    let left: Vec<_> = world.keys().await.into_iter().filter(|key| key.starts_with("demo/skills/")).collect();
    assert_eq!(left, ["demo/skills/cat/one/SKILL.md"]);
    assert_eq!(code(delete(&world, "cat").await), Code::SkillNotFound);
    assert!(world.agent().load("cat/one").await.is_ok());
}

// S-PUBLISH-24: If another tool puts a SKILL.md above a published skill, the catalog has the outer skill alone.
#[tokio::test]
async fn a_published_skill_below_a_skill_of_another_tool_is_loaded_whether_or_not_the_catalog_was_read() {
    let world = World::new();
    let digest = publish(&world, "cat/one", 1).await.unwrap().digest;
    world.put_skill("demo", "cat/two", "Of another tool.", "Body").await;
    world.put_skill("demo", "cat", "Of another tool.", "Body").await;
    for reads_the_catalog in [false, true] {
        let replica = world.replica();
        let agent = replica.agent_of("demo", if reads_the_catalog { "warm" } else { "cold" });
        if reads_the_catalog {
            let view = agent.catalog(true).await.unwrap();
            assert_eq!(view.entries.iter().map(|entry| entry.skill.as_str()).collect::<Vec<_>>(), ["cat"]);
        }
        assert_eq!(agent.load("cat/one").await.unwrap().version.as_ref(), Some(&digest), "{reads_the_catalog}");
        assert_eq!(code(agent.load("cat/two").await), Code::SkillNotFound, "{reads_the_catalog}");
    }
}

// S-PUBLISH-8: Deleting a skill keeps its versions, and a rollback to a version brings the skill back.
#[tokio::test]
async fn a_skill_whose_folder_another_tool_emptied_is_deleted() {
    let world = World::new();
    let digest = publish(&world, "a/demo", 1).await.unwrap().digest;
    wipe(&world, "demo/skills/").await;
    delete(&world, "a/demo").await.unwrap();
    let versions = VersionListRequest::default();
    let listed = world.service.publisher().list_versions(&id("demo"), &path("a/demo"), &versions).await.unwrap();
    assert_eq!((listed.current, listed.versions.len()), (None, 1));
    assert_eq!(code(delete(&world, "a/demo").await), Code::SkillNotFound);
    roll_back(&world, "a/demo", &digest).await.unwrap();
    assert!(world.agent().load("a/demo").await.is_ok());
}
