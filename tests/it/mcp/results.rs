//! What a call answers beside its text, and what a tool says of itself.

use serde_json::{Value, json};
use skillmount::limits::SEARCH_QUERY_BYTES;

use super::{Conversation, text};
use crate::cli::Home;

// S-MCP-6: Each tool has the schema of its reply and says by annotations whether it changes files, replaces or takes away, and
// may be repeated. The reply of a call that succeeds is in its result twice: as text and as a document of that schema.
#[tokio::test]
async fn a_result_is_a_document_of_the_schema_of_its_tool() {
    let home = Home::with_skills();
    let mut conversation = Conversation::begin(&home, &[]).await;
    let tools = conversation.host.list_all_tools().await.unwrap();
    let tool = |name: &str| serde_json::to_value(tools.iter().find(|tool| tool.name == name).unwrap()).unwrap();
    let hints = |name: &str| {
        let annotations = &tool(name)["annotations"];
        ["readOnlyHint", "destructiveHint", "idempotentHint"].map(|hint| annotations[hint].as_bool().unwrap())
    };
    assert_eq!(hints("read"), [true, false, true]);
    assert_eq!(hints("load_skill"), [true, false, true]);
    assert_eq!(hints("write"), [false, true, true]);
    assert_eq!(hints("edit"), [false, true, false]);
    assert_eq!(hints("delete"), [false, true, true]);

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
    assert!(conversation.changes.try_recv().is_ok(), "a load reports that the tools changed");
    assert!(conversation.resource_changes.try_recv().is_ok(), "and the resources");
    let failed = conversation.call("read", json!({"file_path": "/workspace/none"})).await;
    assert_eq!((failed.is_error, failed.structured_content), (Some(true), None));
}

#[tokio::test]
async fn a_message_of_sixteen_kibibytes_is_searched_for_and_a_longer_one_is_refused() {
    let home = Home::with_skills();
    let conversation = Conversation::begin(&home, &[]).await;
    let message = |bytes: usize| format!("compraventa{}", " casa".repeat(bytes))[..bytes].to_owned();
    let found = conversation.call("discover_skills", json!({"query": message(SEARCH_QUERY_BYTES)})).await;
    assert_eq!(found.structured_content.unwrap()["skills"][0]["skill"], "escrituras/compraventa");
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
    assert!(text(&trusted).ends_with("- moves: Plans a move. (low confidence)"), "{}", text(&trusted));
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
