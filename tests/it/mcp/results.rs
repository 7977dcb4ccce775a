//! What a call answers beside its text, and what a tool says of itself.

use rmcp::model::{CallToolRequestParams, CallToolResult};
use serde_json::{Value, json};
use skillmount::limits::SEARCH_QUERY_BYTES;

use super::{Conversation, text};
use crate::cli::Home;

/// What the results of a conversation with this setting hold, and what its tools declare.
async fn conversation_with(home: &Home, settings: &str) -> Conversation {
    home.file("skillmount.toml", settings);
    Conversation::begin(home, &[]).await
}

fn size(result: &CallToolResult) -> usize {
    result.content.iter().map(|block| block.as_text().unwrap().text.len()).sum()
}

// S-MCP-6: The annotations of each tool say whether it changes files, whether it replaces or removes them, and whether
// a host may repeat it.
// S-MCP-27: A tool declares no output schema, and a result is one block of text.
#[tokio::test]
async fn a_result_is_one_block_of_text_that_fits_into_its_host() {
    let home = Home::with_skills();
    let mut conversation = Conversation::begin(&home, &[]).await;
    let tools = conversation.host.list_all_tools().await.unwrap();
    assert!(tools.iter().all(|tool| tool.output_schema.is_none()));
    let hints = |name: &str| {
        let tool = serde_json::to_value(tools.iter().find(|tool| tool.name == name).unwrap()).unwrap();
        ["readOnlyHint", "destructiveHint", "idempotentHint"].map(|hint| tool["annotations"][hint].as_bool().unwrap())
    };
    assert_eq!(hints("read"), [true, false, true]);
    assert_eq!(hints("load_skill"), [true, false, true]);
    assert_eq!(hints("write"), [false, true, true]);
    assert_eq!(hints("edit"), [false, true, false]);
    assert_eq!(hints("delete"), [false, true, true]);

    conversation.call("load_skill", json!({"skill": "compraventa"})).await;
    assert!(conversation.changes.try_recv().is_ok(), "a load reports that the tools changed");
    assert!(conversation.resource_changes.try_recv().is_ok(), "and the resources");
    let long = format!("{}\n", "a".repeat(206)).repeat(2000);
    conversation.call("write", json!({"file_path": "/workspace/long.md", "content": long})).await;
    let whole = conversation.call("read", json!({"file_path": "/workspace/long.md", "limit": 150})).await;
    for (name, input) in [
        ("read", json!({"file_path": "/workspace/long.md"})),
        ("grep", json!({"pattern": "a"})),
        ("grep", json!({"pattern": "a", "context": 5})),
    ] {
        let result = conversation.call(name, input).await;
        assert_eq!((result.content.len(), result.structured_content.is_none()), (1, true), "{name}");
        let (first, rest) = text(&result).split_once('\n').unwrap();
        assert!(first.starts_with("[lines 1-") && rest.ends_with(&format!("\n{first}")), "{name}: {first}");
        assert!((30_000..=36_000).contains(&size(&result)), "{name}: {}", size(&result));
    }
    assert!(
        size(&whole) <= 36_000
            && text(&whole).starts_with("[lines 1-150 of a file of 414000 bytes; go on with offset 150]\n")
    );
    let failed = conversation.call("read", json!({"file_path": "/workspace/none"})).await;
    assert_eq!((failed.is_error, failed.content.len(), failed.structured_content), (Some(true), 1, None));
}

