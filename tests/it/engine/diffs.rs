//! What differs between two versions of a skill.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use skillmount::{
    Code,
    handle::ServiceOptions,
    limits::{DIFF_BYTES, DIFF_FILE_BYTES},
    path::{LayerOwner, SkillPath},
    publish::{PublishOptions, UploadedSkill},
    store::MemoryStore,
    wire::{
        ChangedFile, DiffRequest,
        FileDifference::{self, Added, Modified, Removed},
        VersionDiff, VersionListRequest,
    },
};

use crate::support::world::{World, code, id};

const MAIN: &str = "---\nname: s\ndescription: Shows how.\n---\nBody\n";

fn skill() -> SkillPath {
    SkillPath::parse("s").unwrap()
}

async fn publish(world: &World, files: &[(&str, &[u8])]) -> String {
    let main = [("SKILL.md", MAIN.as_bytes())];
    let files: BTreeMap<_, _> = main.iter().chain(files).map(|(path, bytes)| (*path, *bytes)).collect();
    let files = files.iter().map(|(path, bytes)| ((*path).to_owned(), Bytes::copy_from_slice(bytes))).collect();
    let (uploaded, options) = (UploadedSkill::Files(files), PublishOptions::default());
    world.service.publisher().publish_skill(&id("demo"), &skill(), uploaded, options).await.unwrap().digest
}

async fn diff(world: &World, from: Option<&str>, to: Option<&str>) -> VersionDiff {
    let [from, to] = [from, to].map(|digest| digest.map(str::to_owned));
    let wanted = DiffRequest { from, to, layer: None };
    world.service.publisher().diff_versions(&id("demo"), &skill(), &wanted).await.unwrap()
}

fn paths(found: &VersionDiff) -> Vec<(&str, FileDifference, bool, bool)> {
    found.files.iter().map(|file| (file.path.as_str(), file.change, file.binary, file.shown)).collect()
}

// S-VERSION-3: A diff of two versions has the differing lines, as a unified diff, and the names of all differing files.
#[tokio::test]
async fn a_diff_has_the_lines_of_texts_and_the_names_of_all_else() {
    let world = World::new();
    let first =
        publish(&world, &[("a.md", b"one\ntwo\n"), ("b.png", b"\0\x01"), ("gone.md", b"x"), ("same.md", b"s")]).await;
    let second =
        publish(&world, &[("a.md", b"one\n2\n"), ("b.png", b"\0\x02"), ("new.md", b"n\n"), ("same.md", b"s")]).await;
    let found = diff(&world, None, None).await;
    assert_eq!((found.from.as_deref(), found.to.as_deref()), (Some(&*first), Some(&*second)));
    let expected = "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n\
                    --- a/gone.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\\ No newline at end of file\n\
                    --- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+n\n";
    assert_eq!(found.diff, expected);
    let files = [("a.md", Modified, false, true), ("b.png", Modified, true, false), ("gone.md", Removed, false, true)];
    assert_eq!(paths(&found), [&files[..], &[("new.md", Added, false, true)]].concat());
    assert_eq!((found.total, found.truncated, &found.truncation_reason), (4, false, &None));

    let back = diff(&world, Some(&second), Some(&first)).await;
    assert!(back.diff.contains("-2\n+two\n"), "{}", back.diff);
    assert_eq!(diff(&world, Some(&second), None).await.total, 0, "a version does not differ from itself");
    world.service.publisher().delete_skill(&id("demo"), &skill(), PublishOptions::default()).await.unwrap();
    let deleted = diff(&world, None, None).await;
    assert_eq!((deleted.from, deleted.to, deleted.total), (Some(second), None, 5));
}

