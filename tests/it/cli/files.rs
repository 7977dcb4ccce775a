//! The agent's operations at a prompt, on a store in a folder.

use serde_json::json;

use super::Home;

#[test]
fn a_session_from_nothing_to_a_written_file() {
    let home = Home::with_skills();
    assert_eq!(home.ok(&["ls"]), "/workspace/\n/ticket/\n");
    assert!(home.ok(&["prompt"]).contains("escrituras/compraventa"));
    assert!(
        home.ok(&["skills", "load", "escrituras/compraventa"])
            .starts_with("loaded escrituras/compraventa as /skills/compraventa\n")
    );
    assert_eq!(home.ok(&["ls"]), "/workspace/\n/ticket/\n/skills/\n");
    assert_eq!(home.ok(&["glob", "*.md"]), "/skills/compraventa/SKILL.md\n/skills/compraventa/resources/ejemplo.md\n");
    assert_eq!(home.ok(&["grep", "arras"]), "/skills/compraventa/resources/ejemplo.md:2:dos arras\n");
    assert_eq!(
        home.ok(&["grep", "-C", "1", "arras"]),
        "/skills/compraventa/resources/ejemplo.md-1-uno\n/skills/compraventa/resources/ejemplo.md:2:dos arras\n/skills/compraventa/resources/ejemplo.md-3-tres\n"
    );
    assert_eq!(home.ok(&["write", "/workspace/a.md", "one two\n"]), "wrote /workspace/a.md (8 bytes)\n");
    assert_eq!(home.ok(&["edit", "/workspace/a.md", "two", "three"]), "edited /workspace/a.md (1 time)\n");
    assert_eq!(home.ok(&["cat", "/workspace/a.md"]), "one three\n");
    assert_eq!(home.read("data/skillmount/me/threads/cli/a.md"), "one three\n");
    assert_eq!(home.ok(&["rm", "/workspace/a.md"]), "deleted /workspace/a.md (1 file)\n");
    assert_eq!(home.ok(&["skills", "unload", "compraventa"]), "unloaded escrituras/compraventa\n");
    assert_eq!(home.ok(&["ls"]), "/workspace/\n/ticket/\n");
}

#[test]
fn a_file_moves_to_where_nothing_is() {
    let home = Home::new();
    home.ok(&["write", "/workspace/a", "text"]);
    assert_eq!(home.ok(&["mv", "/workspace/a", "/workspace/b"]), "Moved /workspace/a to /workspace/b\n");
    assert_eq!(home.ok(&["cat", "/workspace/b"]), "text");
    home.ok(&["write", "/workspace/a", "other"]);
    assert_eq!(home.refused(&["mv", "/workspace/a", "/workspace/b"]), (6, "already_exists".into()));
    assert_eq!(home.json(&["mv", "/workspace/a", "/workspace/c"])["moved"], json!(1));
}

#[test]
fn content_comes_from_an_argument_a_file_or_standard_input() {
    let home = Home::new();
    home.file("new.txt", "from a file");
    home.ok(&["write", "/workspace/f", "--file", "new.txt"]);
    assert_eq!(home.ok(&["cat", "/workspace/f"]), "from a file");
    assert!(home.typed(&["write", "/workspace/s"]).input("from stdin").run().status.success());
    assert!(home.typed(&["edit", "/workspace/s", "stdin"]).input("a pipe").run().status.success());
    assert_eq!(home.ok(&["cat", "/workspace/s"]), "from a pipe");
}

#[test]
fn any_bytes_go_in_and_come_out() {
    let home = Home::new();
    let bytes: Vec<u8> = (0..=255).collect();
    std::fs::write(home.path().join("b"), &bytes).unwrap();
    assert_eq!(home.refused(&["write", "/workspace/b", "--file", "b"]), (2, "invalid_request".into()));
    home.ok(&["write", "/workspace/b", "--file", "b", "--overwrite"]);
    assert_eq!(home.run(&["cat", "/workspace/b"]).stdout, bytes);
    assert_eq!(
        home.refused(&["cat", "/workspace/b"]),
        (2, "binary_file".into()),
        "as JSON it is a read, which is text"
    );
}

