//! Publishes, rollbacks and deletions that end at each of their requests, and another tool that writes before anybody goes on.

use std::{
    collections::BTreeSet,
    io::{Cursor, Read as _},
};

use skillmount::{
    store::{Verb, testing::Fault},
    wire::FindingLevel,
};
use zip::ZipArchive;

use super::publishing::{FOLDER, Files, from, plain, publish, publish_if, seen_or_nothing, settled, skill, version};
use crate::support::{
    sabotage::indexes_are_sabotaged,
    world::{World, id},
};

/// Requests that a change makes of one verb at most.
const REQUESTS: usize = 8;

/// The contents of all files in all archives of versions.
async fn archived(world: &World) -> BTreeSet<String> {
    let mut contents = BTreeSet::new();
    for key in world.keys().await.into_iter().filter(|key| key.contains("/versions/")) {
        let mut zip = ZipArchive::new(Cursor::new(world.bytes(&key).await.unwrap())).unwrap();
        for index in 0..zip.len() {
            let mut text = String::new();
            zip.by_index(index).unwrap().read_to_string(&mut text).unwrap();
            contents.insert(text);
        }
    }
    contents
}

/// A change of a skill.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Change {
    Publish,
    RollBack,
    Delete,
}

impl Change {
    /// What the skill is after it: the first version, whose files a publish stores under another text.
    fn makes(self) -> Files {
        match self {
            Self::Publish => version(3, &["b.md", "gone.md"]),
            Self::RollBack => version(1, &["b.md", "gone.md"]),
            Self::Delete => Files::new(),
        }
    }

    /// Makes it; `first` is the digest of the first version. Returns whether it succeeded.
    async fn make(self, world: &World, first: &str) -> bool {
        let (user, skill) = (id("demo"), skill());
        match self {
            Self::Publish => publish_if(world, &self.makes(), None).await.is_ok(),
            Self::RollBack => world.service.publisher().roll_back_skill(&user, &skill, first, from()).await.is_ok(),
            Self::Delete => world.service.publisher().delete_skill(&user, &skill, from()).await.is_ok(),
        }
    }
}

/// That the check of the user finds nothing wrong, but for indexes that are damaged on purpose.
async fn assert_clean(world: &World, case: &str) {
    let report = world.service.upkeep().check_user(&id("demo"), false).await.unwrap();
    let is_of_index = |key: &str| key.contains("/.skillmount/catalog") || key.contains("/.skillmount/bundles/");
    let is_left_alone = |key: &str| !(indexes_are_sabotaged() && is_of_index(key));
    let found: Vec<_> =
        report.findings.iter().filter(|one| one.level > FindingLevel::Note && is_left_alone(&one.key)).collect();
    assert!(report.clean || (found.is_empty() && indexes_are_sabotaged()), "{case}: {report:?}");
}

fn without(files: &Files, path: &str) -> Files {
    files.iter().filter(|(name, _)| *name != path).map(|(name, text)| (name.clone(), text.clone())).collect()
}

/// One change that ends at the request `crash` of `verb`, and the file `path` that another tool writes then. Returns whether
/// the change was told to have succeeded, and whether it is what readers see.
async fn interrupted(change: Change, path: &str, crash: usize, verb: Verb) -> (bool, bool) {
    let (case, deletes) = (format!("{change:?} {path} {verb:?} {crash}"), change == Change::Delete);
    let two = version(2, &["b.md", "new.md"]);
    let world = World::new();
    let first = publish(&world, &Change::RollBack.makes()).await.digest;
    publish(&world, &two).await;
    let faults = std::iter::repeat_n(Fault::None, crash).chain(std::iter::repeat_n(Fault::Deny, 100));
    world.faults.script(verb, faults);
    let is_told = change.make(&world, &first).await;
    let foreign = version(9, &[path])[path].clone();
    world.put(&format!("{FOLDER}{path}"), foreign.clone()).await;

    // The process is gone, and another one comes. Until the plain files have followed, it serves the archive.
    let world = world.replica();
    let after = change.makes();
    let sees = |files: &Files| {
        let is_of = |version: &Files| {
            files == version || (without(files, path) == without(version, path) && files.get(path) == Some(&foreign))
        };
        // Without a SKILL.md there is no skill, and readers see nothing of its folder.
        let is_after = is_of(&after) || (deletes && files.is_empty());
        assert!(is_after || is_of(&two), "{case}: {files:?}");
        is_after
    };
    let is_after = sees(&seen_or_nothing(&world, "s").await);
    assert!(!is_told || is_after, "{case}: what was told is seen");
    settled(&world).await;
    assert_eq!(plain(&world).await.get(path), Some(&foreign), "{case}: the file of another tool stays");
    let now = seen_or_nothing(&world, "t").await;
    assert_eq!(sees(&now), is_after, "{case}");
    assert!(now.is_empty() || now.get(path) == Some(&foreign), "{case}: {now:?}");
    assert_clean(&world, &case).await;

    // The same change once more keeps what the other tool wrote as a version, and is whole. What is left of a deleted
    // skill is no skill to delete.
    let is_done = change.make(&world, &first).await;
    assert!(is_done || (deletes && now.is_empty()), "{case}");
    let left = plain(&world).await;
    assert!(archived(&world).await.contains(&foreign) || left.get(path) == Some(&foreign), "{case}: it is lost");
    assert!(!is_done || left == after, "{case}: {left:?}");
    assert_clean(&world, &case).await;
    (is_told, is_after)
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
// S-PUBLISH-5: A publish never loses a file that another tool wrote: the file stays where it is, or the service keeps
// it as a version.
#[tokio::test(start_paused = true)]
async fn a_publish_a_rollback_or_a_deletion_that_ends_at_any_request_loses_no_file_of_another_tool_and_mixes_nothing() {
    for change in [Change::Publish, Change::RollBack, Change::Delete] {
        let mut outcomes = BTreeSet::new();
        for path in ["b.md", "gone.md", "new.md", "other.md", "SKILL.md"] {
            for crash in 0..REQUESTS {
                for verb in [Verb::Put, Verb::Delete] {
                    outcomes.insert(interrupted(change, path, crash, verb).await);
                }
            }
        }
        let all = [(false, false), (true, true)];
        assert!(all.iter().all(|case| outcomes.contains(case)), "{change:?}: {outcomes:?}");
    }
}