// With the setting `mcp_structured` tools declare it, and results hold both with the same window.
// S-MCP-28: With the setting `mcp_structured` tools declare the schema, and results hold text and document with the
// same window.
#[tokio::test]
async fn with_a_setting_a_result_is_also_a_document_of_the_schema_of_its_tool() {
    let home = Home::with_skills();
    let conversation = conversation_with(&home, "mcp_structured = true\nmcp_result_bytes = 2000\n").await;
    let tools = conversation.host.list_all_tools().await.unwrap();
    let tool = |name: &str| serde_json::to_value(tools.iter().find(|tool| tool.name == name).unwrap()).unwrap();
    for (name, input) in [
        ("load_skill", json!({"skill": "compraventa"})),
        ("ls", json!({"path": "/skills/compraventa"})),
        ("read", json!({"file_path": "/skills/compraventa/resources/ejemplo.md"})),
        ("grep", json!({"pattern": "arras"})),
        ("write", json!({"file_path": "/workspace/a.md", "content": "uno"})),
        ("edit", json!({"file_path": "/workspace/a.md", "old_string": "uno", "new_string": "dos"})),
        ("glob", json!({"pattern": "**/*.md"})),
        ("discover_skills", json!({"query": "escritura"})),
        ("delete", json!({"path": "/workspace/a.md"})),
    ] {
        let result = conversation.call(name, input).await;
        let document = result.structured_content.unwrap_or_else(|| panic!("{name}"));
        let schema = tool(name)["outputSchema"].clone();
        assert_eq!(schema["type"], "object", "{name}");
        fits(&document, &schema, &schema, name);
    }
    let lines = (1..=500).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
    conversation.call("write", json!({"file_path": "/workspace/long.md", "content": lines})).await;
    let read = conversation.call("read", json!({"file_path": "/workspace/long.md"})).await;
    let document = read.structured_content.clone().unwrap();
    let end = document["end_line"].as_u64().unwrap();
    assert!(text(&read).starts_with(&format!("[lines 1-{end} of 500; go on with offset {end}]\n")), "{}", text(&read));
    assert_eq!((document["next_offset"].as_u64(), document["truncated"].as_bool()), (Some(end), Some(true)));
    assert_eq!(document["content"].as_str().unwrap().lines().count() as u64, end);
    let grep = conversation.call("grep", json!({"pattern": "line", "path": "/workspace"})).await;
    let document = grep.structured_content.clone().unwrap();
    let hits = text(&grep).lines().filter(|line| line.contains(": line")).count();
    assert_eq!((document["matches"].as_array().unwrap().len(), document["truncated"].as_bool()), (hits, Some(true)));
    assert!(document["truncation_reason"].as_str().unwrap().starts_with("lines 1-"), "{document}");
    assert!(size(&read) <= 2000 && size(&grep) <= 2000);
}

// A request's `_meta` adds the document to its own result only.
// S-MCP-28: With the setting `mcp_structured` tools declare the schema, and results hold text and document with the
// same window.
#[tokio::test]
async fn a_request_asks_for_the_document_of_its_own_result() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let mut call = CallToolRequestParams::new("ls");
    call.arguments = json!({"path": "/"}).as_object().cloned();
    call.meta = serde_json::from_value(json!({"skillmount/structured": true})).unwrap();
    let asked = conversation.host.call_tool(call).await.unwrap();
    assert_eq!(asked.structured_content.unwrap()["entries"].as_array().unwrap().len(), 2);
    assert!(conversation.call("ls", json!({"path": "/"})).await.structured_content.is_none());
}

// S-MCP-19: The first result of a conversation says how to find and load skills, because hosts drop instructions.
#[tokio::test]
async fn the_first_result_says_once_how_skills_are_found_and_names_tools_of_the_session_alone() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let rule = "\n\n[Before you answer a request that a skill may match, call discover_skills with what the request is about. \
                Call load_skill with the location of the skill that fits, then follow its instructions.]";
    let first = conversation.call("ls", json!({"path": "/"})).await;
    assert_eq!(text(&first), format!("/workspace/\n/ticket/{rule}"));
    assert_eq!(text(&conversation.call("ls", json!({"path": "/"})).await), "/workspace/\n/ticket/");
    let tools = conversation.host.list_all_tools().await.unwrap();
    let about = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap().description.clone().unwrap();
    assert!(about("discover_skills").contains("Before you answer a request"), "{}", about("discover_skills"));
    assert!(about("load_skill").contains("Call load_skill with the location"), "{}", about("load_skill"));

    let failed = Conversation::begin(&home, &[]).await.call("read", json!({"file_path": "/none"})).await;
    assert!(text(&failed).starts_with("Error: ") && text(&failed).ends_with(rule), "{}", text(&failed));
    let without = Conversation::begin(&Home::new(), &[]).await.call("ls", json!({"path": "/"})).await;
    assert_eq!(text(&without), "/workspace/\n/ticket/");
}

