//! Drafts that other tools hide by a skill at their path, and those that are made while another call publishes.

use std::time::Duration;

use skillmount::{
    Code, Error, Result,
    content::DraftReader,
    path::SkillPath,
    publish::PublishOptions,
    wire::{ChangeSkillRequest, ListedState, Policy, SkillState},
};

use super::drafts::{body, change, delete, draft, states, to};
use crate::support::world::{World, code, id};

/// The version or draft of this digest, as one who decides reads it in a new process.
async fn by_digest(world: &World, digest: &str) -> Result<String> {
    let (policy, skill) = (Policy::unrestricted(), SkillPath::parse("demo").unwrap());
    let service = world.replica().service;
    let shown = service.library().show_version(&id("demo"), &policy, &skill, digest, DraftReader::Control).await;
    shown.map(|page| page.body)
}

async fn delete_only(world: &World, digest: &str) -> Result<()> {
    let options = PublishOptions { condition: Some(digest.to_owned()).into(), ..PublishOptions::default() };
    world.service.publisher().delete_skill(&id("demo"), &SkillPath::parse("demo").unwrap(), options).await
}

/// A draft whose path another tool gave a skill. Returns its digest.
async fn hidden(world: &World) -> String {
    let made = draft(world, "demo", "# The draft", None).await.unwrap();
    world.put("demo/skills/demo/SKILL.md", "---\nname: demo\ndescription: Of another tool.\n---\n# Foreign\n").await;
    made.digest
}

fn described() -> ChangeSkillRequest {
    ChangeSkillRequest { description: Some("Another one.".into()), ..ChangeSkillRequest::default() }
}

// S-DRAFT-9: A draft stays if another tool puts a skill into its folder.
#[tokio::test]
async fn a_draft_in_whose_folder_another_tool_put_a_skill_stays_until_it_is_named() {
    let world = World::new();
    let digest = hidden(&world).await;
    let mut refused: Vec<Error> = Vec::new();
    for wanted in [to(SkillState::Published), to(SkillState::Draft), described()] {
        refused.push(change(&world, "demo", wanted, None).await.unwrap_err());
    }
    let folder = refused[0].details()["current"].as_str().unwrap().to_owned();
    refused.push(change(&world, "demo", to(SkillState::Draft), Some(&folder)).await.unwrap_err());
    for error in refused {
        assert_eq!(
            (error.code(), &error.details()["draft"]),
            (Code::VersionConflict, &digest.clone().into()),
            "{error}"
        );
    }
    assert_eq!(code(change(&world, "demo", to(SkillState::Published), Some(&digest)).await), Code::VersionConflict);
    assert!(body(&world, "demo").await.unwrap().contains("# Foreign"), "what lies in the folder is shown");
    assert!(by_digest(&world, &digest).await.unwrap().contains("# The draft"));

    change(&world, "demo", described(), Some(&folder)).await.unwrap();
    assert!(by_digest(&world, &digest).await.unwrap().contains("# The draft"), "the other one was named");
    delete(&world, "demo").await.unwrap();
    assert_eq!(states(&world).await, [("demo".to_owned(), ListedState::Draft)]);
    assert!(body(&world, "demo").await.unwrap().contains("# The draft"), "it shows again");
    let published = change(&world, "demo", to(SkillState::Published), None).await.unwrap();
    assert_eq!(published.digest, digest);
    delete(&world, "demo").await.unwrap();
    assert!(states(&world).await.is_empty(), "its place was taken");
}

// S-DRAFT-9: A draft stays if another tool puts a skill into its folder.
#[tokio::test]
async fn a_draft_that_is_named_is_deleted_and_the_skill_of_another_tool_beside_it_stays() {
    let world = World::new();
    let digest = hidden(&world).await;
    delete_only(&world, &digest).await.unwrap();
    assert_eq!(code(by_digest(&world, &digest).await), Code::VersionNotFound);
    assert!(body(&world, "demo").await.unwrap().contains("# Foreign"));
    delete(&world, "demo").await.unwrap();
    assert!(states(&world).await.is_empty());
}

// S-DRAFT-12: `If-Match` never matches a draft that another call has deleted or published. A publish in the place of a
// draft succeeds only if the draft is still the same at its commit.
#[tokio::test(start_paused = true)]
async fn of_a_publish_and_a_change_of_one_draft_by_two_servers_one_succeeds() {
    let mut changed = 0;
    for begin in 0..24 {
        let world = World::new();
        let first = draft(&world, "demo", "# One", None).await.unwrap().digest;
        let (a, b) = (world.replica(), world.replica());
        for replica in [&a, &b] {
            replica.faults.set_latency(Duration::from_secs(2));
        }
        let late = async {
            tokio::time::sleep(Duration::from_secs(begin)).await;
            draft(&b, "demo", "# Two", Some(&first)).await
        };
        let (published, second) = tokio::join!(change(&a, "demo", to(SkillState::Published), Some(&first)), late);
        assert!(published.is_ok() != second.is_ok(), "{begin}: {published:?} {second:?}");
        if let Ok(second) = second {
            changed += 1;
            assert!(by_digest(&world, &second.digest).await.unwrap().contains("# Two"), "{begin}: {published:?}");
        } else {
            assert!(body(&world, "demo").await.unwrap().contains("# One"), "{begin}: {second:?}");
        }
    }
    assert!((1..24).contains(&changed), "{changed} of 24 changes came first");
}
