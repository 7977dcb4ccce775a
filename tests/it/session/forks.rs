//! Sessions made from another one: whose files they see, what they load, and when the files they share can go.

use std::sync::Arc;

use super::objects::stored;
use crate::support::world::{BackendExt, World, code, id};
use skillmount::{
    Code, Outcome,
    handle::{ServiceOptions, SessionBackend},
    path::{MountTemplate, MountTemplates},
    prompt::{self},
    session::{Change, Session},
    store::{MemoryStore, Verb, testing::Fault},
    tools,
    wire::{BackendProtocol, ChildRights, CreateSession, Format, LsRequest, PromptRequest, UnloadSkillRequest},
};

/// Makes session `name` from `parent`.
async fn fork(world: &World, parent: &str, name: &str) -> SessionBackend {
    let wanted = CreateSession { parent: Some(id(parent)), ..CreateSession::default() };
    let created = world.service.create_session(&id("demo"), &id(name), wanted).await.unwrap();
    assert!(created.is_new);
    world.agent_of("demo", name)
}

/// A session that exists.
async fn made(world: &World, name: &str) -> SessionBackend {
    world.service.create_session(&id("demo"), &id(name), CreateSession::default()).await.unwrap();
    world.agent_of("demo", name)
}

/// The files in the bucket that are not the service's own.
async fn files(world: &World) -> Vec<String> {
    let mut files = world.keys().await;
    files.retain(|key| !key.contains(".skillmount") && !key.contains("/skills/"));
    files
}

/// What a session's model is told: its prompt in every format, its tools, and what it sees below `/skills`.
async fn told(agent: &SessionBackend) -> (Vec<String>, String, String) {
    let mut prompts = Vec::new();
    for format in [Format::Xml, Format::Yaml, Format::Markdown, Format::Json] {
        let request = PromptRequest { format, ..PromptRequest::default() };
        prompts.push(prompt::for_session(agent, &request).await.unwrap().prompt);
    }
    let tools = format!("{:?}", tools::for_session(agent).await.unwrap());
    (prompts, tools, format!("{:?}", agent.ls(LsRequest { path: "/skills".to_owned() }).await))
}

// S-SESSION-12: A fork shares the `/workspace` and `/ticket` of its parent, and `workspace_of` names the session that
// owns them.
#[tokio::test]
async fn a_fork_shares_the_files_of_its_parent_and_says_whose_they_are() {
    let world = World::new();
    let parent = made(&world, "p").await;
    parent.create("/workspace/a", "of p").await.unwrap();
    let child = fork(&world, "p", "c").await;
    let grandchild = fork(&world, "c", "g").await;
    assert_eq!(grandchild.text("/workspace/a").await.unwrap(), "of p");
    child.create("/workspace/b", "of c").await.unwrap();
    grandchild.create("/ticket/t", "of g").await.unwrap();
    assert_eq!(parent.text("/workspace/b").await.unwrap(), "of c");
    assert_eq!(parent.text("/ticket/t").await.unwrap(), "of g");
    assert_eq!(files(&world).await, ["demo/threads/p/a", "demo/threads/p/b", "demo/tickets/p/t"]);
    for name in ["c", "g"] {
        assert_eq!(stored(&world, name).await["workspace_of"], "p");
        assert_eq!(world.agent_of("demo", name).summary().await.unwrap().workspace_of, Some(id("p")));
    }
    assert_eq!(stored(&world, "p").await.get("workspace_of"), None);

    // They stay shared on another replica, and when the session they came from is forgotten.
    world.service.sessions().delete(&id("demo"), &id("p")).await.unwrap();
    let other = world.replica();
    assert_eq!(other.agent_of("demo", "g").text("/workspace/a").await.unwrap(), "of p");
}

// S-SESSION-20: A parent that only wrote files is created with its fork.
#[tokio::test]
async fn a_session_that_only_wrote_files_may_be_a_parent_and_one_that_is_not_there_may_not() {
    let world = World::new();
    for (parent, path) in [("w", "/workspace/a"), ("t", "/ticket/a")] {
        let agent = world.agent_of("demo", parent);
        agent.create(path, "mine").await.unwrap();
        assert!(!world.keys().await.iter().any(|key| key.contains("sessions/")), "nothing but files: {parent}");
        let child = fork(&world, parent, &format!("of-{parent}")).await;
        assert_eq!(child.text(path).await.unwrap(), "mine");
        assert_eq!(child.summary().await.unwrap().workspace_of, Some(id(parent)));
        assert_eq!(agent.summary().await.unwrap().version, 1, "the parent is a session from now on");
        for name in [parent.to_owned(), format!("of-{parent}")] {
            world.service.sessions().delete(&id("demo"), &id(&name)).await.unwrap();
        }
    }
    let wanted = CreateSession { parent: Some(id("nobody")), ..CreateSession::default() };
    let refused = world.service.create_session(&id("demo"), &id("c"), wanted).await.unwrap_err();
    assert_eq!(refused.code(), Code::SessionNotFound);
    assert!(!world.keys().await.iter().any(|key| key.contains("sessions/")));
}

