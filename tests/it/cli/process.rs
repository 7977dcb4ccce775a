//! A command in this process and the binary in its own, and a home that was copied and one that was pushed.

use std::{collections::BTreeMap, fs, path::Path, process::Output, time::SystemTime};

use bytes::Bytes;
use skillmount::{
    path::KeyPrefix,
    store::{GetOptions, ListOptions, PutCondition, PutOptions},
};
use tempfile::TempDir;

use super::{Home, prepared};
use crate::support::directory;

/// What a command printed, and its exit status.
fn seen(output: Output) -> (Option<i32>, String, String) {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_binary_prints_what_a_command_in_this_process_prints() {
    let home = Home::with_skills();
    for arguments in [
        ["--version"].as_slice(),
        &["push", "--help"],
        &["pusch"],
        &["skills", "list"],
        &["config", "show", "--json"],
        &["skills", "show", "notas"],
        &["config", "show"],
        &["lint", "skills"],
        &["lint", "./skills/notas/SKILL.md", "--quality"],
        &["lint", "nowhere"],
        &["push", "nowhere", "--json"],
        &["--config", "none.toml", "ls"],
        &["--store", "skills:skills", "skills", "list"],
        &["--store", "file:skills", "ls"],
        &["cat", "/workspace/none"],
        &["grep", "nothing", "/workspace"],
    ] {
        let binary = seen(home.command(arguments).output().unwrap());
        assert_eq!(seen(home.run(arguments)), binary, "{arguments:?}");
    }
}

#[test]
fn relative_paths_begin_at_the_folder_of_the_command_and_are_shown_as_typed() {
    let home = Home::with_skills();
    let (below, above) = (home.path().join("skills/notas"), home.path().join("skills"));
    for (folder, typed) in [(&below, "."), (&below, "SKILL.md"), (&above, "notas"), (&above, "./notas")] {
        let output = seen(home.typed(&["lint", typed, "--json"]).in_folder(folder.clone()).run());
        let binary = seen(home.command(&["lint", typed, "--json"]).current_dir(folder).output().unwrap());
        assert_eq!(output, binary, "{typed}");
        assert!(!output.1.contains(&*home.path().to_string_lossy()), "{}", output.1);
    }
    let written = home.typed(&["new", "borrador", "--into", "more"]).in_folder(above.clone()).run();
    assert!(written.status.success() && above.join("more/borrador/SKILL.md").is_file());
}

/// Each file of a folder, by its path in it, with its bytes and time.
fn files(folder: &Path, below: &Path, found: &mut BTreeMap<String, (Vec<u8>, SystemTime)>) {
    for entry in fs::read_dir(below).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            files(folder, &path, found);
        } else {
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            found.insert(name, (fs::read(&path).unwrap(), entry.metadata().unwrap().modified().unwrap()));
        }
    }
}

#[tokio::test]
async fn a_copied_home_is_the_one_that_was_pushed() {
    let (pushed, copied) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    prepared::make(pushed.path());
    prepared::copy(pushed.path(), copied.path());
    let both = [&pushed, &copied].map(|folder| {
        let mut found = BTreeMap::new();
        files(folder.path(), folder.path(), &mut found);
        found
    });
    assert!(both[0].len() > 5 && both[0] == both[1]);

    let stores = [&pushed, &copied].map(|folder| directory(&folder.path().join("data/skillmount")));
    let mut listed = Vec::new();
    for store in &stores {
        let page = store.list(&KeyPrefix::all(), ListOptions::default()).await.unwrap();
        let mut objects = Vec::new();
        for object in page.objects {
            let key = KeyPrefix::all().key(&object.key).unwrap();
            let read = store.get(&key, GetOptions::default()).await.unwrap();
            assert_eq!(read.meta.etag, object.etag);
            objects.push((object, read.bytes));
        }
        listed.push(objects);
    }
    assert!(listed[0].len() > 5, "{listed:?}");
    assert_eq!(listed[0], listed[1]);

    let key = KeyPrefix::all().key("me/skills/notas/SKILL.md").unwrap();
    let etag = listed[1].iter().find(|(object, _)| object.key == key.as_str()).unwrap().0.etag.clone();
    let put = |etag| PutOptions::default().with_condition(PutCondition::IfMatch(etag));
    stores[1].put(&key, Bytes::from("new"), put(etag.clone())).await.unwrap();
    let again = stores[1].put(&key, Bytes::from("newer"), put(etag)).await;
    assert!(again.is_err(), "the etag is that of the copied file no more");
}
