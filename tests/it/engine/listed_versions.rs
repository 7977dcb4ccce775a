//! What listings say of published versions, and what that costs.

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use bytes::Bytes;
use skillmount::{
    Code,
    access::SessionScope,
    catalog::Audience,
    clock::SystemClock,
    content::DraftReader,
    handle::ServiceOptions,
    path::{Layer, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    store::{MemoryStore, ReadOnly, Requests, Verb, WriteAccess, testing::Fault},
    wire::{
        BackendProtocol, Condition, ListedState, LoadSkillRequest, Policy, PromptRequest, SkillDocument,
        SkillListRequest, VersionListRequest,
    },
};

use crate::support::world::{World, id};

const SKILLS: usize = 130;

fn main_of(skill: &str, text: &str) -> String {
    format!("---\nname: {skill}\ndescription: {text:?}\n---\nBody\n")
}

/// Who sees no drafts.
fn nobody() -> DraftReader<'static> {
    static REACH: LazyLock<SessionScope> = LazyLock::new(SessionScope::default);
    DraftReader::Agent(&REACH)
}

async fn publish(world: &World, skill: &str, files: &[(&str, &str)]) -> String {
    let skill = SkillPath::parse(skill).unwrap();
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), Bytes::from((*text).to_owned()))).collect();
    let (uploaded, options) = (UploadedSkill::Files(files), PublishOptions::default());
    world.service.publisher().publish_skill(&id("demo"), &skill, uploaded, options).await.unwrap().digest
}

/// Publishes a skill by a call that dies after so many PUTs: of the archive, of the head, and of files with SKILL.md last.
async fn publish_and_die(
    world: &World,
    skill: &SkillPath,
    files: &[(&str, &str)],
    (condition, puts): (Condition, usize),
) {
    let landed = std::iter::repeat_n(Fault::None, puts);
    world.faults.script(Verb::Put, landed.chain(std::iter::repeat_n(Fault::Deny, 100)));
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), Bytes::from((*text).to_owned()))).collect();
    let (uploaded, options) = (UploadedSkill::Files(files), PublishOptions { condition, ..PublishOptions::default() });
    let died = world.service.publisher().publish_skill(&id("demo"), skill, uploaded, options).await;
    assert!(died.is_err(), "{died:?}");
    world.faults.clear();
}

async fn listed(world: &World, fresh: bool) -> Vec<SkillDocument> {
    let wanted = SkillListRequest { fresh, limit: Some(SKILLS), ..SkillListRequest::default() };
    world.service.library().list_skills(&id("demo"), &Policy::default(), &wanted, nobody()).await.unwrap().skills
}

async fn standing(world: &World) -> (ListedState, Option<String>) {
    let only = listed(world, true).await.remove(0);
    let shown = world
        .service
        .library()
        .show_skill(&id("demo"), &Policy::default(), &SkillPath::parse("s").unwrap(), nobody())
        .await;
    let shown = shown.unwrap().skill;
    assert_eq!((shown.state, &shown.digest), (only.state, &only.digest), "both say the same");
    (only.state, only.digest)
}

// S-PUBLISH-31: A publish where no skill is begins as pending. Until it is final, readers find the state before it, and
// `If-Match` does not match its version.
#[tokio::test]
async fn a_listing_omits_the_files_of_a_publish_that_did_not_count() {
    let world = World::new();
    publish(&world, "s", &[("SKILL.md", &main_of("s", "One."))]).await;
    let reader = world.replica();
    reader.service.catalogs().view(Audience::from(&id("demo")), true).await.unwrap();
    let skill = SkillPath::parse("s").unwrap();
    world.service.publisher().delete_skill(&id("demo"), &skill, PublishOptions::default()).await.unwrap();
    let wanted = SkillListRequest::default();
    let list = reader.service.library().list_skills(&id("demo"), &Policy::default(), &wanted, nobody()).await.unwrap();
    assert_eq!((list.skills.len(), list.total), (0, 0), "its SKILL.md is gone");

    // Another tool's file at the place of a deleted skill is a skill.
    world.put("demo/skills/s/SKILL.md", main_of("s", "Two.")).await;
    assert_eq!(standing(&world).await, (ListedState::Unmanaged, None));
}

