//! Folders to and from the store: pull, doctor, and folders that are none.

use serde_json::json;

use super::{Home, server::Server, skill};

#[test]
fn what_was_pushed_is_pulled_and_only_what_changed_is_written() {
    let home = Home::with_skills();
    let pulled = home.json(&["pull", "out"])["skills"].clone();
    assert_eq!(pulled[0]["created"].as_array().unwrap().len(), 2);
    for file in ["escrituras/compraventa/SKILL.md", "escrituras/compraventa/resources/ejemplo.md", "notas/SKILL.md"] {
        assert_eq!(home.read(&format!("out/{file}")), home.read(&format!("skills/{file}")), "{file}");
    }
    home.file("out/notas/SKILL.md", "mine");
    let again = home.json(&["pull", "out"])["skills"].clone();
    assert_eq!((&again[0]["unchanged"], &again[1]["kept"]), (&json!(2), &json!(["notas/SKILL.md"])));
    let dry = home.json(&["pull", "notas", "out", "--force", "--dry-run"])["skills"].clone();
    assert_eq!(dry[0]["updated"], json!(["notas/SKILL.md"]));
    assert_eq!(home.read("out/notas/SKILL.md"), "mine");
    home.ok(&["pull", "notas", "out", "--force"]);
    assert_eq!(home.read("out/notas/SKILL.md"), home.read("skills/notas/SKILL.md"));
    // One skill goes into a folder that is one.
    home.file("out/notas/SKILL.md", "mine");
    home.ok(&["pull", "notas", "out/notas", "--force"]);
    assert_eq!(home.read("out/notas/SKILL.md"), home.read("skills/notas/SKILL.md"));
    assert!(home.read("out/notas/.skillmount.json").contains("sha256:"));
    home.file("other/notas/SKILL.md", "not pulled");
    assert_eq!(home.refused_with_list(&["pull", "notas", "other"]), (6, "version_conflict".into()));
    assert_eq!(home.read("other/notas/SKILL.md"), "not pulled");
    assert_eq!(home.refused(&["pull", "nadie", "out"]), (5, "skill_not_found".into()));
}

// S-AUTHOR-23: A pull, a push and a pull again change nothing, whichever folder is pushed.
#[test]
fn what_was_pulled_is_pushed_to_where_it_came_from() {
    let home = Home::with_skills();
    home.ok(&["pull", "all"]);
    home.ok(&["pull", "escrituras/compraventa", "one"]);
    home.file("alone/compraventa/SKILL.md", &home.read("skills/escrituras/compraventa/SKILL.md"));
    home.ok(&["pull", "compraventa", "alone/compraventa", "--force"]);
    for (line, count) in [
        ("push all", 2),
        ("push all/escrituras", 1),
        ("push all/escrituras --into escrituras", 1),
        ("push all/escrituras/compraventa", 1),
        ("push all/escrituras/compraventa/SKILL.md", 1),
        ("push all/notas", 1),
        ("push one --into escrituras", 1),
        ("push alone", 1),
        ("push alone/compraventa", 1),
        ("push alone --into escrituras", 1),
    ] {
        let rows = home.json(&line.split(' ').collect::<Vec<_>>())["skills"].clone();
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), count, "{line}");
        assert!(rows.iter().all(|row| row["status"] == "unchanged"), "{line}: {rows:?}");
    }
    assert_eq!(home.ok(&["skills", "list"]).lines().count(), 2);
    let again = home.json(&["pull", "all"])["skills"].clone();
    assert!(again.as_array().unwrap().iter().all(|row| row["created"] == json!([]) && row["updated"] == json!([])));

    // A category that is given counts, and `/` is none. Another name or another folder is another skill.
    let pushed = |line: &str| home.json(&line.split(' ').collect::<Vec<_>>())["skills"][0]["skill"].clone();
    assert_eq!(pushed("push alone --into / --dry-run"), "compraventa");
    assert_eq!(pushed("push alone --into legal --dry-run"), "legal/compraventa");
    std::fs::rename(home.path().join("all/escrituras"), home.path().join("all/ventas")).unwrap();
    assert_eq!(pushed("push all --dry-run"), "notas");
    assert_eq!(home.json(&["push", "all", "--dry-run"])["skills"][1]["skill"], "ventas/compraventa");
    std::fs::rename(home.path().join("alone/compraventa"), home.path().join("alone/venta")).unwrap();
    home.ok(&["lint", "alone", "--fix"]);
    assert_eq!(pushed("push alone --dry-run"), "venta");
}

