//! A turn of calls: every call is answered, in order, as if they had run one after the other.

use std::time::Duration;

use serde_json::{Value, json};
use skillmount::{
    Code,
    handle::SessionBackend,
    limits::{JSON_VALUES, TOOL_CALLS, TOOL_PARALLEL},
    tools::{ToolOptions, run, run_functions},
    wire::{BackendProtocol as _, Invoker, LoadSkillRequest, LoadTool, Policy, PromptMode, ToolRule},
};
use tokio::time::Instant;

use super::{agent_with, blocks, notary, refused, said, turn};
use crate::support::world::{BackendExt, World, code};

#[tokio::test]
async fn tool_results_are_sent_as_blocks_of_type_tool_result_with_tool_use_id_and_content() {
    let agent = World::new().agent();
    agent.create("/workspace/a.txt", "uno\n").await.unwrap();
    let results = turn(&agent, &[("glob", json!({ "pattern": "*.txt" }))]).await;
    let wanted = json!({
        "role": "user",
        "content": [{ "type": "tool_result", "tool_use_id": "t0", "content": "/workspace/a.txt" }],
    });
    assert_eq!(serde_json::to_value(results).unwrap(), wanted);
}

// S-TOOL-1: One user message answers a turn of tool calls, with a `tool_result` for each call, in the order of the
// calls.
#[tokio::test]
async fn multiple_tool_results_come_in_a_single_user_message() {
    let agent = World::new().agent();
    agent.create("/workspace/a.txt", "uno\n").await.unwrap();
    let mut turn = blocks(&[
        ("read", json!({ "file_path": "/workspace/a.txt" })),
        ("read", json!({ "file_path": "/workspace/none" })),
        ("grep", json!({ "pattern": "uno" })),
    ]);
    turn.insert(1, json!({ "type": "text", "text": "Let me look." }));
    turn.insert(0, json!({ "type": "thinking", "thinking": "…" }));
    let message = serde_json::to_value(run(&agent, turn, ToolOptions::default()).await.unwrap()).unwrap();
    let ids: Vec<_> = message["content"].as_array().unwrap().iter().map(|one| one["tool_use_id"].clone()).collect();
    assert_eq!((message["role"].as_str(), ids), (Some("user"), vec![json!("t0"), json!("t1"), json!("t2")]));
}

// S-TOOL-2: A failed call is a result with `is_error` that begins with `Error: `, and says what the service expected.
#[tokio::test]
async fn error_results_have_is_error_true_and_others_do_not() {
    let agent = World::new().agent();
    let calls = [("read", json!({ "file_path": "/workspace/none" })), ("ls", json!({ "path": "/workspace" }))];
    let message = serde_json::to_value(turn(&agent, &calls).await).unwrap();
    assert_eq!(message["content"][0]["is_error"], Value::Bool(true));
    assert!(message["content"][0]["content"].as_str().unwrap().starts_with("Error: File not found: /workspace/none"));
    assert_eq!(message["content"][1].get("is_error"), None);
}

#[tokio::test]
async fn an_unknown_tool_is_an_error_that_names_those_there_are() {
    let agent = World::new().agent();
    let message = refused(&agent, "bash", json!({ "command": "ls" })).await;
    assert!(message.contains("no tool \"bash\"") && message.contains("ls, read, grep"), "{message}");
    let message = refused(&agent, "Skill", json!({ "skill": "a" })).await;
    assert!(message.contains("load_skill") && !message.contains(", Skill"), "{message}");
}

#[tokio::test]
async fn a_wrong_input_is_an_error_that_says_what_was_expected() {
    let agent = World::new().agent();
    for input in [
        json!({}),
        json!({ "path": "/workspace/a" }),
        json!({ "file_path": 7 }),
        json!({ "file_path": "/workspace/a", "offset": -1 }),
        json!({ "file_path": null }),
        json!("/workspace/a"),
        json!(null),
    ] {
        let message = refused(&agent, "read", input.clone()).await;
        let expected = "It takes file_path (string), offset (integer, optional), limit (integer, optional)";
        assert!(message.starts_with("Error: wrong input for read: ") && message.ends_with(expected), "{message}");
    }
}

