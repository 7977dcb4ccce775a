//! An ordinary folder of skills, served as it is: what a person at home types.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use super::{Home, server::Server, skill};

fn with_folder() -> Home {
    let home = Home::new();
    home.file("mine/writing/minutes/SKILL.md", &skill("minutes", "Takes the minutes."));
    home.file("mine/writing/minutes/form.md", "one\ntwo words\n");
    home.file("mine/notes/SKILL.md", &skill("notes", "Takes notes."));
    home
}

/// The names in the folder, which must stay as they are.
fn names(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path().join("mine")).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

// S-HOME-1: `serve DIR`, `mcp --skills DIR` and the store `skills:DIR` serve a folder of skills as it is, for the default user.
#[test]
fn a_folder_is_served_as_it_is_and_nothing_is_written_into_it() {
    let home = with_folder();
    let server = Server::start(&home, &["mine"]);
    let there = |arguments: &[&str]| home.ok(&[&["--server", &server.url], arguments].concat());
    let listed = there(&["skills", "list"]);
    assert!(listed.contains("writing/minutes") && listed.contains("notes"), "{listed}");
    assert!(there(&["prompt"]).contains("Takes the minutes."));
    there(&["skills", "load", "minutes"]);
    assert!(there(&["grep", "words", "/skills"]).contains("/skills/minutes/form.md"));
    home.file("notes.md", "kept");
    there(&["write", "/workspace/a.md", "text"]);
    assert_eq!(there(&["cat", "/workspace/a.md"]), "text");
    assert_eq!(home.refused(&["--server", &server.url, "push", "mine", "--into", "more"]).1, "read_only");
    assert_eq!(names(&home), ["notes", "writing"]);

    // A change by hand is found, and what is loaded never changes unnoticed.
    home.file("mine/writing/minutes/form.md", "changed text\n");
    let read = home.run(&["--server", &server.url, "cat", "/skills/minutes/form.md"]);
    let (said, now) = (String::from_utf8_lossy(&read.stderr), String::from_utf8_lossy(&read.stdout));
    assert!(
        said.contains("skill_changed") || said.contains("changed since") || now.contains("two words"),
        "{said}{now}"
    );
    there(&["skills", "load", "minutes"]);
    assert_eq!(there(&["cat", "/skills/minutes/form.md"]), "changed text\n");

    // The state outlives the server, and belongs to this folder.
    drop(server);
    let again = Server::start(&home, &["./mine"]);
    assert_eq!(home.ok(&["--server", &again.url, "cat", "/workspace/a.md"]), "text");
    fs::create_dir(home.path().join("other")).unwrap();
    let other = Server::start(&home, &["other"]);
    assert_eq!(home.refused(&["--server", &other.url, "cat", "/workspace/a.md"]).1, "file_not_found");
}

// S-HOME-5: With `--writable` the service publishes skills into the folder, and `.skillmount-store` in it holds the locks
// and unfinished writes.
#[test]
fn with_write_skills_are_published_into_the_folder() {
    let home = with_folder();
    home.file("more/letters/SKILL.md", &skill("letters", "Writes letters."));
    let store = ["--store", "skills:mine"];
    assert_eq!(home.refused(&[&store[..], &["push", "more"]].concat()).1, "read_only");
    home.ok(&[&store[..], &["--writable", "push", "more", "--into", "writing"]].concat());
    assert_eq!(home.read("mine/writing/letters/SKILL.md"), home.read("more/letters/SKILL.md"));
    let server = Server::start(&home, &["mine", "--writable"]);
    home.file("more/letters/SKILL.md", &skill("letters", "Writes better letters."));
    home.ok(&["--server", &server.url, "push", "more", "--into", "writing"]);
    assert!(home.read("mine/writing/letters/SKILL.md").contains("better"));
    assert!(home.ok(&["--server", &server.url, "skills", "history", "letters"]).lines().count() >= 2);
}

#[test]
fn doctor_says_what_is_served_and_which_links_are_not() {
    let home = with_folder();
    home.file("elsewhere/SKILL.md", "secret");
    symlink(home.path().join("elsewhere"), home.path().join("mine/out")).unwrap();
    let checks = home.json(&["--store", "skills:mine", "doctor"])["checks"].clone();
    let of_folder: Vec<_> = checks.as_array().unwrap().iter().filter(|check| check["name"] == "folder").collect();
    assert_eq!(
        of_folder[0]["detail"],
        json!("2 skills of mine for user me; nothing is written there without --writable")
    );
    assert_eq!((of_folder.len(), &of_folder[1]["status"]), (2, &json!("warn")));
    assert!(of_folder[1]["detail"].as_str().unwrap().starts_with("the link out is not followed: it leaves the folder"));
    let server = Server::start(&home, &["mine"]);
    let listed = home.ok(&["--server", &server.url, "skills", "list"]);
    assert!(!listed.contains("out"), "{listed}");
    server.signal("INT");
    let log = server.end().1;
    assert!(log.contains("the link out is not followed"), "{log}");
    fs::create_dir(home.path().join("empty")).unwrap();
    let checks = home.json(&["--store", "skills:empty", "doctor"])["checks"].clone();
    assert!(checks.to_string().contains("empty holds no skill yet"), "{checks}");
}

