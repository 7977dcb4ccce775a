//! `serve`, the same commands through it, and `demo`.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread::JoinHandle,
};

use serde_json::Value;

use super::Home;

/// A server of its own, ended with the test.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    /// What it has logged so far, and the thread that reads it.
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(home: &Home, arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_skillmount"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--json"]).args(arguments);
        command.env("XDG_DATA_HOME", home.path().join("data")).current_dir(home.path());
        Self::spawn(command.stderr(Stdio::piped()))
    }

    /// Runs `command`, which is `serve --json`, and waits until it tells its address.
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
        let log = Arc::new(Mutex::new(String::new()));
        let reader = child.stderr.take().map(|stderr| {
            let log = log.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines() {
                    *log.lock().unwrap() += &(line.unwrap() + "\n");
                }
            })
        });
        Self { child, url: told["listening"].as_str().unwrap().to_owned(), log, reader }
    }

    /// The number of its process.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Ends it at once, whatever it is doing.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Sends it the signal of this name.
    #[cfg(unix)]
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Waits until it has ended, and returns its exit status and its log.
    #[cfg(unix)]
    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap().code();
        self.reader.take().unwrap().join().unwrap();
        (status, self.log.lock().unwrap().clone())
    }

    /// Whether its log holds `text` by now.
    #[cfg(unix)]
    pub(super) fn has_logged(&self, text: &str) -> bool {
        self.log.lock().unwrap().contains(text)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(unix)]
#[test]
fn serve_tells_its_address_logs_json_and_stops_when_told() {
    let home = Home::with_skills();
    let server = Server::start(&home, &["--drain", "0"]);
    assert!(server.url.starts_with("http://127.0.0.1:"));
    assert_eq!(home.ok(&["--server", &server.url, "ls"]), "/workspace/\n/ticket/\n");
    server.signal("TERM");
    let (status, log) = server.end();
    assert_eq!(status, Some(0), "{log}");
    assert!(!log.is_empty());
    for line in log.lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    }
}

#[test]
fn every_command_answers_the_same_through_a_server() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let through = |arguments: &[&str]| home.json(&[&["--server", &server.url], arguments].concat());
    through(&["skills", "load", "escrituras/compraventa"]);
    through(&["write", "/workspace/a.md", "one arras\n"]);
    for arguments in [
        vec!["ls", "/"],
        vec!["ls", "/skills/compraventa"],
        vec!["grep", "arras", "-C", "1"],
        vec!["glob", "*.md"],
        vec!["session", "show"],
        vec!["session", "list"],
        vec!["prompt"],
        vec!["prompt", "--mode", "listing", "--format", "markdown"],
        vec!["skills", "show", "escrituras/compraventa"],
        vec!["skills", "discover", "preparar una escritura", "--limit", "1"],
    ] {
        assert_eq!(through(&arguments), home.json(&arguments), "{arguments:?}");
    }
    let (mut there, mut here) = (through(&["skills", "list"]), home.json(&["skills", "list"]));
    for list in [&mut there, &mut here] {
        assert!(list.as_object_mut().unwrap().remove("as_of").is_some());
    }
    assert_eq!(there, here);
    for arguments in
        [vec!["cat", "/skills/notas/SKILL.md"], vec!["skills", "load", "nadie"], vec!["cat", "/workspace/../x"]]
    {
        let remote = home.refused(&[&["--server", &server.url], &arguments[..]].concat());
        assert_eq!(remote, home.refused(&arguments), "{arguments:?}");
    }
    assert_eq!(through(&["session", "delete"]), serde_json::json!({ "deleted": "cli" }));
    through(&["skills", "load", "notas"]);
    assert_eq!(through(&["session", "delete", "--workspace"]), serde_json::json!({ "deleted": "cli" }));
    assert_eq!(through(&["ls", "/workspace"])["entries"], serde_json::json!([]));
}

