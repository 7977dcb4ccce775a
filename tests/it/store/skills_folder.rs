//! A folder of skills as a store: the suite where it is written to, and what is seen and refused where it is not.

use std::{fs, os::unix::fs::symlink, path::Path};

use skillmount::{
    Code, Error,
    path::{Id, KeyPrefix},
    store::{
        DeleteOptions, GetOptions, ListOptions, PutOptions, S3Options, SharedStore, SkillsAt, StoreAddress,
        StoreExt as _, testing::conformance,
    },
};
use tempfile::TempDir;

use crate::support::clock;

fn at(folder: &Path) -> SkillsAt {
    SkillsAt::new(folder.to_owned(), Id::parse("me").unwrap())
}

async fn opened(skills: SkillsAt) -> SharedStore {
    StoreAddress::Skills(skills).open(S3Options::default(), clock()).await.unwrap().0
}

async fn refusal(folder: &Path) -> String {
    let error = StoreAddress::Skills(at(folder)).open(S3Options::default(), clock()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidRequest);
    error.message().to_owned()
}

fn file(root: &Path, relative: &str, text: &str) {
    let path = root.join(relative);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

async fn keys(store: &SharedStore, prefix: &KeyPrefix) -> Vec<String> {
    let (entries, has_more) = store.list_all(prefix, 1000).await.unwrap();
    assert!(!has_more);
    entries.into_iter().map(|entry| entry.key).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_may_be_written_conforms_and_so_does_its_state() {
    let (folder, states) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut skills = at(folder.path());
    (skills.states, skills.writes) = (Some(states.path().to_owned()), true);
    let store = opened(skills).await;
    for within in ["me/skills", "me/threads", "anna/skills"] {
        let found = conformance(store.clone(), &KeyPrefix::all().folder(within).unwrap()).await;
        assert_eq!(
            found.excused,
            ["tags_leave_their_object_as_it_is", "a_purge_removes_what_is_below_its_prefix"],
            "{within}"
        );
    }
    let (all, _) = store.list_all(&KeyPrefix::all().folder("anna").unwrap(), 10).await.unwrap();
    assert!(!all.is_empty() && !folder.path().join("anna").exists(), "only the skills of one user lie in the folder");
    // A file in the place of the folder would hide it.
    let above = KeyPrefix::all().key("me/skills").unwrap();
    let refused = Error::from(store.put(&above, "x".into(), PutOptions::default()).await.unwrap_err());
    assert_eq!(refused.code(), Code::IsADirectory);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_state_of_a_folder_that_is_only_read_conforms() {
    let (folder, states) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    file(folder.path(), "a/SKILL.md", "a");
    let mut skills = at(folder.path());
    skills.states = Some(states.path().to_owned());
    let store = opened(skills).await;
    conformance(store.clone(), &KeyPrefix::all().folder("me/threads").unwrap()).await;
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing of it lies in the folder");
}

// S-HOME-2: The service writes nothing into a served folder without `--writable`. A change of a skill is `read_only`, a
// publish fails, and sessions and the like lie in the user's data folder.
#[tokio::test]
async fn a_folder_that_is_only_read_refuses_every_change_of_skills_and_of_what_is_published() {
    let folder = TempDir::new().unwrap();
    file(folder.path(), "a/SKILL.md", "0123456789");
    let store = opened(at(folder.path())).await;
    let key = |text: &str| KeyPrefix::all().key(text).unwrap();
    let skill = key("me/skills/a/SKILL.md");
    let part = store.get(&skill, GetOptions::range(8..99)).await.unwrap();
    assert_eq!((part.bytes.as_ref(), part.meta.size), (b"89".as_slice(), 10));
    assert_eq!(store.head(&skill).await.unwrap().etag, part.meta.etag);
    let listed = store.list_all(&KeyPrefix::all(), 9).await.unwrap().0;
    assert_eq!((listed[0].key.as_str(), &listed[0].etag), ("me/skills/a/SKILL.md", &part.meta.etag));

    for refused in [
        "me/skills/a/SKILL.md",
        "me/skills/b/SKILL.md",
        "me/.skillmount/heads/a.json",
        "me/.skillmount/versions/a/1.zip",
    ] {
        let error = Error::from(store.put(&key(refused), "x".into(), PutOptions::default()).await.unwrap_err());
        assert_eq!(error.code(), Code::ReadOnly, "{refused}");
        assert!(error.chain().contains("--writable"), "{}", error.chain());
    }
    let error = Error::from(store.delete(&skill, DeleteOptions::default()).await.unwrap_err());
    assert_eq!(error.code(), Code::ReadOnly);
    for taken in ["me/.skillmount/sessions/s.json", "me/threads/s/a.md", "anna/skills/a/SKILL.md"] {
        store.put(&key(taken), "x".into(), PutOptions::default()).await.unwrap();
    }
    assert_eq!(fs::read_to_string(folder.path().join("a/SKILL.md")).unwrap(), "0123456789");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    let options = ListOptions::default().with_delimiter();
    let page = store.list(&KeyPrefix::all().folder("me").unwrap(), options).await.unwrap();
    assert_eq!(page.folders, ["me/.skillmount/", "me/skills/", "me/threads/"]);
}

// S-HOME-3: The service follows a link in a served folder only if its target lies in the folder too. It omits any other
// link, and writes through no link.
#[tokio::test(flavor = "multi_thread")]
async fn links_that_stay_inside_are_followed_and_others_are_left_out() {
    let (folder, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let root = folder.path();
    file(root, "shared/text.md", "shared");
    file(root, "a/SKILL.md", "a");
    file(root, ".git/config", "tool");
    file(elsewhere.path(), "SKILL.md", "secret");
    let link = |target: &Path, name: &str| symlink(target, root.join(name)).unwrap();
    link(Path::new("../shared"), "a/parts");
    link(Path::new("a"), "b");
    link(elsewhere.path(), "out");
    link(&elsewhere.path().join("SKILL.md"), "a/secret.md");
    link(Path::new("nothing"), "dangling");
    link(Path::new("../a"), "a/again");
    link(Path::new("../.git"), "a/git");
    link(Path::new("loop"), "loop");
    let skills = KeyPrefix::all().folder("me/skills").unwrap();
    let expected = ["a/SKILL.md", "a/parts/text.md", "b/SKILL.md", "b/parts/text.md", "shared/text.md"];
    for writes in [false, true] {
        let mut place = at(root);
        place.writes = writes;
        let store = opened(place).await;
        let listed = keys(&store, &skills).await;
        let relative: Vec<_> = listed.iter().map(|key| skills.relative(key).unwrap()).collect();
        assert_eq!(relative, expected, "writes: {writes}");
        for (relative, text) in [("b/SKILL.md", "a"), ("b/parts/text.md", "shared")] {
            let key = skills.key(relative).unwrap();
            assert_eq!(store.get(&key, GetOptions::default()).await.unwrap().bytes, text.as_bytes());
        }
        for left_out in
            ["out/SKILL.md", "a/secret.md", "a/again/SKILL.md", "a/git/config", ".git/config", "loop", "dangling"]
        {
            let key = skills.key(left_out).unwrap();
            assert!(store.get(&key, GetOptions::default()).await.is_err(), "{left_out}");
            assert!(store.head(&key).await.is_err(), "{left_out}");
        }
        let through = skills.key("b/SKILL.md").unwrap();
        assert!(store.put(&through, "x".into(), PutOptions::default()).await.is_err());
        let refused = store.delete(&through, DeleteOptions::default()).await.unwrap_err();
        assert_eq!(Error::from(refused).code(), Code::ReadOnly);
        let head = KeyPrefix::all().key("me/.skillmount/heads/b.json").unwrap();
        let refused = store.put(&head, "{}".into(), PutOptions::default()).await.unwrap_err();
        assert_eq!(Error::from(refused).code(), Code::ReadOnly, "it could not be written into the folder afterwards");
    }
    assert_eq!(fs::read_to_string(root.join("a/SKILL.md")).unwrap(), "a");
}

// S-HOME-6: A publish at a path that a served folder cannot hold is refused before the service stores anything: a path
// through a link, or in a folder of a tool.
#[tokio::test(flavor = "multi_thread")]
async fn a_publish_over_a_link_or_into_the_folder_of_a_tool_stores_nothing() {
    let (folder, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    file(folder.path(), "one/SKILL.md", "one");
    for (target, name) in [(elsewhere.path(), "out"), (Path::new("one"), "in"), (Path::new("nothing"), "gone")] {
        symlink(target, folder.path().join(name)).unwrap();
    }
    let mut place = at(folder.path());
    place.writes = true;
    let store = opened(place).await;
    let cases = [
        ("out", Code::ReadOnly),
        ("out/deep/z", Code::ReadOnly),
        ("in", Code::ReadOnly),
        ("gone/z", Code::ReadOnly),
        (".skillmount-store/x", Code::InvalidPath),
        (".git/x", Code::InvalidPath),
    ];
    let internal = KeyPrefix::all().folder("me/.skillmount").unwrap();
    for (skill, code) in cases {
        // The archive is the first object of a publish.
        for object in [format!("versions/{skill}/1.zip"), format!("heads/{skill}.json")] {
            let put = store.put(&internal.key(&object).unwrap(), "x".into(), PutOptions::default()).await;
            assert_eq!(Error::from(put.unwrap_err()).code(), code, "{object}");
        }
    }
    assert!(keys(&store, &internal).await.is_empty());
    store.put(&internal.key("versions/two/1.zip").unwrap(), "x".into(), PutOptions::default()).await.unwrap();
}

// S-HOME-4: The service refuses a folder that it cannot serve, with the next step: a missing folder, a file, a skill
// itself, or a store.
#[tokio::test]
async fn what_is_no_folder_of_skills_is_refused_with_what_to_do() {
    let folder = TempDir::new().unwrap();
    let root = folder.path();
    file(root, "file", "x");
    file(root, "skill/SKILL.md", "x");
    file(root, "store/me/.skillmount/policy.json", "{}");
    for (name, said) in [
        ("none", "make it, or name another"),
        ("file", "is a file: name the folder that has a folder for each skill"),
        ("skill", "is a skill itself: name the folder that it lies in"),
        ("store", "give it as --store file:"),
    ] {
        let message = refusal(&root.join(name)).await;
        assert!(message.contains(said), "{message}");
    }
}
