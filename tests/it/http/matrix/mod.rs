//! Who may do what: each operation, under each single setting of a policy, with each kind of key.
//!
//! All three are enumerated from the code's own lists: the operations from the OpenAPI documents, the table of tools and the routes
//! that no document has, the settings from the schema of a policy and the table of operations, the kinds of key from the fields of
//! a key's entry. A new one has no expectation, and the test fails until it has.

mod calls;
mod expected;
mod held;
mod kind;
mod world;

use std::{collections::BTreeSet, fs};

use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use skillmount::{
    path::Id,
    wire::{Operation, Policy},
};

use calls::{Call, beside_the_documents, calls};
use held::Held;
use kind::Kind;
use world::World;

use crate::support::{sabotage::tries, sources::sources};

/// Policies looked at at the same time.
const AT_ONCE: usize = 8;

/// The routes that no document has, each with one of the addresses that calls here have, and as the code names it.
const IN_NO_DOCUMENT: [(&str, &str); 16] = [
    ("/", "\"/\""),
    ("/docs", "\"/docs\""),
    ("/docs/style.css", "&format!(\"/docs/{name}\")"),
    ("/guide", "\"/guide\""),
    ("/guide/", "\"/guide/\""),
    ("/guide/search", "\"/guide/search\""),
    ("/guide/reference/limits", "\"/guide/{*page}\""),
    ("/style.css", "\"/style.css\""),
    ("/openapi.json", "\"/openapi.json\""),
    ("/openapi-skills-api.json", "\"/openapi-skills-api.json\""),
    ("/metrics", "\"/metrics\""),
    ("/mcp", "address::MCP"),
    ("/v1/users/{user}/sessions/{session}/mcp", "address::MCP"),
    // Its reading, its publishing, and its change and deletion.
    ("/v1/users/{user}/skills/download", "NAMED_DOWNLOAD"),
    ("/v1/users/{user}/skills/download", "NAMED_DOWNLOAD"),
    ("/v1/users/{user}/skills/download", "NAMED_DOWNLOAD"),
];

/// The parameters of a query that say how much of a thing is shown, which part of it, or in which form.
const OF_THE_ANSWER: [&str; 19] = [
    "after",
    "category",
    "cursor",
    "explain",
    "format",
    "fresh",
    "from",
    "limit",
    "max_tokens",
    "mode",
    "operation",
    "order",
    "page",
    "path",
    "session",
    "since",
    "skill",
    "source",
    "to",
];

/// Every policy with one setting that may be other than the default.
fn settings() -> Vec<(String, Policy)> {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let schemas = &document["components"]["schemas"];
    let values = |schema: &Value| -> Vec<Value> {
        // A member that may be absent is a choice of its type or `null`.
        let schema = schema["oneOf"].get(0).unwrap_or(schema);
        if schema["type"] == "boolean" || schema["type"] == json!(["boolean", "null"]) {
            return vec![json!(true), json!(false)];
        }
        let name = schema["$ref"].as_str().unwrap().rsplit('/').next().unwrap();
        schemas[name]["enum"].as_array().unwrap_or_else(|| panic!("{name} is no list of values")).clone()
    };
    let mut found = vec![json!({})];
    for (field, schema) in schemas["Policy"]["properties"].as_object().unwrap() {
        match field.as_str() {
            "tools" => {
                for (name, rule) in pairs(Operation::names().chain(["*"]), &values(&schema["additionalProperties"])) {
                    found.push(json!({"tools": {name: rule}}));
                }
            }
            "skills" => {
                for rule in values(&schema["additionalProperties"]) {
                    found.push(json!({"skills": {"a": rule}}));
                }
            }
            "preload" => found.extend([json!(["a"]), json!("auto")].map(|skills| json!({"preload": skills}))),
            "children" => {
                for right in schemas["ChildRights"]["properties"].as_object().unwrap().keys() {
                    found.extend([true, false].map(|value| json!({"children": {right: value}})));
                }
            }
            "approve_by" => {
                found.extend(["control", "host"].map(|who| json!({"approve_by": who})));
            }
            "agents" => found.push(json!({"agents": {"*": ["a"]}})),
            "skills_access" | "visibility" | "catalog_reads" | "plan_mode" | "prompt_mode" | "load_tool" => {
                found.extend(values(schema).into_iter().map(|value| json!({field: value})));
            }
            new => panic!("what a policy with {new:?} makes of each call is not said here"),
        }
    }
    let mut settings: Vec<(String, Policy)> = Vec::new();
    for setting in found {
        let policy = serde_json::from_value(setting.clone()).unwrap();
        // A default that is said is the default.
        if settings.iter().all(|(_, known)| *known != policy) {
            settings.push((setting.to_string(), policy));
        }
    }
    settings
}

fn pairs<'a>(names: impl Iterator<Item = &'a str>, values: &[Value]) -> Vec<(&'a str, Value)> {
    names.flat_map(|name| values.iter().map(move |value| (name, value.clone()))).collect()
}

