//! What `-v` and `-vv` say on stderr.

use serde_json::Value;

use super::Home;
#[cfg(unix)]
use super::server::Server;

/// The lines of a log with this message, each as its fields. An error for people may stand behind them.
fn lines(log: &str, message: &str) -> Vec<Value> {
    let lines = log.lines().filter(|line| line.starts_with('{')).map(|line| {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"))["fields"].clone()
    });
    lines.filter(|fields| fields["message"] == message).collect()
}

fn log(home: &Home, arguments: &[&str]) -> String {
    String::from_utf8(home.run(arguments).stderr).unwrap()
}

#[test]
fn one_v_shows_each_operation_with_its_subject_result_and_time() {
    let home = Home::with_skills();
    let said = log(&home, &["-v", "skills", "load", "notas"]);
    let [operation] = &lines(&said, "operation")[..] else { panic!("{said}") };
    assert_eq!((&operation["operation"], &operation["subject"]), (&"load_skill".into(), &"notas".into()), "{said}");
    assert_eq!((&operation["result"], &operation["session"]), (&"ok".into(), &"cli".into()), "{said}");
    assert!(operation["ms"].is_f64(), "{said}");
    let [command] = &lines(&said, "command")[..] else { panic!("{said}") };
    assert_eq!((&command["command"], &command["result"]), (&"skills load".into(), &"ok".into()), "{said}");
    assert!(lines(&said, "store").is_empty(), "{said}");

    let said = log(&home, &["-v", "cat", "/workspace/none", "--limit", "1"]);
    let failed = lines(&said, "operation");
    assert_eq!((&failed[0]["operation"], &failed[0]["subject"]), (&"read".into(), &"/workspace/none".into()), "{said}");
    assert_eq!(failed[0]["result"], "file_not_found", "{said}");
    assert_eq!(String::from_utf8_lossy(&home.run(&["ls"]).stderr), "", "without -v a command that works is silent");
}

// S-CLI-4: `-v` logs each operation and `-vv` each request to the store, on stderr.
#[test]
fn two_vs_show_each_request_to_the_store_and_never_a_secret() {
    let home = Home::new();
    let said = log(&home, &["-vv", "--api-key", "hunter2", "write", "/workspace/a", "classified"]);
    let requests = lines(&said, "store");
    let put = requests.iter().find(|line| line["verb"] == "put" && line["key"] == "me/threads/cli/a");
    let put = put.unwrap_or_else(|| panic!("{said}"));
    assert_eq!((&put["status"], &put["bytes"]), (&"ok".into(), &10.into()), "{said}");
    assert!(put["ms"].is_f64() && !lines(&said, "operation").is_empty(), "{said}");
    let said = said + &log(&home, &["-vv", "edit", "/workspace/a", "classified", "redacted"]);
    assert!(lines(&said, "store").iter().any(|line| line["verb"] == "get" && line["bytes"] == 10), "{said}");
    for secret in ["hunter2", "classified", "redacted"] {
        assert!(!said.contains(secret), "{secret}: {said}");
    }
}

#[cfg(unix)]
#[test]
fn a_server_says_the_same_and_a_client_shows_what_it_asks() {
    let home = Home::with_skills();
    let made = home.json(&["keys", "new"]);
    home.file("keys.toml", made["entry"].as_str().unwrap());
    let key = made["key"].as_str().unwrap();
    let server = Server::start(&home, &["--keys", "keys.toml", "--drain", "0", "-vv"]);
    let said = log(&home, &["--server", &server.url, "--api-key", key, "-vv", "skills", "load", "notas"]);
    let [request] = &lines(&said, "request")[..] else { panic!("{said}") };
    assert_eq!((&request["method"], &request["status"]), (&"POST".into(), &200.into()), "{said}");
    assert_eq!(request["path"], "/v1/users/me/sessions/cli/load_skill", "{said}");
    assert_eq!(lines(&said, "operation")[0]["subject"], "notas", "{said}");
    server.signal("TERM");
    let (_, log) = server.end();
    assert_eq!(lines(&log, "operation")[0]["operation"], "load_skill", "{log}");
    assert!(lines(&log, "store").iter().any(|line| line["verb"] == "list"), "{log}");
    assert!(!said.contains(key) && !log.contains(key), "{said}{log}");
}