// S-TOOL-14: An empty `path`, `glob`, `category`, `level`, `mount_as` or `digest` that is optional counts as absent, because strict
// schemas make models fill in each member.
#[tokio::test]
async fn an_empty_text_counts_as_absent_if_it_is_optional() {
    let agent = notary().await.agent();
    agent.create("/workspace/a.md", "one\ntwo\n").await.unwrap();
    let grep = json!({ "pattern": "two", "path": "", "glob": "" });
    assert!(said(&agent, "grep", grep).await.contains("2: two"));
    assert!(said(&agent, "glob", json!({ "pattern": "*.md", "path": "" })).await.contains("/workspace/a.md"));
    let discover = json!({ "query": "escritura de compraventa", "category": "", "level": "" });
    assert!(said(&agent, "discover_skills", discover).await.contains("compraventa"));
    let load = json!({ "skill": "escrituras/compraventa", "mount_as": "", "arguments": "" });
    assert!(said(&agent, "load_skill", load).await.contains("/skills/compraventa"));
    assert!(refused(&agent, "ls", json!({ "path": "" })).await.contains("absolute path"), "it is not optional there");
}

// S-TOOL-12: If a member wants a number, switch or list, a text with exactly its JSON counts as the value, because
// models quote values.
#[tokio::test]
async fn quoted_values_count_and_each_error_names_its_member() {
    let agent = World::new().agent();
    agent.create("/workspace/a", "one\ntwo\nthree.\n").await.unwrap();
    let read = json!({ "file_path": "/workspace/a", "offset": "1", "limit": "1" });
    assert!(said(&agent, "read", read).await.contains("     2\ttwo\n"));
    let grep = json!({ "pattern": "three.", "literal": "true", "context": "0", "max_count": "5" });
    assert!(said(&agent, "grep", grep).await.contains("3: three."));
    let write = json!({ "file_path": "/workspace/b", "content": "1" });
    assert_eq!(said(&agent, "write", write).await, "Updated file /workspace/b", "text stays text");
    assert_eq!(said(&agent, "read", json!({ "file_path": "/workspace/b" })).await, "     1\t1");
    for (name, input, words) in [
        ("read", json!({ "file_path": "/workspace/a", "limit": "5 " }), "limit must be a whole number, not \"5 \"."),
        (
            "read",
            json!({ "file_path": "/workspace/a", "limit": "five" }),
            "limit must be a whole number, not \"five\".",
        ),
        ("read", json!({ "file_path": "/workspace/a", "limit": -1 }), "limit must be a whole number, not -1."),
        ("read", json!({ "file_path": "/workspace/a", "limit": "-1" }), "limit must be a whole number, not \"-1\"."),
        ("read", json!({ "file_path": 7 }), "file_path must be text, not 7."),
        ("grep", json!({ "pattern": "a", "literal": "yes" }), "literal must be true or false, not \"yes\"."),
        (
            "grep",
            json!({ "pattern": "a", "output_mode": "lines" }),
            "output_mode must be content or files or count, not \"lines\".",
        ),
        ("ls", json!({ "path": "/workspace", "depth": 1 }), "unknown field `depth`"),
    ] {
        let message = refused(&agent, name, input.clone()).await;
        assert!(message.starts_with(&format!("Error: wrong input for {name}: {words}")), "{input}: {message}");
    }
    let out = |value: serde_json::Value| json!({ "query": "x", "limit": value });
    let number = refused(&agent, "discover_skills", out(json!(1000))).await;
    assert_eq!(refused(&agent, "discover_skills", out(json!("1000"))).await, number);
}

#[tokio::test]
async fn an_optional_input_that_is_null_counts_as_absent() {
    let agent = World::new().agent();
    agent.create("/workspace/a.txt", "uno\n").await.unwrap();
    let input = json!({ "file_path": "/workspace/a.txt", "offset": null, "limit": null });
    assert!(said(&agent, "read", input).await.contains("uno"));
}

