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

// S-MCP-16: A host of the version without a handshake (2026-07-28) gets the notifications that it subscribes to, by
// `subscriptions/listen`, on standard input and output.
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

// S-MCP-22: Calls of one session that meet run in the order of their arrival, like the calls of a turn (S-TOOL-3).
#[test]
fn a_turn_that_is_sent_at_once_runs_in_the_order_of_its_lines() {
    let home = Home::with_skills();
    let mut child = home.program(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let call = |id: usize, name: &str, arguments: Value| {
        format!("{}\n", request(id as u64, "tools/call", json!({"name": name, "arguments": arguments})))
    };
    let mut turn = Vec::new();
    for round in 0..20 {
        let path = format!("/workspace/f{}", round % 3);
        let content = format!("version {round}\n{}", "x".repeat(100_000 / (round + 1)));
        turn.push(("write", json!({"file_path": path, "content": content})));
        turn.push((
            "edit",
            json!({"file_path": path, "old_string": format!("version {round}"), "new_string": "edited"}),
        ));
        turn.push(("read", json!({"file_path": path, "limit": 1})));
        turn.push(("delete", json!({"path": path})));
    }
    turn.push(("load_skill", json!({"skill": "compraventa"})));
    turn.push(("read", json!({"file_path": "/skills/compraventa/SKILL.md"})));
    let text: String = turn.iter().enumerate().map(|(id, (name, input))| call(id, name, input.clone())).collect();
    let sending = std::thread::spawn(move || input.write_all(text.as_bytes()).map(|()| input).unwrap());
    for _ in 0..turn.len() {
        let answer: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        let (name, input) = &turn[usize::try_from(answer["id"].as_u64().unwrap()).unwrap()];
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            answer["result"]["isError"],
            false,
            "{name} {}: {text}",
            &input.to_string()[..80.min(input.to_string().len())]
        );
        if *name == "read" && input["limit"] == 1 {
            assert!(text.contains("     1\tedited"), "{text}");
        }
    }
    drop(sending.join().unwrap());
    child.wait().unwrap();
}
