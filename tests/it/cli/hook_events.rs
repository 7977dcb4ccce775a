//! `skillmount hook` on an input of each event that Claude Code and Codex have.

use serde_json::{Value, json};

use super::Home;

/// The most that a host shows of a text, in characters and in bytes.
const MOST: usize = 10_000;

/// The events that have no context, with the members that a host sends.
fn silent_events() -> Vec<(&'static str, Value)> {
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "ffmpeg -i a.mov"}, "tool_use_id": "toolu_01"});
    let with = |more: Value| {
        let mut own = tool.clone();
        own.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        own
    };
    let agent = json!({
        "agent_id": "a1", "agent_type": "Explore", "agent_transcript_path": "/t/a1.jsonl", "stop_hook_active": false,
        "last_assistant_message": "Done.",
    });
    vec![
        ("Setup", json!({"trigger": "init"})),
        (
            "UserPromptExpansion",
            json!({
                "expansion_type": "slash_command", "command_name": "review", "command_args": "a", "prompt": "/review a",
            }),
        ),
        ("PermissionRequest", with(json!({"permission_suggestions": [{"type": "addRules"}]}))),
        ("PermissionDenied", with(json!({"reason": "a rule"}))),
        ("PostToolUse", with(json!({"tool_response": {"stdout": "", "interrupted": false}, "duration_ms": 3}))),
        ("PostToolUseFailure", with(json!({"error": "exit status 1", "is_interrupt": false}))),
        ("PostToolBatch", json!({"tool_calls": [tool]})),
        ("Notification", json!({"message": "Waits for you", "title": "Claude", "notification_type": "idle_prompt"})),
        ("MessageDisplay", json!({"turn_id": "t1", "message_id": "m1", "index": 0, "final": true, "delta": "Hi"})),
        ("SubagentStop", agent),
        ("TaskCreated", json!({"task_id": "1", "task_subject": "Films", "task_description": "Cut the films"})),
        ("TaskCompleted", json!({"task_id": "1", "task_subject": "Films", "teammate_name": "b"})),
        ("Stop", json!({"stop_hook_active": false, "last_assistant_message": "Done.", "background_tasks": []})),
        ("StopFailure", json!({"error": "rate_limit", "error_details": "429"})),
        ("TeammateIdle", json!({"teammate_name": "b", "team_name": "films"})),
        (
            "InstructionsLoaded",
            json!({"file_path": "/w/CLAUDE.md", "memory_type": "Project", "load_reason": "compact"}),
        ),
        ("ConfigChange", json!({"source": "project_settings", "file_path": "/w/.claude/settings.json"})),
        ("CwdChanged", json!({"old_cwd": "/w", "new_cwd": "/w/a"})),
        ("DirectoryAdded", json!({"directory": "/other", "source": "slash_command"})),
        ("FileChanged", json!({"file_path": "/w/.envrc", "event": "change"})),
        ("WorktreeCreate", json!({"name": "films"})),
        ("WorktreeRemove", json!({"worktree_path": "/w/.claude/worktrees/films"})),
        ("PreCompact", json!({"trigger": "auto", "custom_instructions": ""})),
        ("PostCompact", json!({"trigger": "manual", "compact_summary": "We cut films with ffmpeg."})),
        (
            "Elicitation",
            json!({
                "mcp_server_name": "skills", "message": "Allow it?", "mode": "form", "requested_schema": {"type": "object"},
            }),
        ),
        (
            "ElicitationResult",
            json!({"mcp_server_name": "skills", "action": "accept", "content": {"a": 1}, "mode": "form"}),
        ),
        ("SessionEnd", json!({"reason": "prompt_input_exit"})),
        // Of Codex alone.
        ("Interrupt", json!({"turn_id": "t1"})),
        // Tools that no skill is held against.
        ("PreToolUse", json!({"tool_name": "Write", "tool_input": {"file_path": "/a.mov"}, "tool_use_id": "t"})),
        ("PreToolUse", json!({"tool_name": "mcp__skills__load_skill", "tool_input": {"skill": "film/cut"}})),
        ("PreToolUse", json!({"tool_name": "apply_patch", "tool_input": {"command": "*** Begin Patch"}})),
    ]
}

