//! `skillmount user`: lists, archives and deletions, on a store and through a server.

use super::Home;

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

#[test]
fn an_archive_is_a_new_file_with_everything() {
    let home = undisturbed();
    let said = home.ok(&["user", "export", "me", "me.tar"]);
    assert!(said.starts_with("exported me to me.tar ("), "{said}");
    let bytes = std::fs::read(home.path().join("me.tar")).unwrap();
    let names: Vec<String> = tar::Archive::new(bytes.as_slice())
        .entries()
        .unwrap()
        .map(|entry| entry.unwrap().path().unwrap().to_str().unwrap().to_owned())
        .collect();
    assert!(names.contains(&"me/skills/notas/SKILL.md".to_owned()), "{names:?}");
    assert_eq!(names.last().unwrap(), "_manifest.json");
    assert_eq!(home.refused(&["user", "export", "me", "me.tar"]), (6, "already_exists".to_owned()));
    assert_eq!(std::fs::read(home.path().join("me.tar")).unwrap(), bytes);
}

#[test]
fn a_user_is_deleted_only_if_somebody_means_it() {
    let home = undisturbed();
    home.ok(&["--user", "anna", "write", "/workspace/a", "text"]);
    assert_eq!(home.refused(&["user", "delete", "me"]), (2, "invalid_request".to_owned()));
    assert!(home.ok(&["user", "list"]).contains("me"));
    assert_eq!(home.refused(&["user", "deletion", "me"]), (5, "deletion_not_found".to_owned()));
    let said = home.ok(&["user", "delete", "me", "--yes"]);
    assert!(said.contains("user me is being deleted") && said.contains("skills "), "{said}");
    assert_eq!(home.ok(&["user", "list"]), "anna\n");
    let receipt = home.json(&["user", "deletion", "me"]);
    assert_eq!((&receipt["state"], receipt["sweeps"].as_array().unwrap().len()), (&"deleting".into(), 1));
    assert_eq!(receipt["sweeps"][0]["areas"]["skills"]["objects"], 3);
    assert_eq!(home.refused(&["user", "delete", "_org", "--yes"]), (2, "invalid_request".to_owned()));
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
fn idle_sessions_of_all_users_are_cleared_away() {
    let home = undisturbed();
    home.ok(&["skills", "load", "notas"]);
    let said = home.ok(&["session", "gc", "--all"]);
    assert!(said.starts_with("0 removed, 0 tagged, of 1 user(s)"), "{said}");
    assert_eq!(home.json(&["session", "gc", "--all"])["untagged"], "this store keeps no tags");
}

// S-LEAVE-3: While a user is deleted, calls for the user are `denied`, in every process within 30 seconds.
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
