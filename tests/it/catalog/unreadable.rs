//! One bad file costs one skill: what becomes of a SKILL.md that cannot be read, and of the catalog around it.

use std::sync::Arc;

use skillmount::{
    Code, Result,
    budget::Workers,
    catalog::{CatalogView, Catalogs, discover},
    clock::SystemClock,
    handle::{Service, ServiceOptions},
    limits::FRESH,
    path::{Namespace, UserSpace},
    store::{GetOptions, MemoryStore, SharedStore, Store, StoreError},
};
use tokio::time::sleep;

use crate::support::{
    barred::{Barred, archived, denied},
    clock,
    world::{BackendExt as _, id},
};

fn bucket(skills: &[&str]) -> (Arc<MemoryStore>, Arc<Barred>) {
    let memory = Arc::new(MemoryStore::new());
    for skill in skills {
        memory.put_raw(&key(skill), format!("---\ndescription: Does {skill}.\n---\n"));
    }
    (memory.clone(), Barred::new(memory))
}

fn key(skill: &str) -> String {
    format!("demo/skills/{skill}/SKILL.md")
}

fn space() -> UserSpace {
    Namespace::parse("").unwrap().user(&id("demo")).unwrap()
}

async fn read(store: &SharedStore) -> Result<Arc<CatalogView>> {
    Ok(discover(&**store, &space(), &SystemClock::new(), None).await?.view().clone())
}

fn skills(view: &CatalogView) -> Vec<&str> {
    view.entries.iter().map(|entry| entry.skill.as_str()).collect()
}

fn unreadable(view: &CatalogView) -> Vec<(&str, &str)> {
    let found = view.diagnostics.iter().filter(|found| found.diagnostic.code == "unreadable");
    found.map(|found| (found.skill.as_str(), found.diagnostic.message.as_str())).collect()
}

// S-CATALOG-6: A SKILL.md that cannot be read costs its own skill and no other.
#[tokio::test(start_paused = true)]
async fn whatever_keeps_one_file_from_being_read_is_told_of_its_skill_alone() {
    let troubles = [
        (Some(archived()), "archived storage class"),
        (Some(denied()), "denies access"),
        (Some(StoreError::NotFound), "deleted or moved"),
        (Some(StoreError::PreconditionFailed), "changes while it is read"),
        (Some(StoreError::not_applied("reset")), "in time"),
        (None, "in time"),
    ];
    for (trouble, words) in troubles {
        let (_, barred) = bucket(&["a", "b", "c"]);
        match trouble {
            Some(error) => barred.bar(&key("b"), error),
            None => barred.silence(&key("b")),
        }
        let store: SharedStore = barred;
        let view = read(&store).await.unwrap();
        assert_eq!(skills(&view), ["a", "c"], "{words}");
        let [(skill, message)] = unreadable(&view)[..] else { panic!("{words}: {:?}", view.diagnostics) };
        assert!(skill == "b" && message.contains(words), "{skill}: {message}");
    }
}

// S-CATALOG-11: If the store fails for half of the skills or more, the answer is `store_unavailable` or the catalog
// known before.
#[tokio::test]
async fn what_half_of_the_skills_or_all_credentials_meet_is_an_error_and_no_catalog() {
    let (_, barred) = bucket(&["a", "b", "c", "d"]);
    let store: SharedStore = barred.clone();
    barred.bar(&key("a"), StoreError::not_applied("down"));
    assert_eq!(skills(&read(&store).await.unwrap()), ["b", "c", "d"]);
    barred.bar(&key("b"), StoreError::not_applied("down"));
    assert_eq!(read(&store).await.unwrap_err().code(), Code::StoreUnavailable);
    for skill in ["a", "b", "c"] {
        barred.bar(&key(skill), denied());
    }
    assert_eq!(skills(&read(&store).await.unwrap()), ["d"]);
    barred.bar(&key("d"), denied());
    assert_eq!(read(&store).await.unwrap_err().code(), Code::StoreUnavailable);
}

#[tokio::test(start_paused = true)]
async fn the_next_look_tries_again_and_the_index_never_tells_of_it() {
    let (memory, barred) = bucket(&["a", "b"]);
    barred.bar(&key("b"), archived());
    let catalogs = Catalogs::new(barred.clone(), Namespace::parse("").unwrap(), clock(), Workers::new(2)).with_index();
    let view = catalogs.view(&id("demo"), false).await.unwrap();
    assert_eq!((skills(&view), unreadable(&view).len()), (vec!["a"], 1));
    sleep(FRESH / 2).await;
    let index = memory.get(&space().catalog().unwrap(), GetOptions::default()).await.unwrap();
    let replica = Catalogs::new(barred.clone(), Namespace::parse("").unwrap(), clock(), Workers::new(2)).with_index();
    let told = replica.view(&id("demo"), false).await.unwrap();
    assert_eq!((skills(&told), unreadable(&told).len()), (vec!["a"], 0), "the index tells what was read");

    sleep(FRESH).await;
    let later = memory.get(&space().catalog().unwrap(), GetOptions::default()).await.unwrap();
    assert_eq!(index.meta.etag, later.meta.etag, "and is not written again for what was not");
    barred.open(&key("b"));
    catalogs.view(&id("demo"), false).await.unwrap();
    sleep(FRESH * 2).await;
    let view = catalogs.view(&id("demo"), false).await.unwrap();
    assert_eq!((skills(&view), unreadable(&view).len()), (vec!["a", "b"], 0));
}

#[tokio::test]
async fn a_load_of_it_says_why_by_path_and_by_name() {
    for (error, words) in [(archived(), "archived storage class"), (denied(), "denies access")] {
        let (_, barred) = bucket(&["a", "c/b"]);
        barred.bar(&key("c/b"), error);
        let service = Service::new(barred, ServiceOptions::default(), clock());
        let agent = service.session(id("demo"), id("s"));
        for name in ["c/b", "b"] {
            let refused = agent.load(name).await.unwrap_err();
            assert_eq!(refused.code(), Code::SkillNotFound, "{name}");
            assert!(refused.message().contains(words), "{name}: {}", refused.message());
        }
        agent.load("a").await.unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_of_a_folder_that_may_not_be_read_costs_its_skill() {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    let (folder, store) = crate::support::temporary_directory();
    for skill in ["a", "b"] {
        let path = folder.path().join(key(skill));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "---\ndescription: Does it.\n---\n").unwrap();
    }
    let kept = folder.path().join(key("b"));
    fs::set_permissions(&kept, fs::Permissions::from_mode(0o000)).unwrap();
    if fs::read(&kept).is_ok() {
        println!("SKIPPED: this user may read every file");
        return;
    }
    let view = read(&store).await.unwrap();
    assert_eq!((skills(&view), unreadable(&view).len()), (vec!["a"], 1));
}
