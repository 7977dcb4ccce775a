//! Layers: a user's skills, a team's and the organisation's, seen as one, and reached by nobody else.

use std::{sync::Arc, time::Duration};

use skillmount::{
    Code,
    catalog::CatalogView,
    handle::{ServiceOptions, SessionBackend},
    path::Layer,
    prompt::{self},
    session::Change,
    store::{MemoryStore, Requests},
    wire::{BackendProtocol, DiscoverRequest, PromptRequest, SkillsAccess, Visibility},
};
use tokio::time::Instant;

use crate::support::{
    sabotage::indexes_are_sabotaged,
    saboteur::index_trips,
    world::{BackendExt, World, code, id},
};

/// A world in which `a` is everybody's, `b` the notaries' and the organisation's, `c` the user's and the organisation's.
async fn layered() -> World {
    let world = World::with(Arc::new(MemoryStore::new()), ServiceOptions { layers: true, ..ServiceOptions::default() });
    for (owner, skill, description) in [
        ("_org", "x/a", "Vacaciones de todos."),
        ("_org", "x/b", "Facturas de la organización."),
        ("_org", "c", "Contratos de la organización."),
        ("_teams/notaries", "x/b", "Facturas del equipo."),
        ("_teams/other", "secret", "Secretos de otro equipo."),
        ("demo", "c", "Contratos propios."),
    ] {
        world.put_skill(owner, skill, description, &format!("Cuerpo de {owner}.\n")).await;
    }
    world
}

fn notary(world: &World) -> SessionBackend {
    world.agent_in(Some("notaries"), "demo", "s")
}

async fn set_access(world: &World, visibility: Visibility) {
    let (user, session) = (id("demo"), id("s"));
    let update = world.service.sessions().update(&user, &session, |session| {
        session.policy.skills_access = SkillsAccess::Write;
        session.policy.visibility = visibility;
        Ok(Change::Save(()))
    });
    update.await.unwrap();
}

fn seen(view: &CatalogView) -> Vec<(&str, Layer, &[Layer])> {
    view.entries.iter().map(|entry| (entry.skill.as_str(), entry.layer, &entry.shadows[..])).collect()
}

async fn discovered(agent: &SessionBackend, query: &str) -> Vec<(String, Layer)> {
    let request = DiscoverRequest::new(query);
    let reply = agent.discover_skills(request).await.unwrap();
    reply.skills.into_iter().map(|skill| (skill.skill, skill.layer)).collect()
}

// S-LAYER-2: Of several skills of one path a session sees, lists and loads the skill of the nearest layer.
#[tokio::test]
async fn the_nearest_layer_wins_and_says_what_it_hides() {
    let world = layered().await;
    let agent = notary(&world);
    let view = agent.catalog(false).await.unwrap();
    let expected: [(&str, Layer, &[Layer]); 3] =
        [("c", Layer::User, &[Layer::Org]), ("x/a", Layer::Org, &[]), ("x/b", Layer::Team, &[Layer::Org])];
    assert_eq!(seen(&view), expected);
    assert_eq!(discovered(&agent, "facturas").await, [("x/b".to_owned(), Layer::Team)]);
    for (skill, owner) in [("c", "demo"), ("x/a", "_org"), ("b", "_teams/notaries")] {
        let loaded = agent.load(skill).await.unwrap();
        assert_eq!(loaded.body, Some(format!("Cuerpo de {owner}.\n")));
        assert!(agent.text(&format!("{}/SKILL.md", loaded.mount)).await.unwrap().contains(owner));
    }
    let prompt = prompt::for_session(&agent, &PromptRequest::default()).await.unwrap();
    assert!(prompt.prompt.contains("Cuerpo de _teams/notaries."), "{}", prompt.prompt);
}

#[tokio::test]
async fn a_skill_that_cannot_be_read_hides_nothing() {
    let world = layered().await;
    world.put("demo/skills/x/a/SKILL.md", "no frontmatter").await;
    let agent = notary(&world);
    let view = agent.catalog(false).await.unwrap();
    assert!(seen(&view).contains(&("x/a", Layer::Org, &[])));
    assert!(view.diagnostics.iter().any(|finding| finding.skill == "x/a"));
    assert_eq!(agent.load("x/a").await.unwrap().body.unwrap(), "Cuerpo de _org.\n");
}

#[tokio::test]
async fn findings_are_those_of_what_is_seen() {
    let world = layered().await;
    world.put_skill("_teams/notaries", "y/a", "Otra.", "x").await;
    world.put("_org/skills/c/SKILL.md", "broken, and hidden by the user's own").await;
    let view = notary(&world).catalog(true).await.unwrap();
    let mut found: Vec<_> =
        view.diagnostics.iter().map(|found| (found.skill.as_str(), found.diagnostic.code.as_str())).collect();
    found.dedup();
    assert_eq!(found, [("x/a", "duplicate_mount_name")], "twins in two layers, nothing of the one that is hidden");
}

