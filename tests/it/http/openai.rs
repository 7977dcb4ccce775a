//! An agent's conversation in the shape of Chat Completions, and the same one in Anthropic's.

use reqwest::header::{ETAG, IF_NONE_MATCH};
use serde_json::{Value, json};

use super::{Answer, Server};

/// A call in both shapes: the name of a tool, the text of its arguments, and the same as a value.
struct Call {
    name: &'static str,
    arguments: String,
    input: Value,
}

fn call(name: &'static str, input: Value) -> Call {
    Call { name, arguments: input.to_string(), input }
}

/// The turns of the conversation. The second reads what the call before it loads.
fn turns() -> Vec<Vec<Call>> {
    let read = |path: &str| call("read", json!({"file_path": path, "offset": null}));
    let write = json!({"file_path": "/workspace/draft.md", "content": "Comparecen.\n", "overwrite": null});
    vec![
        vec![call("discover_skills", json!({"query": "compraventa", "limit": null}))],
        vec![
            read("/skills/compraventa/resources/ejemplo.md"),
            call("load_skill", json!({"skill": "compraventa", "mount_as": null})),
            read("/skills/compraventa/resources/ejemplo.md"),
        ],
        vec![
            call("write", write.clone()),
            call("bash", json!({"command": "ls"})),
            call("read", json!(["/workspace/draft.md"])),
            call("edit", json!({"file_path": "/workspace/draft.md", "old_string": 7})),
            call("write", write),
            read("/workspace/draft.md"),
        ],
    ]
}

impl Server {
    /// A turn in session `name`, as a client of Chat Completions sends it, and the texts that answer it.
    async fn chat(&self, name: &str, calls: &[Call]) -> Vec<String> {
        let call = |(at, call): (usize, &Call)| {
            let function = json!({"name": call.name, "arguments": call.arguments});
            json!({"id": format!("call_{at}"), "type": "function", "function": function})
        };
        let calls: Vec<_> = calls.iter().enumerate().map(call).collect();
        let url = self.user(&format!("/sessions/{name}/tool_calls?format=openai"));
        let answer = self.send(reqwest::Method::POST, &url, &json!({"tool_calls": calls})).await;
        let messages = answer.is(200)["messages"].as_array().unwrap();
        assert_eq!((messages.len(), answer.json.as_object().unwrap().len()), (calls.len(), 1));
        let text = |(message, call): (&Value, &Value)| {
            assert_eq!((&message["role"], &message["tool_call_id"]), (&json!("tool"), &call["id"]));
            assert_eq!(message.as_object().unwrap().len(), 3, "{message}");
            message["content"].as_str().unwrap().to_owned()
        };
        messages.iter().zip(&calls).map(text).collect()
    }

    /// The same as `tool_use` blocks.
    async fn blocks(&self, name: &str, calls: &[Call]) -> Vec<String> {
        let block = |(at, call): (usize, &Call)| json!({"id": format!("toolu_{at}"), "type": "tool_use", "name": call.name, "input": call.input});
        let content: Vec<_> = calls.iter().enumerate().map(block).collect();
        let url = self.user(&format!("/sessions/{name}/tool_calls"));
        let answer = self.send(reqwest::Method::POST, &url, &json!({"content": content})).await;
        let results = answer.is(200)["content"].as_array().unwrap();
        let text = |result: &Value| {
            let text = result["content"].as_str().unwrap().to_owned();
            assert_eq!(result["is_error"] == true, text.starts_with("Error: "), "{result}");
            text
        };
        results.iter().map(text).collect()
    }
}

// S-TOOL-9: A turn in the shape of OpenAI's Chat Completions has the same outcome and the same texts as a turn of
// `tool_use` blocks.
#[tokio::test]
async fn a_conversation_has_the_same_texts_in_both_shapes() {
    let server = Server::with_skills().await;
    let tools = server.get(&server.user("/sessions/chat/tools?format=openai")).await;
    let names: Vec<_> =
        tools.is(200)["tools"].as_array().unwrap().iter().map(|tool| &tool["function"]["name"]).collect();
    let mut texts = Vec::new();
    for calls in turns() {
        assert!(calls.iter().all(|call| call.name == "bash" || names.contains(&&json!(call.name))), "{names:?}");
        let text = server.chat("chat", &calls).await;
        assert_eq!(text, server.blocks("blocks", &calls).await);
        texts.push(text);
    }
    let is_error = |text: &String| text.starts_with("Error: ");
    let errors: Vec<Vec<bool>> = texts.iter().map(|turn| turn.iter().map(is_error).collect()).collect();
    assert_eq!(
        errors,
        [vec![false], vec![true, false, false], vec![false, true, true, true, true, false]],
        "what is loaded first can be read by the next call of the turn: {texts:?}"
    );
    assert!(texts[1][2].contains("un ejemplo") && texts[2][5].contains("Comparecen."), "{texts:?}");
    let broken = Call { name: "read", arguments: "{\"file_path\": ".to_owned(), input: Value::Null };
    let text = server.chat("chat", &[broken, call("ls", json!({"path": "/workspace"}))]).await;
    assert!(text[0].starts_with("Error: wrong input for read: the JSON of its arguments is not valid"), "{text:?}");
    assert!(text[1].contains("/workspace/draft.md"), "{text:?}");
}