// S-PUBLISH-31: A publish where no skill is begins as pending. Until it is final, readers find the state before it, and
// `If-Match` does not match its version.
#[tokio::test]
async fn a_pending_publish_with_its_files_is_in_no_list_and_on_no_page() {
    let world = World::new();
    let skill = SkillPath::parse("s").unwrap();
    publish_and_die(&world, &skill, &[("SKILL.md", &main_of("s", "One."))], (Condition::Any, 3)).await;
    assert!(world.bytes("demo/skills/s/SKILL.md").await.is_some());
    // A service that may not write settles nothing.
    let options =
        ServiceOptions { access: WriteAccess::from(ReadOnly::from("it only reads")), ..ServiceOptions::default() };
    let reader = World::with(world.bucket.clone(), options);
    assert_eq!(listed(&reader, true).await.len(), 0);
    let page = reader.service.library().show_skill(&id("demo"), &Policy::default(), &skill, nobody()).await;
    assert_eq!(page.unwrap_err().code(), Code::SkillNotFound);
}

// Its files are none of another tool, and no version has them.
// S-PUBLISH-31: A publish where no skill is begins as pending.
#[tokio::test]
async fn files_of_a_publish_under_way_inside_are_not_kept_as_a_version_of_another_tool() {
    let world = World::new();
    let inner = SkillPath::parse("s/in").unwrap();
    publish_and_die(&world, &inner, &[("SKILL.md", &main_of("in", "One.")), ("a.md", "a")], (Condition::Any, 3)).await;
    let keys = world.keys().await;
    let has = |key: &str| keys.iter().any(|known| known == key);
    assert!(has("demo/skills/s/in/a.md") && !has("demo/skills/s/in/SKILL.md"), "{keys:?}");

    let replica = world.replica();
    let (publisher, outer) = (replica.service.publisher(), SkillPath::parse("s").unwrap());
    let files = UploadedSkill::Files(vec![("SKILL.md".to_owned(), main_of("s", "Two.").into())]);
    let refused = publisher.publish_skill(&id("demo"), &outer, files, PublishOptions::default()).await.unwrap_err();
    assert_eq!(refused.code(), Code::AlreadyExists, "{refused}");
    let versions = publisher.list_versions(&id("demo"), &outer, &VersionListRequest::default()).await;
    assert_eq!(versions.unwrap_err().code(), Code::SkillNotFound);
    let whole: Vec<_> = replica.keys().await.into_iter().filter(|key| key.starts_with("demo/skills/")).collect();
    assert_eq!(whole, ["demo/skills/s/in/SKILL.md", "demo/skills/s/in/a.md"], "the inner publish counts");
}

// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps it as
// a version.
#[tokio::test]
async fn an_undone_publish_leaves_the_equal_file_of_another_tool() {
    let (world, other) = (World::new(), World::new());
    let (skill, main) = (SkillPath::parse("s").unwrap(), main_of("s", "One."));
    let files = [("SKILL.md", main.as_str()), ("a.md", "a")];
    world.put("demo/skills/s/a.md", "a").await;
    // Both archives and the head land.
    publish_and_die(&world, &skill, &files, (Condition::Nothing, 3)).await;
    // A draft that came meanwhile undoes the publish, which named none.
    let draft = async |world: &World| {
        let uploaded = UploadedSkill::Files(vec![("SKILL.md".to_owned(), main.clone().into())]);
        world.service.publisher().draft_skill(&id("demo"), &skill, uploaded, PublishOptions::default()).await.unwrap();
    };
    draft(&other).await;
    for key in other.keys().await {
        world.put(&key, other.bytes(&key).await.unwrap()).await;
    }
    draft(&world.replica()).await;
    let head = String::from_utf8(world.bytes("demo/.skillmount/heads/s.json").await.unwrap()).unwrap();
    assert!(head.contains("\"undone\""), "{head}");
    assert_eq!(world.bytes("demo/skills/s/a.md").await.as_deref(), Some(b"a".as_slice()));
    assert_eq!(world.bytes("demo/skills/s/SKILL.md").await, None);
}