// S-LAYER-1: If layers are on, a session sees the skills of its user, of its caller's team and of the organisation, and
// no others.
// S-PATH-6: For a session the service asks the store only for keys below the prefix of its user, or of its caller's
// team and organisation.
#[tokio::test]
async fn nobody_reaches_a_layer_that_is_not_theirs() {
    let world = layered().await;
    set_access(&world, Visibility::All).await;
    let agent = notary(&world);
    agent.load("b").await.unwrap();
    agent.load("x/a").await.unwrap();
    for skill in ["secret", "_teams/other/skills/secret", "../_teams/other/skills/secret"] {
        assert_eq!(code(agent.load(skill).await), Code::SkillNotFound, "{skill}");
    }
    assert!(discovered(&agent, "secretos").await.is_empty());
    assert_eq!(agent.find("**/*").await.unwrap().len(), 3);
    agent.hits("Cuerpo", None).await.unwrap();
    agent.create("/workspace/a", "x").await.unwrap();
    let mut own = vec!["demo/", "_org/skills/", "_teams/notaries/skills/"];
    // Which version of a skill is published, its head says.
    own.extend(["_org/.skillmount/heads/", "_teams/notaries/.skillmount/heads/"]);
    if indexes_are_sabotaged() {
        own.extend(["_org/.skillmount/catalog.json", "_teams/notaries/.skillmount/catalog.json"]);
    }
    for (_, key) in world.ledger.asked() {
        assert!(own.iter().any(|own| key.starts_with(own)), "asked for {key}");
    }

    for team in [None, Some("other")] {
        let stranger = world.agent_in(team, "demo", "s");
        assert_eq!(
            code(stranger.text("/skills/b/SKILL.md").await),
            Code::FileNotFound,
            "the notaries' b is not theirs"
        );
        assert!(!stranger.find("**/*").await.unwrap().iter().any(|path| path.starts_with("/skills/b/")));
        assert!(stranger.text("/skills/a/SKILL.md").await.is_ok());
        assert!(prompt::for_session(&stranger, &PromptRequest::default()).await.is_ok());
        assert_eq!(stranger.load("x/b").await.unwrap().body.unwrap(), "Cuerpo de _org.\n");
        notary(&world).load("x/b").await.unwrap();
    }
}

#[tokio::test]
async fn without_layers_nobody_sees_more_than_their_own() {
    let world = World::over(layered().await.bucket);
    let agent = notary(&world);
    assert_eq!(seen(&agent.catalog(false).await.unwrap()), [("c", Layer::User, &[][..])]);
    assert_eq!(code(agent.load("x/a").await), Code::SkillNotFound);
    assert!(world.ledger.asked().iter().all(|(_, key)| key.starts_with("demo/")));
}

// S-LAYER-3: Skills of layers above the user are read-only, whatever `skills_access` says.
#[tokio::test]
async fn what_is_shared_cannot_be_written() {
    let world = layered().await;
    set_access(&world, Visibility::Loaded).await;
    let agent = notary(&world);
    for skill in ["c", "x/a", "x/b"] {
        agent.load(skill).await.unwrap();
    }
    agent.replace("/skills/c/SKILL.md", "Cuerpo", "Texto").await.unwrap();
    let before = world.keys().await;
    for mount in ["a", "b"] {
        let file = format!("/skills/{mount}/SKILL.md");
        assert_eq!(code(agent.overwrite(&file, "x").await), Code::ReadOnly);
        assert_eq!(code(agent.replace(&file, "Cuerpo", "x").await), Code::ReadOnly);
        assert_eq!(code(agent.create(&format!("/skills/{mount}/new.md"), "x").await), Code::ReadOnly);
        assert_eq!(code(agent.remove(&file).await), Code::ReadOnly);
    }
    assert_eq!(world.keys().await, before);
}

// S-LAYER-4: The service asks for all layers at once, and all who see a layer share one reading of it.
#[tokio::test(start_paused = true)]
async fn three_listings_are_one_round_trip_and_one_reading_serves_all() {
    let world = layered().await;
    world.faults.set_latency(Duration::from_secs(1));
    let begun = Instant::now();
    let (_, cost) = world.cost(notary(&world).catalog(false)).await;
    let trips = u64::from(index_trips()) + 2;
    assert_eq!(begun.elapsed().as_secs(), trips, "the listings, then each SKILL.md");
    assert_eq!(cost, Requests { list: 3, get: 5, ..Requests::default() });
    let neighbour = world.agent_in(Some("notaries"), "ana", "s");
    let (view, cost) = world.cost(neighbour.catalog(false)).await;
    assert_eq!(seen(&view.unwrap()).len(), 3);
    assert_eq!(cost, Requests { list: 1, ..Requests::default() }, "only what is the neighbour's own");

    notary(&world).names("/").await.unwrap();
    let begun = Instant::now();
    let (_, cost) = world.cost(notary(&world).load("x/a")).await;
    assert_eq!(begun.elapsed().as_secs(), 2, "the skill in all layers, then the session");
    assert_eq!((cost.list, cost.get), (3, 6));
}