#[test]
fn exit_statuses_tell_what_can_be_done() {
    let home = Home::with_skills();
    home.ok(&["write", "/workspace/a", "x x"]);
    home.ok(&["skills", "load", "notas"]);
    for (arguments, status, code) in [
        (vec!["cat", "relative"], 2, "invalid_path"),
        (vec!["grep", "("], 2, "invalid_pattern"),
        (vec!["ls", "--no-such-flag"], 2, "invalid_request"),
        (vec!["--user", "../u2", "ls"], 2, "invalid_request"),
        (vec!["--store", "nonsense", "ls"], 2, "invalid_request"),
        (vec!["write", "/skills/notas/x", "y"], 4, "read_only"),
        (vec!["cat", "/skills/compraventa/SKILL.md"], 5, "file_not_found"),
        (vec!["skills", "load", "nadie"], 5, "skill_not_found"),
        (vec!["write", "/workspace/a", "y"], 6, "already_exists"),
        (vec!["edit", "/workspace/a", "x", "y"], 6, "old_string_not_unique"),
        (vec!["rm", "/workspace"], 6, "is_a_directory"),
        (vec!["--server", "http://127.0.0.1:9", "ls"], 7, "store_unavailable"),
    ] {
        assert_eq!(home.refused(&arguments), (status, code.to_owned()), "{arguments:?}");
    }
}

#[test]
fn a_person_gets_message_cause_and_next_step() {
    let output = Home::new().run(&["--server", "http://127.0.0.1:9", "ls"]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("error: ") && text.contains("\n  because: ") && text.contains("\n  next: "), "{text}");
}

#[test]
fn json_is_the_document_of_the_operation() {
    let home = Home::with_skills();
    assert_eq!(home.json(&["ls"])["entries"][0]["path"], "/workspace");
    home.ok(&["write", "/workspace/a", "x\ny\n"]);
    let read = home.json(&["cat", "/workspace/a", "--offset", "1"]);
    assert_eq!((&read["content"], &read["start_line"]), (&json!("y\n"), &json!(2)));
    assert_eq!(home.json(&["grep", "--count", "."])["counts"], json!([{ "path": "/workspace/a", "count": 2 }]));
    assert_eq!(home.json(&["skills", "load", "notas"])["mount"], "/skills/notas");
    assert_eq!(home.json(&["session", "show"])["current_skill"], "notas");
    assert_eq!(home.json(&["session", "list"])["sessions"][0]["session_id"], "cli");
    assert_eq!(home.json(&["prompt", "--mode", "listing"])["total"], 2);
    assert_eq!(home.json(&["skills", "list"])["skills"][1]["skill"], "notas");
    assert_eq!(home.json(&["skills", "show", "notas"])["file_list"][0]["path"], "SKILL.md");
    assert_eq!(home.json(&["session", "prune"]), json!({ "removed": 0, "damaged": [] }));
    assert_eq!(home.json(&["session", "delete"]), json!({ "deleted": "cli" }));
    assert_eq!(home.json(&["session", "show"])["version"], 0);
    home.json(&["skills", "load", "notas"]);
    home.ok(&["cat", "/workspace/a"]);
    assert_eq!(home.json(&["session", "delete", "--workspace"]), json!({ "deleted": "cli" }));
    assert_eq!(home.json(&["ls", "/workspace"])["entries"], json!([]));
}

#[test]
fn a_path_is_a_file_or_a_folder() {
    let home = Home::new();
    home.ok(&["write", "/workspace/d/a", "x"]);
    assert_eq!(home.refused(&["write", "/workspace/d", "x"]), (6, "is_a_directory".into()));
    assert_eq!(home.refused(&["write", "/workspace/d/a/b", "x"]), (6, "not_a_directory".into()));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::process::{Command, Stdio};

    let home = Home::new();
    home.file("big", &"line\n".repeat(200_000));
    home.ok(&["write", "/workspace/big", "--file", "big"]);
    let mut child = Command::new(env!("CARGO_BIN_EXE_skillmount"))
        .args(["cat", "/workspace/big"])
        .env("XDG_DATA_HOME", home.path().join("data"))
        .current_dir(home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

// S-CLI-1: The exit status is that of the error's kind, and 1 if `grep` finds nothing, `fsck` finds an error, or `test`
// misses a skill.
#[test]
fn a_search_that_finds_nothing_has_its_own_exit_status() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    for form in [&[][..], &["-l"], &["--count"]] {
        let hit = home.run(&[&["grep", "Pasos"], form].concat());
        assert_eq!((hit.status.code(), hit.stdout.is_empty()), (Some(0), false), "{form:?}");
        let none = home.run(&[&["grep", "no such words"], form].concat());
        assert_eq!((none.status.code(), none.stdout.as_slice()), (Some(1), &b""[..]), "{form:?}");
        assert_eq!(String::from_utf8_lossy(&none.stderr), "no line matches\n");
    }
    let json = home.run(&["grep", "no such words", "--json"]);
    assert_eq!((json.status.code(), json.stderr.as_slice()), (Some(1), &b""[..]));
    let reply: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(reply["matches"], json!([]));
}

#[test]
fn a_command_answers_to_the_names_that_people_type() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    for (typed, meant) in [
        (&["search", "notas"][..], &["skills", "discover", "notas"][..]),
        (&["skills", "search", "notas"], &["skills", "discover", "notas"]),
        (&["skills", "ls"], &["skills", "list"]),
        (&["session", "ls"], &["session", "list"]),
        (&["read", "/skills/notas/SKILL.md"], &["cat", "/skills/notas/SKILL.md"]),
        (&["config", "list"], &["config", "show"]),
    ] {
        assert_eq!(home.ok(typed), home.ok(meant), "{typed:?}");
    }
    home.ok(&["write", "/workspace/a", "x"]);
    home.ok(&["rename", "/workspace/a", "/workspace/b"]);
    assert_eq!(home.ok(&["delete", "/workspace/b"]), "deleted /workspace/b (1 file)\n");
}

