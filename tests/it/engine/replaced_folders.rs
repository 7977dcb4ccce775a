//! Versions in which a file is a folder, or the other way round, on stores that can hold both and on those that cannot.

use std::sync::Arc;

use skillmount::store::{MemoryStore, SharedStore, Verb};

use super::publishing::{FAULTS, from, from_the, plain, publish, publish_if, seen_or_nothing, settled, skill, version};
use crate::support::{
    directory_in_memory,
    world::{World, id},
};

/// The paths of two versions that no disk holds together.
const PAIRS: [(&[&str], &[&str]); 4] = [
    (&["scripts"], &["scripts/run.sh"]),
    (&["a/b", "a/c/d"], &["a"]),
    (&["a/b/c"], &["a/b"]),
    (&["a", "x.md"], &["a/b/c", "x.md/y"]),
];

// S-PUBLISH-1: A published skill is plain files in the bucket, a head that names the version, and the archive of that
// version.
#[tokio::test]
async fn a_version_whose_files_are_folders_of_the_one_before_is_whole_and_so_is_the_way_back() {
    for (one, other) in PAIRS {
        for (first, second) in [(one, other), (other, one)] {
            let (_folder, directory) = directory_in_memory();
            let memory: SharedStore = Arc::new(MemoryStore::like_s3());
            for bucket in [directory, memory] {
                let world = World::over(bucket);
                let (before, after) = (version(1, first), version(2, second));
                let published = publish(&world, &before).await;
                let reply = publish_if(&world, &after, Some(&published.digest)).await.unwrap();
                assert_eq!((reply.complete, &reply.kept), (true, &Vec::new()), "{first:?}");
                assert_eq!((plain(&world).await, seen_or_nothing(&world, "s").await), (after.clone(), after));
                let back =
                    world.service.publisher().roll_back_skill(&id("demo"), &skill(), &published.digest, from()).await;
                let back = back.unwrap();
                assert_eq!((back.complete, &back.kept), (true, &Vec::new()), "{second:?}");
                assert_eq!((plain(&world).await, seen_or_nothing(&world, "t").await), (before.clone(), before));
            }
        }
    }
}

// S-PUBLISH-3: Readers through the service see the version before a publish or the version after it, whatever fails
// meanwhile, and any server completes it.
#[tokio::test(start_paused = true)]
async fn such_a_publish_that_ends_at_any_request_is_seen_whole_and_completed() {
    for (one, other) in PAIRS {
        for (first, second) in [(one, other), (other, one)] {
            for (crash, fault) in (0..6).flat_map(|crash| FAULTS.map(|fault| (crash, fault))) {
                for verb in [Verb::Put, Verb::Delete] {
                    let case = format!("{first:?} {verb:?} {crash} {fault:?}");
                    let (_folder, directory) = directory_in_memory();
                    let world = World::over(directory);
                    let (before, after) = (version(1, first), version(2, second));
                    publish(&world, &before).await;
                    world.faults.script(verb, from_the(crash, fault));
                    let told = publish_if(&world, &after, None).await;
                    let world = world.replica();
                    let seen = seen_or_nothing(&world, "s").await;
                    assert!(seen == after || (seen == before && told.is_err()), "{case}: {seen:?}");
                    settled(&world).await;
                    assert_eq!((&plain(&world).await, &seen_or_nothing(&world, "t").await), (&seen, &seen), "{case}");
                }
            }
        }
    }
}
