//! What was done and what happens, as a person and a script see it.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;

use super::{Home, server::Server};

/// The first event that `session tail` prints and `is_wanted` wants. The command is ended then.
fn tailed(home: &Home, arguments: &[&str], is_wanted: impl Fn(&Value) -> bool) -> Value {
    let mut tail = home.program(&[arguments, &["--json"]].concat()).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    let found = lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).find(is_wanted).expect("an event");
    tail.kill().unwrap();
    tail.wait().unwrap();
    found
}

fn operations(page: &Value) -> Vec<&str> {
    page["records"].as_array().unwrap().iter().map(|record| record["operation"].as_str().unwrap()).collect()
}

// S-AUDIT-5: A query comes in pages, and one page reads at most 64 batches.
#[test]
fn audit_lists_what_was_done_through_a_server_and_on_its_store() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let through = |arguments: &[&str]| home.json(&[&["--server", &server.url], arguments].concat());
    through(&["write", "/workspace/a.md", "one"]);
    through(&["--session", "s2", "ls", "/"]);
    let all = through(&["audit"]);
    assert_eq!(operations(&all), ["write", "ls"]);
    assert_eq!(all, home.json(&["audit"]), "the server has written what waited, and the store has it");
    assert_eq!(operations(&through(&["audit", "--operation", "ls", "--since", "1h"])), ["ls"]);
    assert_eq!(operations(&through(&["--session", "s2", "audit"])), ["ls"]);
    let first = through(&["audit", "--limit", "1"]);
    assert!(operations(&first) == ["write"] && first["next_cursor"].is_string(), "{first}");
    assert_eq!(operations(&through(&["audit", "--since", "2999-01-01T00:00:00Z"])), [""; 0]);
    let text = home.ok(&["--server", &server.url, "audit"]);
    assert!(text.lines().next().unwrap().ends_with("/workspace/a.md"), "{text}");
    assert_eq!(home.run(&["audit", "--since", "yesterday"]).status.code(), Some(2));
    assert_eq!(home.refused(&["--server", &server.url, "audit", "--limit", "0"]).0, 2);
    let unknown = home.run(&["audit", "--operation", "nosuch"]);
    let told = String::from_utf8(unknown.stderr).unwrap();
    assert!(unknown.status.code() == Some(2) && told.contains("publish_skill") && told.contains("write"), "{told}");
}

#[test]
fn no_records_are_kept_where_nobody_wants_them_and_a_mode_that_is_none_is_refused() {
    let home = Home::with_skills();
    let server = Server::start(&home, &["--audit", "off"]);
    home.ok(&["--server", &server.url, "write", "/workspace/a.md", "one"]);
    assert_eq!(operations(&home.json(&["--server", &server.url, "audit"])), [""; 0]);
    assert_eq!(home.refused(&["serve", "--listen", "127.0.0.1:0", "--audit", "on"]), (2, "invalid_request".to_owned()));
}

// S-EVENT-2: A replica sends its own events at once, and the events of other replicas within 65 seconds.
#[tokio::test]
async fn session_tail_prints_what_happens_as_it_happens() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let mut tail =
        home.program(&["--server", &server.url, "session", "tail", "--json"]).stdout(Stdio::piped()).spawn().unwrap();
    let stdout = tail.stdout.take().unwrap();
    let reader = std::thread::spawn(move || {
        let mut lines = BufReader::new(stdout).lines().map(Result::unwrap);
        lines.find(|line| line.contains("file_changed")).unwrap()
    });
    // It listens from some moment on.
    while !reader.is_finished() {
        home.ok(&["--server", &server.url, "write", "--overwrite", "/workspace/a.md", "one"]);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let event = reader.join().unwrap();
    tail.kill().unwrap();
    tail.wait().unwrap();
    let event: Value = serde_json::from_str(&event).unwrap();
    assert_eq!(
        (&event["event"], &event["session"], &event["data"]["path"]),
        (&"file_changed".into(), &"cli".into(), &"/workspace/a.md".into())
    );
    assert!(event["id"].is_string(), "{event}");
}

