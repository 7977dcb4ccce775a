//! Many runs, users and copies of an agent, and the end of one.

use std::time::Duration;

use rig_agent::{Agent, AgentBuilder};
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;
use skillmount_rig::SkillSession;
use tokio::{
    runtime,
    time::{sleep, timeout},
};

use crate::{
    between::Between,
    service::{Program, remote},
    turns::{Results, TURNS, last_results, model, system},
};

const KEY: &str = "key-that-nobody-prints";

/// An agent whose model makes `runs` times a call and an end.
fn agent(session: &SkillSession, runs: usize) -> (Agent, MockCompletionModel) {
    let turns = (0..runs)
        .flat_map(|_| [MockTurn::tool_call("call", "ls", json!({ "path": "/workspace" })), MockTurn::text("done")]);
    let model = MockCompletionModel::from_turns(turns);
    (session.agent(AgentBuilder::new(model.clone())).unwrap(), model)
}

async fn look(agent: &Agent) {
    let results = Results::default();
    agent.prompt("Look.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
    assert!(results.all().iter().all(|(_, failed, _)| !failed), "{:?}", results.all());
}

async fn until_closed(between: &Between) {
    while between.open_connections() > 0 {
        sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn nothing_stays_open_behind_an_agent_that_is_gone() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    let session = SkillSession::remote(remote(&between.url, "anna", "s1", None));
    let (agent, _) = agent(&session, 1);
    look(&agent).await;
    assert!(between.open_connections() > 0);
    drop((agent, session));
    timeout(Duration::from_secs(5), until_closed(&between)).await.expect("a connection stays open");
}

#[tokio::test]
async fn a_copy_works_on_with_the_key_and_nothing_shows_the_key() {
    let program = Program::start(&["--api-key", KEY]);
    let session = SkillSession::remote(remote(&program.url, "anna", "s1", Some(KEY)));
    let (agent, model) = agent(&session, 2);
    let copy = agent.clone();
    look(&agent).await;
    assert!(!format!("{session:?}").contains(KEY));
    drop((agent, session));
    let reply = copy.prompt("Look.").max_turns(TURNS).await.unwrap();
    let written = serde_json::to_string(&(reply, copy.run_spec(), model.requests())).unwrap();
    assert!(written.contains("Drafts a lease for anna.") && !written.contains(KEY));
}

#[tokio::test]
async fn a_service_with_keys_refuses_another_key_with_a_reason_that_hides_it() {
    let program = Program::start(&["--api-key", KEY]);
    let session = SkillSession::remote(remote(&program.url, "anna", "s1", Some("another-key-nobody-prints")));
    let error = agent(&session, 1).0.prompt("Look.").await.unwrap_err();
    let told = format!("{error} {error:?}");
    assert!(told.contains("skillmount: ") && !told.contains("another-key-nobody-prints"), "{told}");
}

#[tokio::test]
async fn one_agent_does_many_runs_at_once() {
    let program = Program::start(&[]);
    let between = Between::start(&program.url).await;
    let session = SkillSession::remote(remote(&between.url, "anna", "s1", None));
    let (agent, _) = agent(&session, 0);
    let runs = (0..20).map(|at| {
        // Each run has a script of its own.
        let path = format!("/workspace/{at}.md");
        let model = model([("write", json!({ "file_path": path, "content": path }))]);
        let run = agent.prompt("Write.").max_turns(TURNS).using_model_value(model.clone()).run();
        tokio::spawn(async move {
            run.await.unwrap();
            assert!(last_results(&model).contains(&path), "{}", last_results(&model));
        })
    });
    for run in runs.collect::<Vec<_>>() {
        run.await.unwrap();
    }
    assert_eq!(between.count("tool_calls"), 20);
    drop((agent, session));
    timeout(Duration::from_secs(5), until_closed(&between)).await.expect("a connection stays open");
}

#[test]
fn one_agent_works_in_several_runtimes_one_after_another() {
    let program = Program::start(&[]);
    let (agent, _) = agent(&program.session("anna", "s1"), 5);
    for _ in 0..5 {
        runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(look(&agent));
    }
}

#[tokio::test]
async fn two_users_at_the_same_time_see_their_own_skills() {
    let program = Program::start(&[]);
    let run = async |user: &'static str, other: &'static str| {
        let skill = format!("law/lease-{other}");
        let model = model([
            ("load_skill", json!({ "skill": format!("law/lease-{user}") })),
            ("load_skill", json!({ "skill": skill })),
        ]);
        let agent = program.session(user, "same").agent(AgentBuilder::new(model.clone())).unwrap();
        let results = Results::default();
        agent.prompt("Draft.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
        let failed: Vec<_> = results.all().into_iter().map(|(_, failed, _)| failed).collect();
        assert_eq!(failed, [false, true], "{user}");
        for request in model.requests() {
            assert!(system(&request).contains(user) && !system(&request).contains(other), "{}", system(&request));
        }
    };
    tokio::join!(run("anna", "otto"), run("otto", "anna"));
}
