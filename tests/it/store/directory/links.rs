//! Symbolic links and names that are not UTF-8: as if they were not there, and never written through.
#![cfg(unix)]

use std::{
    ffi::OsStr,
    os::unix::{ffi::OsStrExt, fs::symlink},
};

use super::*;

#[tokio::test]
async fn links_are_neither_read_nor_listed_nor_written_through() {
    let outside = tempfile::TempDir::new().unwrap();
    fs::write(outside.path().join("secret"), "secret").unwrap();
    let (folder, store) = temporary_directory();
    put(&*store, "real", "x").await;
    symlink(outside.path().join("secret"), folder.path().join("file")).unwrap();
    symlink(outside.path(), folder.path().join("folder")).unwrap();
    symlink(outside.path().join("nowhere"), folder.path().join("dangling")).unwrap();
    symlink("real", folder.path().join("inside")).unwrap();
    for name in ["file", "folder/secret", "dangling", "inside", "folder"] {
        assert!(matches!(get(&*store, name).await, Err(StoreError::NotFound)), "get {name}");
        assert!(matches!(store.head(&key(name)).await, Err(StoreError::NotFound)), "head {name}");
        delete(&*store, name).await;
    }
    for name in ["file", "folder/secret", "folder/new", "folder/deep/new", "dangling", "inside"] {
        for condition in [PutCondition::Always, PutCondition::IfAbsent] {
            let refused = put_if(&*store, name, "through", condition).await;
            assert!(
                matches!(&refused, Err(StoreError::Unsupported(why)) if why.contains("link")),
                "{name}: {refused:?}"
            );
        }
    }
    assert_eq!(names(&*store).await, ["real"]);
    let below = KeyPrefix::all().folder("folder").unwrap();
    assert_eq!(store.list_all(&below, 10).await.unwrap(), (Vec::new(), false));
    assert_eq!(fs::read_to_string(outside.path().join("secret")).unwrap(), "secret");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1, "nothing was made outside");
    assert!(folder.path().join("file").is_symlink(), "a delete does not remove the link either");
}

#[test]
fn the_stores_own_folders_are_not_followed() {
    let outside = tempfile::TempDir::new().unwrap();
    for own in [".skillmount-store", ".skillmount-store/tmp"] {
        let folder = tempfile::TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join(own).parent().unwrap()).unwrap();
        symlink(outside.path(), folder.path().join(own)).unwrap();
        let refused = skillmount::store::DirectoryStore::open(folder.path(), clock());
        assert!(matches!(refused, Err(StoreError::Unavailable { .. })), "{own}: {refused:?}");
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn names_that_are_not_utf8_are_passed_over() {
    let (folder, store) = temporary_directory();
    put(&*store, "a", "x").await;
    let strange = folder.path().join(OsStr::from_bytes(b"caf\xe9"));
    if let Err(error) = fs::write(&strange, "x") {
        println!("skipped: this disk takes only UTF-8 names ({error})");
        return;
    }
    assert_eq!(names(&*store).await, ["a"]);
}
