//! `push`: what is sent, what stays behind, and what is said of it.

use serde_json::json;

use super::{Home, skill};

#[test]
fn a_push_sends_only_what_changed() {
    let home = Home::with_skills();
    let again = home.json(&["push", "skills"])["skills"].clone();
    assert_eq!((&again[0]["unchanged"], &again[0]["updated"]), (&json!(2), &json!([])));
    // The same size with other content, another size, and a new file.
    home.file("skills/escrituras/compraventa/resources/ejemplo.md", "uno\ndos señal\ntre\n");
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.file("skills/notas/extra.md", "x");
    let pushed = home.json(&["push", "skills"])["skills"].clone();
    assert_eq!(pushed[0]["updated"], json!(["resources/ejemplo.md"]));
    assert_eq!((&pushed[1]["updated"], &pushed[1]["created"]), (&json!(["SKILL.md"]), &json!(["extra.md"])));
    let stored = home.read("data/skillmount/me/skills/escrituras/compraventa/resources/ejemplo.md");
    assert_eq!(stored, "uno\ndos señal\ntre\n");
}

#[test]
fn a_dry_run_says_the_same_and_changes_nothing() {
    let home = Home::new();
    home.file("one/SKILL.md", &skill("one", "Does one thing."));
    let planned = home.json(&["push", "one", "--into", "cat", "--dry-run"])["skills"].clone();
    assert_eq!((&planned[0]["skill"], &planned[0]["created"]), (&json!("cat/one"), &json!(["SKILL.md"])));
    assert_eq!(home.json(&["skills", "list"])["skills"], json!([]));
    assert_eq!(home.json(&["push", "one", "--into", "cat"])["skills"].clone(), planned);
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["skill"], "cat/one");
}

#[test]
fn files_that_are_gone_stay_until_delete_is_given() {
    let home = Home::with_skills();
    std::fs::remove_file(home.path().join("skills/escrituras/compraventa/resources/ejemplo.md")).unwrap();
    assert_eq!(home.json(&["push", "skills"])["skills"][0]["kept"], json!(["resources/ejemplo.md"]));
    assert_eq!(home.json(&["push", "skills", "--delete"])["skills"][0]["deleted"], json!(["resources/ejemplo.md"]));
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["files"], 1);
}

// S-AUTHOR-1: `push` sends each skill in which lint finds no error, names the others with their errors, and ends with status 2
// if one stayed behind.
#[test]
fn a_skill_with_an_error_of_lint_stays_behind_and_the_others_are_sent() {
    let home = Home::new();
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    home.file("skills/notas/SKILL.md", "---\nname: Notas\ndescription: Use when: a\nversion: 1\n---\nPasos.\n");
    home.file("skills/almost/skill.md", &skill("almost", "Is none."));
    for (arguments, sent) in [(["push", "skills", "--dry-run"].as_slice(), false), (&["push", "skills"], true)] {
        let output = home.run(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        for line in ["skills/notas/SKILL.md:2:1: error: ", "notas/SKILL.md:3:14: error: ", "[yaml_repaired]"] {
            assert!(told.contains(line), "{line}: {told}");
        }
        assert!(told.contains("almost/skill.md: error: ") && told.contains("[file_misnamed]"), "{told}");
        assert!(told.contains("--fix") && told.contains("--force") && !told.contains("unknown_field"), "{told}");
        assert!(told.contains("error: 2 skills stayed behind, because lint finds 4 errors: "), "{told}");
        let plan = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<_> = plan.lines().collect();
        let expected = ["almost: refused, 1 error", "good: new, 1 file", "  + SKILL.md", "notas: refused, 3 errors"];
        assert_eq!(lines[..4], expected, "{plan}");
        let change =
            if sent { "; 1 changed; 2 skills refused" } else { "; 1 would change (dry run); 2 skills refused" };
        assert!(lines[4].starts_with("1 skill, 1 file, ") && lines[4].ends_with(change) && lines.len() == 5, "{plan}");
        let there = home.json(&["skills", "list"]);
        assert_eq!(there["total"], i32::from(sent));
    }
    let output = home.run(&["push", "skills", "--json"]);
    let problem: serde_json::Value = serde_json::from_slice(&output.stderr).unwrap();
    assert_eq!(problem["findings"][1]["findings"][0]["line"], 2, "{problem}");
    let pushed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let statuses: Vec<_> =
        pushed["skills"].as_array().unwrap().iter().map(|one| (&one["skill"], &one["status"])).collect();
    let expected = json!([["almost", "refused"], ["good", "unchanged"], ["notas", "refused"]]);
    assert_eq!(json!(statuses), expected);
}

#[test]
fn force_sends_what_has_errors_and_says_so() {
    let home = Home::new();
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    home.file("skills/notas/SKILL.md", "---\nname: Notas\ndescription: Use when: a\nversion: 1\n---\nPasos.\n");
    home.file("skills/almost/skill.md", &skill("almost", "Is none."));
    let output = home.run(&["push", "skills", "--force"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("3 errors and 1 warning"), "{told}");
    assert!(told.contains("almost/skill.md: passed over: "), "{told}");
    assert_eq!(home.json(&["skills", "list"])["skills"].as_array().unwrap().len(), 2);
    std::fs::rename(home.path().join("skills/almost/skill.md"), home.path().join("skills/almost/SKILL.md")).unwrap();
    home.ok(&["lint", "skills", "--fix"]);
    let pushed = home.json(&["push", "skills"])["skills"].clone();
    assert_eq!((&pushed[2]["errors"], &pushed[2]["warnings"]), (&json!(0), &json!(1)));
    home.file("bad/SKILL.md", "no frontmatter");
    let refused = home.run(&["push", "bad"]);
    assert!(refused.status.code() == Some(2) && refused.stdout.starts_with(b"bad: refused, 1 error\n0 skills, "));
    home.ok(&["push", "bad", "--force"]);
    assert_eq!(home.json(&["skills", "list"])["diagnostics"][0]["skill"], "bad");
}

#[test]
fn a_plan_tells_what_each_skill_would_become_and_what_delete_would_take() {
    let home = Home::with_skills();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.file("skills/nueva/SKILL.md", &skill("nueva", "Es nueva."));
    home.file("skills/nueva/a.md", "a");
    home.file("skills/same/SKILL.md", &skill("same", "Stays."));
    home.ok(&["push", "skills/same"]);
    std::fs::remove_file(home.path().join("skills/escrituras/compraventa/resources/ejemplo.md")).unwrap();
    let plan = home.ok(&["push", "skills", "--dry-run"]);
    let expected = "escrituras/compraventa: 1 unchanged, 1 only in the store, which --delete would take\n  ? \
                    resources/ejemplo.md\nnotas: 1 changed\n  ~ SKILL.md\nnueva: new, 2 files\n  + SKILL.md\n  + \
                    a.md\nsame: 1 unchanged\n4 skills, 5 files, ";
    assert!(plan.starts_with(expected) && plan.ends_with(" s; 3 would change (dry run)\n"), "{plan}");
    let plan = home.ok(&["push", "skills", "--dry-run", "--delete"]);
    assert!(plan.starts_with("escrituras/compraventa: 1 deleted, 1 unchanged\n  - resources/ejemplo.md\n"), "{plan}");
    assert!(plan.ends_with("; 4 would change (dry run)\n"), "{plan}");
    home.ok(&["push", "skills"]);
    let again = home.run(&["push", "skills"]);
    assert!(String::from_utf8(again.stdout).unwrap().ends_with(" s; 0 changed\n"));
    assert_eq!(again.stderr, b"", "no bar where stderr is no terminal");
}