#[tokio::test]
async fn a_variable_of_the_fork_chooses_another_folder_and_shared_ones_are_the_parents() {
    let world = World::new();
    let parent = made(&world, "p").await;
    parent.create("/ticket/t", "of p").await.unwrap();
    let vars = [("ticket_id".to_owned(), id("T-9"))].into();
    let wanted = CreateSession { parent: Some(id("p")), vars, ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("c"), wanted).await.unwrap();
    let child = world.agent_of("demo", "c");
    assert_eq!(child.names("/ticket").await.unwrap(), [""; 0]);
    child.create("/workspace/a", "shared").await.unwrap();
    assert_eq!(parent.text("/workspace/a").await.unwrap(), "shared");
}

#[tokio::test]
async fn a_session_that_was_made_before_workspaces_were_shared_keeps_its_own() {
    let world = World::new();
    made(&world, "p").await.create("/workspace/a", "of p").await.unwrap();
    fork(&world, "p", "c").await;
    let mut old = stored(&world, "c").await;
    old.as_object_mut().unwrap().remove("workspace_of").unwrap();
    world.put("demo/.skillmount/sessions/c.json", old.to_string()).await;
    world.put("demo/threads/c/own", "of c").await;
    let other = world.replica();
    assert_eq!(other.agent_of("demo", "c").names("/workspace").await.unwrap(), ["/workspace/own"]);
    // Those that are made from it share its files.
    assert_eq!(fork(&other, "c", "g").await.names("/workspace").await.unwrap(), ["/workspace/own"]);
}

// S-SESSION-13: A load or unload in a fork or in its parent changes neither the prompt nor the tools nor `/skills` of
// the other.
#[tokio::test]
async fn loading_in_a_fork_or_in_its_parent_leaves_the_other_as_it_was() {
    let world = World::new();
    world.put_fixtures().await;
    let parent = world.agent_of("demo", "p");
    parent.load("hipoteca").await.unwrap();
    // With every right a child has the tools of its parent.
    let sessions = world.service.sessions();
    let free = |session: &mut Session| {
        session.policy.children = ChildRights::ALL;
        Ok(Change::Save(()))
    };
    sessions.update(&id("demo"), &id("p"), free).await.unwrap();
    let before = told(&parent).await;
    let child = fork(&world, "p", "c").await;
    assert_eq!(told(&child).await, before, "it begins as its parent is");

    child.load("compraventa").await.unwrap();
    child.unload_skill(UnloadSkillRequest { skill: "hipoteca".into() }).await.unwrap();
    assert_ne!(told(&child).await, before);
    for of_parent in [parent.clone(), world.replica().agent_of("demo", "p")] {
        assert_eq!(told(&of_parent).await, before);
    }

    let of_child = told(&child).await;
    parent.load("arrendamiento").await.unwrap();
    parent.unload_skill(UnloadSkillRequest { skill: "hipoteca".into() }).await.unwrap();
    assert_ne!(told(&parent).await, before);
    for child in [child, world.replica().agent_of("demo", "c")] {
        assert_eq!(told(&child).await, of_child);
    }
}

// S-SESSION-14: `workspace=delete` deletes a session together with its workspace, unless another session shares the
// workspace: then the answer is `workspace_shared` and the service deletes nothing.
#[tokio::test]
async fn a_workspace_goes_with_the_last_session_that_shares_it() {
    let world = World::new();
    let parent = made(&world, "p").await;
    for file in ["/workspace/a", "/workspace/d/b", "/ticket/t"] {
        parent.create(file, "x").await.unwrap();
    }
    made(&world, "stranger").await.create("/workspace/s", "x").await.unwrap();
    let (child, grandchild) = (fork(&world, "p", "c").await, fork(&world, "c", "g").await);
    let before = world.keys().await;
    for (doomed, others) in [(&parent, ["c", "g"]), (&child, ["g", "p"]), (&grandchild, ["c", "p"])] {
        let refused = doomed.forget_with_workspace().await.unwrap_err();
        assert_eq!((refused.code(), refused.outcome()), (Code::WorkspaceShared, Some(Outcome::NotApplied)));
        assert_eq!(refused.details()["sessions"], serde_json::json!(others));
        assert!(refused.message().contains(&others.join(", ")), "{}", refused.message());
    }
    assert_eq!(world.keys().await, before);

    // Forgotten alone, a session leaves the workspace to the others, and the last one takes it along.
    for name in ["p", "g"] {
        world.service.sessions().delete(&id("demo"), &id(name)).await.unwrap();
    }
    child.forget_with_workspace().await.unwrap();
    assert_eq!(files(&world).await, ["demo/threads/stranger/s", "demo/tickets/p/t"]);
    assert_eq!(code(child.forget_with_workspace().await), Code::SessionNotFound);
}

