//! `keys new`, `keys list` and `keys revoke`, and what a running service makes of them.

#[cfg(unix)]
use std::fs;

use skillmount::limits::KEYS_LOOK;
use tokio::time::Instant;

use super::{Home, server::Server};

/// Makes a key with these flags, and returns it and its entry.
fn make(home: &Home, flags: &[&str]) -> (String, String) {
    let made = home.json(&[&["keys", "new"], flags].concat());
    (made["key"].as_str().unwrap().to_owned(), made["entry"].as_str().unwrap().to_owned())
}

/// Whether `key` opens the server.
fn opens(home: &Home, server: &Server, key: &str) -> bool {
    home.run(&["--server", &server.url, "--api-key", key, "ls"]).status.success()
}

/// Waits until `is_so`, for many looks at the keys file on a machine that has other things to do.
fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < 15 * KEYS_LOOK, "the keys file was not looked at");
        std::thread::yield_now();
    }
}

/// What `keys list` prints of the key with this name.
fn listed(home: &Home, name: &str) -> serde_json::Value {
    let list = home.json(&["keys", "list", "--keys", "keys.toml"]);
    list["keys"].as_array().unwrap().iter().find(|key| key["name"] == name).unwrap().clone()
}

#[test]
fn a_list_shows_everything_of_a_key_but_the_key_and_its_hash() {
    let home = Home::new();
    let (desk, first) = make(
        &home,
        &[
            "--user",
            "ana",
            "--name",
            "desk",
            "--scope",
            "control",
            "--team",
            "notaries",
            "--expires-in",
            "90d",
            "--only-session",
            "chat-*",
            "--only-session",
            "desk",
            "--only-var",
            "ticket_id=T-7",
        ],
    );
    let (wide, second) = make(&home, &["--all-users", "--name", "wide"]);
    let over = second.replace("wide", "over").replace("scopes", "expires = \"2020-01-01T00:00:00Z\"\nscopes");
    let over = over.replace(&hash(&second), &"d".repeat(64));
    // An entry as earlier versions wrote them.
    let old = format!("[[key]]\nhash = \"sha256:{}\"\nuser = \"ana\"\nscopes = [\"agent\"]\n", "c".repeat(64));
    home.file("keys.toml", &[first.as_str(), &second, &over, &old].join("\n"));

    let key = listed(&home, "desk");
    assert_eq!(
        (&key["user"], &key["scopes"], &key["team"], &key["expired"]),
        (&"ana".into(), &serde_json::json!(["control"]), &"notaries".into(), &false.into())
    );
    assert_eq!(
        (&key["sessions"], &key["vars"]),
        (&serde_json::json!(["chat-*", "desk"]), &serde_json::json!({ "ticket_id": "T-7" }))
    );
    assert!(key["created"].as_str().unwrap() < key["expires"].as_str().unwrap(), "{key}");
    let key = listed(&home, "wide");
    assert_eq!((&key["user"], &key["scopes"]), (&"*".into(), &serde_json::json!(["agent"])));
    assert!(key["expires"].is_null() && key["sessions"].is_null(), "{key}");
    assert_eq!(listed(&home, "over")["expired"], true);

    let text = home.ok(&["keys", "list", "--keys", "keys.toml"]);
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("HASH") && lines[0].ends_with("BOUND TO"), "{text}");
    assert!(lines[1].contains(" desk ") && lines[1].ends_with("chat-* desk ticket_id=T-7"), "{text}");
    assert!(lines[3].contains("expired 2020-01-01T00:00:00Z"), "{text}");
    assert!(lines[4].starts_with("cccccccccccccccc  -     ana   agent"), "{text}");
    let json = home.ok(&["keys", "list", "--keys", "keys.toml", "--json"]);
    for secret in [&desk, &wide, &hash(&first)[..17], &hash(&second)[..17], &"c".repeat(17)] {
        assert!(!text.contains(secret) && !json.contains(secret), "{text}");
    }
}

/// The 64 digits of the hash in an entry.
fn hash(entry: &str) -> String {
    entry.split("sha256:").nth(1).unwrap()[..64].to_owned()
}

// S-KEY-6: Every service with a keys file refuses a revoked key within two seconds.
#[test]
fn a_revoked_key_is_refused_by_a_running_service_and_the_file_keeps_everything_else() {
    let home = Home::new();
    let ((first, first_entry), (second, second_entry)) = (make(&home, &["--name", "a"]), make(&home, &["--name", "b"]));
    home.file("keys.toml", &format!("# keys of the desk\n\n# for a\n{first_entry}\n# for b\n{second_entry}"));
    let server = Server::start(&home, &["--keys", "keys.toml"]);
    assert!(opens(&home, &server, &first) && opens(&home, &server, &second));

    let told = home.ok(&["keys", "revoke", "a", "--keys", "keys.toml"]);
    assert!(told.starts_with("revoked ") && told.contains("(a)") && told.contains("within 2 seconds"), "{told}");
    assert_eq!(home.read("keys.toml"), format!("# keys of the desk\n\n# for b\n{second_entry}"));
    wait_until(|| !opens(&home, &server, &first));
    assert!(opens(&home, &server, &second));

    // The service would keep the only key, so it is not taken away.
    assert_eq!(home.refused(&["keys", "revoke", "b", "--keys", "keys.toml"]), (2, "invalid_request".into()));
    assert_eq!(home.read("keys.toml"), format!("# keys of the desk\n\n# for b\n{second_entry}"));
}

