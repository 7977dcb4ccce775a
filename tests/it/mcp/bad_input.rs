//! What a host on standard input and output sends that is wrong, too large or too much: the protocol's error, and the next call is
//! answered.

use std::{
    io::{BufRead as _, BufReader, Lines, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};
use skillmount::limits::TEXT_BODY_BYTES;

use crate::{
    cli::Home,
    support::wrong_calls::{wrong_calls, wrong_inputs},
};

/// A conversation line by line.
struct Pipe {
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Pipe {
    fn open(home: &Home) -> Self {
        Self::of_version(home, "2025-06-18")
    }

    fn of_version(home: &Home, version: &str) -> Self {
        let mut child = home.program(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let mut pipe = Self { child, input, lines: BufReader::new(output).lines() };
        pipe.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
        assert_eq!(pipe.next()["id"], "hello");
        pipe.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        pipe
    }

    /// Begins again, and returns the instructions for the model.
    fn begin_again(&mut self) -> String {
        self.send(&json!({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}));
        self.next()["result"]["instructions"].as_str().unwrap().to_owned()
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.as_mut().unwrap().write_all(bytes).unwrap();
    }

    fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    fn next(&mut self) -> Value {
        serde_json::from_str(&self.lines.next().unwrap().unwrap()).unwrap()
    }

    /// The most memory that the process had so far, in MiB.
    #[cfg(target_os = "linux")]
    fn most_memory(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
    }

    fn is_told_of_no_json(&mut self) {
        let answer = self.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(-32700)), "{answer}");
    }

    /// That another call is answered, and nothing else came before.
    fn goes_on(&mut self) {
        self.send(&call(json!("on"), "ls", json!({"path": "/"})));
        let answer = self.next();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!("on"), &json!(false)), "{answer}");
    }

    fn ends(mut self) {
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
        assert!(self.lines.next().is_none());
    }
}

#[expect(clippy::needless_pass_by_value, reason = "callers write it where they call")]
fn call(id: Value, name: &str, input: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": input}})
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[test]
fn each_wrong_message_costs_itself() {
    let home = Home::with_skills();
    let mut pipe = Pipe::open(&home);
    // What is no JSON has no number to answer to.
    let cut = b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"";
    for line in [&b"{"[..], b"nonsense", b"\0", cut, b"\xff\xfe{}"] {
        pipe.write(&[line, b"\n"].concat());
        pipe.is_told_of_no_json();
        pipe.goes_on();
    }
    pipe.write(b"\n");
    pipe.goes_on();
    for (method, params, code) in wrong_calls() {
        pipe.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let answer = pipe.next();
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(code)), "{method}: {answer}");
        pipe.goes_on();
    }
    // S-ERROR-8: A member that stands twice in one object of a request is an error, at any depth.
    let twice = r#"{"file_path": "/workspace/a", "content": "one", "content": "two"}"#;
    let params = format!(r#"{{"name": "write", "arguments": {twice}}}"#);
    pipe.write(format!(r#"{{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {params}}}"#).as_bytes());
    pipe.write(b"\n");
    let answer = pipe.next();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(3), &json!(-32700)), "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains("\"content\" stands twice"), "{answer}");
    pipe.goes_on();
    // Arguments that are wrong are for the model to fix.
    for input in wrong_inputs() {
        pipe.send(&call(json!(2), "read", input));
        let answer = pipe.next();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(2), &json!(true)), "{answer}");
    }
    // What is JSON and no message of the protocol is answered by an error, with a number if it has one.
    for odd in ["[]", "3", "{\"jsonrpc\": \"2.0\", \"id\": 9, \"method\": \"tools/call\", \"params\": []}"] {
        pipe.write(format!("{odd}\n").as_bytes());
        let answer = pipe.next();
        assert!(answer["error"]["code"].is_number(), "{odd}: {answer}");
        pipe.goes_on();
    }
    pipe.ends();
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[cfg(target_os = "linux")]
#[test]
fn a_line_that_is_too_long_is_not_kept_and_a_long_one_is_answered() {
    let home = Home::with_skills();
    let mut pipe = Pipe::open(&home);
    let large = "x".repeat(10 << 20);
    pipe.send(&call(json!(1), "write", json!({"file_path": "/workspace/large", "content": large})));
    let answer = pipe.next();
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!(1), &json!(false)), "{answer}");
    let before = pipe.most_memory();
    let piece = vec![b'x'; 1 << 20];
    pipe.write(b"{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"");
    for _ in 0..16 * (TEXT_BODY_BYTES >> 20) {
        pipe.write(&piece);
    }
    pipe.write(b"\"}\n");
    pipe.is_told_of_no_json();
    pipe.goes_on();
    let grown = pipe.most_memory().saturating_sub(before);
    assert!(grown < 4 * (TEXT_BODY_BYTES >> 20), "it grew by {grown} MiB");
    pipe.ends();
}