// S-PUBLISH-26: An archive whose publish lost to another or ended halfway is no version, and no list names it.
#[tokio::test]
async fn a_first_publish_that_dies_lists_no_version() {
    let world = World::new();
    let skill = SkillPath::parse("s").unwrap();
    publish_and_die(&world, &skill, &[("SKILL.md", &main_of("s", "One."))], (Condition::Any, 2)).await;
    let keys = world.keys().await;
    assert!(
        keys.iter().any(|key| key.contains("/versions/")) && keys.iter().any(|key| key.contains("/heads/")),
        "{keys:?}"
    );
    let reader = world.replica();
    let versions = reader.service.publisher().list_versions(&id("demo"), &skill, &VersionListRequest::default()).await;
    assert_eq!(versions.unwrap().versions.len(), 0);
}

// S-VERSION-1: A listing, and the document of one skill, name the version of each skill whose folder equals it.
#[tokio::test]
async fn a_listing_names_the_version_that_a_folder_is_and_none_if_it_was_changed() {
    let world = World::new();
    world.put("demo/skills/s/SKILL.md", main_of("s", "Found.")).await;
    assert_eq!(standing(&world).await, (ListedState::Unmanaged, None));

    let first = publish(&world, "s", &[("SKILL.md", &main_of("s", "One.")), ("a/b.md", "1")]).await;
    assert_eq!(standing(&world).await, (ListedState::Published, Some(first.clone())));
    assert_eq!(standing(&world.replica()).await, (ListedState::Published, Some(first.clone())));
    let agent = world.agent();
    let loaded = agent.load_skill(LoadSkillRequest::new("s")).await;
    assert_eq!(loaded.unwrap().version, Some(first.clone()), "a load pins the version that the listing names");

    // Of the same size, in the same second: only the version of the object differs.
    world.put("demo/skills/s/a/b.md", "2").await;
    assert_eq!(standing(&world).await, (ListedState::Published, None));
    let second = publish(&world, "s", &[("SKILL.md", &main_of("s", "One.")), ("a/b.md", "3")]).await;
    assert_eq!(standing(&world).await, (ListedState::Published, Some(second.clone())));
    world.put("demo/skills/s/more.md", "x").await;
    assert_eq!(standing(&world).await.1, None, "a file more is another folder");

    let third = publish(&world, "s", &[("SKILL.md", &main_of("s", "Two."))]).await;
    assert_eq!(listed(&world, false).await[0].digest, Some(third), "what this server published shows at once");
    world
        .service
        .publisher()
        .delete_skill(&id("demo"), &SkillPath::parse("s").unwrap(), PublishOptions::default())
        .await
        .unwrap();
    assert!(listed(&world, false).await.is_empty());
    world.put("demo/skills/s/SKILL.md", main_of("s", "Found again.")).await;
    assert_eq!(standing(&world).await, (ListedState::Unmanaged, None));
}

// S-VERSION-2: A listing with versions costs one LIST of the heads for each reading of the catalog.
#[tokio::test]
async fn what_is_unchanged_of_130_skills_is_known_from_one_page_and_two_listings() {
    // An earlier index at the place of the newest would have fewer skills for some minutes.
    let memory = Arc::new(MemoryStore::like_s3());
    let world = World::undisturbed(memory, ServiceOptions::default(), Arc::new(SystemClock::new()));
    let mut digests = BTreeSet::new();
    for number in 0..SKILLS {
        let skill = format!("s{number:03}");
        let main = main_of(&skill, &number.to_string());
        digests.insert(publish(&world, &skill, &[("SKILL.md", &main)]).await);
    }
    let replica = world.replica();
    let agent = replica.agent();
    let (_, before) = replica.cost(Box::pin(skillmount::prompt::for_session(&agent, &PromptRequest::default()))).await;
    let (skills, cost) = replica.cost(listed(&replica, false)).await;
    let seen: BTreeSet<_> = skills.iter().filter_map(|skill| skill.digest.clone()).collect();
    assert_eq!((skills.len(), &seen), (SKILLS, &digests));
    let heads = Requests { list: 1, get: SKILLS as u64, put: 0, head: 0, delete: 0 };
    assert_eq!((before.list, cost), (1, heads), "the prompt pays for no head");

    let (again, cost) = replica.cost(listed(&replica, true)).await;
    assert_eq!((again, cost), (skills, Requests { list: 2, get: 0, put: 0, head: 0, delete: 0 }));
    let (_, cost) = replica.cost(listed(&replica, false)).await;
    assert_eq!(cost, Requests { list: 0, get: 0, put: 0, head: 0, delete: 0 });
}

