//! The session in the turns of an agent: its ids, prompt, tools, failures and calls.

use rig_agent::AgentBuilder;
use rig_core::{
    message::ToolName,
    test_utils::{MockCompletionModel, MockStreamEvent, MockTurn},
    tool::{DynamicTool, ToolOutput},
};
use serde_json::json;
use skillmount_rig::SkillSession;
use skillmount_wire::{AuditRequest, BackendProtocol as _, PromptMode, PromptRequest, ReadRequest};

use crate::{
    service::{Program, in_process, remote},
    turns::{Results, TURNS, last_results, model, system, tool_names, turn},
};

fn weather(name: &str) -> DynamicTool {
    let schema = json!({ "type": "object", "properties": {} });
    DynamicTool::new(ToolName::new(name).unwrap(), "Tells the weather.", schema, |_| {
        Box::pin(async { Ok(ToolOutput::text("It rains.")) })
    })
}

#[tokio::test]
async fn an_agent_works_in_the_session_that_the_developer_names() {
    let program = Program::start(&[]);
    let (user, session) = ("Anna+desk@example.com", "slack.C1-1.2");
    let model = model([("write", json!({ "file_path": "/workspace/a.md", "content": "hers" }))]);
    let agent = program.session(user, session).agent(AgentBuilder::new(model)).unwrap();
    agent.prompt("Write.").max_turns(TURNS).await.unwrap();

    let read = async |session: &str| {
        let file: ReadRequest = serde_json::from_value(json!({ "file_path": "/workspace/a.md" })).unwrap();
        remote(&program.url, user, session, None).read(file).await
    };
    assert!(format!("{:?}", read(session).await.unwrap()).contains("hers"));
    assert!(read("another").await.is_err());
}

async fn a_load_shows_in_the_next_turn(session: SkillSession) {
    let model = model([("load_skill", json!({ "skill": "law/lease-anna" }))]);
    let agent = session.agent(AgentBuilder::new(model.clone())).unwrap();
    agent.prompt("Draft a lease.").max_turns(TURNS).await.unwrap();

    let requests = model.requests();
    let [before, after] = requests.as_slice() else { panic!("{} turns", requests.len()) };
    assert!(system(before).contains("Drafts a lease for anna.") && !system(before).contains("Begin the lease"));
    assert!(system(after).contains("Begin the lease of anna with the parties."), "{}", system(after));
}

#[tokio::test]
async fn a_loaded_skill_is_in_the_prompt_of_the_next_turn() {
    let program = Program::start(&[]);
    a_load_shows_in_the_next_turn(program.session("anna", "s1")).await;
    a_load_shows_in_the_next_turn(in_process("anna", "s1")).await;
}

/// In the mode `discover` a session begins with the search alone.
#[tokio::test]
async fn tools_that_come_with_a_skill_are_offered_in_the_next_turn() {
    let program = Program::start(&[]);
    for session in [program.session("anna", "s1"), in_process("anna", "s1")] {
        let prompt = PromptRequest { mode: Some(PromptMode::Discover), ..PromptRequest::default() };
        let model = model([
            ("discover_skills", json!({ "query": "lease" })),
            ("load_skill", json!({ "skill": "law/lease-anna" })),
        ]);
        let builder = AgentBuilder::new(model.clone()).dynamic_tool(weather("weather"));
        let agent = session.prompt_request(prompt).agent(builder).unwrap();
        agent.prompt("Draft a lease.").max_turns(TURNS).await.unwrap();

        let requests = model.requests();
        assert_eq!(tool_names(&requests[0]), ["weather", "discover_skills"]);
        assert_eq!(tool_names(&requests[1]), ["weather", "discover_skills", "load_skill"]);
        assert!(tool_names(&requests[2]).contains(&"read"), "{:?}", tool_names(&requests[2]));
    }
}

#[tokio::test]
async fn the_streaming_surface_has_the_prompt_and_the_tools_too() {
    let model = MockCompletionModel::from_stream_turns([[
        MockStreamEvent::text("done"),
        MockStreamEvent::final_response_with_default_usage(),
    ]]);
    let agent = in_process("anna", "s1").agent(AgentBuilder::new(model.clone())).unwrap();
    let (run, _events) = agent.prompt("Draft a lease.").max_turns(TURNS).run_channel();
    run.await.unwrap();
    let requests = model.requests();
    assert!(system(&requests[0]).contains("Drafts a lease for anna."));
    assert!(tool_names(&requests[0]).contains(&"load_skill"));
}