// S-AUTHOR-21: A folder that comes from another skill counts as a folder that remembers no version. If the store does not have the
// version that a folder remembers, the folder also counts as such a folder.
#[test]
fn a_folder_of_two_stores_loses_no_line_of_either() {
    let home = Home::new();
    let text = |line: &str| format!("{}\n{line}\n", skill("w", "Writes the minutes of a meeting."));
    let [first, second] = ["first", "second"].map(|name| format!("file:{}", home.path().join(name).display()));
    let with = |line: &str, store: &str| {
        let words: Vec<_> = line.split(' ').chain(["--store", store]).collect();
        home.run(&words)
    };
    let status = |line: &str, store: &str| with(line, store).status.code();
    home.file("w/SKILL.md", &text("as it was"));
    for store in [&first, &second] {
        assert_eq!(status("push w", store), Some(0));
    }
    home.file("w/SKILL.md", &text("my new line"));
    assert_eq!(status("push w", &first), Some(0));
    assert_eq!(status("push w", &second), Some(6), "the second store has another version");

    // The first store alone has the version of the folder, so the second one does not replace it.
    assert_eq!(status("pull w w", &second), Some(6));
    assert_eq!(home.read("w/SKILL.md"), text("my new line"));
    assert_eq!(status("pull w w --merge", &second), Some(3), "a person chooses");
    let marked = home.read("w/SKILL.md");
    assert!(marked.contains("my new line") && marked.contains("as it was") && marked.contains("<<<<<<<"), "{marked}");

    // The folder of one store has not lost its skills if the other store does not have them.
    home.file("all/alone/SKILL.md", &skill("alone", "Writes the agenda of a meeting."));
    assert_eq!(status("push all", &first), Some(0));
    let said = String::from_utf8(with("pull all", &second).stderr).unwrap();
    assert!(!said.contains("not in the store any more"), "{said}");
    assert_eq!(status("skills delete alone", &first), Some(0));
    let said = String::from_utf8(with("pull all", &first).stderr).unwrap();
    assert!(said.contains("alone is not in the store any more"), "{said}");
}

// S-AUTHOR-21: A folder that comes from another skill counts as a folder that remembers no version. If the store does not have the
// version that a folder remembers, the folder also counts as such a folder. Files that no store keeps as a version, because an agent
// or another tool left them, are of one store and one user.
#[test]
fn files_that_no_store_keeps_as_a_version_are_of_one_store_and_one_user() {
    let home = Home::new();
    let text = |line: &str| skill("w", &format!("Writes {line} of a meeting."));
    let address = |name: &str| format!("file:{}", home.path().join(name).display());
    let pull = |store: &str, user: &str, more: &[&str]| {
        home.run(&[&["pull", "w", "w", "--store", &address(store), "--user", user], more].concat()).status.code()
    };
    let file = "w/references/a.md";
    home.file("w/SKILL.md", &text("the agenda"));
    for (store, user) in [("first", "ana"), ("first", "ben"), ("second", "ana")] {
        let push = home.run(&["push", "w", "--store", &address(store), "--user", user, "--force"]);
        assert_eq!(push.status.code(), Some(0));
    }
    // An agent leaves files that are no version.
    home.file("first/ana/skills/w/SKILL.md", &text("the minutes"));
    home.file(&format!("first/ana/skills/{file}"), "kept in one place only\n");
    assert_eq!(pull("first", "ana", &["--force"]), Some(0));
    assert_eq!(
        (home.read("w/SKILL.md"), home.read(file)),
        (text("the minutes"), "kept in one place only\n".to_owned())
    );
    assert!(home.read("w/.skillmount.json").contains("\"store\": \"sha256:"));

    for (store, user) in [("second", "ana"), ("first", "ben")] {
        assert_eq!(pull(store, user, &[]), Some(6), "{store} {user}");
        assert_eq!(home.read(file), "kept in one place only\n", "{store} {user}");
        assert_eq!(home.read("w/SKILL.md"), text("the minutes"));
    }
    // Their own store may change and delete them.
    std::fs::remove_file(home.path().join(format!("first/ana/skills/{file}"))).unwrap();
    assert_eq!(pull("first", "ana", &[]), Some(0));
    assert!(!home.path().join(file).exists());
}