#[tokio::test]
async fn the_shape_of_a_turn_is_that_of_the_query_or_of_the_body() {
    let server = Server::start().await;
    let send = async |query: &str, body: Value| server.op(&format!("tool_calls{query}"), body).await;
    let function = json!({"id": "a", "function": {"name": "ls", "arguments": "{\"path\":\"/\"}"}});
    let block = json!({"id": "a", "type": "tool_use", "name": "ls", "input": {"path": "/"}});
    for (query, body) in [
        ("?format=openai", json!({"tool_calls": [function]})),
        ("?format=openai", json!({"tool_calls": [function], "content": null, "format": null})),
        ("", json!({"tool_calls": [function], "format": "openai"})),
        ("?format=anthropic", json!({"tool_calls": [function], "format": "openai"})),
    ] {
        assert!(send(query, body).await.is(200)["messages"][0]["content"].as_str().unwrap().contains("/workspace/"));
    }
    for (query, body, words) in [
        ("", json!({"content": [function]}), "no block of type `tool_use`"),
        ("", json!({"tool_calls": [function]}), "no block of type `tool_use`"),
        ("", json!({}), "no block of type `tool_use`"),
        ("?format=openai", json!({"content": [block]}), "no call of type `function`"),
        ("?format=openai", json!({"tool_calls": [block]}), "no call of type `function`"),
        ("", json!({"content": [block], "tool_calls": [function]}), "in `content` or in `tool_calls`"),
        ("?format=mcp", json!({"content": [block]}), "unknown variant `mcp`"),
        ("", json!({"content": [block], "format": "mcp"}), "unknown variant `mcp`"),
    ] {
        let refused = send(query, body.clone()).await;
        let detail = refused.is_problem(400, "invalid_request").json["detail"].as_str().unwrap();
        assert!(detail.contains(words), "{body}: {detail}");
    }
}

#[tokio::test]
async fn long_arguments_are_read_by_a_worker_and_short_ones_at_once() {
    let server = Server::start().await;
    for (bytes, by_workers) in [(1 << 10, 0), (1 << 20, 2)] {
        let before = server.service.workers().begun();
        let input = json!({"file_path": "/workspace/a", "content": "x".repeat(bytes), "overwrite": true});
        server.chat("s1", &[call("write", input)]).await;
        assert_eq!(server.service.workers().begun() - before, by_workers, "the body and its arguments: {bytes}");
    }
}

// S-TOOL-11: The tools of a session carry an ETag that stays while they stay, and `If-None-Match` with it gets 304.
#[tokio::test]
async fn tools_that_are_known_already_are_not_sent_again() {
    let server = Server::with_skills().await;
    let ask = async |query: &str, tag: &str| {
        let request = server.client.get(server.session(&format!("/tools{query}"))).header(IF_NONE_MATCH, tag);
        Answer::of(request.send().await.unwrap()).await
    };
    let first = server.get(&server.session("/tools")).await;
    let tag = first.header(ETAG.as_str()).to_owned();
    let strong = tag.strip_prefix("W/").unwrap();
    assert!(strong.starts_with('"') && strong.len() > 10, "{tag}");
    for same in [tag.clone(), strong.to_owned(), format!("\"x\", {tag}"), "*".to_owned()] {
        let known = ask("", &same).await;
        assert_eq!((known.is(304), known.header(ETAG.as_str())), (&Value::Null, tag.as_str()));
        assert_eq!(known.header("x-skillmount-session-version"), "0");
    }
    assert_ne!(ask("?format=openai", &tag).await.is(200)["tools"], first.json["tools"]);
    server.op("write", json!({"file_path": "/workspace/a", "content": ""})).await.is(200);
    ask("", &tag).await.is(304);
    server.send(reqwest::Method::PUT, &server.user("/policy"), &json!({"tools": {"write": "blocked"}})).await.is(200);
    let changed = ask("", &tag).await;
    assert!(changed.is(200)["tools"].is_array() && changed.header(ETAG.as_str()) != tag);
}
