//! Runs over many skills: what is wrong with one of them is said of that one, and the others are pushed and pulled.

use std::{fs, os::unix::ffi::OsStrExt as _};

use serde_json::{Value, json};
use skillmount::limits::UPLOAD_FILE_BYTES;

use super::{Home, server::Server, skill};

/// The exit status, the rows by skill, and what is on stderr.
fn rows(home: &Home, arguments: &[&str]) -> (Option<i32>, Vec<(String, Value)>, String) {
    let output = home.run(&[arguments, &["--json"]].concat());
    let told = String::from_utf8(output.stderr).unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {told}"));
    let rows = document["skills"].as_array().unwrap().iter();
    let rows = rows.map(|row| (row["skill"].as_str().unwrap().to_owned(), row.clone())).collect();
    (output.status.code(), rows, told)
}

fn of<'rows>(rows: &'rows [(String, Value)], skill: &str) -> &'rows Value {
    &rows.iter().find(|(name, _)| name == skill).unwrap_or_else(|| panic!("{skill}: {rows:?}")).1
}

/// Makes the head of a skill in the store one that nobody can read.
fn damage_head(home: &Home, skill: &str) {
    let head = format!("data/skillmount/me/.skillmount/heads/{skill}.json");
    assert!(home.path().join(&head).exists(), "{head}");
    home.file(&head, "{");
}

