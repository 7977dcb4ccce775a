//! Folders to and from the store: push, pull, lint, doctor.

use serde_json::json;

use super::{Home, skill};

#[test]
fn a_push_sends_only_what_changed() {
    let home = Home::with_skills();
    let again = home.json(&["push", "skills"]);
    assert_eq!((&again[0]["unchanged"], &again[0]["updated"]), (&json!(2), &json!([])));
    // The same size with other content, another size, and a new file.
    home.file("skills/escrituras/compraventa/resources/ejemplo.md", "uno\ndos señal\ntre\n");
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.file("skills/notas/extra.md", "x");
    let pushed = home.json(&["push", "skills"]);
    assert_eq!(pushed[0]["updated"], json!(["resources/ejemplo.md"]));
    assert_eq!((&pushed[1]["updated"], &pushed[1]["created"]), (&json!(["SKILL.md"]), &json!(["extra.md"])));
    let stored = home.read("data/skillmount/me/skills/escrituras/compraventa/resources/ejemplo.md");
    assert_eq!(stored, "uno\ndos señal\ntre\n");
}

#[test]
fn a_dry_run_says_the_same_and_changes_nothing() {
    let home = Home::new();
    home.file("one/SKILL.md", &skill("one", "Does one thing."));
    let planned = home.json(&["push", "one", "--into", "cat", "--dry-run"]);
    assert_eq!((&planned[0]["skill"], &planned[0]["created"]), (&json!("cat/one"), &json!(["SKILL.md"])));
    assert_eq!(home.json(&["skills", "list"])["skills"], json!([]));
    assert_eq!(home.json(&["push", "one", "--into", "cat"]), planned);
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["skill"], "cat/one");
}

#[test]
fn files_that_are_gone_stay_until_delete_is_given() {
    let home = Home::with_skills();
    std::fs::remove_file(home.path().join("skills/escrituras/compraventa/resources/ejemplo.md")).unwrap();
    assert_eq!(home.json(&["push", "skills"])[0]["kept"], json!(["resources/ejemplo.md"]));
    assert_eq!(home.json(&["push", "skills", "--delete"])[0]["deleted"], json!(["resources/ejemplo.md"]));
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["files"], 1);
}

#[test]
fn a_broken_skill_is_refused_unless_forced() {
    let home = Home::new();
    home.file("bad/SKILL.md", "no frontmatter");
    assert_eq!(home.refused(&["push", "bad"]), (2, "invalid_request".into()));
    home.ok(&["push", "bad", "--force"]);
    assert_eq!(home.json(&["skills", "list"])["diagnostics"][0]["skill"], "bad");
}

#[test]
fn a_push_with_an_error_of_lint_sends_nothing_and_says_where_and_how_to_go_on() {
    let home = Home::new();
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    home.file("skills/notas/SKILL.md", "---\nname: Notas\ndescription: Use when: a\nversion: 1\n---\nPasos.\n");
    home.file("skills/almost/skill.md", &skill("almost", "Is none."));
    for arguments in [["push", "skills"].as_slice(), &["push", "skills", "--dry-run"]] {
        let output = home.run(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(2), b"".as_slice()), "{told}");
        for line in ["skills/notas/SKILL.md:2:1: error: ", "notas/SKILL.md:3:14: error: ", "[yaml_repaired]"] {
            assert!(told.contains(line), "{line}: {told}");
        }
        assert!(told.contains("almost/skill.md: error: ") && told.contains("[file_misnamed]"), "{told}");
        assert!(told.contains("--fix") && told.contains("--force") && !told.contains("unknown_field"), "{told}");
    }
    let problem = home.run(&["push", "skills", "--json"]).stderr;
    let problem: serde_json::Value = serde_json::from_slice(&problem).unwrap();
    assert_eq!(problem["findings"][1]["findings"][0]["line"], 2, "{problem}");
    assert_eq!(home.json(&["skills", "list"])["skills"], json!([]));
    let output = home.run(&["push", "skills", "--force"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("3 error(s) and 1 warning(s)"), "{told}");
    assert!(told.contains("almost/skill.md: passed over: "), "{told}");
    assert_eq!(home.json(&["skills", "list"])["skills"].as_array().unwrap().len(), 2);
    std::fs::rename(home.path().join("skills/almost/skill.md"), home.path().join("skills/almost/SKILL.md")).unwrap();
    home.ok(&["lint", "skills", "--fix"]);
    let pushed = home.json(&["push", "skills"]);
    assert_eq!((&pushed[2]["errors"], &pushed[2]["warnings"]), (&json!(0), &json!(1)));
}