// S-EVENT-3: A client that returns with the id of its last event, to any replica, gets every missed event.
#[test]
fn session_tail_goes_on_behind_an_event_through_a_server_and_on_its_store() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let written = |path: &'static str| {
        home.ok(&["--server", &server.url, "write", path, "text"]);
        move |event: &Value| event["event"] == "file_changed" && event["data"]["path"] == path
    };
    let first = written("/workspace/first.md");
    let began = "20200102T030405.000006Z-0a1b2c3d.1.5";
    let first = tailed(&home, &["--server", &server.url, "session", "tail", "--after", began], first);
    let (second, third) = (written("/workspace/second.md"), written("/workspace/third.md"));
    let id = first["id"].as_str().unwrap();
    let file = |event: &Value| event["event"] == "file_changed";
    let at_server = tailed(&home, &["--server", &server.url, "session", "tail", "--after", id], file);
    assert!(second(&at_server), "the next one is the first that is told: {at_server}");
    // Whoever asked the server had it write its records, so that the store has them.
    let on_store = ["session", "tail", "--after", id];
    assert_eq!(tailed(&home, &on_store, file), at_server);
    assert_eq!(tailed(&home, &on_store, third)["session"], "cli");
    let refused = home.refused(&["session", "tail", "--after", "x"]);
    assert_eq!(refused, (2, "invalid_request".to_owned()));
}

#[test]
fn session_tail_says_after_which_event_to_go_on_when_a_server_went_away() {
    let home = Home::with_skills();
    let mut server = Server::start(&home, &[]);
    home.ok(&["--server", &server.url, "write", "/workspace/a.md", "text"]);
    let began = "20200102T030405.000006Z-0a1b2c3d.1.5";
    let mut tail = home.program(&["--server", &server.url, "session", "tail", "--json", "--after", began]);
    let mut tail = tail.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(tail.stdout.take().unwrap()).lines();
    let is_file = |event: &Value| event["event"] == "file_changed";
    let event = lines.by_ref().map(|line| serde_json::from_str(&line.unwrap()).unwrap()).find(is_file).unwrap();
    server.kill();
    let mut last = event["id"].clone();
    for line in lines.map(Result::unwrap) {
        let event: Value = serde_json::from_str(&line).unwrap();
        last = if event["id"].is_string() { event["id"].clone() } else { last };
    }
    let output = tail.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(7), "{told}");
    assert!(told.contains(&format!("`skillmount session tail --after {}`", last.as_str().unwrap())), "{told}");
}

#[test]
fn usage_tells_records_without_a_conversation_from_no_records() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let usage = ["--server", &server.url, "usage"];
    assert_eq!(home.ok(&usage), "nothing to count: there are no audit records of this time\n");
    home.ok(&["--server", &server.url, "skills", "rm", "notas"]);
    assert_eq!(home.ok(&usage), "nothing to count: no conversation has a record in this time\n");
}

// S-USAGE-1: The figures of use come from audit records alone, and equal a count by hand.
#[test]
fn usage_prints_the_same_figures_through_a_server_and_on_its_store() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let through = |arguments: &[&str]| home.ok(&[&["--server", &server.url], arguments].concat());
    through(&["skills", "discover", "notas"]);
    through(&["skills", "load", "notas"]);
    through(&["--session", "s2", "skills", "discover", "xyzzy"]);
    through(&["--session", "s2", "ls", "/"]);
    let figures = home.json(&["--server", &server.url, "usage"]);
    assert_eq!(figures, home.json(&["usage"]), "the server has written what waited, and the store has it");
    assert_eq!(
        (&figures["conversations"], &figures["searches"], &figures["unanswered"]),
        (&2.into(), &2.into(), &1.into())
    );
    assert_eq!(figures["default_candidates"], serde_json::json!(["notas"]));
    let text = through(&["usage"]);
    let lines: Vec<_> = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for line in [
        "conversations 2",
        "that searched for skills 100.0%",
        "searches 2",
        "that found nothing 1",
        "that led to a load 50.0%",
        "calls from search to load 1.0 on average",
        "approvals that were granted no decisions",
        "calls that succeeded 100.0%",
        "SHARE CONVERSATIONS LOADS LAST LOAD SKILL",
        "worth loading from the start: notas",
    ] {
        assert!(lines.iter().any(|said| said == line), "{line}: {text}");
    }
    assert_eq!(text, home.ok(&["usage"]));
    let later = home.run(&["usage", "--since", "2999-01-01T00:00:00Z"]);
    assert!(String::from_utf8(later.stdout).unwrap().starts_with("nothing to count: there are no audit records"));
    assert!(String::from_utf8(later.stderr).unwrap().starts_with("--since reaches further back"));
    assert_eq!(home.run(&["usage", "--since", "yesterday"]).status.code(), Some(2));
}
