//! `lint` and `new`: what is wrong with the skills of a folder or a store, and what is fixed.

use serde_json::{Value, json};

use super::{Home, skill};

#[test]
fn lint_tells_place_and_code_and_fails_on_errors_only() {
    let home = Home::with_skills();
    assert_eq!(home.ok(&["lint", "skills"]), "2 skills, 0 errors, 0 warnings\n");
    assert_eq!(home.ok(&["lint", "store"]), "2 skills, 0 errors, 0 warnings\n");
    home.file("bad/SKILL.md", "---\nname: bad\n---\n");
    let output = home.run(&["lint", "bad"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("bad/SKILL.md") && text.contains("error: ") && text.contains("[description_missing]"),
        "{text}"
    );
    home.file("data/skillmount/me/skills/bad/SKILL.md", "---\nname: bad\n---\n");
    assert_eq!(home.run(&["lint", "bad"]).status.code(), Some(2));
    assert_eq!(home.run(&["lint", "store"]).status.code(), Some(2));
    home.ok(&["lint", "notas"]);
    assert_eq!(home.refused(&["lint", "nadie"]), (5, "skill_not_found".into()));
}

// S-QUALITY-1: A published skill gets a score of 0 to 100 with a reason for each missing point, and no score prevents
// publishing.
#[test]
fn lint_finds_hidden_characters_in_every_text_file_of_a_folder() {
    let home = Home::with_skills();
    let quality = || home.json(&["lint", "skills/notas", "--quality"])["skills"][0]["quality"].clone();
    let before = quality()["score"].as_i64().unwrap();
    home.file("skills/notas/references/how.md", "one\ntwo \u{e0041}\u{202e}\n");
    let output = home.run(&["lint", "skills/notas"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("references/how.md:2:5: warning: 2 invisible characters"), "{text}");
    let after = quality();
    assert_eq!(after["score"].as_i64().unwrap(), (before - 30).max(0));
    let reasons = after["reasons"].as_array().unwrap();
    let hidden = reasons.iter().find(|reason| reason["code"] == "hidden_characters").unwrap();
    assert!(hidden["message"].as_str().unwrap().starts_with("references/how.md, line 2: 2 invisible"), "{hidden}");
}

#[test]
fn lint_takes_a_skill_md_for_its_folder_and_names_one_that_is_spelled_otherwise() {
    let home = Home::with_skills();
    assert_eq!(home.ok(&["lint", "skills/notas/SKILL.md"]), "1 skill, 0 errors, 0 warnings\n");
    let fixed = home.json(&["lint", "skills/notas/SKILL.md", "--fix"])["skills"].clone();
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
fn a_fix_fixes_what_it_can_says_so_and_leaves_the_rest() {
    let home = Home::new();
    home.file("skills/notas/SKILL.md", "\u{feff}---\r\nname: Notas\r\ndescription: Use when: a\r\n---\r\nPasos.\r\n");
    home.file("skills/bad/SKILL.md", "---\r\nname: bad\r\n---\r\nPasos.\r\n");
    let output = home.run(&["lint", "skills", "--fix"]);
    assert_eq!(output.status.code(), Some(2), "what cannot be fixed still counts");
    let text = String::from_utf8(output.stdout).unwrap();
    for code in ["byte_order_mark", "carriage_return", "yaml_repaired", "name_invalid"] {
        let told = |line: &str| line.contains("notas/SKILL.md") && line.contains(": fixed: ") && line.contains(code);
        assert!(text.lines().any(told), "{code}: {text}");
    }
    assert!(text.contains("error: ") && text.contains("[description_missing]"), "{text}");
    let mended = "---\nname: notas\ndescription: \"Use when: a\"\n---\nPasos.\n";
    assert_eq!(home.read("skills/notas/SKILL.md"), mended);
    assert_eq!(home.read("skills/bad/SKILL.md"), "---\r\nname: bad\r\n---\r\nPasos.\r\n");
    assert_eq!(std::fs::read_dir(home.path().join("skills/notas")).unwrap().count(), 1);
    let again = home.json(&["lint", "skills/notas", "--fix"])["skills"].clone();
    assert_eq!((&again[0]["mended"], &again[0]["findings"]), (&json!(null), &json!([])));
    assert_eq!(home.refused(&["lint", "store", "--fix"]), (2, "invalid_request".into()));
}

#[cfg(unix)]
#[test]
fn a_fix_writes_only_what_it_reports_and_leaves_permissions_as_they_are() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let home = Home::new();
    home.file("one/SKILL.md", "--- \nname: one\ndescription: d\n---\nPasos");
    home.file("two/SKILL.md", "---\nname: dos\ndescription: d\n---\nPasos");
    let meta = |name: &str| std::fs::metadata(home.path().join(name).join("SKILL.md")).unwrap();
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(home.path().join("two/SKILL.md"), private).unwrap();
    let untouched = meta("one").ino();
    assert_eq!(home.json(&["lint", "one", "--fix"])["skills"][0]["mended"], json!(null));
    assert_eq!(meta("one").ino(), untouched);
    assert_eq!(home.json(&["lint", "two", "--fix"])["skills"][0]["mended"][0]["code"], "name_differs");
    assert_eq!(meta("two").mode() & 0o777, 0o600);
    assert_eq!(home.read("two/SKILL.md"), "---\nname: two\ndescription: d\n---\nPasos");
}

// S-AUTHOR-5: A secret, and a placeholder as description, are errors of lint, so that `push` leaves the skill behind.
#[test]
fn a_new_skill_is_pushed_once_it_is_described_and_takes_nobodys_place() {
    let home = Home::new();
    let made = home.json(&["new", "compraventa", "--into", "skills/escrituras"]);
    assert_eq!(made, json!({ "skill": "compraventa", "file": "skills/escrituras/compraventa/SKILL.md" }));
    let output = home.run(&["lint", "skills"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("SKILL.md:3:1: error: ") && told.contains("[description_placeholder]"), "{told}");
    assert!(told.contains("SKILL.md:6:1: warning: ") && told.contains("[body_placeholder]"), "{told}");
    assert_eq!((output.status.code(), home.run(&["push", "skills"]).status.code()), (Some(2), Some(2)));
    let file = "skills/escrituras/compraventa/SKILL.md";
    let described = home.read(file).replace("Says what this skill does.", "Prepara la escritura.");
    assert_eq!(home.run(&["push", "skills"]).status.code(), Some(2), "half of the placeholder is left");
    home.file(file, &described.replace("Use when the task calls for it; name the words that people use for it.", ""));
    home.ok(&["push", "skills"]);
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["skill"], "escrituras/compraventa");
    home.file(file, "mine");
    let again = ["new", "compraventa", "--into", "skills/escrituras"];
    assert_eq!(home.refused(&again), (6, "already_exists".into()));
    assert_eq!(home.read(file), "mine");
    home.ok(&["new", "notas", "--description", "Toma notas: \"rápido\"."]);
    home.ok(&["lint", "notas"]);
    for name in ["../notas", "Notas", "a/b", ""] {
        assert_eq!(home.refused(&["new", name]), (2, "invalid_request".into()), "{name}");
    }
}

// S-AUTHOR-15: Secrets are `.env` files, files named as private keys, and random-looking text in the form of a private
// key or a token.
// S-AUTHOR-2: The input of `push` and `lint` depends on the folder alone, and never lies outside it.
#[test]
fn secrets_are_found_in_every_file_and_are_not_pushed() {
    let home = Home::with_skills();
    // Drawn for this test; the halves keep others from finding it here.
    let token = format!("ghp_{}{}", "tQ8mZr2LxW5cVb7N", "aKd3JfYh6GpS9uEe4RiO");
    home.file("skills/notas/scripts/run.sh", &format!("#!/bin/sh\nexport TOKEN={token}\n"));
    home.file("skills/notas/.env", "A=1\n");
    home.file("skills/notas/page.pdf", &format!("%PDF-1.4\n{token}\n"));
    let output = home.run(&["lint", "skills"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.starts_with("notas: 2 errors\n  skills/notas/.env: error: "), "{told}");
    assert!(told.contains("\n  skills/notas/scripts/run.sh:2:14: error: here is a token of GitHub"), "{told}");
    assert!(told.ends_with("\n2 skills, 2 errors, 0 warnings\n") && !told.contains(&token), "{told}");
    assert_eq!(home.run(&["push", "skills"]).status.code(), Some(3));
    assert!(!home.path().join("data/skillmount/me/skills/notas/.env").exists());
    home.file("skills/.gitignore", ".env\nscripts/\n");
    home.ok(&["lint", "skills", "--strict"]);
    home.ok(&["push", "skills"]);
    assert!(!home.path().join("data/skillmount/me/skills/notas/.env").exists());
    assert_eq!(home.run(&["lint", "skills", "--no-ignore"]).status.code(), Some(2));
    assert_eq!(home.run(&["push", "skills", "--no-ignore"]).status.code(), Some(3));
    home.file("data/skillmount/me/skills/notas/.env", "A=1\n");
    assert_eq!(home.run(&["lint", "store"]).status.code(), Some(2), "the name of a file tells in the store too");
}

#[test]
fn findings_are_grouped_by_skill_summed_up_and_named_as_the_folder_was() {
    let home = Home::new();
    home.file("skills/a/SKILL.md", "---\r\nname: A\r\ndescription: d\r\nversion: 1\r\n---\r\nBody.\r\n");
    home.file("skills/b/SKILL.md", "---\nname: b\n---\nBody.\n");
    home.file("skills/c/SKILL.md", &skill("c", "Does c."));
    let told = String::from_utf8(home.run(&["lint", "./skills"]).stdout).unwrap();
    let lines: Vec<_> = told.lines().collect();
    assert_eq!((lines[0], lines.len()), ("a: 2 errors, 2 warnings", 8), "{told}");
    assert!(lines[1..5].iter().all(|line| line.starts_with("  ./skills/a/SKILL.md:")), "{told}");
    let marked: Vec<_> = lines[1..5].iter().filter(|line| line.ends_with("] (--fix)")).collect();
    assert!(marked.len() == 3 && marked.iter().all(|line| !line.contains("version")), "{told}");
    assert_eq!(lines[5], "b: 1 error");
    assert!(!lines[6].contains("--fix"), "{told}");
    assert_eq!(lines[7], "3 skills, 3 errors, 2 warnings, 3 can be fixed with --fix");
    let listed = home.run(&["lint", "./skills", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let fixable = |skill: usize| {
        let findings = listed["skills"][skill]["findings"].as_array().unwrap();
        findings.iter().filter(|finding| finding["fixable"] == true).count()
    };
    assert_eq!((fixable(0), fixable(1)), (3, 0), "{listed}");
    let here = |arguments: &[&str]| home.typed(arguments).in_folder(home.path().join("skills")).run();
    for arguments in [["lint"].as_slice(), &["lint", "."]] {
        let told = String::from_utf8(here(arguments).stdout).unwrap();
        assert!(told.contains("\n  a/SKILL.md:1:1: "), "{told}");
    }
    let told =
        String::from_utf8(home.typed(&["lint", "SKILL.md"]).in_folder(home.path().join("skills/b")).run().stdout)
            .unwrap();
    assert!(told.starts_with("b: 1 error\n  SKILL.md:"), "{told}");
}

#[test]
fn a_diff_is_the_patch_that_a_fix_would_be_and_changes_nothing() {
    let home = Home::new();
    let before = "---\r\nname: A\r\ndescription: Use when: a\r\n---\r\nBody.\r\n";
    home.file("skills/a/SKILL.md", before);
    home.file("skills/c/SKILL.md", &skill("c", "Does c."));
    let output = home.run(&["lint", "skills", "--diff"]);
    let patch = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "the file is as it was");
    assert!(patch.starts_with("--- skills/a/SKILL.md\n+++ skills/a/SKILL.md\n@@ -1,5 +1,5 @@\n"), "{patch}");
    assert!(
        patch.contains("\n-name: A\r\n") && patch.contains("\n+name: a\n+description: \"Use when: a\"\n"),
        "{patch}"
    );
    assert!(
        String::from_utf8(output.stderr).unwrap().starts_with("2 skills, "),
        "the closing line is beside the patch"
    );
    assert_eq!(home.read("skills/a/SKILL.md"), before);
    home.ok(&["lint", "skills", "--fix"]);
    assert_eq!(home.ok(&["lint", "skills", "--diff"]), "");
    for other in [
        ["lint", "skills", "--diff", "--fix"],
        ["lint", "skills", "--diff", "--json"],
        ["lint", "store", "--diff", "-v"],
    ] {
        assert_eq!(home.run(&other).status.code(), Some(2), "{other:?}");
    }
}

#[test]
fn sarif_has_the_structure_of_the_standard() {
    let home = Home::new();
    home.file("skills/a b/SKILL.md", "---\nname: x\nversion: 1\n---\nBody.\n");
    home.file("skills/c/SKILL.md", &skill("c", "Does c."));
    home.file("skills/c/.env", "A=1");
    let output = home.run(&["lint", "skills", "--format", "sarif"]);
    assert_eq!(output.status.code(), Some(2));
    let log: Value = serde_json::from_slice(&output.stdout).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(
        (keys(&log), &log["version"]),
        (vec!["$schema".into(), "version".into(), "runs".into()], &json!("2.1.0"))
    );
    let run = &log["runs"][0];
    assert_eq!(
        (keys(run), &run["columnKind"]),
        (vec!["tool".into(), "columnKind".into(), "results".into()], &json!("unicodeCodePoints"))
    );
    let driver = &run["tool"]["driver"];
    assert_eq!((&driver["name"], driver["version"].is_string()), (&json!("skillmount"), true));
    let rules: Vec<_> = driver["rules"].as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(rules, ["description_missing", "name_differs", "secret_file", "unknown_field"]);
    assert!(driver["rules"].as_array().unwrap().iter().all(|rule| rule["shortDescription"]["text"].is_string()));
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 4, "{run}");
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(result["ruleId"], rules[index]);
        assert!(
            ["error", "warning"].contains(&result["level"].as_str().unwrap()) && result["message"]["text"].is_string()
        );
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert_eq!(uri, if result["ruleId"] == "secret_file" { "skills/c/.env" } else { "skills/a%20b/SKILL.md" });
        if let Some(region) = place.get("region") {
            assert!(
                region["startLine"].as_u64().unwrap() >= 1 && region["startColumn"].as_u64().is_none_or(|at| at >= 1)
            );
        }
    }
    let [json, text] = ["json", "text"].map(|format| home.run(&["lint", "skills", "--format", format]).stdout);
    assert_eq!((json, text), (home.run(&["lint", "skills", "--json"]).stdout, home.run(&["lint", "skills"]).stdout));
    home.file("skills/only/SKILL.md", &skill("only", "Does it."));
    let clean: Value = serde_json::from_str(&home.ok(&["lint", "skills/only", "--format", "sarif"])).unwrap();
    assert_eq!((&clean["runs"][0]["results"], &clean["runs"][0]["tool"]["driver"]["rules"]), (&json!([]), &json!([])));
    assert_eq!(home.run(&["lint", "skills", "--format", "sarif", "--json"]).status.code(), Some(2));
}

// S-AUTHOR-14: `push` and `lint` follow only a link that the caller names; a link to a folder is the finding
// `link_not_followed`.
#[cfg(unix)]
#[test]
fn a_link_to_a_skill_is_told_and_not_followed() {
    let home = Home::new();
    home.file("elsewhere/actas/SKILL.md", &skill("actas", "Redacta actas."));
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma notas."));
    std::os::unix::fs::symlink("../elsewhere/actas", home.path().join("skills/actas")).unwrap();
    let told = home.ok(&["lint", "skills"]);
    assert!(
        told.starts_with("actas: 1 warning\n  skills/actas: warning: this is a link to ../elsewhere/actas, and"),
        "{told}"
    );
    assert_eq!(home.run(&["lint", "skills", "--strict"]).status.code(), Some(2));
    let output = home.run(&["push", "skills"]);
    let noted = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && noted.contains("skills/actas: passed over: this is a link"), "{noted}");
    assert_eq!(home.json(&["skills", "list"])["total"], 1);
    // One that is named is meant.
    home.ok(&["push", "skills/actas"]);
    assert_eq!(home.json(&["skills", "list"])["total"], 2);
}