#[test]
fn what_was_pushed_is_pulled_and_only_what_changed_is_written() {
    let home = Home::with_skills();
    let pulled = home.json(&["pull", "out"]);
    assert_eq!(pulled[0]["created"].as_array().unwrap().len(), 2);
    for file in ["escrituras/compraventa/SKILL.md", "escrituras/compraventa/resources/ejemplo.md", "notas/SKILL.md"] {
        assert_eq!(home.read(&format!("out/{file}")), home.read(&format!("skills/{file}")), "{file}");
    }
    home.file("out/notas/SKILL.md", "mine");
    assert_eq!(home.json(&["pull", "notas", "out", "--dry-run"])[0]["updated"], json!(["notas/SKILL.md"]));
    assert_eq!(home.read("out/notas/SKILL.md"), "mine");
    let again = home.json(&["pull", "out"]);
    assert_eq!((&again[0]["unchanged"], &again[1]["updated"]), (&json!(2), &json!(["notas/SKILL.md"])));
    assert_eq!(home.read("out/notas/SKILL.md"), home.read("skills/notas/SKILL.md"));
    assert_eq!(home.refused(&["pull", "nadie", "out"]), (5, "skill_not_found".into()));
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

#[test]
fn push_and_pull_say_that_they_need_a_store() {
    let home = Home::new();
    home.file("one/SKILL.md", &skill("one", "Does one thing."));
    for arguments in
        [["--server", "http://127.0.0.1:9", "push", "one"], ["--server", "http://127.0.0.1:9", "pull", "out"]]
    {
        let output = home.run(&arguments);
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8(output.stderr).unwrap().contains("--store"));
    }
}