// S-AUTHOR-1: `push` sends each skill in which lint finds no error, names the others with their errors, and ends with status 3
// if one stayed behind, or 2 if all did.
#[test]
fn what_lint_finds_wrong_with_one_skill_keeps_no_other_from_the_store() {
    let home = Home::new();
    let bad = |folder: &str, name: &str| home.file(&format!("skills/{folder}/SKILL.md"), &skill(name, "Is bad."));
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    bad("large", "large");
    let large = fs::File::create(home.path().join("skills/large/big.bin")).unwrap();
    large.set_len(UPLOAD_FILE_BYTES as u64 + 1).unwrap();
    bad("a\tb", "ab");
    let odd = home.path().join("skills").join(std::ffi::OsStr::from_bytes(b"odd\xff"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join("SKILL.md"), skill("odd", "Is odd.")).unwrap();
    bad("twins", "twins");
    home.file("skills/twins/Notes.md", "a");
    home.file("skills/twins/notes.md", "b");
    for (command, ends) in [("push", 3), ("lint", 2)] {
        let (status, rows, told) = rows(&home, &[command, "skills"]);
        assert_eq!((status, rows.len()), (Some(ends), 5), "{told}");
    }
    let (_, pushed, told) = rows(&home, &["push", "skills"]);
    let refused: Vec<_> = pushed.iter().filter(|(_, row)| row["status"] == "refused").collect();
    assert!(refused.len() == 4 && of(&pushed, "good")["status"] == "unchanged", "{pushed:?}");
    for code in ["version_too_large", "path_twins", "path_invalid"] {
        assert!(told.contains(code), "{code}: {told}");
    }
    assert_eq!(home.json(&["skills", "list"])["total"], 1);
}

// S-AUTHOR-11: `push` and `pull` continue after the error of one skill.
#[test]
fn a_push_that_fails_for_one_skill_goes_on_with_the_others_and_ends_with_the_gravest_status() {
    let mut home = Home::with_skills();
    home.leave_indexes_alone();
    home.file("more/after/SKILL.md", &skill("after", "Comes after."));
    home.file("more/memory/SKILL.md", &skill("memory", "Has a damaged memory."));
    home.file("more/memory/.skillmount.json", "{");
    home.file("more/notas/inner/SKILL.md", &skill("inner", "Lies in a skill of the store."));
    let (status, pushed, told) = rows(&home, &["push", "more"]);
    assert_eq!(of(&pushed, "after")["status"], "new", "{told}");
    let refusal = |skill: &str| of(&pushed, skill)["refusal"].clone();
    assert_eq!(refusal("memory")["code"], "invalid_request");
    assert!(refusal("memory")["message"].as_str().unwrap().contains(".skillmount.json is damaged"), "{told}");
    assert!(refusal("notas/inner")["code"].is_string(), "{pushed:?}");
    let problem: Value = serde_json::from_str(&told).unwrap();
    assert_eq!(problem["detail"], "2 skills were refused; the line of each says why");
    assert_eq!((status, &problem["code"]), (Some(6), &refusal("notas/inner")["code"]));

    damage_head(&home, "after");
    home.file("more/after/SKILL.md", &skill("after", "Comes after all."));
    home.file("more/zeta/SKILL.md", &skill("zeta", "Comes last."));
    let output = home.run(&["push", "more"]);
    let (shown, told) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(shown.contains("after: refused, the head of the skill after is damaged"), "{shown}");
    assert!(shown.contains("zeta: new, 1 file") && shown.contains("; 3 skills refused"), "{shown}");
    assert!(home.path().join("data/skillmount/me/skills/zeta/SKILL.md").exists());
}

// S-AUTHOR-11: `push` and `pull` continue after the error of one skill.
#[test]
fn a_pull_that_fails_for_one_skill_brings_the_others_and_lists_all() {
    let mut home = Home::with_skills();
    home.leave_indexes_alone();
    home.file("out/notas/SKILL.md", "mine");
    home.file("out/notas/.skillmount.json", "{");
    let (status, pulled, told) = rows(&home, &["pull", "out"]);
    assert_eq!((status, &of(&pulled, "notas")["refusal"]["code"]), (Some(2), &json!("invalid_request")), "{told}");
    assert_eq!(of(&pulled, "escrituras/compraventa")["created"].as_array().unwrap().len(), 2);
    assert_eq!(home.read("out/notas/SKILL.md"), "mine");
    let shown = String::from_utf8(home.run(&["pull", "out"]).stdout).unwrap();
    assert!(shown.contains("notas: refused, ") && shown.contains("; 1 skill refused"), "{shown}");

    damage_head(&home, "notas");
    let (status, pulled, told) = rows(&home, &["pull", "fresh"]);
    assert_eq!((status, &of(&pulled, "notas")["refusal"]["code"]), (Some(1), &json!("object_damaged")), "{told}");
    assert!(home.path().join("fresh/escrituras/compraventa/SKILL.md").exists());
}

// S-AUTHOR-22: An agent's key reads no whole skill that policy hides, and none whose load needs an approval.
#[test]
fn the_key_of_an_agent_pulls_what_it_may_read_and_a_push_with_it_stops_and_says_what_was_done() {
    let home = Home::with_skills();
    home.file("data/skillmount/me/.skillmount/policy.json", &json!({"skills": {"notas": "enabled"}}).to_string());
    let made = home.json(&["keys", "new", "--user", "me"]);
    home.file("keys.toml", made["entry"].as_str().unwrap());
    let server = Server::start(&home, &["--keys", "keys.toml"]);
    let with_key = ["--server", server.url.as_str(), "--api-key", made["key"].as_str().unwrap()];
    let (status, pulled, told) = rows(&home, &[with_key.as_slice(), &["pull", "out"]].concat());
    assert_eq!((status, &of(&pulled, "notas")["refusal"]["code"]), (Some(4), &json!("approval_required")), "{told}");
    assert_eq!(of(&pulled, "escrituras/compraventa")["created"].as_array().unwrap().len(), 2);

    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    let push = [with_key.as_slice(), &["push", "skills"]].concat();
    let (status, pushed, told) = rows(&home, &push);
    let problem: Value = serde_json::from_str(&told).unwrap();
    assert_eq!((status, &problem["code"], pushed.len()), (Some(4), &json!("denied"), 1), "{told}");
    assert_eq!(of(&pushed, "escrituras/compraventa")["status"], "unchanged");
    let told = String::from_utf8(home.run(&push).stderr).unwrap();
    assert!(told.contains("the push stopped, and nothing is known of 1 skill"), "{told}");
    // With nothing done, there is nothing but the error: such a key may not even read the skill, to tell what would change.
    let alone = [with_key.as_slice(), &["push", "skills/notas"]].concat();
    assert_eq!(home.refused(&alone), (4, "approval_required".to_owned()));
    home.file("alone/nueva/SKILL.md", &skill("nueva", "Es nueva."));
    let denied = [with_key.as_slice(), &["push", "alone"]].concat();
    assert_eq!(home.refused(&denied), (4, "denied".to_owned()), "a run that stopped at its first skill has no rows");
}

#[test]
fn a_pull_needs_a_folder_and_takes_each_skill_once() {
    let home = Home::with_skills();
    home.file("file.txt", "x");
    let refused = |arguments: &[&str], why: &str| {
        let output = home.run(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && output.stdout.is_empty() && told.contains(why), "{told}");
    };
    refused(&["pull", ""], "the last argument is empty");
    refused(&["pull", "file.txt"], "file.txt is a file");
    assert!(!home.path().join("notas").exists());
    let (status, pulled, _) = rows(&home, &["pull", "notas", "escrituras/compraventa", "notas", "out"]);
    let names: Vec<_> = pulled.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!((status, names), (Some(0), vec!["notas", "escrituras/compraventa"]));
}

/// The command between backquotes after `before`, as a shell understands it.
fn told_command(told: &str, before: &str) -> String {
    told.split(before).nth(1).unwrap_or_else(|| panic!("{told}")).split('`').nth(1).unwrap().to_owned()
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[test]
fn the_command_that_puts_a_skill_back_puts_it_where_it_was() {
    let home = Home::new();
    home.file("my skills/it's/one/SKILL.md", &skill("one", "Does one thing."));
    home.file("flat/two/SKILL.md", &skill("two", "Does another."));
    for (push, path) in [
        (["push", "my skills"].as_slice(), "it's/one"),
        (&["push", "my skills", "--into", "zz"], "zz/it's/one"),
        (&["push", "flat"], "two"),
    ] {
        home.ok(push);
        home.ok(&["skills", "rm", path]);
        let output = home.run(push);
        let told = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(6), "{told}");
        let command = told_command(&told, "or put it back: ");
        let command = command.replacen("skillmount", env!("CARGO_BIN_EXE_skillmount"), 1);
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &command]).current_dir(home.path()).env("HOME", home.path());
        shell.env("XDG_DATA_HOME", home.path().join("data")).env("XDG_CONFIG_HOME", home.path().join("config"));
        let output = shell.output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        let listed = home.json(&["skills", "list"]);
        assert_eq!((&listed["total"], &listed["skills"][0]["skill"]), (&json!(1), &json!(path)), "{command}");
        home.ok(&["skills", "rm", path]);
    }
}

