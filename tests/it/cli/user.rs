//! `skillmount user`: lists, archives and deletions, on a store and through a server.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    thread,
};

use serde_json::Value;

use super::{Home, server::Server};

/// A home with two skills, whose indexes nobody damages: they are counted here.
fn undisturbed() -> Home {
    let mut home = Home::with_skills();
    home.leave_indexes_alone();
    home
}

#[test]
fn users_are_listed() {
    let home = undisturbed();
    home.ok(&["--user", "anna", "write", "/workspace/a", "text"]);
    assert_eq!(home.ok(&["user", "list"]), "anna\nme\n");
    let listed = home.json(&["user", "list"]);
    assert_eq!(listed["users"][1]["user_id"], "me");
}

/// Runs `check` on a store in a folder, and with the same users on a server over one.
fn here_and_on_a_server(check: impl Fn(&Home, &[&str])) {
    check(&undisturbed(), &[]);
    let home = undisturbed();
    let server = Server::start(&home, &[]);
    check(&home, &["--server", &server.url]);
}

/// The names of the entries of an archive, but for records.
fn entries(archive: &[u8]) -> Vec<String> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().unwrap();
    let names = entries.map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned());
    // An export leaves a record itself.
    names.filter(|name| !name.contains("/audit/")).collect()
}

#[test]
fn an_archive_is_a_new_file_with_everything() {
    here_and_on_a_server(|home, place| {
        let export = |file| [place, &["user", "export", "me", file]].concat();
        let said = home.ok(&export("me.tar"));
        assert!(said.starts_with("exported me to me.tar ("), "{said}");
        let bytes = fs::read(home.path().join("me.tar")).unwrap();
        let names = entries(&bytes);
        assert!(names.contains(&"me/skills/notas/SKILL.md".to_owned()), "{names:?}");
        assert_eq!(names.last().unwrap(), "_manifest.json");
        assert_eq!(home.refused(&export("me.tar")), (6, "already_exists".to_owned()));
        assert_eq!(fs::read(home.path().join("me.tar")).unwrap(), bytes);
        let piped = home.run(&export("-"));
        assert!(piped.status.success() && piped.stderr.is_empty(), "{piped:?}");
        assert_eq!(entries(&piped.stdout), names);
        let document = home.json(&export("again.tar"));
        let size = fs::metadata(home.path().join("again.tar")).unwrap().len();
        assert_eq!((&document["user_id"], &document["bytes"]), (&"me".into(), &size.into()));
    });
}

#[test]
fn a_user_who_has_nothing_is_neither_exported_nor_deleted_by_a_slip_of_the_pen() {
    here_and_on_a_server(|home, place| {
        let user = |arguments: &[&'static str]| [place, &["user"], arguments].concat();
        // Their folders come before that of `annna` in a listing, and after it.
        for other in ["annna-b", "annna.c", "annnab"] {
            home.file(&format!("data/skillmount/{other}/threads/s/a.md"), "text");
        }
        home.ok(&user(&["export", "annna.c", "c.tar"]));
        for file in ["typo.tar", "-"] {
            assert_eq!(home.refused(&user(&["export", "annna", file])), (5, "file_not_found".to_owned()));
        }
        assert!(!home.path().join("typo.tar").exists());
        assert_eq!(home.refused(&user(&["delete", "annna"])), (5, "file_not_found".to_owned()));
        assert_eq!(home.refused(&user(&["deletion", "annna"])), (5, "deletion_not_found".to_owned()));
        let output = home.run(&user(&["delete", "annna", "--yes"]));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.starts_with("user annna has nothing in the store; "), "{told}");
    });
}

/// The address of a server that sends half an archive and goes away, as often as it is asked.
fn torn_server() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for caller in listener.incoming() {
            let mut caller = caller.unwrap();
            // The head of a request is one piece.
            let _ = caller.read(&mut [0; 4096]).unwrap();
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-tar\r\ntransfer-encoding: chunked\r\n\r\n";
            caller.write_all(format!("{head}200\r\n{:512}\r\n", "me/skills").as_bytes()).unwrap();
        }
    });
    address
}

