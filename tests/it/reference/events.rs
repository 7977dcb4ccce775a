//! The page on events and audit records: fields are those of the OpenAPI document, the meanings of events stand here.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    http::fields,
    page::{check, code, table},
};

const BEGINNING: &str = "# Events

`GET /v1/users/{user}/events` and the same path below a session send events as they happen, as server-sent events. A request that accepts
`application/json` alone gets a list. Send the last id back as `Last-Event-ID` to continue at any replica. Events name no skill that the
key may not see.

## Names

";

/// The events: name, meaning, and the members of `data`.
const EVENTS: [(&str, &str, &[&str]); 9] = [
    (
        "tool_use_start",
        "A call of a tool begins. Such an event may come before its record, and has no id then.",
        &["id", "name", "input"],
    ),
    (
        "tool_result",
        "The call ends. `content` is `ok` or the code of the error.",
        &["id", "name", "content", "isError"],
    ),
    ("skill_activated", "The session has loaded a skill, or begins with some.", &["skills"]),
    ("skill_unloaded", "The session has unloaded a skill.", &["skills"]),
    (
        "permission_request",
        "A call waits for a person. `requestId` is the id of the approval.",
        &["requestId", "toolName", "input"],
    ),
    ("file_changed", "A file has another version. `etag` is null if the file is deleted.", &["path", "etag"]),
    ("catalog_changed", "The catalog has new, changed or removed skills.", &["changed", "removed"]),
    ("gap", "The service no longer keeps events after this id. Read the state again.", &["after"]),
    ("dropped", "The client was too slow, and the stream ends. Connect again with the id.", &["missed"]),
];

#[test]
fn the_page_on_events_is_generated() {
    let document = serde_json::to_value(skillmount::http::openapi()).unwrap();
    let schemas = &document["components"]["schemas"];
    let named = schemas["Event"]["properties"]["event"]["description"].as_str().unwrap();
    let named: BTreeSet<_> = named.split('`').skip(1).step_by(2).collect();
    assert_eq!(named, EVENTS.iter().map(|(name, ..)| *name).collect(), "each event of the contract has a row");
    let row = |(name, meaning, members): (&str, &str, &[&str])| {
        [code(name), members.iter().map(code).collect::<Vec<_>>().join(", "), meaning.to_owned()]
    };
    let rows = table(["event", "members of `data`", "meaning"], EVENTS.map(row));
    let part = |title: &str, about: &str, schema: &str| {
        let schema: &Value = &schemas[schema];
        format!("\n## {title}\n\n{about}\n\n{}", fields(schema, "http.md"))
    };
    let event = part("An event", "Each event is one JSON object.", "Event");
    let record = part(
        "An audit record",
        "The service keeps a record of each operation, and of each change of a session, a policy or a skill. `GET \
         /v1/users/{user}/audit` lists them. An object of the store has up to 256 of them, one JSON object a line.",
        "AuditRecord",
    );
    check("events.md", &format!("{BEGINNING}{rows}{event}{record}"));
}
