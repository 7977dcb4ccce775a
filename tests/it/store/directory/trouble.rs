//! Locks that are stuck, and the store's own folder damaged or removed while it runs.

use sha2::{Digest, Sha256};
use skillmount::{limits::LOCK_TIMEOUT, store::Cause};
use tokio::time::Instant;

use super::*;

fn lock_of(root: &Path, name: &str) -> std::path::PathBuf {
    let [index, ..]: [u8; 32] = Sha256::digest(name).into();
    root.join(format!(".skillmount-store/locks/{index:02x}"))
}

// S-STORE-6: A lock of another process delays a change by 10 seconds at most, and nothing else at all.
#[test]
fn a_stuck_lock_holds_up_the_writes_under_it_until_their_deadline_and_takes_no_thread() {
    // With two threads for all blocking work, one that waited for the lock would stop everything.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .max_blocking_threads(2)
        .build()
        .unwrap();
    runtime.block_on(async {
        let (folder, store) = temporary_directory();
        put(&*store, "stuck", "before").await;
        assert_ne!(lock_of(folder.path(), "stuck"), lock_of(folder.path(), "free"));
        let held = fs::File::open(lock_of(folder.path(), "stuck")).unwrap();
        held.lock().unwrap();
        let began = Instant::now();
        let writes: Vec<_> = (0..600)
            .map(|number: u32| {
                let store = SharedStore::clone(&store);
                tokio::spawn(async move { put_if(&*store, "stuck", &number.to_string(), PutCondition::Always).await })
            })
            .collect();
        put(&*store, "free", "x").await;
        assert_eq!(get(&*store, "stuck").await.unwrap().bytes, "before");
        assert_eq!(names(&*store).await, ["free", "stuck"]);
        for write in writes {
            let error = write.await.unwrap().unwrap_err();
            assert!(matches!(error.cause(), Some(Cause::LockHeld { path }) if path.contains("/locks/")), "{error:?}");
            let cure = error.cause().and_then(Cause::cure).unwrap();
            assert!(cure.contains("wait for it, end it, or speak to it with --server"), "it may be one's own: {cure}");
            assert!(!error.is_transient(), "it has been tried for long enough");
        }
        assert!(began.elapsed() <= LOCK_TIMEOUT + std::time::Duration::from_millis(1), "{:?}", began.elapsed());
        drop(held);
        put(&*store, "stuck", "after").await;
    });
}

#[tokio::test]
async fn a_stamp_from_the_far_future_in_a_lock_file_is_damage_and_is_mended() {
    let (folder, store) = temporary_directory();
    for damage in
        ["99999999999999999999", " 9999999999999999999", "4102444800000000000", "-1", "x", &"9".repeat(10_000)]
    {
        let first = put(&*store, "a", "x").await;
        fs::write(lock_of(folder.path(), "a"), damage).unwrap();
        assert_ne!(put(&*store, "a", "x").await, first, "{damage}");
        let written = store.head(&key("a")).await.unwrap().modified_at;
        assert!(written <= clock().now(), "{damage}: {written}");
        put(&*store, "a", "x").await;
        assert!(store.head(&key("a")).await.unwrap().modified_at > written, "{damage}");
    }
}

#[tokio::test]
async fn the_stores_own_folder_is_made_again_where_it_was_removed() {
    let (folder, store) = temporary_directory();
    let own = folder.path().join(".skillmount-store");
    for gone in ["", "locks", "tmp", "meta"] {
        put(&*store, "a", "before").await;
        fs::remove_dir_all(own.join(gone)).unwrap();
        assert_eq!(get(&*store, "a").await.unwrap().bytes, "before", "{gone:?}");
        put(&*store, "a", "after").await;
        let object = get(&*store, "a").await.unwrap();
        assert_eq!((object.bytes.as_ref(), &*object.meta.metadata["text"]), (b"after".as_slice(), "after"), "{gone:?}");
    }
    fs::remove_dir_all(folder.path()).unwrap();
    let error = put_if(&*store, "a", "x", PutCondition::Always).await.unwrap_err();
    assert_eq!(error.cause(), Some(&Cause::FolderGone), "a disk that went away is not written beside: {error:?}");
    assert!(!folder.path().exists());
}

#[tokio::test]
async fn a_lock_on_a_file_that_was_removed_guards_nothing() {
    let (folder, store) = temporary_directory();
    put(&*store, "a", "x").await;
    let removed = fs::File::open(lock_of(folder.path(), "a")).unwrap();
    removed.lock().unwrap();
    fs::remove_file(lock_of(folder.path(), "a")).unwrap();
    put(&*store, "a", "its own lock file").await;
}
