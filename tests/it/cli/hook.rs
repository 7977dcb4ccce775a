//! `skillmount hook`: a host runs a command, gives it the hook on standard input and reads the answer.

use std::{
    fs,
    io::{ErrorKind, Read as _, Write as _},
    net::TcpListener,
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{Home, server::Server};

/// The exit status of a hook and what it printed.
fn hook(home: &Home, flags: &[&str], input: &str) -> (Option<i32>, Value) {
    let output = home.typed(&[flags, &["hook"]].concat()).input(input).run();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    (output.status.code(), serde_json::from_str(&text).unwrap())
}

#[test]
fn a_hook_on_standard_input_is_answered_on_a_store_and_through_a_server() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let start = json!({"session_id": "0f9c", "hook_event_name": "SessionStart", "source": "startup"}).to_string();
    let bash = json!({
        "hook_event_name": "UserPromptSubmit", "cwd": "/", "prompt": "toma notas de la reunión",
    });
    let mut answers = Vec::new();
    for flags in [&["--session", "a"][..], &["--server", &server.url, "--session", "b"]] {
        let (status, started) = hook(&home, flags, &start);
        assert_eq!(status, Some(0));
        let listing = started["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(listing.contains("escrituras/compraventa"), "{listing}");
        let (_, prompted) = hook(&home, flags, &bash.to_string());
        let context = prompted["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(context.contains("- notas, words: ") && !context.contains("escrituras"), "{context}");
        assert_eq!(hook(&home, flags, r#"{"hook_event_name": "Stop"}"#), (Some(0), json!({})));
        answers.push((started, prompted));
    }
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn the_settings_in_the_documents_work_as_they_are_pasted() {
    let page = include_str!("../../../docs/book/how-to/hooks.md");
    let settings = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let settings: Value = serde_json::from_str(settings).unwrap();
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let hook = |event: &str| settings["hooks"][event][0]["hooks"][0].clone();
    // Claude Code posts no SessionStart.
    assert_eq!(hook("SessionStart")["type"], "command");
    let command = hook("SessionStart")["command"].as_str().unwrap().replace("http://127.0.0.1:8787", &server.url);
    let words: Vec<&str> = command.strip_prefix("skillmount ").unwrap().split(' ').collect();
    let answer = home.typed(&words).input(r#"{"hook_event_name": "SessionStart"}"#).run();
    assert!(String::from_utf8(answer.stdout).unwrap().contains("escrituras/compraventa"));
    for event in ["UserPromptSubmit", "PreToolUse", "SubagentStart"] {
        assert_eq!(hook(event)["type"], "http", "{event}");
        let url = hook(event)["url"].as_str().unwrap().to_owned();
        assert!(url.ends_with("/hooks/claude"), "{url}");
        let headers = serde_json::json!({ "x-skillmount-user": "me", "x-skillmount-session": "cli" });
        assert_eq!(hook(event)["headers"], headers);
    }
}

// S-HOOK-11: `skillmount hook` that fails gives the person the reason, in `systemMessage`, and ends with status 0.
#[test]
fn a_hook_that_fails_tells_the_person_and_stops_nothing() {
    let home = Home::with_skills();
    let start = r#"{"hook_event_name": "SessionStart"}"#;
    for (flags, input, why) in [
        (&[][..], "no json", "JSON"),
        (&[], "", "JSON"),
        (&[], r#"{"hook_event_name": "UserPromptSubmit"}"#, "`prompt`"),
        (&["--server", "http://127.0.0.1:9"], start, "cannot be reached"),
        (&["--store", "nowhere:x"], start, "nowhere:x"),
    ] {
        let (status, output) = hook(&home, flags, input);
        assert_eq!((status, output.as_object().unwrap().len()), (Some(0), 1), "{output}");
        let message = output["systemMessage"].as_str().unwrap();
        assert!(message.starts_with("skillmount has no skills to offer here: ") && message.contains(why), "{message}");
    }
}

/// A hook as a process of its own, with the folder for temporary files in the home. Returns the exit status, the output and the time
/// until its end.
fn timed_hook(home: &Home, flags: &[&str], own: &[&str], input: &Value) -> (Option<i32>, Value, Duration) {
    let mut command = home.command(&[flags, &["hook"], own].concat());
    command.env("TMPDIR", home.path()).env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    let began = Instant::now();
    let output = command.write_stdin(input.to_string()).output().unwrap();
    (output.status.code(), serde_json::from_slice(&output.stdout).unwrap(), began.elapsed())
}

fn start_of(session: &str) -> Value {
    json!({"session_id": session, "hook_event_name": "SessionStart", "source": "startup"})
}

/// Addresses that accept a connection and never answer, refuse it, or do not resolve.
fn silent() -> (TcpListener, Vec<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let silent = format!("http://{}", listener.local_addr().unwrap());
    let server = |url: &str| ["--server", url].map(str::to_owned).to_vec();
    let mut flags = vec![server(&silent), server("http://127.0.0.1:9"), server("http://skillmount.invalid:1")];
    if cfg!(feature = "s3") {
        let s3 = ["--store", "s3://bucket/skills", "--region", "eu-west-1", "--endpoint-url", &silent];
        flags.push(s3.map(str::to_owned).to_vec());
    }
    (listener, flags)
}

// S-HOOK-12: `skillmount hook` gives up after `hook_timeout` seconds, 5 by default, whatever the server, the store or the network
// does, and if the host keeps standard input open.
// S-HOOK-11: `skillmount hook` that fails gives the person the reason, in `systemMessage`, and ends with status 0.
#[test]
fn a_hook_gives_up_after_its_limit_and_says_so_once_in_a_session() {
    let home = Home::new();
    let (_listener, all) = silent();
    for flags in &all {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let said = |session: &str| {
            let (status, output, took) = timed_hook(&home, &flags, &["--timeout", "1"], &start_of(session));
            assert_eq!(status, Some(0), "{flags:?}");
            assert!(took < Duration::from_millis(2500), "{flags:?}: {took:?}");
            output["systemMessage"].as_str().map(str::to_owned)
        };
        let first = said("one").unwrap();
        assert!(first.starts_with("skillmount has no skills to offer here: "), "{first}");
        assert_eq!(said("one"), None, "{flags:?}: the same session was told");
        assert_eq!(said("two"), Some(first), "{flags:?}: another session was not");
    }
    let flags: Vec<&str> = all[0].iter().map(String::as_str).collect();
    let (_, output, took) = timed_hook(&home, &flags, &[], &start_of("three"));
    assert!(output["systemMessage"].as_str().unwrap().contains("within 5 s"), "{output}");
    assert!((Duration::from_secs(5)..Duration::from_secs(7)).contains(&took), "{took:?}");
    home.file("skillmount.toml", "hook_timeout = \"2\"\n");
    let (_, output, _) = timed_hook(&home, &flags, &[], &start_of("three"));
    assert!(output["systemMessage"].as_str().unwrap().contains("within 2 s"), "{output}");
    for bad in ["0", "601", "x", "-1"] {
        let output = home.typed(&[&flags[..], &["hook", &format!("--timeout={bad}")]].concat());
        let output = output.input(&start_of("").to_string().replace("session_id", "id")).run();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.contains("seconds from 1 to 600"), "{bad}: {said}");
    }
}

// S-HOOK-12: `skillmount hook` gives up after `hook_timeout` seconds, 5 by default, whatever the server, the store or the network
// does, and if the host keeps standard input open.
#[test]
fn a_hook_gives_up_if_its_host_does_not_end_the_input() {
    let home = Home::with_skills();
    let mut command = home.program(&["hook", "--timeout", "1"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(start_of("open").to_string().as_bytes()).unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    assert!(said.contains("did not end the input of the hook within 1 s"), "{said}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    drop(stdin);
}

// S-HOOK-18: An event without context gets `{}` without a request.
#[test]
fn an_event_without_context_is_answered_without_a_request() {
    let home = Home::new();
    let (listener, all) = silent();
    let flags: Vec<&str> = all[0].iter().map(String::as_str).collect();
    let read = json!({"hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "/a.pdf"}});
    for input in [json!({"hook_event_name": "Stop"}), json!({"hook_event_name": "PostToolUse"}), read] {
        assert_eq!(hook(&home, &flags, &input.to_string()), (Some(0), json!({})));
    }
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock, "nobody connected");
}

// S-HOOK-13: `skillmount hook` creates no store and no folder for one.
#[test]
fn a_hook_creates_no_store_and_says_that_it_is_missing_or_empty() {
    let home = Home::new();
    fs::create_dir(home.path().join("bare")).unwrap();
    let own = format!("file:{}", home.path().join("made").display());
    home.run(&["--store", &own, "write", "/workspace/a", "x"]);
    for (flags, why) in [
        (&["--store", "file:nowhere/x"][..], "there is no store in nowhere/x"),
        (&["--store", "file:bare"], "there is no store in bare"),
        (&[], "there is no store in "),
        (&["--store", &own], "the store is empty: user me has no skills"),
        (&["--store", "memory:"], "the store is empty: user me has no skills"),
    ] {
        for event in ["SessionStart", "UserPromptSubmit", "SubagentStart"] {
            let session = format!("{event} {flags:?}");
            let input = json!({
                "session_id": session, "hook_event_name": event, "source": "compact", "prompt": "hello", "agent_type": "x",
            });
            let (status, output, _) = timed_hook(&home, flags, &[], &input);
            assert_eq!((status, output.as_object().unwrap().len()), (Some(0), 1), "{output}");
            assert!(output["systemMessage"].as_str().unwrap().contains(why), "{output}");
            assert_eq!(timed_hook(&home, flags, &[], &input).1, json!({}), "{session}: once in a session");
        }
    }
    for folder in ["nowhere", "data"] {
        assert!(!home.path().join(folder).exists(), "{folder}");
    }
    assert_eq!(fs::read_dir(home.path().join("bare")).unwrap().count(), 0);
}

#[test]
fn a_hook_writes_its_note_into_a_store_that_exists() {
    let home = Home::with_skills();
    let start = json!({"hook_event_name": "SessionStart", "source": "resume"}).to_string();
    let (_, first) = hook(&home, &[], &start);
    assert!(first["hookSpecificOutput"].is_object(), "{first}");
    assert_eq!(hook(&home, &[], &start).1, json!({}), "the session was given the listing");
}