#[test]
fn lint_tells_place_and_code_and_fails_on_errors_only() {
    let home = Home::with_skills();
    assert!(home.ok(&["lint", "skills"]).ends_with("2 skill(s) checked, 2 without findings\n"));
    assert!(home.ok(&["lint", "store"]).ends_with("2 skill(s) checked, 2 without findings\n"));
    home.file("bad/SKILL.md", "---\nname: bad\n---\n");
    let output = home.run(&["lint", "bad"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("bad/SKILL.md") && text.contains("error: ") && text.contains("[description_missing]"),
        "{text}"
    );
    home.ok(&["push", "bad", "--force"]);
    assert_eq!(home.run(&["lint", "bad"]).status.code(), Some(2));
    assert_eq!(home.run(&["lint", "store"]).status.code(), Some(2));
    home.ok(&["lint", "notas"]);
    assert_eq!(home.refused(&["lint", "nadie"]), (5, "skill_not_found".into()));
}

#[test]
fn lint_takes_a_skill_md_for_its_folder_and_names_one_that_is_spelled_otherwise() {
    let home = Home::with_skills();
    assert!(home.ok(&["lint", "skills/notas/SKILL.md"]).ends_with("1 skill(s) checked, 1 without findings\n"));
    let fixed = home.json(&["lint", "skills/notas/SKILL.md", "--fix"]);
    assert_eq!((&fixed[0]["skill"], &fixed[0]["findings"]), (&json!("notas"), &json!([])));
    assert_eq!(
        home.refused(&["lint", "skills/escrituras/compraventa/resources/ejemplo.md"]),
        (2, "invalid_request".into())
    );
    home.file("almost/skill.md", &skill("almost", "Is none."));
    for target in ["almost", "almost/skill.md"] {
        let output = home.run(&["lint", target]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.code() == Some(2) && text.contains("[file_misnamed]"), "{text}");
    }
    home.file("data/skillmount/me/skills/almost/skill.md", &skill("almost", "Is none."));
    assert_eq!(home.json(&["skills", "list", "--fresh"])["diagnostics"][0]["code"], "file_misnamed");
}

#[test]
fn doctor_finds_nothing_wrong_with_a_folder_and_says_what_is_wrong_elsewhere() {
    let home = Home::new();
    let checks = home.json(&["doctor"])["checks"].clone();
    let names: Vec<_> = checks.as_array().unwrap().iter().map(|check| check["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["configuration", "store", "conditional writes", "clock", "put", "get", "list", "skills"]);
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
    assert!(text.starts_with("fail  server") && text.contains("to mend it: "), "{text}");
    let advice = String::from_utf8(output.stderr).unwrap();
    assert!(!advice.contains("skillmount doctor"), "doctor does not send to doctor: {advice}");
}

#[test]
fn a_fix_mends_what_it_can_says_so_and_leaves_the_rest() {
    let home = Home::new();
    home.file("skills/notas/SKILL.md", "\u{feff}---\r\nname: Notas\r\ndescription: Use when: a\r\n---\r\nPasos.\r\n");
    home.file("skills/bad/SKILL.md", "---\r\nname: bad\r\n---\r\nPasos.\r\n");
    let output = home.run(&["lint", "skills", "--fix"]);
    assert_eq!(output.status.code(), Some(2), "what cannot be mended still counts");
    let text = String::from_utf8(output.stdout).unwrap();
    for code in ["byte_order_mark", "carriage_return", "yaml_repaired", "name_invalid"] {
        let told = |line: &str| line.contains("notas/SKILL.md") && line.contains(": mended: ") && line.contains(code);
        assert!(text.lines().any(told), "{code}: {text}");
    }
    assert!(text.contains("error: ") && text.contains("[description_missing]"), "{text}");
    let mended = "---\nname: notas\ndescription: \"Use when: a\"\n---\nPasos.\n";
    assert_eq!(home.read("skills/notas/SKILL.md"), mended);
    assert_eq!(home.read("skills/bad/SKILL.md"), "---\r\nname: bad\r\n---\r\nPasos.\r\n");
    assert_eq!(std::fs::read_dir(home.path().join("skills/notas")).unwrap().count(), 1);
    let again = home.json(&["lint", "skills/notas", "--fix"]);
    assert_eq!((&again[0]["mended"], &again[0]["findings"]), (&json!(null), &json!([])));
    assert_eq!(home.refused(&["lint", "store", "--fix"]), (2, "invalid_request".into()));
}

#[cfg(unix)]
#[test]
fn a_fix_writes_only_what_it_tells_and_leaves_permissions_as_they_are() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let home = Home::new();
    home.file("one/SKILL.md", "--- \nname: one\ndescription: d\n---\nPasos");
    home.file("two/SKILL.md", "---\nname: dos\ndescription: d\n---\nPasos");
    let meta = |name: &str| std::fs::metadata(home.path().join(name).join("SKILL.md")).unwrap();
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(home.path().join("two/SKILL.md"), private).unwrap();
    let untouched = meta("one").ino();
    assert_eq!(home.json(&["lint", "one", "--fix"])[0]["mended"], json!(null));
    assert_eq!(meta("one").ino(), untouched);
    assert_eq!(home.json(&["lint", "two", "--fix"])[0]["mended"][0]["code"], "name_differs");
    assert_eq!(meta("two").mode() & 0o777, 0o600);
    assert_eq!(home.read("two/SKILL.md"), "---\nname: two\ndescription: d\n---\nPasos");
}

#[test]
fn a_new_skill_passes_lint_and_takes_nobodys_place() {
    let home = Home::new();
    let made = home.json(&["new", "compraventa", "--into", "skills/escrituras"]);
    assert_eq!(made, json!({ "skill": "compraventa", "file": "skills/escrituras/compraventa/SKILL.md" }));
    home.ok(&["lint", "skills", "--strict"]);
    home.ok(&["push", "skills"]);
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["skill"], "escrituras/compraventa");
    home.file("skills/escrituras/compraventa/SKILL.md", "mine");
    let again = ["new", "compraventa", "--into", "skills/escrituras"];
    assert_eq!(home.refused(&again), (6, "already_exists".into()));
    assert_eq!(home.read("skills/escrituras/compraventa/SKILL.md"), "mine");
    home.ok(&["new", "notas"]);
    assert!(home.path().join("notas/SKILL.md").exists());
    for name in ["../notas", "Notas", "a/b", ""] {
        assert_eq!(home.refused(&["new", name]), (2, "invalid_request".into()), "{name}");
    }
}
