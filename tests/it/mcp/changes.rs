//! How hosts of either version of the protocol learn that tools and resources changed.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::cli::Home;

/// The members of a request of the version without a handshake.
fn about() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
    })
}

fn request(id: u64, method: &str, mut params: Value) -> Value {
    params["_meta"] = about();
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn load(id: u64, skill: &str) -> Value {
    request(id, "tools/call", json!({"name": "load_skill", "arguments": {"skill": skill}}))
}

// S-MCP-16: A host of the version without a handshake (2026-07-28) is told what it listens to, by `subscriptions/listen`, on standard
// input and output.
#[test]
fn a_host_without_a_handshake_is_told_what_it_listens_to_and_nothing_else() {
    let home = Home::with_skills();
    let mut child = home.program(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    send(request(1, "server/discover", json!({})));
    let offered = next();
    assert_eq!(offered["result"]["capabilities"]["tools"]["listChanged"], true, "{offered}");
    assert_eq!(offered["result"]["capabilities"]["resources"]["listChanged"], true, "{offered}");

    // Nobody listens yet: the answer is all that comes.
    send(load(2, "notas"));
    assert_eq!(next()["id"], 2);
    let filter = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    send(request(3, "subscriptions/listen", filter));
    let accepted = next();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged", "{accepted}");
    assert_eq!(accepted["params"]["notifications"], json!({"toolsListChanged": true}), "of what is delivered alone");
    send(load(4, "compraventa"));
    let both = [next(), next()];
    let told = both.iter().find(|one| one["method"] == "notifications/tools/list_changed");
    let told = told.unwrap_or_else(|| panic!("{both:?}"));
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 3, "{told}");
    assert!(both.iter().any(|one| one["id"] == 4 && one["result"]["isError"] == false), "{both:?}");

    // It stops listening.
    send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 3, "_meta": about()}}));
    send(request(5, "tools/call", json!({"name": "unload_skill", "arguments": {"skill": "compraventa"}})));
    assert_eq!(next()["id"], 5);
    send(request(6, "tools/list", json!({})));
    assert_eq!(next()["id"], 6);
    drop(input);
    assert!(child.wait().unwrap().success());
    assert!(lines.next().is_none());
}
