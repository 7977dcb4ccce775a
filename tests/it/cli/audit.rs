//! What was done and what happens, as a person and a script see it.

use std::{
    io::{BufRead as _, BufReader},
    process::Stdio,
    time::Duration,
};

use serde_json::Value;

use super::{Home, server::Server};

fn operations(page: &Value) -> Vec<&str> {
    page["records"].as_array().unwrap().iter().map(|record| record["operation"].as_str().unwrap()).collect()
}

// S-AUDIT-5: A query is paged, and one page reads at most 64 batches.
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
}

#[test]
fn no_records_are_kept_where_nobody_wants_them_and_a_mode_that_is_none_is_refused() {
    let home = Home::with_skills();
    let server = Server::start(&home, &["--audit", "off"]);
    home.ok(&["--server", &server.url, "write", "/workspace/a.md", "one"]);
    assert_eq!(operations(&home.json(&["--server", &server.url, "audit"])), [""; 0]);
    assert_eq!(home.refused(&["serve", "--listen", "127.0.0.1:0", "--audit", "on"]), (2, "invalid_request".to_owned()));
}

// S-EVENT-2: A replica tells of its own events at once, and of those of other replicas within 65 seconds.
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