#[test]
fn a_skill_that_is_too_large_for_hosts_is_named_by_doctor_and_by_the_program_that_they_start() {
    let home = with_folder();
    for number in 0..600 {
        home.file(&format!("mine/notes/big/{number}.md"), "x");
    }
    let checks = home.json(&["--store", "skills:mine", "doctor"])["checks"].clone();
    let check = checks.as_array().unwrap().iter().find(|check| check["name"] == "hosts over MCP").unwrap();
    assert_eq!(check["status"], "warn");
    let detail = check["detail"].as_str().unwrap();
    assert!(detail.starts_with("notes is not shown to hosts over MCP: 601 files"), "{detail}");
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let list = json!({"jsonrpc": "2.0", "id": 2, "method": "resources/list"});
    let mut started = home.command(&["mcp", "--skills", "mine"]);
    let ended = started.write_stdin(format!("{hello}\n{ready}\n{list}\n")).output().unwrap();
    let log = String::from_utf8(ended.stderr).unwrap();
    assert!(log.contains("hosts over MCP are not shown a skill") && log.contains("601 files"), "{log}");
}

// S-HOME-4: The service refuses a folder that it cannot serve, with the next step: a missing folder, a file, a skill
// itself, or a store.
#[test]
fn a_folder_that_is_none_is_refused_before_anything_is_served() {
    let home = with_folder();
    for (arguments, said) in [
        (["serve", "nowhere"].as_slice(), "there is no folder nowhere with skills"),
        (&["serve", "mine/notes/SKILL.md"], "is a file"),
        (&["mcp", "--skills", "mine/notes"], "is a skill itself"),
        (&["serve", "mine", "--store", "memory:"], "cannot be used with"),
        (&["mcp", "--skills", "mine", "--server", "http://127.0.0.1:1"], "cannot be used with"),
        (&["serve", "--store", "file:mine"], "`skillmount serve mine` serves them where they are"),
    ] {
        let output = home.run(arguments);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(said), "{arguments:?}: {text}");
    }
}

#[test]
fn a_host_is_connected_to_a_folder_by_its_whole_path() {
    let home = with_folder();
    let printed = home.ok(&["--store", "skills:mine", "--writable", "connect", "cursor", "--print"]);
    let address = format!("skills:{}", home.path().join("mine").display());
    assert!(printed.contains(&address) && printed.contains("--writable"), "{printed}");
}

#[test]
fn a_link_needs_a_secret_that_cannot_be_guessed_and_says_where_the_service_is() {
    let home = Home::new();
    let link = |secret: &str, arguments: &[&str]| {
        let typed = home.typed(&[&["share", "--json"], arguments].concat());
        let output = typed.env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).run();
        let (out, err) = (output.stdout, String::from_utf8(output.stderr).unwrap());
        if output.status.success() { Ok(serde_json::from_slice::<serde_json::Value>(&out).unwrap()) } else { Err(err) }
    };
    let secret = "0123456789abcdef0123456789abcdef";
    let made = link(secret, &["--base", "https://skills.example.com/", "--user", "anna"]).unwrap();
    let url = made["url"].as_str().unwrap();
    assert!(url.starts_with("https://skills.example.com/links/") && url.rsplit_once('.').unwrap().1 == "anna", "{url}");
    assert!(link(secret, &[]).unwrap()["url"].as_str().unwrap().starts_with("http://127.0.0.1:8787/links/"));
    for (secret, arguments, said) in [
        ("", [].as_slice(), "no key to sign links with is set"),
        ("short", &[], "32 characters at least"),
        (secret, &["--base", "skills.example.com"], "is not where a service is reached"),
        (secret, &["--expires", "2020-01-01T00:00:00Z"], "is not a time to come"),
    ] {
        let refused = link(secret, arguments).unwrap_err();
        assert!(refused.contains(said) && !refused.contains("\"short\""), "{refused}");
    }
    let shown = home.typed(&["config", "show"]).env("SKILLMOUNT_SHARE_SIGNING_KEY", secret).run();
    assert!(!String::from_utf8_lossy(&shown.stdout).contains(secret));
}
