//! Files made and changed by hand, the store's own folder, times and leftovers.

use super::*;

#[tokio::test]
async fn an_object_is_a_plain_file() {
    let (folder, store) = temporary_directory();
    put(&*store, "skills/venta/SKILL.md", "text").await;
    assert_eq!(fs::read_to_string(folder.path().join("skills/venta/SKILL.md")).unwrap(), "text");
    fs::create_dir_all(folder.path().join("skills/compra")).unwrap();
    fs::write(folder.path().join("skills/compra/SKILL.md"), "by hand").unwrap();
    assert_eq!(names(&*store).await, ["skills/compra/SKILL.md", "skills/venta/SKILL.md"]);
    assert_eq!(get(&*store, "skills/compra/SKILL.md").await.unwrap().bytes, "by hand");
}

#[tokio::test]
async fn a_change_by_hand_is_a_new_version_without_the_old_ones_metadata() {
    let (folder, store) = temporary_directory();
    let etag = put(&*store, "a", "ours").await;
    assert_eq!(get(&*store, "a").await.unwrap().meta.metadata["text"], "ours");
    fs::write(folder.path().join("a"), "hand").unwrap();
    let by_hand = get(&*store, "a").await.unwrap().meta;
    assert_ne!(by_hand.etag, etag, "same size, another time");
    assert_eq!(by_hand.metadata, Metadata::new());
    let stale = put_if(&*store, "a", "late", PutCondition::IfMatch(etag)).await;
    assert!(matches!(stale, Err(StoreError::PreconditionFailed)));
    put_if(&*store, "a", "next", PutCondition::IfMatch(by_hand.etag)).await.unwrap();
    assert_eq!(get(&*store, "a").await.unwrap().meta.metadata["text"], "next");
}

#[tokio::test]
async fn our_times_strictly_increase_whatever_the_clock_says() {
    let (folder, _) = temporary_directory();
    let clock = SetClock::at(1_700_000_000);
    let mut last = None;
    for number in 100..130 {
        if number == 110 {
            clock.set(1_600_000_000);
        }
        // A new handle each time, so that nothing but the disk can remember.
        let store = skillmount::store::DirectoryStore::open(folder.path(), Arc::clone(&clock) as _).unwrap();
        put(&store, "a", &number.to_string()).await;
        if number % 7 == 0 {
            delete(&store, "a").await;
            put(&store, "a", &number.to_string()).await;
        }
        let written = Some(store.head(&key("a")).await.unwrap().modified_at);
        assert!(written > last, "{written:?} after {last:?}");
        last = written;
    }
}

#[tokio::test]
async fn a_time_set_by_hand_is_never_taken_for_the_version_that_replaces_it() {
    let (folder, _) = temporary_directory();
    let clock = SetClock::at(1_700_000_000);
    let store = skillmount::store::DirectoryStore::open(folder.path(), Arc::clone(&clock) as _).unwrap();
    let file = fs::File::create(folder.path().join("a")).unwrap();
    file.set_modified(clock.now().into()).unwrap();
    let by_hand = store.head(&key("a")).await.unwrap().etag;
    assert_ne!(put(&store, "a", "").await, by_hand, "same size, and the clock shows that very time");
}

#[tokio::test]
async fn the_stores_own_folder_is_no_object() {
    let (folder, store) = temporary_directory();
    put(&*store, "a", "x").await;
    assert_eq!(names(&*store).await, ["a"]);
    for name in [".skillmount-store", ".skillmount-store/locks/00"] {
        let refused = put_if(&*store, name, "x", PutCondition::Always).await;
        assert!(matches!(&refused, Err(StoreError::Unsupported(why)) if why.contains(".skillmount-store")));
        assert!(get(&*store, name).await.is_err());
    }
    let own = KeyPrefix::all().folder(".skillmount-store").unwrap();
    assert_eq!(store.list_all(&own, 10).await.unwrap(), (Vec::new(), false));
    // Only at the top: deeper it is a name like any other.
    put(&*store, "b/.skillmount-store/c", "x").await;
    assert_eq!(names(&*store).await, ["a", "b/.skillmount-store/c"]);
    assert!(folder.path().join("b/.skillmount-store/c").is_file());
}