// S-VERSION-8: A diff omits lines of binary files and of texts over 1 MiB.
#[tokio::test]
async fn a_diff_is_bounded_and_says_what_is_left_out() {
    let world = World::new();
    let size = usize::try_from(DIFF_FILE_BYTES).unwrap();
    let half = "x\n".repeat(DIFF_BYTES / 5);
    publish(&world, &[]).await;
    let first: &[(&str, &[u8])] =
        &[("a", half.as_bytes()), ("b", half.as_bytes()), ("most", &vec![b'x'; size]), ("c", b"c\n")];
    publish(&world, first).await;
    let found = diff(&world, None, None).await;
    let shown: Vec<_> = found.files.iter().map(|file| (file.path.as_str(), file.shown)).collect();
    assert_eq!(shown, [("a", true), ("b", false), ("c", true), ("most", false)]);
    assert!(found.diff.len() <= DIFF_BYTES && found.truncated);
    assert!(found.truncation_reason.unwrap().contains("load both versions"));

    let texts = |end: &str| (0..10).map(|n| (n.to_string(), "x\n".repeat(450_000) + end)).collect::<Vec<_>>();
    for end in ["old\n", "new\n"] {
        let texts = texts(end);
        let files: Vec<(&str, &[u8])> = texts.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        publish(&world, &files).await;
    }
    let compared = diff(&world, None, None).await;
    let shown: Vec<_> = compared.files.iter().map(|file| file.shown).collect();
    assert_eq!(shown, [[true; 4].as_slice(), &[false; 6]].concat(), "8 MiB of texts are compared");
    assert_eq!((compared.diff.matches("+new\n").count(), compared.truncated), (4, true));

    let over: &[(&str, &[u8])] = &[("over", &vec![b'x'; size + 1])];
    publish(&world, over).await;
    let last = diff(&world, None, None).await;
    let over = last.files.iter().find(|file| file.path == "over").unwrap();
    let expected = ChangedFile {
        path: "over".into(),
        change: FileDifference::Added,
        binary: false,
        shown: false,
        size_before: None,
        size_after: Some(size as u64 + 1),
    };
    assert_eq!(over, &expected);
}

#[tokio::test]
async fn what_cannot_be_compared_says_why() {
    let world = World::new();
    let of = |from: Option<&str>| DiffRequest { from: from.map(str::to_owned), ..DiffRequest::default() };
    let diff = |wanted: DiffRequest| {
        let service = world.service.clone();
        async move { service.publisher().diff_versions(&id("demo"), &skill(), &wanted).await }
    };
    assert_eq!(code(diff(of(None)).await), Code::SkillNotFound);
    assert_eq!(code(diff(of(Some("sha256:1"))).await), Code::InvalidRequest);
    let only = publish(&world, &[]).await;
    let found = diff(of(None)).await.unwrap();
    assert_eq!((found.from, found.to, found.total), (None, Some(only), 1), "of a first version everything is new");
    let absent = format!("sha256:{}", "0".repeat(64));
    assert_eq!(code(diff(of(Some(&absent))).await), Code::VersionNotFound);
}

// S-VERSION-5: A control key of a team publishes the skills of that team, and a control key of all users the skills of
// the organisation.
#[tokio::test]
async fn skills_of_a_layer_are_published_where_layers_are_on_and_seen_at_once() {
    let uploaded = || UploadedSkill::Files(vec![("SKILL.md".into(), Bytes::from_static(MAIN.as_bytes()))]);
    let off = World::new();
    let refused =
        off.service.publisher().publish_skill(LayerOwner::Org, &skill(), uploaded(), PublishOptions::default()).await;
    assert_eq!((code(refused), off.keys().await), (Code::InvalidRequest, vec![]));

    let options = ServiceOptions { layers: true, ..ServiceOptions::default() };
    let world = World::with(Arc::new(MemoryStore::like_s3()), options);
    let agent = world.agent();
    assert_eq!(agent.catalog(false).await.unwrap().entries.len(), 0);
    for owner in [LayerOwner::Org, LayerOwner::Team(id("t"))] {
        let reply = world
            .service
            .publisher()
            .publish_skill(&owner, &skill(), uploaded(), PublishOptions::default())
            .await
            .unwrap();
        let listed =
            world.service.publisher().list_versions(&owner, &skill(), &VersionListRequest::default()).await.unwrap();
        assert_eq!(listed.current, Some(reply.digest));
    }
    assert_eq!(agent.catalog(false).await.unwrap().entries.len(), 1, "everybody sees the organisation's");
    let team = world.agent_in(Some("t"), "demo", "s").catalog(false).await.unwrap();
    assert_eq!(team.entries[0].layer, skillmount::path::Layer::Team);
    assert!(world.bytes("_org/skills/s/SKILL.md").await.is_some());
    assert!(world.bytes("_teams/t/.skillmount/heads/s.json").await.is_some());
    world.service.publisher().delete_skill(LayerOwner::Org, &skill(), PublishOptions::default()).await.unwrap();
    assert_eq!(agent.catalog(false).await.unwrap().entries.len(), 0);
}