// S-CLI-2: With `--json` a list is a named member of one document, as over HTTP.
#[test]
fn every_list_is_a_named_member_of_one_document() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    home.ok(&["write", "/workspace/a", "x"]);
    let made = home.json(&["keys", "new"]);
    home.file("keys.toml", made["entry"].as_str().unwrap());
    for (arguments, member) in [
        (&["skills", "list"][..], "skills"),
        (&["skills", "discover", "notas"], "skills"),
        (&["session", "list"], "sessions"),
        (&["config", "show"], "settings"),
        (&["keys", "list", "--keys", "keys.toml"], "keys"),
        (&["doctor"], "checks"),
        (&["ls", "/workspace"], "entries"),
        (&["glob", "*"], "matches"),
        (&["grep", "x"], "matches"),
    ] {
        let list = home.json(arguments);
        assert!(list[member].as_array().is_some_and(|list| !list.is_empty()), "{arguments:?}: {list}");
    }
    let nobody = home.json(&["--user", "nobody", "session", "list"]);
    assert_eq!(nobody["sessions"], json!([]), "nothing is a document as well");
}

#[test]
fn an_empty_list_says_what_to_do_next_and_never_to_a_script() {
    let home = Home::new();
    for (arguments, advice) in [
        (&["skills", "list"][..], "`skillmount push DIR`"),
        (&["skills", "list", "--category", "none"], "`skillmount skills list` shows all"),
        (&["session", "list"], "`skillmount skills load SKILL`"),
        (&["skills", "discover", "contracts"], "No matching skills found."),
        (&["glob", "*.md"], "`skillmount ls`"),
    ] {
        let output = home.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.stdout.is_empty() && said.contains(advice), "{arguments:?}: {said}");
        let quiet = home.run(&[arguments, &["--json"]].concat());
        assert_eq!(String::from_utf8_lossy(&quiet.stderr), "", "{arguments:?}");
    }
}

#[test]
fn a_person_is_told_in_words_of_the_command_line() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    home.ok(&["write", "/workspace/a", "x x"]);
    home.file("b", "a\0b");
    home.ok(&["write", "/workspace/b", "--file", "b", "--overwrite"]);
    for (arguments, words) in [
        (&["cat", "/skills/other/SKILL.md"][..], "once `skillmount skills load` has loaded it"),
        (&["cat", "/workspace/none"], "Files live below /workspace"),
        (&["ls", "/workspace/a"], "`skillmount cat` prints it"),
        (&["cat", "/workspace"], "`skillmount ls` lists it"),
        (&["cat", "/workspace/b", "--limit", "1"], "`skillmount cat PATH > FILE`"),
        (&["write", "/workspace/a", "y"], "`write --overwrite` replaces a file"),
        (&["edit", "/workspace/a", "x", "y"], "--all replaces every one"),
        (&["edit", "/workspace/a", "", "y"], "`skillmount write` makes a new file"),
        (&["grep", "("], "-F takes it as plain text"),
        (&["skills", "discover", "notas"], "`skillmount skills load SKILL`"),
    ] {
        let output = home.run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(words), "{arguments:?}: {said}");
        for model in ["load_skill", "discover_skills", "overwrite: true", "literal: true", "replace_all", "old_string"]
        {
            assert!(!said.contains(model), "{arguments:?}: {said}");
        }
    }
}