#[test]
fn no_route_tool_or_sort_of_key_is_without_expectation() {
    let documents = [skillmount::http::openapi(), skillmount::http::skills_api_openapi()];
    let methods = ["get", "put", "post", "patch", "delete", "head", "options", "trace"];
    let mut routes = BTreeSet::new();
    let paths = documents.map(|document| serde_json::to_value(document).unwrap()["paths"].clone());
    for (path, item) in paths.iter().flat_map(|paths| paths.as_object().unwrap()) {
        let there = methods.iter().filter(|method| item.get(**method).is_some());
        routes.extend(there.map(|method| format!("{method} {path}")));
    }
    let path = |call: &Call| call.path.split('?').next().unwrap_or_default();
    let known: BTreeSet<_> = calls().iter().map(|call| format!("{} {}", call.method, path(call))).collect();
    let beside: BTreeSet<_> =
        beside_the_documents().iter().map(|call| format!("{} {}", call.method, path(call))).collect();
    assert!(beside.is_disjoint(&routes), "a route with a document has its rows elsewhere");
    assert_eq!(known, &routes | &beside);
    let chosen: BTreeSet<_> = calls().iter().flat_map(Call::parameters).collect();
    assert_eq!(chosen, parameters_that_choose(&paths), "a call has no row with a parameter that it takes");

    let (_, mut entry) = Kind::OfTicketHere.entry().unwrap();
    entry.sessions = Some(vec!["a".to_owned()]);
    entry.name = Some("a".to_owned());
    entry.expires = Some("2020-01-01T00:00:00Z".parse().unwrap());
    entry.team = Some(Id::parse("a").unwrap());
    let fields: BTreeSet<_> = serde_json::to_value(&entry).unwrap().as_object().unwrap().keys().cloned().collect();
    let known = ["created", "hash", "user", "scopes", "expires", "team", "name", "sessions", "vars"].map(str::to_owned);
    assert_eq!(fields, known.into(), "a key can say more than there are kinds of keys here");
}

#[test]
fn every_route_that_no_document_has_is_known() {
    let mut named: Vec<_> = IN_NO_DOCUMENT.iter().map(|(_, named)| *named).collect();
    named.sort_unstable();
    let mut found = Vec::new();
    for path in sources("crates/server/src/http") {
        let text = fs::read_to_string(path).unwrap();
        let routes = text.split(".route(").skip(1);
        found.extend(routes.map(|rest| rest.split(',').next().unwrap().to_owned()));
    }
    found.sort_unstable();
    assert_eq!(found, named, "what is not in this table has no rows in the matrix");
    let beside: BTreeSet<_> = beside_the_documents().iter().map(|call| call.path).collect();
    assert!(IN_NO_DOCUMENT.iter().all(|(path, _)| beside.contains(path)), "{beside:?}");
}

/// The parameters that say which thing is meant or what becomes of it, each behind the routes that have it.
fn parameters_that_choose(paths: &[Value]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (path, item) in paths.iter().flat_map(|paths| paths.as_object().unwrap()) {
        for (method, operation) in item.as_object().unwrap() {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let names = parameters.filter(|one| one["in"] == "query").map(|one| one["name"].as_str().unwrap());
            let choosing = names.filter(|name| !OF_THE_ANSWER.contains(name));
            found.extend(choosing.map(|name| format!("{method} {path}?{name}")));
        }
    }
    found
}

/// The rows of these kinds of key under every setting, of which `split` says where it is set. A run tries half of the rows, which
/// the seed chooses, and those of no setting.
async fn check(split: fn(&Policy) -> Held, kinds: &'static [Kind]) {
    let table = stream::iter(settings()).map(|(setting, policy)| {
        // A task for each, so that all processors have something to do.
        tokio::spawn(async move {
            let (world, held) = (World::start().await, split(&policy));
            world.hold(&held).await;
            let mut wrong = Vec::new();
            let is_tried = |kind: &&Kind| setting == "{}" || tries(&format!("{kind:?} {setting}"));
            for kind in kinds.iter().filter(is_tried) {
                wrong.extend(world.row(*kind, &setting, &held).await);
            }
            wrong
        })
    });
    let wrong = table.buffer_unordered(AT_ONCE).map(Result::unwrap).concat().await;
    let some: Vec<_> = wrong.iter().take(40).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} cells are otherwise:\n{}", wrong.len(), some.join("\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_call_under_every_policy_with_every_kind_of_key_does_what_is_expected() {
    check(Held::by_both, &Kind::ALL).await;
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_of_the_user_holds_where_the_session_forbids_nothing() {
    check(Held::by_user, &[Kind::Agent]).await;
}

// S-SESSION-5: Of the user's policy and the session's policy, the stricter value holds for each question.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_setting_of_the_session_holds_in_it_where_the_user_is_forbidden_nothing() {
    check(Held::by_session, &[Kind::Agent]).await;
}