// S-AUTHOR-9: Through a server authors have the same commands as on a store, with a key of the user.
#[test]
fn authors_work_through_a_server_as_on_a_store() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let through = |arguments: &[&str]| home.json(&[&["--server", &server.url], arguments].concat());
    assert_eq!(through(&["pull", "out"])["skills"][0]["created"].as_array().unwrap().len(), 2);
    home.file("out/notas/SKILL.md", &super::skill("notas", "Toma buenas notas."));
    let pushed = through(&["push", "out"])["skills"].clone();
    assert_eq!([&pushed[0]["status"], &pushed[1]["status"]], ["unchanged", "changed"]);
    assert_eq!(home.json(&["push", "out"])["skills"][1]["status"], "unchanged");
    for arguments in [vec!["lint", "store"], vec!["skills", "history", "notas"], vec!["session", "prune"]] {
        assert_eq!(through(&arguments), home.json(&arguments), "{arguments:?}");
    }
    assert_eq!(through(&["catalog", "status"])["skills"], 2);
    assert_eq!(through(&["catalog", "rebuild"])["skills"], 2);
    through(&["skills", "rollback", "notas"]);
    through(&["skills", "mv", "notas", "varios/notas"]);
    through(&["skills", "rm", "varios/notas"]);
    assert_eq!(through(&["skills", "list"])["total"], 1);
}

#[tokio::test]
async fn a_draft_does_not_move_and_whoever_deletes_one_is_told_that_nothing_of_it_is_kept() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let draft = serde_json::json!({"description": "Plans a week. Use it on Mondays.", "body": "# Plan\n"});
    let url = format!("{}/v1/users/me/skills/ideas/plan?state=draft", server.url);
    let made = reqwest::Client::new().put(url).json(&draft).send().await.unwrap();
    assert_eq!(made.status(), 201);
    let through = ["--server", &server.url];
    for place in [&through[..], &[]] {
        let refused = home.refused(&[place, &["skills", "mv", "ideas/plan", "ideas/week"]].concat());
        assert_eq!(refused, (5, "skill_not_found".into()), "{place:?}");
    }
    let told = |arguments: &[&str]| {
        let output = home.run(&[&through[..], arguments].concat());
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(told(&["skills", "rm", "ideas/plan"]).contains("it was a draft, of which no version is kept"));
    assert!(told(&["skills", "rm", "notas"]).contains("its versions stay"));
    assert_eq!(home.refused(&["skills", "rm", "ideas/plan"]), (5, "skill_not_found".into()));
}

// S-AUTHOR-4: `push` of N unchanged skills is the LIST requests of the user's skills and N GET, of their heads.
#[tokio::test]
async fn a_push_of_unchanged_skills_is_two_calls_of_a_server_however_many_they_are() {
    let home = Home::new();
    for number in 0..130 {
        let name = format!("s{number:03}");
        let text = super::skill(&name, "Shows how. Use it to show.");
        home.file(&format!("skills/c{}/{name}/SKILL.md", number % 7), &text);
    }
    let server = Server::start(&home, &[]);
    let push = || home.json(&["--server", &server.url, "push", "skills"]);
    let requests = async || {
        let metrics = reqwest::get(format!("{}/metrics", server.url)).await.unwrap().text().await.unwrap();
        let counts = metrics.lines().filter(|line| line.starts_with("skillmount_http_requests_total{"));
        counts.map(|line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap()).sum::<u64>()
    };
    push();
    let before = requests().await;
    let pushed = push();
    let skills = pushed["skills"].as_array().unwrap();
    assert!(skills.len() == 130 && skills.iter().all(|skill| skill["status"] == "unchanged"), "{pushed}");
    // One of them is for the count itself.
    let calls = requests().await - before - 1;
    assert!((1..=2).contains(&calls), "{calls} calls");
}