#[tokio::test]
async fn a_call_without_input_or_name_is_answered_and_one_without_id_refuses_the_turn() {
    let agent = World::new().agent();
    let odd = vec![json!({ "type": "tool_use", "id": "a", "name": "ls" }), json!({ "type": "tool_use", "id": "b" })];
    let results = run(&agent, odd, ToolOptions::default()).await.unwrap();
    assert!(results.content.iter().all(|result| result.is_error), "{results:?}");
    let without_id = vec![json!({ "type": "tool_use", "name": "ls", "input": { "path": "/" } })];
    assert_eq!(code(run(&agent, without_id, ToolOptions::default()).await), Code::InvalidRequest);
}

#[tokio::test]
async fn a_turn_without_a_call_of_its_shape_is_refused_and_says_which_shape_was_looked_for() {
    let agent = World::new().agent();
    let options = ToolOptions::default();
    let function = json!({ "type": "function", "id": "a", "function": { "name": "ls", "arguments": "{}" } });
    let block = blocks(&[("ls", json!({ "path": "/" }))]).remove(0);
    for (content, of_functions) in [
        (vec![], false),
        (vec![json!({ "type": "text", "text": "hi" }), json!(7)], false),
        (vec![function], false),
        (vec![], true),
        (vec![json!({ "type": "custom", "id": "a" }), json!(null), block], true),
    ] {
        let refused = if of_functions {
            run_functions(&agent, content, options).await.unwrap_err()
        } else {
            run(&agent, content, options).await.unwrap_err()
        };
        let looked_for = if of_functions { "`tool_calls` has no call of type `function`" } else { "type `tool_use`" };
        assert_eq!(refused.code(), Code::InvalidRequest);
        assert!(refused.message().contains(looked_for), "{refused}");
    }
    let without_id = vec![json!({ "type": "function", "function": { "name": "ls", "arguments": "{}" } })];
    let refused = run_functions(&agent, without_id, options).await.unwrap_err();
    assert!(refused.message().contains("function call 1 has no id"), "{refused}");
}

/// The texts that answer calls of Chat Completions.
async fn functions(agent: &SessionBackend, calls: &[Value]) -> Vec<String> {
    let call = |(at, function): (usize, &Value)| json!({ "id": format!("c{at}"), "function": function });
    let calls = calls.iter().enumerate().map(call).collect();
    let answer = run_functions(agent, calls, ToolOptions::default()).await.unwrap();
    let ids: Vec<_> = answer.messages.iter().map(|message| message.tool_call_id.as_str()).collect();
    assert_eq!(ids, (0..ids.len()).map(|at| format!("c{at}")).collect::<Vec<_>>());
    answer.messages.into_iter().map(|message| message.content).collect()
}

// S-TOOL-15: Arguments that are not JSON, or not an object, are an error of their call alone.
#[tokio::test]
async fn arguments_that_are_no_json_object_are_an_error_of_their_call_and_the_others_go_on() {
    let agent = World::new().agent();
    let write = json!({ "file_path": "/workspace/a", "content": "x", "overwrite": null }).to_string();
    let texts = functions(
        &agent,
        &[
            json!({ "name": "write", "arguments": write }),
            json!({ "name": "read", "arguments": "{\"file_path\": \"/workspace/a" }),
            json!({ "name": "read", "arguments": "" }),
            json!({ "name": "read", "arguments": "[\"/workspace/a\"]" }),
            json!({ "name": "read", "arguments": "null" }),
            json!({ "name": "bash", "arguments": "{" }),
            json!({ "arguments": "{}" }),
            json!({ "name": "read" }),
            json!({ "name": "read", "arguments": { "file_path": "/workspace/a" } }),
            json!({ "name": "read", "arguments": "{\"file_path\": \"/workspace/a\"}" }),
        ],
    )
    .await;
    let lines = "     1\tx";
    assert_eq!((texts[0].as_str(), texts[8].as_str(), texts[9].as_str()), ("Updated file /workspace/a", lines, lines));
    let expected = "It takes file_path (string), offset (integer, optional), limit (integer, optional)";
    for (at, words) in [
        (1, "the JSON of its arguments is not valid: EOF while parsing a string at line 1 column "),
        (2, "the JSON of its arguments is not valid: EOF while parsing a value"),
        (3, "it must be an object."),
        (4, "it must be an object."),
        (7, "missing field `file_path`"),
    ] {
        let text = &texts[at];
        assert!(text.starts_with(&format!("Error: wrong input for read: {words}")), "{text}");
        assert!(text.ends_with(expected), "{text}");
    }
    assert!(texts[5].contains("no tool \"bash\"") && texts[6].contains("no tool \"\""), "{texts:?}");
}

