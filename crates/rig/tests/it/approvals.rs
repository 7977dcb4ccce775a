//! Calls that a person approves first.

use std::sync::{Arc, Mutex};

use rig_agent::AgentBuilder;
use rig_core::test_utils::MockCompletionModel;
use serde_json::{Value, json};
use skillmount_rig::{Approver, SkillSession};
use skillmount_wire::{DecideApproval, Decision, WaitingCall};

use crate::{
    service::Program,
    turns::{Results, TURNS, last_results, model},
};

/// A person who decides all alike and notes what they are shown.
#[derive(Clone)]
struct Person {
    decision: DecideApproval,
    shown: Arc<Mutex<Vec<WaitingCall>>>,
}

impl Person {
    fn new(decision: Decision, message: Option<&str>) -> Self {
        let decision = DecideApproval { message: message.map(str::to_owned), ..DecideApproval::new(decision) };
        Self { decision, shown: Arc::default() }
    }

    fn shown(&self) -> Vec<WaitingCall> {
        self.shown.lock().unwrap().clone()
    }
}

#[async_trait::async_trait]
impl Approver for Person {
    async fn decide(&self, call: &WaitingCall) -> DecideApproval {
        self.shown.lock().unwrap().push(call.clone());
        self.decision.clone()
    }
}

async fn run(session: SkillSession, calls: Vec<(&'static str, Value)>) -> (MockCompletionModel, Results) {
    let (model, results) = (model(calls), Results::default());
    let agent = session.agent(AgentBuilder::new(model.clone())).unwrap();
    agent.prompt("Go on.").max_turns(TURNS).add_hook(results.clone()).await.unwrap();
    (model, results)
}

fn write() -> (&'static str, Value) {
    ("write", json!({ "file_path": "/workspace/a.md", "content": "one" }))
}

async fn asking(program: &Program) {
    let policy = json!({ "tools": { "*": "auto", "write": "ask", "delete": "ask" }, "skills": { "law/*": "enabled" } });
    program.policy("anna", &policy).await;
}

#[tokio::test]
async fn a_person_allows_a_load_with_the_facts_and_the_load_runs() {
    let program = Program::start(&[]);
    asking(&program).await;
    let person = Person::new(Decision::Allow, None);
    let session = program.session("anna", "s1").approver(person.clone());
    let (_, results) = run(session, vec![("load_skill", json!({ "skill": "law/lease-anna" }))]).await;

    assert!(!results.all()[0].1, "{:?}", results.all());
    let [call] = person.shown().try_into().unwrap();
    assert_eq!((call.tool.as_str(), call.skill.unwrap().as_str()), ("load_skill", "law/lease-anna"));
    assert!(call.digest.is_some() && (1..=300).contains(&call.seconds_left), "{:?}", call.seconds_left);
}

#[tokio::test]
async fn a_denial_reaches_the_model_with_its_reason_and_nothing_is_written() {
    let program = Program::start(&[]);
    asking(&program).await;
    let person = Person::new(Decision::Deny, Some("archive it instead"));
    let session = program.session("anna", "s1").approver(person.clone());
    let (model, results) = run(session, vec![write(), ("ls", json!({ "path": "/workspace" }))]).await;

    let [denied, listed] = results.all().try_into().unwrap();
    assert!(denied.1 && denied.2.contains("a person denied") && denied.2.contains("archive it instead"), "{denied:?}");
    assert!(!listed.2.contains("a.md"), "{listed:?}");
    assert!(format!("{:?}", model.requests()[1].chat_history).contains("archive it instead"));
    assert_eq!(person.shown()[0].input["content"], "one");
}

#[tokio::test]
async fn without_a_person_the_model_reads_that_the_call_waits() {
    let program = Program::start(&[]);
    asking(&program).await;
    let (model, results) = run(program.session("anna", "s1"), vec![write()]).await;
    assert!(results.all()[0].1);
    assert!(last_results(&model).contains("needs a person's approval"));
}

/// Two calls of one tool wait in one session, and each person decides about their own.
#[tokio::test]
async fn a_person_decides_about_the_call_that_was_made() {
    let program = Program::start(&[]);
    asking(&program).await;
    let file =
        |name: &str| json!({ "file_path": format!("/workspace/{name}.md"), "content": "x", "overwrite": "true" });
    let (_, waits) = run(program.session("anna", "s1"), vec![("write", file("other"))]).await;
    assert!(waits.all()[0].1);
    let person = Person::new(Decision::Allow, None);
    let session = program.session("anna", "s1").approver(person.clone());
    let (_, results) = run(session, vec![("write", file("own"))]).await;
    assert!(!results.all()[0].1, "{:?}", results.all());
    let shown: Vec<_> = person.shown().into_iter().map(|call| call.input["file_path"].clone()).collect();
    assert_eq!(shown, ["/workspace/own.md"]);
}

#[tokio::test]
async fn a_closure_decides_too_and_in_process() {
    let session = crate::service::in_process("anna", "s1");
    let deny = |_: WaitingCall| async { DecideApproval::new(Decision::Deny) };
    let body = "Use this skill to draft a letter: begin with the address, then say what it is about.";
    let input = json!({ "name": "draft", "description": "Drafts letters. Use it to draft one.", "body": body });
    // A policy that names no rule for it asks before a skill is created.
    let (_, results) = run(session.approver(deny), vec![("create_skill", input)]).await;
    assert!(results.texts()[0].contains("a person denied"), "{:?}", results.all());
}

/// With keys, the agent's own key decides nothing.
#[tokio::test]
async fn a_control_key_decides_where_the_key_of_the_agent_may_not() {
    let folder = tempfile::tempdir().unwrap();
    let (path, keys) = (folder.path().join("keys.toml"), crate::service::keys(&["agent", "control"]));
    std::fs::write(&path, &keys.file).unwrap();
    let program = Program::start(&["--keys", path.to_str().unwrap()]);
    let remote = |key: usize| crate::service::remote(&program.url, "anna", "s1", Some(&keys.keys[key]));
    program.policy_with(&keys.keys[1], "anna", &json!({ "tools": { "*": "auto", "write": "ask" } })).await;

    let person = Person::new(Decision::Allow, None);
    let alone = SkillSession::remote(remote(0)).approver(person.clone());
    let (_, results) = run(alone, vec![write()]).await;
    assert!(results.all()[0].1 && person.shown().is_empty(), "{:?}", results.all());
    let session = SkillSession::remote(remote(0)).approver(person.clone()).control(remote(1));
    let (_, results) = run(session, vec![write()]).await;
    assert!(!results.all()[0].1 && person.shown().len() == 1, "{:?}", results.all());
}