#[tokio::test]
async fn folders_come_and_go_with_their_files() {
    let (folder, store) = temporary_directory();
    put(&*store, "a/b/c", "x").await;
    put(&*store, "a/d", "x").await;
    delete(&*store, "a/b/c").await;
    assert!(!folder.path().join("a/b").exists() && folder.path().join("a").exists());
    delete(&*store, "a/d").await;
    assert!(!folder.path().join("a").exists() && folder.path().exists());
    fs::create_dir_all(folder.path().join("empty/deep")).unwrap();
    let page = store.list(&KeyPrefix::all(), ListOptions::default().with_delimiter()).await.unwrap();
    assert_eq!((page.folders.len(), page.objects.len()), (0, 0), "a folder without files is not listed");
    fs::remove_dir(folder.path().join("empty/deep")).unwrap();
    put(&*store, "empty", "a file where an empty folder was").await;
    assert_eq!(names(&*store).await, ["empty"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn pruning_never_loses_a_file_that_is_being_made() {
    let (folder, store) = temporary_directory();
    let tasks: Vec<_> = (0..8)
        .map(|number| {
            let store = SharedStore::clone(&store);
            tokio::spawn(async move {
                let name = format!("deep/er/{number}");
                for _ in 0..10 {
                    put(&*store, &name, "x").await;
                    assert_eq!(get(&*store, &name).await.unwrap().bytes, "x");
                    delete(&*store, &name).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert!(!folder.path().join("deep").exists());
}

#[tokio::test]
async fn leftovers_of_dead_writers_are_cleared_and_those_of_living_ones_are_not() {
    let (folder, store) = temporary_directory();
    put(&*store, "a", "x").await;
    let own = folder.path().join(".skillmount-store");
    let living = fs::File::create(own.join("locks/07")).unwrap();
    living.lock().unwrap();
    for name in ["07", "07.json", "08", "08.json"] {
        fs::write(own.join("tmp").join(name), "half wri").unwrap();
    }
    let again = directory(folder.path());
    assert_eq!(own_files(folder.path(), "tmp"), ["07", "07.json"]);
    assert_eq!(get(&*again, "a").await.unwrap().bytes, "x");
    drop(living);
    directory(folder.path());
    assert_eq!(own_files(folder.path(), "tmp"), Vec::<String>::new());
}

#[tokio::test]
async fn a_write_leaves_nothing_behind_whether_it_succeeds_or_fails() {
    let (folder, store) = temporary_directory();
    put(&*store, "a/b", "x").await;
    put_if(&*store, "a", "x", PutCondition::Always).await.unwrap_err();
    put_if(&*store, "a/b/c", "x", PutCondition::Always).await.unwrap_err();
    put_if(&*store, "a/b", "x", PutCondition::IfAbsent).await.unwrap_err();
    delete(&*store, "a/b").await;
    assert_eq!(own_files(folder.path(), "tmp"), Vec::<String>::new());
    let side_files = own_files(folder.path(), "meta")
        .iter()
        .map(|part| own_files(folder.path(), &format!("meta/{part}")).len())
        .sum::<usize>();
    assert_eq!(side_files, 0);
}

#[tokio::test]
async fn a_damaged_side_file_costs_its_metadata_and_nothing_else() {
    let (folder, store) = temporary_directory();
    put(&*store, "a", "x").await;
    let part = own_files(folder.path(), "meta").remove(0);
    let name = own_files(folder.path(), &format!("meta/{part}")).remove(0);
    fs::write(folder.path().join(".skillmount-store/meta").join(part).join(name), "{").unwrap();
    let object = get(&*store, "a").await.unwrap();
    assert_eq!((object.bytes.as_ref(), object.meta.metadata), (b"x".as_slice(), Metadata::new()));
    put(&*store, "a", "y").await;
    assert_eq!(get(&*store, "a").await.unwrap().meta.metadata["text"], "y");
}

#[test]
fn a_disk_that_takes_two_names_for_one_is_refused() {
    // Where the twin of the probe exists, the disk shows it as such a disk would.
    for twin in ["probe-\u{e9}", "Probe-e\u{301}"] {
        let (folder, _) = temporary_directory();
        fs::write(folder.path().join(".skillmount-store").join(twin), "").unwrap();
        let refused = skillmount::store::DirectoryStore::open(folder.path(), clock());
        assert!(matches!(refused, Err(StoreError::Unsupported(_))), "{twin}");
    }
}

#[test]
fn a_folder_that_is_a_file_is_refused() {
    let folder = tempfile::TempDir::new().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for root in ["file", "file/below"] {
        let refused = skillmount::store::DirectoryStore::open(folder.path().join(root), clock());
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{refused:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_get_the_metadata_of_the_bytes_they_read_however_fast_others_write() {
    // In memory, because many versions must pass while one reader is between two steps.
    let (_folder, store) = directory_in_memory();
    put(&*store, "a", "0").await;
    let tasks: Vec<_> = (0..6)
        .map(|number| {
            let store = SharedStore::clone(&store);
            tokio::spawn(async move {
                for turn in 0..300 {
                    if number < 3 {
                        put(&*store, "a", &format!("{turn} of {number}")).await;
                    } else {
                        let object = get(&*store, "a").await.unwrap();
                        assert_eq!(object.meta.metadata["text"].as_bytes(), object.bytes);
                        let head = store.head(&key("a")).await.unwrap();
                        assert!(head.metadata.contains_key("text"));
                    }
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
}