#[test]
fn keys_open_what_they_say_and_without_them_only_this_machine_is_served() {
    let home = Home::new();
    assert_eq!(home.refused(&["serve", "--listen", "0.0.0.0:0"]), (2, "invalid_request".into()));
    let made = home.json(&["keys", "new"]);
    home.file("keys.toml", made["entry"].as_str().unwrap());
    let server = Server::start(&home, &["--keys", "keys.toml"]);
    let key = made["key"].as_str().unwrap();
    assert_eq!(home.refused(&["--server", &server.url, "ls"]), (4, "unauthenticated".into()));
    assert_eq!(home.ok(&["--server", &server.url, "--api-key", key, "ls"]), "/workspace/\n/ticket/\n");
    assert_eq!(home.refused(&["--server", &server.url, "--api-key", key, "--user", "ana", "ls"]), (4, "denied".into()));
}

#[test]
fn an_address_in_use_is_told_before_anybody_is_called() {
    let home = Home::new();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    assert_eq!(home.refused(&["serve", "--listen", &address]), (2, "invalid_request".into()));
}

#[test]
fn the_demo_plays_through_with_every_answer_right() {
    let home = Home::new();
    let shown = home.ok(&["demo"]);
    assert!(shown.contains("  ls {\"path\":\"/\"}\n    /workspace\n    /ticket\n"), "{shown}");
    assert!(shown.trim_end().ends_with("answers are right."), "{shown}");
    let played = home.json(&["demo"]);
    assert_eq!(played["right"], true);
    assert!(played["calls"].as_array().unwrap().len() >= 20);
}

// S-CLI-7: The command line asks a server on a loopback address without a proxy.
#[test]
fn a_proxy_of_the_environment_is_taken_for_other_machines_alone_and_named_in_the_error() {
    let home = Home::new();
    let server = Server::start(&home, &["--store", "memory:"]);
    // Nothing listens on this port.
    let proxies = ["http://bob:geheim@127.0.0.1:9", "socks5://bob:geheim@127.0.0.1:9"];
    for (variable, proxy) in [("http_proxy", proxies[0]), ("HTTP_PROXY", proxies[0]), ("ALL_PROXY", proxies[1])] {
        let through = |url: &str| home.program(&["--server", url, "ls", "/"]).env(variable, proxy).output().unwrap();
        for url in [server.url.clone(), server.url.replace("127.0.0.1", "localhost")] {
            let output = through(&url);
            assert!(output.status.success(), "{variable}, {url}: {}", String::from_utf8_lossy(&output.stderr));
        }
        let told = String::from_utf8(through("http://skillmount.invalid:8787").stderr).unwrap();
        let named = proxy.replace("bob:geheim@", "");
        assert!(told.contains(&format!("the proxy {named}, which the variable {variable} names")), "{told}");
        assert!(!told.contains("geheim") && !told.contains("bob"), "{told}");
    }
}

// S-CLI-8: A key that no header can carry, and an address that is no URL of a server, are `invalid_request` at once.
#[test]
fn a_key_that_no_header_can_carry_is_refused_before_any_request_and_not_shown() {
    let home = Home::new();
    for (key, why) in [
        ("schluessel\n", "line end"),
        (" schluessel", "space"),
        ("schlu\nessel", "line end"),
        ("schlüssel", "no ASCII"),
        ("schlu\tessel", "control character"),
    ] {
        // Nothing listens there, and nothing is asked.
        let arguments = ["--server", "http://127.0.0.1:9", "--api-key", key, "ls", "/", "--json"];
        let output = home.program(&arguments).output().unwrap();
        let problem: Value = serde_json::from_slice(&output.stderr).unwrap();
        let told = problem["detail"].as_str().unwrap();
        assert_eq!((output.status.code(), problem["retryable"].as_bool()), (Some(2), Some(false)), "{problem}");
        assert!(told.contains(why) && !problem.to_string().contains("schl"), "{key:?}: {problem}");
    }
    for address in ["127.0.0.1:8787", "localhost:8787", "skills.example", "http://", "ftp://bob:geheim@x"] {
        let output = home.program(&["--server", address, "ls", "/"]).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("give a URL such as http://") && !told.contains("geheim"), "{told}");
    }
}