// S-AUTHOR-16: A skill that another author deleted stays deleted in the same way.
#[test]
fn a_pull_says_of_a_skill_that_is_gone_whether_its_folder_was_changed() {
    let home = Home::with_skills();
    home.ok(&["pull", "ana"]);
    home.ok(&["skills", "rm", "notas"]);
    home.ok(&["skills", "mv", "escrituras/compraventa", "ventas/compraventa"]);
    home.file("ana/escrituras/compraventa/resources/ejemplo.md", "mine");
    let output = home.run(&["pull", "ana", "--json"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["gone"], json!(["escrituras/compraventa", "notas"]));
    assert_eq!(document["gone_and_changed"], json!(["escrituras/compraventa"]));
    let told = String::from_utf8(output.stderr).unwrap();
    let changed = "  you changed ana/escrituras/compraventa since: ";
    let put_back = "`skillmount push ana/escrituras/compraventa --into escrituras --force`";
    assert!(told.contains(changed) && told.contains(put_back), "{told}");
    assert!(told.contains("  delete ana/notas too, or put it back: `skillmount push ana/notas --force`"), "{told}");
    assert!(told.matches("`skillmount skills list` shows it if it was moved").count() == 2, "{told}");
    // A file that is missing, and one that is new, are changes too.
    fs::remove_file(home.path().join("ana/notas/SKILL.md")).unwrap();
    home.file("ana/notas/SKILL.md", &skill("notas", "Toma notas."));
    home.file("ana/notas/new.md", "new");
    assert_eq!(home.json(&["pull", "ana"])["gone_and_changed"], json!(["escrituras/compraventa", "notas"]));
}