#[tokio::test]
async fn a_session_that_only_wrote_files_is_forgotten_with_them() {
    let world = World::new();
    let agent = world.agent_of("demo", "p");
    assert_eq!(code(agent.forget_with_workspace().await), Code::SessionNotFound);
    agent.create("/workspace/a", "x").await.unwrap();
    world.agent_of("demo", "q").create("/workspace/b", "x").await.unwrap();
    assert_eq!(agent.session().await.unwrap().version, 0, "it has no object");
    agent.forget_with_workspace().await.unwrap();
    assert_eq!(files(&world).await, ["demo/threads/q/b"]);
    assert_eq!(code(agent.forget_with_workspace().await), Code::SessionNotFound);

    let parse = |text: &str| MountTemplate::parse(text).unwrap();
    let templates = MountTemplates::new(parse("{user}/workspace"), parse("{user}/tickets/{ticket_id}")).unwrap();
    let world =
        World::with(Arc::new(MemoryStore::like_s3()), ServiceOptions { templates, ..ServiceOptions::default() });
    let agent = world.agent_of("demo", "p");
    agent.create("/workspace/a", "x").await.unwrap();
    assert_eq!(code(agent.forget_with_workspace().await), Code::SessionNotFound, "the files are everybody's");
    assert_eq!(files(&world).await, ["demo/workspace/a"]);
}

#[tokio::test]
async fn a_workspace_that_a_variable_or_the_template_shares_is_shared_too() {
    let parse = |text: &str| MountTemplate::parse(text).unwrap();
    for template in ["{user}/workspace", "{user}/rooms/{room}"] {
        let templates = MountTemplates::new(parse(template), parse("{user}/tickets/{ticket_id}")).unwrap();
        let options = ServiceOptions { templates, ..ServiceOptions::default() };
        let world = World::with(Arc::new(MemoryStore::like_s3()), options);
        for name in ["a", "b"] {
            made(&world, name).await;
            let set = |session: &mut skillmount::session::Session| {
                if template.contains("{room}") {
                    session.vars.insert("room".to_owned(), id("R"));
                }
                Ok(Change::Save(()))
            };
            world.service.sessions().update(&id("demo"), &id(name), set).await.unwrap();
        }
        let refused = world.agent_of("demo", "a").forget_with_workspace().await.unwrap_err();
        assert_eq!(refused.details()["sessions"], serde_json::json!(["b"]), "{template}");
    }
}

#[tokio::test]
async fn a_session_that_cannot_be_read_counts_as_one_that_shares_the_workspace() {
    let world = World::new();
    let agent = made(&world, "p").await;
    agent.create("/workspace/a", "x").await.unwrap();
    world.put("demo/.skillmount/sessions/bad.json", "{").await;
    let refused = agent.forget_with_workspace().await.unwrap_err();
    assert_eq!((refused.code(), &refused.details()["sessions"]), (Code::WorkspaceShared, &serde_json::json!(["bad"])));
    world.service.sessions().delete(&id("demo"), &id("bad")).await.unwrap();
    agent.forget_with_workspace().await.unwrap();
    assert_eq!(files(&world).await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_files_could_not_all_be_deleted_stays_and_the_same_call_completes_it() {
    let world = World::new();
    let agent = made(&world, "p").await;
    for file in ["/workspace/a", "/workspace/b"] {
        agent.create(file, "x").await.unwrap();
    }
    world.faults.for_keys(Verb::Delete, "threads/p/b", Fault::Deny);
    let failed = agent.forget_with_workspace().await.unwrap_err();
    assert_eq!((failed.code(), failed.outcome()), (Code::StoreUnavailable, Some(Outcome::Partial)));
    assert_eq!(files(&world).await, ["demo/threads/p/b"]);
    assert_eq!(agent.session().await.unwrap().version, 1, "it is still there");
    world.faults.clear();
    agent.forget_with_workspace().await.unwrap();
    assert_eq!(files(&world).await, [""; 0]);
    assert_eq!(agent.session().await.unwrap().version, 0);
}
