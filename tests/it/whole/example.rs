//! The complete example the project is built around: one agent's session from the first `ls` to the template it cannot
//! read. The same script runs against the library and over HTTP, on every store.

use std::sync::Arc;

use crate::support::{
    temporary_directory,
    world::{BackendExt, World, code},
};
use skillmount::{
    Code,
    store::SharedStore,
    wire::{BackendProtocol, LoadStatus},
};

/// Plays the example through any implementation of the protocol and checks every answer.
pub(crate) async fn play(agent: &dyn BackendProtocol) {
    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket"]);
    assert_eq!(code(agent.names("/skills").await), Code::FileNotFound);
    assert_eq!(code(agent.text("/skills/compraventa/SKILL.md").await), Code::FileNotFound);

    let loaded = agent.load("escrituras/compraventa").await.unwrap();
    assert_eq!((loaded.status, loaded.mount.as_str()), (LoadStatus::Loaded, "/skills/compraventa"));
    assert!(loaded.body.as_ref().unwrap().contains("disclosure_clausulas.md"), "the body is what the model follows");
    assert!(!loaded.body.as_ref().unwrap().contains("\ndescription:"), "the frontmatter is not part of the body");

    assert_eq!(agent.names("/").await.unwrap(), ["/workspace", "/ticket", "/skills"]);
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/compraventa"]);
    assert_eq!(
        agent.names("/skills/compraventa").await.unwrap(),
        [
            "/skills/compraventa/SKILL.md",
            "/skills/compraventa/disclosure_clausulas.md",
            "/skills/compraventa/resources"
        ]
    );
    assert_eq!(
        agent.names("/skills/compraventa/resources").await.unwrap(),
        ["/skills/compraventa/resources/ejemplo.md", "/skills/compraventa/resources/plantilla.pdf"]
    );

    let skill = agent.text("/skills/compraventa/SKILL.md").await.unwrap();
    assert!(skill.starts_with("---\n") && skill.contains("name: compraventa"));
    let disclosure = agent.text("/skills/compraventa/disclosure_clausulas.md").await.unwrap();
    assert_eq!(disclosure.as_bytes(), fixture("disclosure_clausulas.md"));
    let example = agent.text("/skills/compraventa/resources/ejemplo.md").await.unwrap();
    assert_eq!(example.as_bytes(), fixture("resources/ejemplo.md"));

    let refused = agent.text("/skills/compraventa/resources/plantilla.pdf").await.unwrap_err();
    assert_eq!(refused.code(), Code::BinaryFile);
    assert!(refused.message().starts_with("File is a binary file and cannot be read as text"), "{refused}");

    let absent = agent.text("/skills/hipoteca/SKILL.md").await.unwrap_err();
    assert!(absent.message().starts_with("File not found"), "{absent}");
}

fn fixture(name: &str) -> Vec<u8> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("crates/cli/fixtures/store/demo/skills/escrituras/compraventa");
    std::fs::read(root.join(name)).unwrap()
}

/// Plays it in a service of its own over `bucket`.
pub(crate) async fn play_in_library(bucket: SharedStore) {
    let world = World::over(bucket);
    world.put_fixtures().await;
    play(&world.agent()).await;
}

#[tokio::test]
async fn the_complete_example_in_the_library_over_memory() {
    play_in_library(Arc::new(skillmount::store::MemoryStore::new())).await;
}

#[tokio::test]
async fn the_complete_example_in_the_library_over_a_directory() {
    let (_folder, store) = temporary_directory();
    play_in_library(store).await;
}