#[test]
fn a_new_key_says_which_keys_of_its_user_stay_valid_and_how_to_revoke_them() {
    let home = Home::new();
    let new = |flags: &[&str]| {
        let output = home.run(&[&["keys", "new", "--user", "ana", "--name", "desk"], flags].concat());
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert!(output.status.success());
        (text(output.stdout), text(output.stderr))
    };
    let (first, said) = new(&[]);
    assert!(said.contains("earlier keys stay valid: `skillmount keys list --keys FILE` lists them"), "{said}");
    let (_, said) = new(&["--keys", "keys.toml"]);
    assert_eq!(said.lines().count(), 1, "there is no file yet: {said}");
    home.file("keys.toml", &format!("{first}\n{}", make(&home, &["--user", "ben", "--name", "desk"]).1));
    let (_, said) = new(&["--keys", "keys.toml"]);
    let hash = listed(&home, "desk")["hash"].as_str().unwrap().to_owned();
    assert!(said.contains("user ana has 1 key in keys.toml already, and a new key ends none"), "{said}");
    assert!(said.contains(&format!("{hash} (desk)")) && said.contains("keys revoke HASH --keys keys.toml"), "{said}");
    let (_, said) = new(&["--keys", "keys.toml", "--quiet"]);
    assert!(said.starts_with("the key, which is kept nowhere: ") && said.lines().count() == 1, "{said}");
    home.file("keys.toml", "[[key]]\nhash = 7\n");
    let (_, said) = new(&["--keys", "keys.toml"]);
    assert!(said.contains("the earlier keys are not known: "), "{said}");
}

// S-KEY-11: `skillmount keys revoke` refuses to guess which key is meant.
#[test]
fn a_key_is_revoked_by_the_hash_that_the_list_shows_and_never_by_a_guess() {
    let home = Home::new();
    let entries = [make(&home, &["--name", "desk"]).1, make(&home, &["--name", "desk"]).1];
    home.file("keys.toml", &entries.join("\n"));
    let before = home.read("keys.toml");
    for wrong in ["desk", "nobody", ""] {
        let refused = home.refused(&["keys", "revoke", wrong, "--keys", "keys.toml"]);
        assert_eq!(refused, (2, "invalid_request".into()), "{wrong}");
    }
    assert_eq!(home.refused(&["keys", "revoke", "desk"]), (2, "invalid_request".into()), "no file is named");
    assert_eq!(home.read("keys.toml"), before);
    let hash = listed(&home, "desk")["hash"].as_str().unwrap().to_owned();
    // As for `serve`, the file may be a setting.
    home.file("skillmount.toml", "keys = 'keys.toml'");
    let revoked = home.json(&["keys", "revoke", &hash]);
    assert_eq!((&revoked["revoked"]["hash"], &revoked["refused_within_seconds"]), (&hash.into(), &2.into()));
    assert_eq!(home.read("keys.toml"), entries[1]);
}

// S-KEY-7: The service reads a changed keys file within two seconds, and a file with a fault changes nothing.
#[cfg(unix)]
#[test]
fn a_service_takes_over_its_keys_file_without_a_signal() {
    let home = Home::new();
    let ((first, first_entry), (second, second_entry)) = (make(&home, &[]), make(&home, &[]));
    home.file("keys.toml", &first_entry);
    let server = Server::start(&home, &["--keys", "keys.toml"]);
    assert!(opens(&home, &server, &first) && !opens(&home, &server, &second));

    home.file("keys.toml", "[[key]]\nhash = 7\n");
    wait_until(|| server.has_logged("the keys stay as they were"));
    fs::remove_file(home.path().join("keys.toml")).unwrap();
    wait_until(|| server.has_logged("keys.toml cannot be read"));
    assert!(opens(&home, &server, &first));

    home.file("keys.toml", &format!("{first_entry}\n{second_entry}"));
    wait_until(|| opens(&home, &server, &second));
    assert!(opens(&home, &server, &first));
}

#[test]
fn a_scope_is_described_by_all_that_it_lets_a_key_do() {
    let help = Home::new().ok(&["keys", "new", "--help"]);
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for what in [
        "publishing skills",
        "approvals",
        "policy and variables",
        "audit records",
        "forgetting sessions",
        "exporting and deleting users",
    ] {
        assert!(help.contains(what), "{what}: {help}");
    }
}