// S-AUTHOR-23: A pull, a push and a pull again change nothing, whichever folder is pushed. `push` refuses two folders of one
// skill.
#[test]
fn two_folders_of_one_skill_are_refused_with_both_names() {
    let home = Home::new();
    home.file("mine/a/SKILL.md", &skill("a", "Does a."));
    home.file("mine/cat/a/SKILL.md", &skill("a", "Does a."));
    let output = home.run(&["push", "mine", "--into", "cat"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("mine/a and mine/cat/a are both the skill cat/a"), "{said}");
    assert_eq!(home.json(&["push", "mine"])["skills"].as_array().unwrap().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_pull_neither_writes_through_links_nor_wakes_a_tool() {
    let home = Home::with_skills();
    home.file("data/skillmount/me/skills/notas/.git/config", "[core]");
    home.file("elsewhere/x", "");
    std::fs::create_dir_all(home.path().join("out")).unwrap();
    std::os::unix::fs::symlink(home.path().join("elsewhere"), home.path().join("out/escrituras")).unwrap();
    let output = home.run(&["pull", "out"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains(".git") && text.contains("is a link"), "{text}");
    assert_eq!(std::fs::read_dir(home.path().join("elsewhere")).unwrap().count(), 1);
    assert!(home.path().join("out/notas/SKILL.md").exists() && !home.path().join("out/notas/.git").exists());
}

// S-AUTHOR-19: A pull does not fetch files of the store that belong to a tool, and says so.
#[test]
fn a_file_of_a_tool_in_the_store_is_left_there_and_hinders_nobody() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    for (skill, to) in [("notas", [].as_slice()), ("escrituras/compraventa", &["--server", &server.url])] {
        let run = |arguments: &[&str]| home.json(&[to, arguments].concat())["skills"][0].clone();
        let stored = format!("data/skillmount/me/skills/{skill}");
        for file in [".git/config", ".skillmount.json"] {
            home.file(&format!("{stored}/{file}"), "[core]");
        }
        let output = home.run(&[to, &["pull", skill, "out"]].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && told.contains(&format!("{skill}/.git/config belongs to a tool")), "{told}");
        let folder = format!("out/{skill}");
        assert!(home.read(&format!("{folder}/.skillmount.json")).contains("sha256:"));
        assert!(!home.path().join(&folder).join(".git").exists());
        let again = run(&["pull", skill, "out"]);
        assert_eq!(again["of_tools"].as_array().unwrap().len(), 2, "{again}");
        assert_eq!(run(&["push", &folder, "--into", category(skill)])["status"], "unchanged");
        assert!(home.path().join(&stored).join(".git/config").exists());
        home.file(&format!("{folder}/more.md"), "more");
        let pushed = run(&["push", &folder, "--into", category(skill)]);
        let changes = ["status", "created", "deleted"].map(|part| pushed[part].clone());
        assert_eq!(changes, [json!("changed"), json!(["more.md"]), json!([".git/config", ".skillmount.json"])]);
        assert_eq!(run(&["pull", skill, "out"])["of_tools"], json!([]));
        assert_eq!(run(&["push", &folder, "--into", category(skill)])["status"], "unchanged");
    }
}

/// The category of a skill; empty if it is in none.
fn category(skill: &str) -> &str {
    skill.rsplit_once('/').map_or("", |(category, _)| category)
}

#[test]
fn doctor_finds_nothing_wrong_with_a_folder_and_says_what_is_wrong_elsewhere() {
    let home = Home::new();
    let checks = home.json(&["doctor"])["checks"].clone();
    let names: Vec<_> = checks.as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["configuration", "hosts", "store", "conditional writes", "clock", "put", "get", "list", "skills"]
    );
    assert!(checks.as_array().unwrap().iter().all(|check| check["status"] != "fail"), "{checks}");
    assert_eq!(
        std::fs::read_dir(home.path().join("data/skillmount"))
            .unwrap()
            .filter(|entry| { !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".skillmount-store") })
            .flat_map(|entry| std::fs::read_dir(entry.unwrap().path()).into_iter().flatten())
            .count(),
        0,
        "doctor leaves nothing"
    );
    let output = home.run(&["--server", "http://127.0.0.1:9", "doctor"]);
    assert_eq!(output.status.code(), Some(7));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.starts_with("fail  server") && text.contains("to fix it: "), "{text}");
    let advice = String::from_utf8(output.stderr).unwrap();
    assert!(!advice.contains("skillmount doctor"), "doctor does not send to doctor: {advice}");
}

// S-AUTHOR-6: The command line refuses a folder of skills as a store, with their number and the next step, and writes
// nothing into it.
#[test]
fn a_folder_of_skills_is_no_store_and_stays_as_it_is() {
    let home = Home::new();
    home.file("mine/notas/SKILL.md", &skill("notas", "Toma notas."));
    home.file("mine/oficina/actas/SKILL.md", &skill("actas", "Redacta actas."));
    for command in [
        ["skills", "list"].as_slice(),
        &["skills", "discover", "notas"],
        &["prompt"],
        &["ls"],
        &["lint", "store"],
        &["pull", "out"],
        &["catalog", "status"],
        &["serve", "--listen", "127.0.0.1:0"],
        &["push", "mine"],
    ] {
        let output = home.run(&[&["--store", "file:mine"], command].concat());
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{command:?}: {told}");
        assert!(told.contains("mine holds 2 skills itself") && told.contains("`skillmount push mine`"), "{told}");
    }
    let output = home.run(&["--store", "file:mine", "doctor"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.code() == Some(7) && told.starts_with("fail  configuration"), "{told}");
    assert!(told.contains("mine holds 2 skills itself"), "{told}");
    let left: Vec<_> =
        std::fs::read_dir(home.path().join("mine")).unwrap().map(|one| one.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "{left:?}");
    home.ok(&["push", "mine"]);
    assert_eq!(home.json(&["skills", "list"])["total"], 2);
}
