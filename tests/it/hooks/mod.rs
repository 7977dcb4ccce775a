//! Hooks: what a model is told at certain moments of a conversation, and what that costs.

mod forks;
mod moments;

use serde_json::{Value, json};
use skillmount::{
    handle::SessionBackend,
    hooks::answer,
    wire::{CreateSession, HookInput, HookOutput, Policy},
};

use crate::support::world::{World, id};

/// A world whose user has skills for an office and for films, one of them for people alone.
pub(super) async fn office() -> World {
    let world = World::new();
    let skill = |head: &str| format!("---\n{head}\n---\nGo.\n");
    let pdf = "name: pdf\ndescription: Fills forms and merges pages with ReportLab.\ntriggers: [create pdf]";
    world.put("demo/skills/office/pdf/SKILL.md", skill(pdf)).await;
    world.put_skill("demo", "office/xlsx", "Reads spreadsheets and draws charts of them.", "Go.").await;
    world.put_skill("demo", "media/video", "Cuts and converts films with ffmpeg.", "Go.").await;
    world.put_skill("demo", "media/image-generation", "Paints images for reports.", "Go.").await;
    let secret = "name: deploy\ndescription: Deploys a release.\ndisable-model-invocation: true";
    world.put("demo/skills/deploy/SKILL.md", skill(secret)).await;
    world
}

/// The session `s` of user `demo`, with this policy.
pub(super) async fn agent_with(world: &World, policy: Policy) -> SessionBackend {
    let wanted = CreateSession { policy: Some(policy), ..CreateSession::default() };
    world.service.create_session(&id("demo"), &id("s"), wanted).await.unwrap();
    world.agent()
}

/// The input of a hook, with what Claude sends with each.
pub(super) fn input(event: &str, own: &Value) -> HookInput {
    let mut input = json!({
        "session_id": "0f9c", "transcript_path": "/t.jsonl", "cwd": "/", "permission_mode": "default",
        "hook_event_name": event,
    });
    input.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
    HookInput::parse(input.to_string().as_bytes()).unwrap()
}

pub(super) async fn hook(agent: &SessionBackend, event: &str, own: Value) -> HookOutput {
    answer(agent, &input(event, &own)).await.unwrap()
}

/// What the model is told; empty if nothing.
pub(super) async fn told(agent: &SessionBackend, event: &str, own: Value) -> String {
    let output = hook(agent, event, own).await;
    output.hook_specific_output.map(|own| own.additional_context).unwrap_or_default()
}

pub(super) async fn said(agent: &SessionBackend, prompt: &str) -> String {
    told(agent, "UserPromptSubmit", json!({ "prompt": prompt })).await
}

pub(super) async fn ran(agent: &SessionBackend, command: &str) -> String {
    told(agent, "PreToolUse", json!({ "tool_name": "Bash", "tool_use_id": "t", "tool_input": { "command": command } }))
        .await
}

pub(super) async fn called(agent: &SessionBackend, kind: &str, prompt: &str) -> String {
    let task = json!({ "subagent_type": kind, "description": "a task", "prompt": prompt });
    told(agent, "PreToolUse", json!({ "tool_name": "Task", "tool_use_id": "t", "tool_input": task })).await
}

pub(super) async fn begun(agent: &SessionBackend, kind: &str) -> String {
    told(agent, "SubagentStart", json!({ "agent_id": "a", "agent_type": kind })).await
}

/// The skills that a text names, in their order.
pub(super) fn named(context: &str) -> Vec<&str> {
    let lines = context.lines().filter_map(|line| line.strip_prefix("- "));
    lines.map(|line| line.split([',', ' ', ':']).next().unwrap()).collect()
}
