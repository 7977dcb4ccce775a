//! The check of a store: what it finds, what it mends, and what it leaves alone.

use std::sync::Arc;

use serde_json::{Value, json};
use skillmount::{
    handle::ServiceOptions,
    limits::LIST_OBJECTS,
    path::{KeyPrefix, LayerOwner, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    skill::{Packer, Provenance, Snapshot, SnapshotFile},
    store::{DeleteOptions, ListEntry, MemoryStore, SharedStore, Store as _, StoreExt as _},
    wire::{
        BackendProtocol as _, CreateSession, CreateSkillRequest, FindingCode, FindingLevel, FsckFinding, FsckReport,
        Policy, ToolRule, VersionListRequest,
    },
};

use crate::support::{
    SetClock, clock,
    encrypted::Encrypted,
    world::{BackendExt, World, id},
};

fn over(memory: &Arc<MemoryStore>) -> World {
    World::undisturbed(memory.clone(), ServiceOptions::default(), clock())
}

async fn publish(world: &World, text: &str) {
    let main = format!("---\nname: minutes\ndescription: Takes minutes.\n---\n{text}\n");
    let files = UploadedSkill::Files([("SKILL.md".to_owned(), main.into())].into());
    let options = PublishOptions::default();
    let skill = SkillPath::parse("writing/minutes").unwrap();
    world.service.publisher().publish_skill(&id("demo"), &skill, files, options).await.unwrap();
}

/// A user with a published skill of two versions, a session that has loaded it, and files.
async fn used() -> (World, Arc<MemoryStore>) {
    let memory = Arc::new(MemoryStore::tagged_by_content());
    let world = over(&memory);
    publish(&world, "one").await;
    publish(&world, "two").await;
    let agent = world.agent();
    agent.load("writing/minutes").await.unwrap();
    agent.overwrite("/workspace/a", "x").await.unwrap();
    (world, memory)
}

async fn check(world: &World, repair: bool) -> FsckReport {
    world.service.upkeep().check_user(&id("demo"), repair).await.unwrap()
}

fn codes(report: &FsckReport) -> Vec<FindingCode> {
    report.findings.iter().map(|found| found.code).collect()
}

async fn key_with(world: &World, part: &str) -> String {
    let keys = world.keys().await;
    keys.into_iter().find(|key| key.contains(part)).unwrap_or_else(|| panic!("{part}"))
}

// S-FSCK-1: `fsck` reads everything that the service keeps of a user, and changes nothing without a request.
#[tokio::test]
async fn a_store_in_use_is_clean() {
    let (world, _) = used().await;
    let before = world.keys().await;
    let report = check(&world, true).await;
    assert_eq!((report.clean, codes(&report), report.owners), (true, vec![], 1));
    assert_eq!(report.objects, before.len() as u64);
    assert_eq!(world.keys().await, before);
    let nobody = world.service.upkeep().check_user(&id("nobody"), false).await.unwrap();
    assert!(nobody.clean && nobody.objects == 0);
}

#[tokio::test]
async fn every_damage_is_found_under_its_code_with_what_to_do() {
    for (part, content, code) in [
        ("heads/writing/minutes.json", "{", FindingCode::DamagedHead),
        ("versions/writing/minutes/", "no zip", FindingCode::DamagedVersion),
        ("sessions/s.json", "{", FindingCode::DamagedSession),
        (".skillmount/policy.json", "[", FindingCode::DamagedPolicy),
        (".skillmount/catalog.json", "{", FindingCode::DamagedIndex),
        (".skillmount/uses.json", "{", FindingCode::DamagedUses),
        (".skillmount/later/x", "{", FindingCode::UnknownObject),
        (".skillmount/drafts/a.json", "{", FindingCode::DamagedDraft),
        (".skillmount/drafts/Not A Skill.txt", "{", FindingCode::UnknownObject),
        (".skillmount/audit/notes.txt", "x", FindingCode::UnknownObject),
        (".skillmount/audit/20260102T030405.000006Z-0a1b2c3d", "no header\n", FindingCode::DamagedAudit),
        (".skillmount/audit/20260102T030405.000006Z-0a1b2c3d", "{\"format\":1}\n{\"torn\n", FindingCode::DamagedAudit),
        (".skillmount/heads/Not A Skill.txt", "{", FindingCode::UnknownObject),
    ] {
        let (world, memory) = used().await;
        let known = world.keys().await.into_iter().find(|key| key.contains(part));
        memory.put_raw(&known.unwrap_or_else(|| format!("demo/{}", part.trim_start_matches('/'))), content);
        let report = check(&over(&memory), false).await;
        assert!(codes(&report).contains(&code), "{part}: {report:?}");
        let found = report.findings.iter().find(|found| found.code == code).unwrap();
        assert!(!found.fix.is_empty() && !found.detail.is_empty() && !found.repaired);
        assert_eq!(report.clean, code.level() == FindingLevel::Note, "{part}");
    }
}

#[tokio::test]
async fn what_is_named_and_gone_is_found() {
    let (world, memory) = used().await;
    let version = key_with(&world, "/versions/").await;
    let key = KeyPrefix::all().key(&version).unwrap();
    memory.delete(&key, DeleteOptions::default()).await.unwrap();
    let mut session: Value =
        serde_json::from_slice(&world.bytes("demo/.skillmount/sessions/s.json").await.unwrap()).unwrap();
    session["loaded_skills"][0].as_object_mut().unwrap().remove("snapshot");
    memory.put_raw("demo/.skillmount/sessions/s.json", session.to_string());
    let report = check(&over(&memory), false).await;
    let found = codes(&report);
    assert!(found.contains(&FindingCode::MissingVersion), "{report:?}");
    assert!(found.contains(&FindingCode::MissingSnapshot), "{report:?}");
    assert!(!report.clean);
}

#[tokio::test]
async fn a_file_list_in_a_session_that_is_not_what_its_digest_says_is_found() {
    let (world, memory) = used().await;
    let stored = world.bytes("demo/.skillmount/sessions/s.json").await.unwrap();
    let mut session: Value = serde_json::from_slice(&stored).unwrap();
    session["loaded_skills"][0]["snapshot"]["files"][0]["size"] = json!(1_000_000);
    memory.put_raw("demo/.skillmount/sessions/s.json", session.to_string());
    let report = check(&over(&memory), false).await;
    assert_eq!(codes(&report), [FindingCode::DamagedSnapshot], "{report:?}");
    assert_eq!(report.findings[0].key, "demo/.skillmount/sessions/s.json");
}

#[tokio::test]
async fn a_version_that_only_a_session_has_loaded_is_missed() {
    let (world, memory) = used().await;
    let loaded = world.bytes("demo/.skillmount/sessions/s.json").await.unwrap();
    let loaded: Value = serde_json::from_slice(&loaded).unwrap();
    let digest = loaded["loaded_skills"][0]["version"].as_str().unwrap().to_owned();
    for text in ["three", "four"] {
        publish(&world, text).await;
    }
    assert!(check(&over(&memory), false).await.clean);
    let name = digest.strip_prefix("sha256:").unwrap();
    let version = KeyPrefix::all().key(&key_with(&world, name).await).unwrap();
    memory.delete(&version, DeleteOptions::default()).await.unwrap();
    let report = check(&over(&memory), false).await;
    assert_eq!(codes(&report), [FindingCode::MissingVersion], "{report:?}");
    assert_eq!(report.findings[0].key, "demo/.skillmount/sessions/s.json");
}

#[tokio::test]
async fn an_archive_that_was_never_published_is_a_note_and_is_not_listed() {
    let (_, memory) = used().await;
    let elsewhere = over(&Arc::new(MemoryStore::like_s3()));
    publish(&elsewhere, "lost").await;
    let key = key_with(&elsewhere, "/versions/").await;
    memory.put_raw(&key, elsewhere.bytes(&key).await.unwrap());
    assert!(codes(&check(&over(&memory), false).await).is_empty(), "its publish may be under way");
    let soon = jiff::Timestamp::now().as_second() + 10 * 60;
    let later = World::at(memory.clone(), ServiceOptions::default(), SetClock::at(soon));
    let report = check(&later, true).await;
    assert_eq!((report.clean, codes(&report)), (true, vec![FindingCode::OrphanVersion]), "{report:?}");
    assert_eq!((report.findings[0].key.as_str(), report.findings[0].repaired), (key.as_str(), false));
    let skill = SkillPath::parse("writing/minutes").unwrap();
    let listed =
        later.service.publisher().list_versions(&id("demo"), &skill, &VersionListRequest::default()).await.unwrap();
    assert_eq!(listed.versions.len(), 2);
}

/// Deletes the object whose key holds `part`, and returns what a check finds then.
async fn without(memory: &Arc<MemoryStore>, part: &str) -> Vec<(FindingCode, String)> {
    let key = KeyPrefix::all().key(&key_with(&over(memory), part).await).unwrap();
    memory.delete(&key, DeleteOptions::default()).await.unwrap();
    let report = check(&over(memory), false).await;
    report.findings.into_iter().map(|found| (found.code, found.key)).collect()
}

#[tokio::test]
async fn what_sessions_have_loaded_of_teams_and_of_drafts_is_missed() {
    let memory = Arc::new(MemoryStore::like_s3());
    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let world = World::undisturbed(memory.clone(), options, clock());
    let files = |text: &str| {
        let main = format!("---\nname: minutes\ndescription: Takes minutes.\n---\n{text}\n");
        UploadedSkill::Files([("SKILL.md".to_owned(), main.into())].into())
    };
    let skill = SkillPath::parse("minutes").unwrap();
    for (owner, session) in [(LayerOwner::Team(id("notaries")), "t"), (LayerOwner::Org, "o")] {
        world
            .service
            .publisher()
            .publish_skill(&owner, &skill, files(session), PublishOptions::default())
            .await
            .unwrap();
        world.agent_in(Some("notaries"), "demo", session).load("minutes").await.unwrap();
        world.service.publisher().delete_skill(&owner, &skill, PublishOptions::default()).await.unwrap();
    }
    let tools = [("*", ToolRule::Auto), ("create_skill", ToolRule::Auto)];
    let policy = Policy { tools: tools.map(|(name, rule)| (name.to_owned(), rule)).into(), ..Policy::default() };
    let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("d"), wanted).await.unwrap();
    let maker = world.agent_of("demo", "d");
    let asked = CreateSkillRequest::new(
        "minutes",
        "Takes the minutes of a meeting.",
        "Say who was there, what was decided, and who does what until when.",
    );
    maker.create_skill(asked).await.unwrap();
    maker.load("minutes").await.unwrap();
    let draft = KeyPrefix::all().key("demo/.skillmount/drafts/minutes.json").unwrap();
    memory.delete(&draft, DeleteOptions::default()).await.unwrap();
    assert!(codes(&check(&over(&memory), false).await).is_empty());

    let session = |name: &str| format!("demo/.skillmount/sessions/{name}.json");
    let of_draft = (FindingCode::MissingDraftFiles, session("d"));
    assert_eq!(without(&memory, "demo/.skillmount/draft-versions/").await, std::slice::from_ref(&of_draft));
    let of_org = (FindingCode::MissingVersion, session("o"));
    assert_eq!(without(&memory, "_org/.skillmount/versions/").await, [of_draft.clone(), of_org.clone()]);
    let of_team = (FindingCode::MissingVersion, session("t"));
    assert_eq!(without(&memory, "_teams/notaries/.skillmount/versions/").await, [of_draft, of_org, of_team]);
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes. It never deletes a file of a user, a version, a draft, a session, an audit record, or an
// object that this version does not know.
#[tokio::test]
async fn mending_takes_what_is_derived_and_leaves_the_rest() {
    let (world, memory) = used().await;
    memory.put_raw("demo/.skillmount/catalog.json", "{");
    memory.put_raw("demo/.skillmount/uses.json", "{");
    memory.put_raw("demo/.skillmount/later/x", "{");
    memory.put_raw("demo/.skillmount/sessions/damaged.json", "{");
    // Nothing has used it, but it is young.
    memory.put_raw(&format!("demo/.skillmount/snapshots/{}.json", "0".repeat(64)), "{");
    let before = world.keys().await;
    let world = over(&memory);
    let report = check(&world, true).await;
    let mended: Vec<_> = report.findings.iter().filter(|found| found.repaired).map(|found| found.code).collect();
    assert_eq!(mended, [FindingCode::DamagedIndex, FindingCode::DamagedUses]);
    assert!(!report.clean, "{report:?}");
    let mut gone = before;
    gone.retain(|key| !key.ends_with("/catalog.json") && !key.ends_with("/uses.json"));
    assert_eq!(world.keys().await, gone);
    assert!(codes(&check(&world, false).await).contains(&FindingCode::DamagedSnapshot));
}

/// What a store has of drafts, records and bundles if all is well.
async fn with_drafts_records_and_bundles() -> (World, Arc<MemoryStore>) {
    let (world, memory) = used().await;
    let text = "---\nname: notes\ndescription: Takes notes.\n---\nWrite.\n";
    let files = UploadedSkill::Files([("SKILL.md".to_owned(), text.into())].into());
    let skill = SkillPath::parse("notes").unwrap();
    world.service.publisher().draft_skill(&id("demo"), &skill, files, PublishOptions::default()).await.unwrap();
    let record = "{\"time\":\"2026-01-02T03:04:05Z\",\"operation\":\"ls\"}\n";
    memory.put_raw(
        "demo/.skillmount/audit/20260102T030405.000006Z-0a1b2c3d",
        format!("{{\"format\":1}}\n{}", record.repeat(20_000)),
    );
    memory.put_raw("demo/skills/wide/SKILL.md", "---\nname: wide\ndescription: Has many files.\n---\nSee.\n");
    for file in 0..40 {
        memory.put_raw(&format!("demo/skills/wide/{file}.md"), "text");
    }
    for session in ["b1", "b2"] {
        world.agent_of("demo", session).load("wide").await.unwrap();
    }
    for _ in 0..200 {
        if world.keys().await.iter().any(|key| key.contains("/bundles/")) {
            return (world, memory);
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("no bundle was made");
}

// S-FSCK-1: `fsck` reads everything that the service keeps of a user, and changes nothing without a request.
#[tokio::test]
async fn drafts_records_and_bundles_are_clean_until_they_are_damaged() {
    let (world, memory) = with_drafts_records_and_bundles().await;
    let before = world.keys().await;
    let report = check(&over(&memory), true).await;
    assert_eq!((report.clean, codes(&report)), (true, vec![]));
    assert_eq!(world.keys().await, before);
    let bundle = key_with(&world, "/bundles/").await;
    for (part, code) in [("/draft-versions/", FindingCode::DamagedDraft), ("/bundles/", FindingCode::DamagedBundle)] {
        let (_, memory) = with_drafts_records_and_bundles().await;
        let key = key_with(&over(&memory), part).await;
        memory.put_raw(&key, "no zip");
        let report = check(&over(&memory), false).await;
        assert_eq!((report.clean, codes(&report)), (false, vec![code]), "{part}");
    }
    // Other files with names and sizes of the folder, and a record that says what that of the bundle said.
    let digest = bundle.rsplit('/').next().unwrap().trim_end_matches(".zip");
    let mut forged = Packer::default();
    forged.add("SKILL.md", &world.bytes("demo/skills/wide/SKILL.md").await.unwrap().into()).unwrap();
    for file in 0..40 {
        forged.add(&format!("{file}.md"), &bytes::Bytes::from_static(b"lies")).unwrap();
    }
    let from = Provenance { at: jiff::Timestamp::now(), by: None, source: Some(format!("sha256:{digest}")) };
    memory.put_raw(&bundle, forged.finish(&SkillPath::parse("wide").unwrap(), &from).unwrap().zip);
    assert_eq!(codes(&check(&over(&memory), false).await), [FindingCode::DamagedBundle]);
    // The archive of another folder under its name.
    let (other, version) = (over(&memory), key_with(&world, "/versions/writing/").await);
    memory.put_raw(&bundle, other.bytes(&version).await.unwrap());
    let report = check(&other, true).await;
    assert_eq!(
        (report.clean, codes(&report), report.findings[0].repaired),
        (true, vec![FindingCode::DamagedBundle], true)
    );
    assert!(check(&other, false).await.findings.is_empty());
    let files = KeyPrefix::all().key(&key_with(&world, "/draft-versions/").await).unwrap();
    memory.delete(&files, DeleteOptions::default()).await.unwrap();
    assert_eq!(codes(&check(&other, true).await), [FindingCode::MissingDraftFiles]);
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test]
async fn bundles_that_nothing_uses_go_after_a_day_and_files_of_drafts_and_records_never() {
    let (world, memory) = with_drafts_records_and_bundles().await;
    for session in ["b1", "b2"] {
        world.service.sessions().delete(&id("demo"), &id(session)).await.unwrap();
    }
    memory.put_raw("demo/skills/wide/0.md", "another text");
    let draft = KeyPrefix::all().key("demo/.skillmount/drafts/notes.json").unwrap();
    memory.delete(&draft, DeleteOptions::default()).await.unwrap();
    assert!(check(&over(&memory), true).await.findings.is_empty(), "they are young");
    let tomorrow = jiff::Timestamp::now().as_second() + 25 * 60 * 60;
    let later = World::at(memory.clone(), ServiceOptions::default(), SetClock::at(tomorrow));
    let report = check(&later, true).await;
    let found: Vec<_> = report.findings.iter().map(|found| (found.code, found.repaired)).collect();
    assert_eq!(found, [(FindingCode::OrphanDraftFiles, false), (FindingCode::OrphanBundle, true)]);
    let keys = later.keys().await;
    assert!(!keys.iter().any(|key| key.contains("/bundles/")), "{keys:?}");
    assert!(keys.iter().any(|key| key.contains("/draft-versions/")) && keys.iter().any(|key| key.contains("/audit/")));
}

// S-FSCK-2: A repair deletes objects that the service can rebuild and objects that nothing has used for a day, and
// finishes begun changes.
#[tokio::test]
async fn a_sound_bundle_whose_files_have_tags_that_say_nothing_of_bytes_is_unused_and_not_damaged() {
    let [untagged, tagged] = [MemoryStore::like_s3(), MemoryStore::tagged_by_content()].map(Arc::new);
    let stores: [(Arc<MemoryStore>, SharedStore); 2] =
        [(untagged.clone(), untagged), (tagged.clone(), Encrypted::new(tagged))];
    for (memory, store) in stores {
        let text = "---\nname: wide\ndescription: Has many files.\n---\nSee.\n";
        let mut packer = Packer::default();
        for (path, text) in [("SKILL.md", text), ("a.md", "text")] {
            memory.put_raw(&format!("demo/skills/wide/{path}"), text);
            packer.add(path, &bytes::Bytes::from_static(text.as_bytes())).unwrap();
        }
        let folder = KeyPrefix::all().folder("demo/skills/wide").unwrap();
        let (entries, _) = store.list_all(&folder, LIST_OBJECTS).await.unwrap();
        let file = |ListEntry { key, size, etag, modified_at }: ListEntry| SnapshotFile {
            path: folder.relative(&key).unwrap().to_owned(),
            size,
            etag,
            modified_at,
        };
        let digest = Snapshot::new(entries.into_iter().map(file).collect()).digest().to_owned();
        let from = Provenance { at: jiff::Timestamp::now(), by: None, source: Some(digest.clone()) };
        let zip = packer.finish(&SkillPath::parse("wide").unwrap(), &from).unwrap().zip;
        memory.put_raw(&format!("demo/.skillmount/bundles/{}.zip", digest.trim_start_matches("sha256:")), zip);
        let world = World::undisturbed(store, ServiceOptions::default(), clock());
        let found = check(&world, true).await.findings;
        let found: Vec<_> = found.iter().map(|found| (found.code, found.repaired)).collect();
        assert_eq!(found, [(FindingCode::OrphanBundle, true)]);
        assert!(check(&world, false).await.findings.is_empty());
    }
}

#[tokio::test]
async fn a_folder_that_others_changed_is_a_note() {
    let (_, memory) = used().await;
    memory.put_raw("demo/skills/writing/minutes/more.md", "x");
    let report = check(&over(&memory), false).await;
    assert_eq!((report.clean, codes(&report)), (true, vec![FindingCode::ChangedFolder]));
}

#[tokio::test]
async fn the_whole_store_is_everybody_the_layers_and_what_is_nobodys() {
    let (_, memory) = used().await;
    memory.put_raw("anna/threads/s/x", "x");
    memory.put_raw("_teams/t/skills/a/SKILL.md", "x");
    memory.put_raw("_teams/t/.skillmount/audit/20260102T030405.000006Z-0a1b2c3d", "no header\n");
    memory.put_raw("_org/.skillmount/heads/a.json", "{");
    memory.put_raw("_deleted/zoe", "{");
    memory.put_raw("_deleted/.receipts/otto", "{");
    memory.put_raw(".skillmount/unheard-of", "x");
    let report = over(&memory).service.upkeep().check_everybody(false).await.unwrap();
    assert_eq!(report.owners, 4);
    let found: Vec<_> = report.findings.iter().map(|found| (found.owner.as_deref(), found.code)).collect();
    let expected = [
        (Some("_teams/t"), FindingCode::DamagedAudit),
        (Some("_org"), FindingCode::DamagedHead),
        (None, FindingCode::DamagedReceipt),
        (None, FindingCode::DamagedTombstone),
        (None, FindingCode::UnknownObject),
    ];
    assert_eq!(found, expected);
}

// S-LIMIT-2: Every limited answer says so and how to get the rest.
#[tokio::test]
async fn what_is_too_much_to_be_checked_is_no_clean_store() {
    for (owner, beginning) in [(Some("demo"), "demo/threads/s/"), (None, ".skillmount/probe-"), (None, "_deleted/a-")] {
        let memory = Arc::new(MemoryStore::like_s3());
        for number in 0..LIST_OBJECTS {
            memory.put_raw(&format!("{beginning}{number}"), "");
        }
        let clean = |report: &FsckReport| !codes(report).contains(&FindingCode::TooManyObjects);
        assert!(clean(&over(&memory).service.upkeep().check_everybody(false).await.unwrap()), "{beginning}");
        memory.put_raw(&format!("{beginning}more"), "");
        let report = over(&memory).service.upkeep().check_everybody(false).await.unwrap();
        let found = report.findings.iter().find(|found| found.code == FindingCode::TooManyObjects).unwrap();
        assert_eq!((found.owner.as_deref(), report.clean), (owner, false));
        assert!(beginning.starts_with(&found.key), "{found:?}");
        if owner.is_some() {
            memory.put_raw("demo/.skillmount/catalog.json", "{");
            let report = over(&memory).service.upkeep().check_everybody(true).await.unwrap();
            let is_mended = |found: &FsckFinding| found.owner.as_deref() == owner && found.repaired;
            assert!(!report.findings.iter().any(is_mended), "nothing is mended of what is not seen whole");
        }
    }
}

#[test]
fn every_code_says_what_to_do() {
    for code in FindingCode::ALL {
        assert!(!code.fix().is_empty() && json!(code).is_string(), "{code:?}");
    }
}
