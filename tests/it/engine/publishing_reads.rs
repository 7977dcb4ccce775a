//! What is read of a skill beside sessions while it is being published: its page, its files and its archive.

use std::io::{Cursor, Read as _};

use futures_util::{StreamExt as _, TryStreamExt as _};
use skillmount::{
    Code,
    content::DraftReader,
    path::SkillPath,
    publish::{PublishOptions, UploadedSkill},
    store::{Verb, testing::Fault},
    wire::{Policy, SkillRule, SkillState},
};
use zip::ZipArchive;

use super::{
    drafts::{change, to},
    publishing::{FAULTS, FOLDER, Files, from_the, publish, skill, uploaded, version},
};
use crate::support::world::{World, code, id};

/// The files of the archive of the skill.
async fn archived(world: &World) -> Files {
    let (user, policy, skill) = (id("demo"), Policy::unrestricted(), skill());
    let archive =
        world.service.library().skill_archive(&user, &policy, &skill, None, DraftReader::Control).await.unwrap();
    let pieces: Vec<_> = archive.pieces().boxed().try_collect().await.unwrap();
    let mut zip = ZipArchive::new(Cursor::new(pieces.concat())).unwrap();
    let mut files = Files::new();
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).unwrap();
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        files.insert(file.name().unwrap().trim_start_matches("demo/").to_owned(), text);
    }
    files
}

/// The files of the skill, each by itself.
async fn read(world: &World) -> Files {
    let found = world
        .service
        .library()
        .catalog_skill(&id("demo"), &Policy::unrestricted(), &skill(), DraftReader::Control)
        .await;
    let found = found.unwrap();
    let mut files = Files::new();
    for path in found.paths() {
        let mut reader = found.file(path).unwrap().open(None).await.unwrap();
        let mut all = Vec::new();
        while let Some(bytes) = reader.next().await.unwrap() {
            all.extend_from_slice(&bytes);
        }
        files.insert(path.to_owned(), String::from_utf8(all).unwrap());
    }
    files
}

/// What the page says of the skill: its description, its body, the paths of its files.
async fn shown(world: &World) -> (String, String, Vec<String>) {
    let page =
        world.service.library().show_skill(&id("demo"), &Policy::unrestricted(), &skill(), DraftReader::Control).await;
    let page = page.unwrap();
    let paths = page.file_list.into_iter().map(|file| file.path).collect();
    (page.skill.description, page.body.trim().to_owned(), paths)
}

/// What a page says of a version.
fn page(number: usize, files: &Files) -> (String, String, Vec<String>) {
    (format!("Version {number}."), format!("Body {number}"), files.keys().cloned().collect())
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn at_every_crash_point_page_archive_and_files_are_of_one_version() {
    let (one, two) = (version(1, &["b.md", "c.md", "gone.md"]), version(2, &["b.md", "c.md", "new.md"]));
    let mut outcomes = Vec::new();
    for (crash, fault) in (0..10).flat_map(|crash| FAULTS.map(|fault| (crash, fault))) {
        for verb in [Verb::Put, Verb::Delete] {
            let world = World::new();
            publish(&world, &one).await;
            world.faults.script(verb, from_the(crash, fault));
            let (user, path): (_, SkillPath) = (id("demo"), skill());
            let options = PublishOptions::default();
            let files: UploadedSkill = uploaded(&two);
            let _ = world.service.publisher().publish_skill(&user, &path, files, options).await;
            world.faults.clear();
            // The replica may not bring the plain files up to the head.
            let replica = world.replica();
            for verb in [Verb::Put, Verb::Delete] {
                replica.faults.for_keys(verb, FOLDER, Fault::Deny);
            }
            let now = archived(&replica).await;
            let number = if now == one { 1 } else { 2 };
            assert!(now == one || now == two, "{fault:?} {verb:?} {crash}: {now:?}");
            assert_eq!(read(&replica).await, now, "{fault:?} {verb:?} {crash}");
            assert_eq!(shown(&replica).await, page(number, &now), "{fault:?} {verb:?} {crash}");
            let head = world.bytes("demo/.skillmount/heads/a/demo.json").await.unwrap();
            let is_behind = String::from_utf8(head).unwrap().contains("\"materialised\":false");
            outcomes.push((number, is_behind));
        }
    }
    for case in [(1, false), (2, true), (2, false)] {
        assert!(outcomes.contains(&case), "{case:?} never happened");
    }
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn a_server_that_knows_a_skill_reads_its_new_draft_in_every_form() {
    let one = version(1, &["b.md", "c.md"]);
    for (crash, fault) in (0..8).flat_map(|crash| FAULTS.map(|fault| (crash, fault))) {
        for verb in [Verb::Put, Verb::Delete] {
            let world = World::new();
            publish(&world, &one).await;
            let replica = world.replica();
            assert_eq!(shown(&replica).await, page(1, &one));
            world.faults.script(verb, from_the(crash, fault));
            let _ = change(&world, skill().as_str(), to(SkillState::Draft), None).await;
            world.faults.clear();
            assert_eq!(shown(&replica).await, page(1, &one), "{fault:?} {verb:?} {crash}");
            assert_eq!(archived(&replica).await, one, "{fault:?} {verb:?} {crash}");
            assert_eq!(read(&replica).await, one, "{fault:?} {verb:?} {crash}");
        }
    }
}

// S-POLICY-3: No answer names a skill, or a folder of skills, that the policy hides from the caller.
#[tokio::test]
async fn a_digest_does_not_tell_a_hidden_path_from_one_that_never_had_a_skill() {
    let world = World::new();
    let (publisher, user) = (world.service.publisher(), id("demo"));
    let path = |text: &str| SkillPath::parse(text).unwrap();
    for name in ["hidden", "deleted"] {
        let main = format!("---\nname: {name}\ndescription: Writes the minutes of a meeting.\n---\n# Minutes\n");
        let files = UploadedSkill::Files(vec![("SKILL.md".to_owned(), main.into())]);
        publisher.publish_skill(&user, &path(name), files, PublishOptions::default()).await.unwrap();
    }
    publisher.delete_skill(&user, &path("deleted"), PublishOptions::default()).await.unwrap();
    let rules = [("hidden".to_owned(), SkillRule::Blocked)].into();
    let policy = Policy { skills: rules, ..Policy::default() };
    let digest = format!("sha256:{}", "0".repeat(64));
    let library = world.service.library();
    for (name, expected) in
        [("hidden", Code::SkillNotFound), ("absent", Code::SkillNotFound), ("deleted", Code::VersionNotFound)]
    {
        let skill = path(name);
        let page = library.show_version(&user, &policy, &skill, &digest, DraftReader::Control).await;
        assert_eq!(code(page), expected, "{name}");
        let archive = library.skill_archive(&user, &policy, &skill, Some(&digest), DraftReader::Control).await;
        assert_eq!(code(archive), expected, "{name}");
    }
}