#[tokio::test]
async fn own_tools_and_the_preamble_stay() {
    let program = Program::start(&[]);
    let model = model([("weather", json!({}))]);
    let builder = AgentBuilder::new(model.clone()).preamble("You are a pirate.").dynamic_tool(weather("weather"));
    let agent = program.session("anna", "s1").agent(builder).unwrap();
    let results = Results::default();
    agent.prompt("Hello.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();

    assert_eq!(results.texts(), ["It rains."]);
    for request in model.requests() {
        assert!(system(&request).starts_with("You are a pirate.\n\n"), "{}", system(&request));
        assert!(system(&request).contains("Drafts a lease for anna."));
        assert_eq!(tool_names(&request)[0], "weather");
        let read = request.tools.iter().find(|tool| tool.name.as_str() == "read").unwrap();
        assert!(!read.description.is_empty() && read.parameters["properties"]["file_path"].is_object());
    }
    // The preamble of one run counts for that run.
    let other = MockCompletionModel::text("done");
    let run = agent.prompt("Hello.").preamble("You are a judge.").using_model_value(other.clone());
    run.await.unwrap();
    assert!(system(&other.requests()[0]).starts_with("You are a judge.\n\n"));
}

#[tokio::test]
async fn an_own_tool_with_a_name_of_the_service_is_rejected() {
    let session = in_process("anna", "s1");
    for name in ["read", "load_skill", "Skill"] {
        let builder = AgentBuilder::new(MockCompletionModel::text("done")).dynamic_tool(weather(name));
        let clash = session.agent(builder).err().unwrap();
        assert_eq!(clash.names, [name]);
        assert!(clash.to_string().contains(&format!("of these names too: {name}; rename your own")), "{clash}");
    }
    // Added to the agent's registry later, it ends the next turn.
    let agent = session.agent(AgentBuilder::new(MockCompletionModel::text("done"))).unwrap();
    agent.tool_server_handle().add_dynamic_tool(weather("grep"));
    let error = agent.prompt("Hello.").await.unwrap_err();
    assert!(error.to_string().contains("of these names too: grep; rename your own"), "{error}");
    // Two sessions do not share a registry.
    let first = session.agent(AgentBuilder::new(MockCompletionModel::text("done"))).unwrap();
    let shared = AgentBuilder::new(MockCompletionModel::text("done"));
    assert!(session.agent(shared.tool_server_handle(first.tool_server_handle().clone())).is_err());
}

#[tokio::test]
async fn a_failed_call_is_a_failure_that_the_model_reads_and_the_run_goes_on() {
    let program = Program::start(&[]);
    for session in [program.session("anna", "s1"), in_process("anna", "s1")] {
        let model = model([
            ("read", json!({ "file_path": "/workspace/nothing.md" })),
            ("read", json!({ "file_path": 7 })),
            ("ls", json!({ "path": "/workspace" })),
        ]);
        let agent = session.agent(AgentBuilder::new(model.clone())).unwrap();
        let results = Results::default();
        let reply = agent.prompt("Look.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();

        assert_eq!(reply.output(), "done");
        let failed: Vec<_> = results.all().into_iter().map(|(_, failed, _)| failed).collect();
        assert_eq!(failed, [true, true, false]);
        let read = format!("{:?}", model.requests()[1].chat_history.last().unwrap());
        assert!(read.contains("Error: ") && read.contains("/workspace/nothing.md"), "{read}");
    }
}

#[tokio::test]
async fn the_id_of_a_call_is_the_id_of_its_audit_record() {
    let program = Program::start(&[]);
    let path = |name: &str| json!({ "file_path": format!("/workspace/{name}.md"), "content": name });
    let model = MockCompletionModel::from_turns([
        turn([("toolu_1", "write", path("a")), ("toolu_2", "write", path("b")), ("toolu_3", "write", path("c"))]),
        MockTurn::text("done"),
    ]);
    let agent = program.session("anna", "s1").agent(AgentBuilder::new(model)).unwrap();
    agent.prompt("Write.").max_turns(TURNS).tool_concurrency(3).await.unwrap();

    let page = remote(&program.url, "anna", "s1", None).audit(&AuditRequest::default()).await.unwrap();
    let writes = page.records.into_iter().filter(|record| record.operation == "write");
    let mut calls: Vec<_> = writes.map(|record| (record.call, record.subject)).collect();
    calls.sort();
    let expected = [("toolu_1", "a"), ("toolu_2", "b"), ("toolu_3", "c")];
    assert_eq!(calls, expected.map(|(id, name)| (id.to_owned(), format!("/workspace/{name}.md"))));
}

/// A call of a turn may read what an earlier one loads, whatever the concurrency.
#[tokio::test]
async fn the_calls_of_a_turn_keep_their_order() {
    let program = Program::start(&[]);
    let load = ("a", "load_skill", json!({ "skill": "law/lease-anna" }));
    let read = ("b", "read", json!({ "file_path": "/skills/lease-anna/SKILL.md" }));
    let model = MockCompletionModel::from_turns([turn([load, read]), MockTurn::text("done")]);
    let agent = program.session("anna", "s1").agent(AgentBuilder::new(model.clone())).unwrap();
    let results = Results::default();
    agent.prompt("Draft.").max_turns(TURNS).tool_concurrency(4).add_hook(results.clone()).await.unwrap();
    assert!(results.all().iter().all(|(_, failed, _)| !failed), "{:?}", results.all());
    assert!(last_results(&model).contains("Begin the lease of anna"));
}
