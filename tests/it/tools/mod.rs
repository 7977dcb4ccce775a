//! The tools: what a model is told of them, what becomes of a turn of calls, and slash commands.

mod agent_loop;
mod calls;
mod commands;
mod definitions;
mod discover;
mod results;
pub(crate) mod words;

use serde_json::{Value, json};
use skillmount::{
    handle::SessionBackend,
    tools::{ToolOptions, for_session, run},
    wire::{CreateSession, DefinitionShape, Policy, PromptMode, ToolResults},
};

use crate::support::world::World;

/// A world whose user has two skills: one that takes parameters, and one with a script.
pub(super) async fn notary() -> World {
    let world = World::new();
    let sale = "---\nname: compraventa\ndescription: Redacta escrituras de compraventa.\n\
                parameters:\n- name: comprador\n  description: who buys\n  required: true\n- name: precio\n  default: '0'\n\
                allowed-tools: Read, Bash(git:*)\nargument-hint: \"[comprador] [precio]\"\n---\n\
                # Compraventa\nComparece {{comprador}} y paga {{precio}}.\n";
    world.put("demo/skills/escrituras/compraventa/SKILL.md", sale).await;
    world.put("demo/skills/escrituras/compraventa/plantilla.md", "Ante mí\n").await;
    world.put_skill("demo", "pdf", "Works with PDF files.", "# PDF\nRun ${SKILL_DIR}/scripts/fill.py.\n").await;
    world.put("demo/skills/pdf/scripts/fill.py", "print()\n").await;
    world
}

/// The session `s` of user `demo`, in this mode.
pub(super) async fn agent_in(world: &World, mode: PromptMode) -> SessionBackend {
    agent_with(world, Policy { prompt_mode: mode, ..Policy::default() }).await
}

/// The session `s` of user `demo`, with this policy.
pub(super) async fn agent_with(world: &World, policy: Policy) -> SessionBackend {
    let agent = world.agent();
    let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
    let session = agent.session().await.unwrap();
    world.service.create_session(&session.user_id, &session.session_id, wanted).await.unwrap();
    agent
}

/// The blocks of a turn, with the ids `t0`, `t1` and so on.
pub(super) fn blocks(calls: &[(&str, Value)]) -> Vec<Value> {
    let block = |(at, (name, input)): (usize, &(&str, Value))| json!({ "type": "tool_use", "id": format!("t{at}"), "name": name, "input": input });
    calls.iter().enumerate().map(block).collect()
}

pub(super) async fn turn(agent: &SessionBackend, calls: &[(&str, Value)]) -> ToolResults {
    run(agent, blocks(calls), ToolOptions::default()).await.unwrap()
}

/// The text of one call that succeeds.
pub(super) async fn said(agent: &SessionBackend, name: &str, input: Value) -> String {
    let result = turn(agent, &[(name, input)]).await.content.remove(0);
    assert!(!result.is_error, "{}", result.content);
    result.content
}

/// The text of one call that fails.
pub(super) async fn refused(agent: &SessionBackend, name: &str, input: Value) -> String {
    let result = turn(agent, &[(name, input)]).await.content.remove(0);
    assert!(result.is_error && result.content.starts_with("Error: "), "{}", result.content);
    result.content
}

/// The definitions in the first shape, by name.
pub(super) async fn offered(agent: &SessionBackend) -> Vec<(String, Value)> {
    let tools = for_session(agent).await.unwrap();
    tools.iter().map(|tool| (tool.tool.name().to_owned(), tool.in_shape(DefinitionShape::Anthropic))).collect()
}

pub(super) async fn names(agent: &SessionBackend) -> Vec<String> {
    offered(agent).await.into_iter().map(|(name, _)| name).collect()
}