#[tokio::test]
async fn a_message_of_sixteen_kibibytes_is_searched_for_and_a_longer_one_is_refused() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let message = |bytes: usize| format!("compraventa{}", " casa".repeat(bytes))[..bytes].to_owned();
    let found = conversation.call("discover_skills", json!({"query": message(SEARCH_QUERY_BYTES)})).await;
    assert!(text(&found).contains("\n- escrituras/compraventa: "), "{}", text(&found));
    let refused = conversation.call("discover_skills", json!({"query": message(SEARCH_QUERY_BYTES + 1)})).await;
    assert_eq!(refused.is_error, Some(true));
    assert!(text(&refused).contains("16385 bytes long; the limit is 16384"), "{}", text(&refused));
}

#[tokio::test]
async fn a_host_reads_which_of_the_skills_that_were_found_are_doubtful() {
    let home = Home::new();
    let prose = "steps of the office ".repeat(40);
    let put = |name: &str, description: &str, body: &str| {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n# Steps\n{body}\n");
        home.file(&format!("skills/{name}/SKILL.md"), &text);
    };
    put("desk", "Tidies a desk with its stapler.", "Begin at the left.");
    put("moves", "Plans a move.", &format!("{prose} stapler {prose}"));
    put("people", "Helps people who feel sad today.", "Listen.");
    // Among more skills a word that two of them contain is rare enough to find both.
    for number in 0..6 {
        put(&format!("s{number}"), "One of many skills.", "Nothing.");
    }
    home.ok(&["push", "skills"]);
    let conversation = Conversation::begin(&home, &[]).await;
    let trusted = conversation.call("discover_skills", json!({"query": "tidies desk stapler"})).await;
    assert!(text(&trusted).contains("\n- moves: Plans a move. (low confidence)\n"), "{}", text(&trusted));
    let small = json!({"query": "why are people always so tired in rainy weather"});
    let small = conversation.call("discover_skills", small).await;
    assert!(text(&small).contains("Confidence is low"), "{}", text(&small));
}

/// Checks what a schema asks for as far as schemas here go: types, references, items, and members that are there or must be.
fn fits(value: &Value, schema: &Value, whole: &Value, place: &str) {
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = whole.pointer(reference.trim_start_matches('#'));
        return fits(value, referred.unwrap_or_else(|| panic!("{place}: {reference}")), whole, place);
    }
    for many in ["oneOf", "anyOf"] {
        if let Some(choices) = schema[many].as_array() {
            let is_one = choices.iter().any(|choice| {
                choice["type"] == "null" && value.is_null() || choice["type"] != "null" && !value.is_null()
            });
            assert!(is_one, "{place}: {value}");
            if let Some(choice) = choices.iter().find(|choice| choice.get("$ref").is_some() && !value.is_null()) {
                fits(value, choice, whole, place);
            }
        }
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        kind => kind.as_str().into_iter().collect(),
    };
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    assert!(
        kinds.is_empty() || kinds.contains(&kind) || kind == "integer" && kinds.contains(&"number"),
        "{place}: {value} is no {kinds:?}"
    );
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        for value in values {
            fits(value, items, whole, place);
        }
    }
    if let Value::Object(members) = value {
        for name in schema["required"].as_array().into_iter().flatten() {
            assert!(members.contains_key(name.as_str().unwrap()), "{place}: {name}");
        }
        for (name, member) in members {
            if let Some(property) = schema["properties"].get(name) {
                fits(member, property, whole, &format!("{place}.{name}"));
            } else {
                assert!(
                    schema.get("additionalProperties").is_some() || schema["properties"].is_null(),
                    "{place}.{name}"
                );
            }
        }
    }
}
