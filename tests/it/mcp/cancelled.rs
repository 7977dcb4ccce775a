//! A call on standard input and output that its host cancels.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
};

use serde_json::{Value, json};

use crate::cli::Home;

/// Files that are searched, of which a host cancels the search after a few.
const FILES: usize = 8000;
const FEW: usize = 300;

// S-MCP-26: A call ends if its host cancels it.
#[test]
fn a_search_ends_that_its_host_cancels() {
    let home = Home::new();
    let folder = home.path().join("data/skillmount/me/threads/s");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..FILES {
        fs::write(folder.join(format!("f{number:04}")), "nothing\n").unwrap();
    }
    // Its log has a line for each request to the store, and it waits while nobody takes the lines.
    let mut program = home.program(&["-vv", "--session", "s", "mcp"]);
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let call = |id: u64, name: &str, input: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": input}});
    send(call(2, "grep", json!({"pattern": "absent", "path": "/workspace"})));
    let is_read = |line: &str| line.contains("/threads/s/f");
    let mut read = 0;
    while read < FEW {
        read += usize::from(is_read(&log.next().unwrap().unwrap()));
    }
    send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2, "reason": "no"}}));
    let rest = std::thread::spawn(move || log.map(Result::unwrap).filter(|line| is_read(line)).count());
    let greeted: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
    assert_eq!(greeted["id"], 1);
    // Nothing answers a call that was cancelled, and the next one is answered.
    send(call(3, "ls", json!({"path": "/"})));
    let answer: Value = serde_json::from_str(&answers.next().unwrap().unwrap()).unwrap();
    assert_eq!(answer["id"], 3, "{answer}");
    drop(input);
    assert!(child.wait().unwrap().success());
    assert!(answers.next().is_none());
    read += rest.join().unwrap();
    assert!((FEW..FILES / 2).contains(&read), "{read} files were read");
}

// S-MCP-23: If a call ends while its question to a person is open, the server cancels the question.
#[test]
fn a_question_is_cancelled_with_its_call() {
    let home = Home::with_skills();
    let policy = json!({"tools": {"*": "auto", "write": "ask"}});
    home.file("data/skillmount/me/.skillmount/policy.json", &policy.to_string());
    let mut child = home.program(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut send = |message: Value| writeln!(input, "{message}").unwrap();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
        "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "1"}}}));
    assert_eq!(next()["id"], 1);
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let write = json!({"name": "write", "arguments": {"file_path": "/workspace/a", "content": "one"}});
    send(json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": write}));
    let question = next();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    // Another call does not wait for the person.
    let ls = json!({"name": "ls", "arguments": {"path": "/workspace"}});
    send(json!({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": ls}));
    assert_eq!(next()["id"], 3);
    send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}}));
    let cancelled = next();
    assert_eq!(cancelled["method"], "notifications/cancelled", "{cancelled}");
    assert_eq!(cancelled["params"]["requestId"], question["id"], "{cancelled}");
    drop(input);
    assert!(child.wait().unwrap().success());
}