#[tokio::test]
async fn arguments_are_taken_up_to_the_values_of_a_request_and_refused_beyond_them() {
    let agent = World::new().agent();
    let call = |values: usize| {
        let arguments = format!("{{\"file_path\":\"/workspace/none\",\"x\":[{}0]}}", "0,".repeat(values - 3));
        json!({ "name": "read", "arguments": arguments })
    };
    let unknown = "unknown field `x`";
    let texts = functions(&agent, &[call(JSON_VALUES)]).await;
    assert!(texts[0].contains(unknown), "{texts:?}");
    let texts = functions(&agent, &[call(JSON_VALUES + 1)]).await;
    assert!(texts[0].contains("more than 50000 values"), "{texts:?}");
    let texts = functions(&agent, &[call(JSON_VALUES - 9), call(10), call(9)]).await;
    assert!(texts[0].contains(unknown) && texts[1].contains("more than 50000 values"), "{texts:?}");
}

// S-TOOL-3: The outcome of a turn is as if its calls had run one after the other.
#[tokio::test]
async fn calls_on_one_path_take_effect_in_their_order() {
    let agent = World::new().agent();
    let edit =
        |old: &str, new: &str| ("edit", json!({ "file_path": "/workspace/a", "old_string": old, "new_string": new }));
    let results = turn(
        &agent,
        &[
            ("write", json!({ "file_path": "/workspace/a", "content": "1" })),
            edit("1", "2"),
            ("grep", json!({ "pattern": "2", "path": "/workspace" })),
            edit("2", "3"),
            ("read", json!({ "file_path": "/workspace/a" })),
            ("delete", json!({ "path": "/workspace/a" })),
            ("ls", json!({ "path": "/workspace" })),
        ],
    )
    .await;
    let texts: Vec<_> = results.content.iter().map(|result| result.content.as_str()).collect();
    let replaced = "Successfully replaced 1 instance(s) of the string in '/workspace/a'";
    assert_eq!(
        texts,
        [
            "Updated file /workspace/a",
            replaced,
            "/workspace/a:\n  1: 2",
            replaced,
            "     1\t3",
            "Deleted /workspace/a",
            "No files found",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn calls_that_do_not_meet_run_at_once_as_many_as_the_limit() {
    let world = World::new();
    let agent = world.agent();
    for number in 0..=TOOL_PARALLEL {
        agent.create(&format!("/workspace/{number}"), "x").await.unwrap();
    }
    world.faults.set_latency(Duration::from_secs(1));
    let read = |number: usize| ("read", json!({ "file_path": format!("/workspace/{number}") }));
    for (calls, seconds) in [(1, 1), (TOOL_PARALLEL, 1), (TOOL_PARALLEL + 1, 2)] {
        let begun = Instant::now();
        turn(&agent, &(0..calls).map(read).collect::<Vec<_>>()).await;
        assert_eq!(begun.elapsed().as_secs(), seconds, "{calls}");
    }
}

#[tokio::test]
async fn a_skill_that_a_turn_loads_can_be_read_by_the_calls_after_it() {
    let agent = notary().await.agent();
    let read = || ("read", json!({ "file_path": "/skills/pdf/SKILL.md" }));
    let skill = || json!({ "skill": "pdf" });
    let results = turn(&agent, &[read(), ("load_skill", skill()), read(), ("unload_skill", skill()), read()]).await;
    let errors: Vec<_> = results.content.iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [true, false, false, false, true]);
    assert_eq!(results.content[3].content, "Unloaded skill pdf; its files are no longer below /skills");
}

#[tokio::test]
async fn a_turn_runs_as_many_calls_as_the_limit_and_answers_the_one_beyond() {
    let agent = World::new().agent();
    let calls = vec![("glob", json!({ "pattern": "*" })); TOOL_CALLS + 1];
    let results = turn(&agent, &calls).await.content;
    let errors: Vec<_> = results.iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [vec![false; TOOL_CALLS], vec![true]].concat());
    assert!(results[TOOL_CALLS].content.contains("not run"), "{}", results[TOOL_CALLS].content);
}

#[tokio::test]
async fn what_the_policy_refuses_is_refused_with_its_reason_though_it_is_called() {
    let world = World::new();
    let mut policy = Policy { plan_mode: true, load_tool: LoadTool::Skill, ..Policy::default() };
    policy.tools.insert("grep".to_owned(), ToolRule::Blocked);
    policy.tools.insert("ls".to_owned(), ToolRule::Ask);
    let agent = agent_with(&world, policy).await;
    let write = refused(&agent, "write", json!({ "file_path": "/workspace/a", "content": "" })).await;
    assert!(write.contains("plan mode"), "{write}");
    assert!(refused(&agent, "grep", json!({ "pattern": "a" })).await.contains("blocked by policy"));
    assert!(refused(&agent, "ls", json!({ "path": "/" })).await.contains("approval"));
}

#[tokio::test]
async fn a_skill_that_only_a_person_may_call_is_refused_to_the_model_and_not_loaded() {
    let world = World::new();
    let text = "---\nname: deploy\ndescription: d\ndisable-model-invocation: true\n---\nGo.\n";
    world.put("demo/skills/deploy/SKILL.md", text).await;
    let agent = agent_with(&world, Policy { prompt_mode: PromptMode::Listing, ..Policy::default() }).await;
    let message = refused(&agent, "load_skill", json!({ "skill": "deploy" })).await;
    assert!(message.contains("only a person") && message.contains("/deploy"), "{message}");
    assert!(agent.session().await.unwrap().loaded_skills.is_empty());
}

#[tokio::test]
async fn an_input_that_is_no_object_is_refused_even_where_its_members_would_fit_in_order() {
    let agent = World::new().agent();
    for input in [json!(["/workspace/a", "text", true]), json!("/workspace/a"), json!(null), json!(1)] {
        let text = refused(&agent, "write", input).await;
        assert!(text.contains("wrong input for write: it must be an object. It takes file_path (string)"), "{text}");
    }
    let text = refused(&agent, "read", json!({ "file_path": "/workspace/a", "offset": "5x" })).await;
    assert!(text.contains("offset must be a whole number"), "{text}");
}

// S-TOOL-16: A person cannot call a skill with `user-invocable: false`, and only a person calls a skill with
// `disable-model-invocation`.
#[tokio::test]
async fn who_calls_a_skill_is_not_the_models_to_say() {
    let world = World::new();
    world.put("demo/skills/deploy/SKILL.md", "---\ndescription: d\ndisable-model-invocation: true\n---\nGo.\n").await;
    let agent = world.agent();
    let text = refused(&agent, "load_skill", json!({ "skill": "deploy", "invoker": "person" })).await;
    assert!(text.contains("wrong input"), "{text}");
    assert_eq!(code(agent.load("deploy").await), Code::ToolBlocked);
    let person = LoadSkillRequest { invoker: Invoker::Person, ..LoadSkillRequest::new("deploy") };
    assert!(agent.load_skill(person).await.is_ok());
}