/// A skill whose head has a list of late changes that has ended.
async fn with_an_ended_list(world: &World) {
    publish(world, "s", &[("SKILL.md", &main_of("s", "One."))]).await;
    let key = "demo/.skillmount/heads/s.json";
    let mut head: serde_json::Value = serde_json::from_slice(&world.bytes(key).await.unwrap()).unwrap();
    head["late"] = serde_json::json!({"until": "2000-01-01T00:00:00Z", "files": {"late.md": "0".repeat(64)}});
    world.put(key, head.to_string()).await;
}

// Each head new to the process costs one GET.
// S-VERSION-2: A listing with versions costs one LIST of the heads for each reading of the catalog.
#[tokio::test]
async fn a_service_that_may_not_write_reads_a_head_with_an_ended_list_once() {
    let world = World::new();
    with_an_ended_list(&world).await;
    let options =
        ServiceOptions { access: WriteAccess::from(ReadOnly::from("it only reads")), ..ServiceOptions::default() };
    let reader = World::with(world.bucket.clone(), options);
    let first = listed(&reader, false).await;
    let (again, cost) = reader.cost(listed(&reader, false)).await;
    assert_eq!((again, cost), (first, Requests { list: 0, get: 0, put: 0, head: 0, delete: 0 }));
}

// S-VERSION-1: A listing, and the document of one skill, name the version of each skill whose folder equals it.
#[tokio::test]
async fn a_list_that_cannot_be_ended_costs_no_skill_its_place_in_a_listing() {
    let world = World::new();
    with_an_ended_list(&world).await;
    let other = publish(&world, "other", &[("SKILL.md", &main_of("other", "Other."))]).await;
    let replica = world.replica();
    replica.faults.for_keys(Verb::Put, "heads/s.json", Fault::Deny);
    let skills = listed(&replica, true).await;
    assert_eq!(skills.iter().filter(|skill| skill.digest.is_some()).count(), 2, "{skills:?}");
    assert!(skills.iter().any(|skill| skill.digest.as_ref() == Some(&other)));
}

// S-PUBLISH-12: Heads and versions carry the number of their format, and the service refuses a newer format in words
// that say so. A damaged head costs its own skill and no other.
#[tokio::test]
async fn a_damaged_head_takes_no_version_from_another_skill() {
    let world = World::new();
    let good = publish(&world, "good", &[("SKILL.md", &main_of("good", "Good."))]).await;
    publish(&world, "bad", &[("SKILL.md", &main_of("bad", "Bad."))]).await;
    for damage in ["", "{", "{\"format\":2}"] {
        world.put("demo/.skillmount/heads/bad.json", damage).await;
        let listed: Vec<_> =
            listed(&world.replica(), true).await.into_iter().map(|one| (one.state, one.digest)).collect();
        assert_eq!(listed, [(ListedState::Published, None), (ListedState::Published, Some(good.clone()))], "{damage}");
    }
}

// S-VERSION-1: A listing, and the document of one skill, name the version of each skill whose folder equals it.
#[tokio::test]
async fn each_layer_has_its_own_versions() {
    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let world = World::with(Arc::new(MemoryStore::like_s3()), options);
    let own = publish(&world, "s", &[("SKILL.md", &main_of("s", "Own."))]).await;
    world.put("_org/skills/t/SKILL.md", main_of("t", "Shared.")).await;
    let wanted = SkillListRequest { fresh: true, ..SkillListRequest::default() };
    let audience = Audience { user: id("demo"), team: None };
    let listed =
        world.service.library().list_skills(audience, &Policy::default(), &wanted, nobody()).await.unwrap().skills;
    let standings: Vec<_> = listed.into_iter().map(|one| (one.layer, one.state, one.digest)).collect();
    let shared = (Layer::Org, ListedState::Unmanaged, None);
    assert_eq!(standings, [(Layer::User, ListedState::Published, Some(own)), shared]);
}