#[test]
fn an_archive_that_breaks_off_has_no_name_and_the_command_says_so() {
    let home = undisturbed();
    let url = torn_server();
    let before = files(home.path());
    assert_eq!(
        home.refused(&["--server", &url, "user", "export", "me", "me.tar"]),
        (7, "store_unavailable".to_owned())
    );
    assert_eq!(files(home.path()), before);
    let piped = home.run(&["--server", &url, "user", "export", "me", "-"]);
    assert_eq!(
        (piped.status.code(), piped.stdout.len()),
        (Some(7), 512),
        "a pipe has what came, and the status says it"
    );
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_user_is_deleted_only_if_somebody_means_it() {
    here_and_on_a_server(|home, place| {
        let user = |arguments: &[&'static str]| [place, &["user"], arguments].concat();
        home.ok(&["--user", "anna", "write", "/workspace/a", "text"]);
        assert_eq!(home.refused(&user(&["delete", "me"])), (2, "invalid_request".to_owned()));
        assert_eq!(home.ok(&user(&["list"])), "anna\nme\n");
        assert_eq!(home.refused(&user(&["deletion", "me"])), (5, "deletion_not_found".to_owned()));
        let said = home.ok(&user(&["delete", "me", "--yes"]));
        assert!(said.starts_with("user me is being deleted\n"), "{said}");
        let receipt = loop {
            // A server sweeps behind its answer.
            let receipt = home.json(&user(&["deletion", "me"]));
            if receipt["sweeps"][0]["ended_at"].is_string() {
                break receipt;
            }
        };
        assert_eq!(home.ok(&user(&["list"])), "anna\n");
        assert_eq!((&receipt["state"], receipt["sweeps"].as_array().unwrap().len()), (&"deleting".into(), 1));
        assert_eq!(receipt["sweeps"][0]["areas"]["skills"]["objects"], 3);
        assert_eq!(home.refused(&user(&["delete", "_org", "--yes"])), (2, "invalid_request".to_owned()));
    });
}

// S-LEAVE-3: During the deletion of a user, calls for the user are `denied`.
#[test]
fn whoever_waits_for_a_deletion_is_told_what_both_sweeps_removed() {
    let (here, there) = (undisturbed(), undisturbed());
    let server = Server::start(&there, &[]);
    let url = server.url.clone();
    let wait = |home: &Home, place: &[&str]| -> Value {
        let deletion = home.json(&[place, &["user", "delete", "me", "--yes", "--wait"]].concat());
        assert_eq!(home.ok(&[place, &["user", "list"]].concat()), "");
        home.ok(&[place, &["write", "/workspace/again", "the id may be used again"]].concat());
        deletion
    };
    let deletions = thread::scope(|scope| {
        let here = scope.spawn(|| wait(&here, &[]));
        let there = scope.spawn(|| wait(&there, &["--server", &url]));
        [here.join().unwrap(), there.join().unwrap()]
    });
    for deletion in deletions {
        assert_eq!((&deletion["state"], &deletion["found_now"]), (&"deleted".into(), &false.into()), "{deletion}");
        let sweeps = deletion["sweeps"].as_array().unwrap();
        assert!(sweeps.len() == 2 && sweeps.iter().all(|sweep| sweep["ended_at"].is_string()), "{deletion}");
    }
}

#[test]
fn a_check_ends_with_one_if_something_is_wrong() {
    let home = undisturbed();
    assert!(home.ok(&["fsck"]).starts_with("clean: "));
    assert_eq!(home.json(&["fsck", "--all"])["clean"], true);
    home.file("data/skillmount/me/.skillmount/sessions/bad.json", "{");
    let output = home.run(&["fsck"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("bad.json") && said.contains("session delete") && said.contains("NOT CLEAN"), "{said}");
    let report = home.run(&["fsck", "--all", "--json"]);
    assert_eq!(report.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    assert_eq!(report["findings"][0]["code"], "damaged_session");
}

#[test]
fn a_check_mends_what_it_may_and_says_what_it_mended() {
    let home = undisturbed();
    home.file("data/skillmount/me/.skillmount/uses.json", "{");
    home.file("data/skillmount/me/.skillmount/heads/lost.json", "{");
    let said = String::from_utf8(home.run(&["fsck"]).stdout).unwrap();
    assert!(said.contains("uses.json") && said.contains("--repair"), "{said}");
    let mended = home.run(&["fsck", "--repair", "--json"]);
    assert_eq!(mended.status.code(), Some(1), "what only a person may delete stays wrong");
    let report: Value = serde_json::from_slice(&mended.stdout).unwrap();
    let found = report["findings"].as_array().unwrap();
    let of = |code: &str| found.iter().find(|found| found["code"] == code).unwrap()["repaired"].clone();
    assert_eq!((of("damaged_uses"), of("damaged_head")), (true.into(), false.into()), "{report}");
    assert!(home.path().join("data/skillmount/me/.skillmount/heads/lost.json").exists());
    fs::remove_file(home.path().join("data/skillmount/me/.skillmount/heads/lost.json")).unwrap();
    assert!(home.ok(&["fsck", "--repair"]).starts_with("clean: "));
}

#[test]
fn idle_sessions_of_all_users_are_cleared_away() {
    let home = undisturbed();
    home.ok(&["skills", "load", "notas"]);
    let said = home.ok(&["session", "prune", "--all"]);
    assert!(said.starts_with("0 removed, 0 tagged, of 1 user(s)"), "{said}");
    assert_eq!(home.json(&["session", "prune", "--all"])["untagged"], "this store keeps no tags");
}

// S-LEAVE-3: During the deletion of a user, calls for the user are `denied`.
#[test]
fn commands_on_a_store_write_nothing_for_a_user_who_is_being_deleted() {
    let home = undisturbed();
    home.ok(&["--user", "anna", "write", "/workspace/a", "text"]);
    home.ok(&["user", "delete", "anna", "--yes"]);
    home.file("skills/minutes/SKILL.md", "---\nname: minutes\ndescription: Takes minutes.\n---\nBody\n");
    for command in [["write", "/workspace/b", "text"].as_slice(), &["cat", "/workspace/a"], &["push", "skills"]] {
        let command = [&["--user", "anna"], command].concat();
        assert_eq!(home.refused(&command), (4, "denied".to_owned()), "{command:?}");
    }
    assert_eq!(home.ok(&["user", "list"]), "me\n");
}
