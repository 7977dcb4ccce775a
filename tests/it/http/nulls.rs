//! `null` in requests: every JSON body of the interface and every tool, from the code's own lists.
//!
//! Each request is made as it must be, and again with `null` for what it may leave out. Each is made in a session of its own,
//! so that the answers can be compared.

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::{Answer, Server};

/// A value for a member that must be there. A new one has none, and the test fails until it has.
fn sample(name: &str) -> Value {
    match name {
        "path" | "file_path" | "from" => json!("/workspace/a"),
        "to" => json!("/workspace/b"),
        "content" | "old_string" | "pattern" | "text" => json!("x"),
        "new_string" => json!("y"),
        "skill" => json!("compraventa"),
        "skills" => json!([{"skill": "compraventa"}]),
        "query" => json!("alquileres"),
        "name" => json!("minutes"),
        "description" => json!("Says x. Use it if x is asked for."),
        "body" => json!("Say x."),
        "digest" => json!(format!("sha256:{}", "0".repeat(64))),
        "decision" => json!("allow"),
        "hook_event_name" => json!("SessionStart"),
        "paths" => json!(["/workspace/a"]),
        other => panic!("what is a value for {other}?"),
    }
}

/// A schema without the reference that it may be.
fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let parts = ["oneOf", "anyOf", "allOf"].iter().find_map(|many| schema.get(*many)?.as_array());
    let reference = parts.into_iter().flatten().chain([schema]).find_map(|part| part.get("$ref")?.as_str());
    match reference {
        Some(reference) => resolved(document, document.pointer(reference.trim_start_matches('#')).unwrap()),
        None => schema,
    }
}

fn members(schema: &Value) -> (Map<String, Value>, Vec<&str>) {
    let required = schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
    (schema["properties"].as_object().cloned().unwrap_or_default(), required)
}

/// What must be there of an object.
fn least(schema: &Value) -> Value {
    members(schema).1.into_iter().map(|name| (name.to_owned(), sample(name))).collect::<Map<_, _>>().into()
}

/// Pairs of objects that must mean the same: with nulls for optional members, one at a time, all together and in the objects
/// inside, and without them.
fn pairs(document: &Value, schema: &Value) -> Vec<(Value, Value)> {
    let (properties, required) = members(schema);
    let optional = properties.iter().filter(|(name, _)| !required.contains(&name.as_str()));
    let mut all = least(schema);
    let mut pairs = Vec::new();
    for (name, property) in optional {
        all[name] = Value::Null;
        let with = |value: Value| {
            let mut object = least(schema);
            object[name] = value;
            object
        };
        pairs.push((with(Value::Null), least(schema)));
        let inside = resolved(document, property);
        if inside["properties"].is_object() {
            pairs.extend(self::pairs(document, inside).into_iter().map(|(nulls, less)| (with(nulls), with(less))));
        }
    }
    pairs.push((all, least(schema)));
    pairs
}

/// A server, and a new session for each call.
struct Fresh {
    server: Server,
    sessions: usize,
}

impl Fresh {
    async fn send(&mut self, method: &Method, path: &str, body: &Value) -> Answer {
        self.sessions += 1;
        let path = path.replace("{user}", "u1").replace("{session}", &format!("n{}", self.sessions));
        // What is published is a new skill for each call.
        let path = path.replace("/skills/{skill}", &format!("/skills/n{}", self.sessions)).replace("{skill}", "n");
        self.server.send(method.clone(), &format!("{}{path}", self.server.base), body).await
    }

    /// The text that answers a call, and a new session's policy for it.
    async fn tool(&mut self, load_tool: &str, name: &str, input: &Value) -> String {
        self.sessions += 1;
        let session = self.server.user(&format!("/sessions/n{}", self.sessions));
        let policy = json!({"policy": {"load_tool": load_tool}});
        self.server.send(Method::PUT, &session, &policy).await.is(201);
        let block = json!({"type": "tool_use", "id": "a", "name": name, "input": input});
        let answer =
            self.server.send(Method::POST, &format!("{session}/tool_calls"), &json!({"content": [block]})).await;
        answer.is(200)["content"][0]["content"].as_str().unwrap().to_owned()
    }
}

fn outcome(answer: &Answer) -> (u16, Value, Value) {
    (answer.status, answer.json["code"].clone(), answer.json["detail"].clone())
}

// S-ERROR-6: In a request, `null` for an optional member means that the member is absent.
#[tokio::test]
async fn null_for_an_optional_member_of_any_body_is_its_absence() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let mut fresh = Fresh { server: Server::with_skills().await, sessions: 0 };
    let mut bodies = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if schema.is_null() {
                continue;
            }
            bodies += 1;
            let schema = resolved(&document, schema);
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).unwrap();
            for (nulls, less) in pairs(&document, schema) {
                let (one, other) = (fresh.send(&method, path, &nulls).await, fresh.send(&method, path, &less).await);
                assert_eq!(outcome(&one), outcome(&other), "{method} {path} {nulls}");
            }
            let mut unknown = least(schema);
            unknown["nonsense"] = Value::Null;
            let answer = fresh.send(&method, path, &unknown).await;
            if path.ends_with("/{session}/hooks") {
                // Hosts have members of their own (S-HOOK-1).
                answer.is(200);
            } else {
                answer.is_problem(400, "invalid_request");
            }
            for name in members(schema).1 {
                let mut missing = least(schema);
                missing[name] = Value::Null;
                fresh.send(&method, path, &missing).await.is_problem(400, "invalid_request");
            }
        }
    }
    assert!(bodies > skillmount::wire::Operation::CALLS.len(), "{bodies}");
}

#[tokio::test]
async fn null_for_an_optional_member_of_any_tool_is_its_absence() {
    let mut fresh = Fresh { server: Server::with_skills().await, sessions: 0 };
    for load_tool in ["load_skill", "Skill"] {
        let policy = json!({"policy": {"load_tool": load_tool}});
        let session = fresh.server.user(&format!("/sessions/of-{load_tool}"));
        fresh.server.send(Method::PUT, &session, &policy).await.is(201);
        let tools = fresh.server.get(&format!("{session}/tools")).await;
        for tool in tools.is(200)["tools"].as_array().unwrap() {
            let (name, schema) = (tool["name"].as_str().unwrap(), &tool["input_schema"]);
            for (nulls, less) in pairs(&Value::Null, schema) {
                let one = fresh.tool(load_tool, name, &nulls).await;
                assert_eq!(one, fresh.tool(load_tool, name, &less).await, "{name} {nulls}");
            }
            let mut unknown = least(schema);
            unknown["nonsense"] = Value::Null;
            let text = fresh.tool(load_tool, name, &unknown).await;
            assert!(text.contains("unknown field `nonsense`"), "{name}: {text}");
        }
    }
}

#[tokio::test]
async fn null_clears_the_current_skill_and_nothing_else_is_changed_by_it() {
    let server = Server::with_skills().await;
    server.op("load_skill", json!({"skill": "compraventa"})).await.is(200);
    let before = server.get(&server.session("")).await;
    let patch = async |body: Value| server.send(Method::PATCH, &server.session(""), &body).await;
    let kept = patch(json!({"policy": null, "vars": null})).await;
    assert_eq!(kept.is(200)["current_skill"], "escrituras/compraventa");
    let cleared =
        patch(json!({"policy": {"plan_mode": null, "tools": null}, "vars": null, "current_skill": null})).await;
    assert_eq!(cleared.is(200)["current_skill"], Value::Null);
    assert_eq!(cleared.json["policy"], before.json["policy"], "a policy of nulls is the default");
}