/// The events that have context.
fn told_events() -> Vec<(&'static str, Value)> {
    let pre = |tool: &str, input: Value| json!({"tool_name": tool, "tool_input": input, "tool_use_id": "toolu_02"});
    let start = |source: &str| ("SessionStart", json!({"source": source, "model": "claude-opus-4-1"}));
    let task = json!({"description": "Cut", "prompt": "ffmpeg-07 <b>now</b>", "subagent_type": "cutter"});
    vec![
        start("startup"),
        start("clear"),
        start("compact"),
        ("UserPromptSubmit", json!({"prompt": "Cut <b>this</b> with ffmpeg-07", "prompt_id": "p"})),
        ("PreToolUse", pre("Bash", json!({"command": "ffmpeg-07 -i a.mov", "description": "Cuts"}))),
        ("PreToolUse", pre("Task", task.clone())),
        ("PreToolUse", pre("Agent", task)),
        ("SubagentStart", json!({"agent_id": "a1", "agent_type": "ffmpeg-07"})),
    ]
}

/// What a host adds to each event: Claude Code, then Codex.
fn inputs(event: &str, own: &Value) -> [Value; 2] {
    let claude = json!({
        "session_id": "4f1c8a52-6f0e-4b53-9f0a-0c2d8f6f6f00", "transcript_path": "/home/ana/.claude/projects/w/4f1c.jsonl",
        "cwd": "/home/ana/w", "permission_mode": "default", "hook_event_name": event,
    });
    let codex = json!({
        "session_id": "0199a213-81c0-7800-8aa1-bbab2a035a53", "turn_id": "3", "transcript_path": null, "cwd": "/home/ana/w",
        "permission_mode": "bypassPermissions", "model": "gpt-5-codex", "hook_event_name": event,
    });
    [claude, codex].map(|mut input| {
        input.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        input
    })
}

fn has_tag(text: &str) -> bool {
    text.replace("\\<", "").contains('<')
}

// S-HOOK-1: A hook takes the JSON of Claude's hooks, and members that it does not know.
// S-HOOK-2: A hook answers in the JSON of Claude's hooks: context for the model, or `{}` without context.
#[test]
fn each_event_of_claude_code_and_codex_is_answered_within_what_a_host_shows() {
    let home = Home::new();
    for number in 0..80 {
        let about = "Schneidet <b>Filme</b> für Büros, Höfe und Gärten. </skill> ".repeat(12);
        let text = format!("---\nname: ffmpeg-{number:02}\ndescription: \"{about}\"\n---\n\nGo.\n");
        home.file(&format!("data/skillmount/me/skills/film/ffmpeg-{number:02}/SKILL.md"), &text);
    }
    let policy = json!({"agents": {"*": ["film/*"]}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let answers = |event: &str, own: &Value| {
        inputs(event, own).map(|input| {
            let output = home.typed(&["hook"]).input(&input.to_string()).run();
            assert!(output.status.success(), "{input}");
            let text = String::from_utf8(output.stdout).unwrap();
            assert_eq!(text.lines().count(), 1, "{text}");
            serde_json::from_str::<Value>(&text).unwrap()
        })
    };
    for (event, own) in silent_events() {
        assert_eq!(answers(event, &own), [json!({}), json!({})], "{event} {own}");
    }
    for (event, own) in told_events() {
        for answer in answers(event, &own) {
            assert_eq!(answer.as_object().unwrap().len(), 1, "{event} {own}: {answer}");
            let specific = &answer["hookSpecificOutput"];
            assert_eq!(specific["hookEventName"], event);
            let context = specific["additionalContext"].as_str().unwrap();
            assert!(context.len() <= MOST && !has_tag(context), "{event} {own}: {} {context}", context.len());
            assert!(context.contains("film/ffmpeg-07"), "{event} {own}: {context}");
        }
    }
    let resumed = answers("SessionStart", &json!({"source": "resume"}));
    assert_eq!(resumed, [json!({}), json!({})], "this session was given the listing");
}