// S-MCP-4: Input of a host that is not the protocol ends nothing but its own call.
#[test]
fn a_batch_is_no_message_and_a_thousand_calls_at_once_are_all_answered() {
    let home = Home::with_skills();
    let mut pipe = Pipe::open(&home);
    let calls: Vec<_> = (0..1000).map(|id| call(json!(id), "ls", json!({"path": "/"}))).collect();
    pipe.send(&json!(calls));
    assert!(pipe.next()["error"]["code"].is_number());
    pipe.goes_on();
    // Nobody reads while they are sent.
    let lines: Vec<_> = calls.iter().map(ToString::to_string).chain([String::new()]).collect();
    let mut input = pipe.input.take().unwrap();
    let sent = std::thread::spawn(move || {
        input.write_all(lines.join("\n").as_bytes()).unwrap();
        input
    });
    let mut ids: Vec<u64> = (0..1000).map(|_| pipe.next()["id"].as_u64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..1000).collect::<Vec<_>>());
    pipe.input = Some(sent.join().unwrap());
    pipe.goes_on();
    pipe.ends();
}

// S-MCP-21: A batch of messages gets an answer in a session of version 2025-03-26, which alone has batches, and for a
// request that names no version.
#[test]
fn a_batch_on_one_line_is_answered_on_one_line_in_the_version_that_has_batches() {
    let home = Home::with_skills();
    let batch = json!([
        call(json!(1), "write", json!({"file_path": "/workspace/a", "content": "one"})),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": "two", "method": "tools/list"},
        {"id": 3, "method": 4},
    ]);
    let mut old = Pipe::of_version(&home, "2025-03-26");
    old.send(&batch);
    let answers = old.next();
    let mut ids: Vec<_> = answers.as_array().unwrap().iter().map(|one| one["id"].to_string()).collect();
    ids.sort();
    assert_eq!(ids, ["\"two\"", "1", "3"], "{answers}");
    old.send(&json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]));
    old.send(&json!([]));
    assert_eq!(old.next()["error"]["code"], -32600);
    old.goes_on();
    old.ends();

    let mut new = Pipe::open(&home);
    new.send(&batch);
    assert_eq!(new.next()["error"]["code"], -32600);
    new.goes_on();
    new.ends();
}

// S-SESSION-27: Within 30 seconds after a key is revoked or changed, its user is deleted or a policy is stricter, nothing that
// began before gives more than a new call would.
#[test]
fn a_host_that_begins_again_reads_of_no_skill_that_is_gone() {
    let home = Home::with_skills();
    let mut pipe = Pipe::open(&home);
    assert!(pipe.begin_again().contains("notas"));
    home.ok(&["skills", "delete", "notas"]);
    // A skill that the catalog does not have makes the service read the catalog again.
    pipe.send(
        &json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "skill://nothing/SKILL.md"}}),
    );
    assert!(pipe.next()["error"].is_object());
    assert!(!pipe.begin_again().contains("notas"));
}
