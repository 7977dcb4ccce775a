//! Skills of the catalog as a host fetches them, and what their digests cost.

use std::{sync::Arc, time::Duration};

use skillmount::{
    handle::ServiceOptions,
    limits::DIGEST_PACE,
    skill::VersionFile,
    store::{MemoryStore, Verb},
};

use crate::support::world::World;

const MAIN: &str = "---\nname: notas\ndescription: Toma notas.\n---\nPasos.\n";

// S-MCP-8: The digests of a published skill are there from its publish on. The service computes the digests of any
// other skill on a host's request, and in the background, with a second between two skills. Until then its files are
// `dynamic`.
#[tokio::test(start_paused = true)]
async fn digests_that_nobody_asked_for_are_made_slowly_and_once() {
    let world = World::new();
    world.put("demo/skills/notas/SKILL.md", MAIN).await;
    world.put("demo/skills/notas/a.md", "uno").await;
    world.put("demo/skills/notas/b.md", "dos").await;
    let agent = world.agent();
    let list = async || {
        let entries = agent.host_skills().catalog_skills(false).await.unwrap();
        agent.host_skills().list_catalog_skills(&entries).await.unwrap().remove(0).manifest
    };
    assert_eq!(list().await, None);
    let read = |ledger: &[String], file: &str| ledger.iter().any(|asked| asked.contains(file));
    let asked = || {
        let asked = world.ledger.asked().into_iter().map(|(_, key)| key);
        asked.filter(|key| key.contains("skills/notas/")).collect::<Vec<_>>()
    };
    let gets = || {
        let asked = world.ledger.asked().into_iter();
        asked.filter(|(verb, key)| *verb == Verb::Get && key.contains("notas")).count()
    };
    let from = asked().len();
    tokio::time::sleep(DIGEST_PACE / 2).await;
    assert_eq!(asked().len(), from, "the first pause");
    // While it is under way, a second listing begins nothing.
    assert_eq!(list().await, None);
    // When each GET was seen, in tenths of the pause.
    let (mut seen, begun) = (Vec::new(), gets());
    for tenth in 0..100 {
        tokio::time::sleep(DIGEST_PACE / 10).await;
        seen.resize(gets() - begun, tenth);
        if tenth == 20 {
            assert!(read(&asked(), "notas/SKILL.md") && !read(&asked(), "notas/b.md"), "{:?}", asked());
        }
    }
    assert!(seen.len() >= 4, "SKILL.md, the head and two files: {seen:?}");
    assert!(seen.windows(2).all(|two| two[1] - two[0] >= 9), "{seen:?}: {:?}", world.ledger.asked());
    let manifest = list().await.unwrap();
    let file = |path: &str, text: &str| VersionFile::from_bytes(path, text.as_bytes());
    assert_eq!(manifest.files(), [file("SKILL.md", MAIN), file("a.md", "uno"), file("b.md", "dos")]);

    let from = asked().len();
    assert_eq!(list().await, Some(manifest));
    World::quiet().await;
    assert!(!read(&asked()[from..], "notas/a.md"), "a digest is made once");
}

// S-MCP-8: The digests of a published skill are there from its publish on. The service computes the digests of any
// other skill on a host's request, and in the background, with a second between two skills. Until then its files are
// `dynamic`.
#[tokio::test(start_paused = true)]
async fn the_pace_behind_requests_is_what_the_operator_says() {
    for (digest_pace, is_made) in [(Some(Duration::from_millis(1)), true), (Some(Duration::from_mins(1)), false)] {
        let options = ServiceOptions { digest_pace, ..ServiceOptions::default() };
        let world = World::with(Arc::new(MemoryStore::new()), options);
        world.put("demo/skills/notas/SKILL.md", MAIN).await;
        let agent = world.agent();
        let entries = agent.host_skills().catalog_skills(false).await.unwrap();
        agent.host_skills().list_catalog_skills(&entries).await.unwrap();
        tokio::time::sleep(DIGEST_PACE).await;
        let listed = agent.host_skills().list_catalog_skills(&entries).await.unwrap();
        assert_eq!(listed[0].manifest.is_some(), is_made, "{digest_pace:?}");
    }
}

#[tokio::test]
async fn a_skill_that_changes_by_one_file_has_one_read_for_its_digests() {
    let world = World::new();
    world.put("demo/skills/notas/SKILL.md", MAIN).await;
    for number in 0..20 {
        world.put(&format!("demo/skills/notas/f{number}"), format!("texto {number}")).await;
    }
    let agent = world.agent();
    let show = async |fresh: bool| {
        let entries = agent.host_skills().catalog_skills(fresh).await.unwrap();
        agent.host_skills().show_catalog_skill(&entries[0]).await.unwrap().manifest.unwrap()
    };
    let before = show(false).await;
    let (again, spent) = world.cost(show(false)).await;
    assert_eq!((again, spent.total()), (before.clone(), 0));
    world.put("demo/skills/notas/f7", "otro").await;
    agent.catalog(true).await.unwrap();
    let (after, spent) = world.cost(show(false)).await;
    assert_eq!(after.files().iter().zip(before.files()).filter(|(one, two)| one != two).count(), 1);
    assert!(spent.get <= 3, "SKILL.md, the head that is not there, and the file: {spent:?}");
}
