//! `push`: what is sent, what stays behind, and what is said of it.

use serde_json::{Value, json};

use super::{Home, server::Server, skill};

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

// S-AUTHOR-10: A dry run of `push` changes nothing, prints the same plan and ends with the same status, unless the
// service would refuse the push.
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
fn files_that_are_gone_from_the_folder_are_gone_from_the_next_version() {
    let home = Home::with_skills();
    std::fs::remove_file(home.path().join("skills/escrituras/compraventa/resources/ejemplo.md")).unwrap();
    assert_eq!(home.json(&["push", "skills"])["skills"][0]["deleted"], json!(["resources/ejemplo.md"]));
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["files"], 1);
    home.ok(&["skills", "rollback", "compraventa"]);
    assert_eq!(home.json(&["skills", "list"])["skills"][0]["files"], 2);
}

// S-AUTHOR-1: `push` sends each skill in which lint finds no error, names the others with their errors, and ends with status 3
// if one stayed behind, or 2 if all did.
// S-AUTHOR-10: A dry run of `push` changes nothing, prints the same plan and ends with the same status, unless the
// service would refuse the push.
#[test]
fn a_skill_with_an_error_of_lint_stays_behind_and_the_others_are_sent() {
    let home = Home::new();
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    home.file("skills/notas/SKILL.md", "---\nname: Notas\ndescription: Use when: a\nversion: 1\n---\nPasos.\n");
    home.file("skills/almost/skill.md", &skill("almost", "Is none."));
    for (arguments, sent) in [(["push", "skills", "--dry-run"].as_slice(), false), (&["push", "skills"], true)] {
        let output = home.run(arguments);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "some are sent, and some are not: {told}");
        for line in ["skills/notas/SKILL.md:2:1: error: ", "notas/SKILL.md:3:14: error: ", "[yaml_repaired]"] {
            assert!(told.contains(line), "{line}: {told}");
        }
        assert!(told.contains("almost/skill.md: error: ") && told.contains("[file_misnamed]"), "{told}");
        assert!(told.contains("--fix") && !told.contains("--force") && !told.contains("unknown_field"), "{told}");
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
    assert_eq!(problem["partial"], true, "{problem}");
    let pushed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let statuses: Vec<_> =
        pushed["skills"].as_array().unwrap().iter().map(|one| (&one["skill"], &one["status"])).collect();
    let expected = json!([["almost", "refused"], ["good", "unchanged"], ["notas", "refused"]]);
    assert_eq!(json!(statuses), expected);
}

#[test]
fn what_lint_warns_of_is_sent_and_told() {
    let home = Home::new();
    home.file("skills/good/SKILL.md", &skill("good", "Does good."));
    home.file(
        "skills/notas/SKILL.md",
        "---\nname: notas\ndescription: Takes notes. Use it for notes.\nversion: 1\n---\nPasos.\n",
    );
    let output = home.run(&["push", "skills"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && told.contains("shows 1 warning about the pushed skills"), "{told}");
    home.file("bad/SKILL.md", "no frontmatter");
    for arguments in [["push", "bad"].as_slice(), &["push", "bad", "--force"]] {
        let refused = home.run(arguments);
        assert!(refused.status.code() == Some(2) && refused.stdout.starts_with(b"bad: refused, 1 error\n0 skills, "));
    }
}

#[test]
fn a_plan_tells_what_each_skill_would_become() {
    let home = Home::with_skills();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.file("skills/nueva/SKILL.md", &skill("nueva", "Es nueva."));
    home.file("skills/nueva/a.md", "a");
    home.file("skills/same/SKILL.md", &skill("same", "Stays."));
    home.ok(&["push", "skills/same"]);
    std::fs::remove_file(home.path().join("skills/escrituras/compraventa/resources/ejemplo.md")).unwrap();
    let plan = home.ok(&["push", "skills", "--dry-run"]);
    let expected = "escrituras/compraventa: 1 deleted, 1 unchanged\n  - resources/ejemplo.md\nnotas: 1 changed\n  ~ \
                    SKILL.md\nnueva: new, 2 files\n  + SKILL.md\n  + a.md\nsame: 1 unchanged\n4 skills, 5 files, ";
    assert!(plan.starts_with(expected) && plan.ends_with(" s; 4 would change (dry run)\n"), "{plan}");
    home.ok(&["push", "skills"]);
    let again = home.run(&["push", "skills"]);
    assert!(String::from_utf8(again.stdout).unwrap().ends_with(" s; 0 changed\n"));
    assert_eq!(again.stderr, b"", "no bar where stderr is no terminal");
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[test]
fn two_authors_are_told_of_each_other_and_how_to_join_what_they_did() {
    let home = Home::with_skills();
    home.ok(&["pull", "ana"]);
    home.ok(&["pull", "ben"]);
    let notes = |whose: &str, body: &str| {
        home.file(&format!("{whose}/notas/SKILL.md"), &(skill("notas", "Toma notas.") + body));
    };
    notes("ana", "De Ana.\n");
    home.ok(&["push", "ana"]);
    notes("ben", "De Ben.\n");
    let output = home.run(&["push", "ben"]);
    let (told, why) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(6), "{why}");
    assert!(
        told.contains("notas: not pushed, another author published it") && told.contains("    +De Ana.\n"),
        "{told}"
    );
    assert!(told.contains("    +De Ben.\n") && told.contains("`skillmount pull notas ben/notas --merge`"), "{told}");
    assert!(why.contains("--force"), "{why}");
    assert_eq!(home.refused_with_list(&["pull", "ben"]), (6, "version_conflict".into()));
    let joined = home.run(&["pull", "notas", "ben/notas", "--merge"]);
    let said = String::from_utf8(joined.stderr).unwrap();
    assert!(joined.status.code() == Some(3) && said.contains("has marks"), "{said}");
    assert!(said.contains("not finished in 1 file: notas/SKILL.md; edit it"), "{said}");
    assert!(home.read("ben/notas/SKILL.md").contains("De Ben.\n=======\nDe Ana.\n"));
    notes("ben", "De Ana.\nDe Ben.\n");
    home.ok(&["push", "ben"]);
    assert_eq!(home.json(&["skills", "history", "notas"])["versions"].as_array().unwrap().len(), 3);
    notes("ana", "Otra vez.\n");
    assert_eq!(home.json(&["push", "ana", "--force"])["skills"][1]["status"], "changed");
}

// S-AUTHOR-16: A skill that another author deleted stays deleted in the same way.
#[test]
fn a_skill_that_another_author_deleted_is_named_and_not_put_back() {
    let home = Home::with_skills();
    home.ok(&["pull", "ana"]);
    home.ok(&["skills", "rm", "notas"]);
    let pulled = home.run(&["pull", "ana", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&pulled.stdout).unwrap();
    assert_eq!(document["gone"], serde_json::json!(["notas"]));
    let pushed = home.run(&["push", "ana"]);
    let told = String::from_utf8(pushed.stdout).unwrap();
    assert_eq!(pushed.status.code(), Some(6), "{told}");
    assert!(
        told.contains("notas: not pushed, it was deleted or moved meanwhile")
            && told.contains("push ana/notas --force"),
        "{told}"
    );
    assert!(!home.ok(&["skills", "list"]).contains("notas"));
    home.ok(&["push", "ana/notas", "--force"]);
    assert!(home.ok(&["skills", "list"]).contains("notas"));
}

// S-AUTHOR-13: A file of the version behind a folder is part of the skill, whatever ignore lists say, while it is in
// the folder.
// S-AUTHOR-2: The input of `push` and `lint` depends on the folder alone, and never lies outside it.
#[test]
fn what_is_in_the_store_is_pushed_edited_and_deleted_whatever_ignore_lists_name() {
    let home = Home::new();
    let server = Server::start(&home, &[]);
    for (name, to) in [("one", [].as_slice()), ("two", &["--server", &server.url])] {
        let run = |arguments: &[&str]| home.json(&[to, arguments].concat())["skills"][0].clone();
        let main = skill(name, "Does it.");
        for (path, text) in [("SKILL.md", main.as_str()), ("b.md", "b"), ("data.log", "1"), ("dist/x.js", "x")] {
            home.file(&format!("from/{name}/{path}"), text);
        }
        run(&["push", &format!("from/{name}")]);
        home.file(&format!("{name}/.gitignore"), "*.log\ndist/\n");
        run(&["pull", name, name]);
        let folder = format!("{name}/{name}");
        let push = ["push", folder.as_str()];
        let again = run(&push);
        assert_eq!((&again["status"], &again["unchanged"]), (&json!("unchanged"), &json!(4)), "{again}");
        // What is new is passed over as ever.
        home.file(&format!("{folder}/new.log"), "new");
        home.file(&format!("{folder}/dist/x.js"), "<<<<<<< mine\nx\n=======\ny\n>>>>>>> theirs\n");
        assert_eq!(home.run(&["lint", &folder]).status.code(), Some(2), "lint looks at what is pushed");
        home.file(&format!("{folder}/dist/x.js"), "edited");
        let edited = run(&push);
        let changes = ["created", "updated", "deleted"].map(|change| edited[change].clone());
        assert_eq!(changes, [json!([]), json!(["dist/x.js"]), json!([])]);
        std::fs::remove_file(home.path().join(&folder).join("data.log")).unwrap();
        assert_eq!(run(&push)["deleted"], json!(["data.log"]));
        assert_eq!(run(&push)["status"], "unchanged");
    }
}

// S-AUTHOR-18: If both sides changed a file that is no text, `--merge` puts the other author's file beside it as
// `FILE.theirs`.
#[test]
fn a_file_that_is_no_text_and_that_both_changed_is_kept_twice_until_one_is_chosen() {
    let home = Home::new();
    let set = |whose: &str, notes: &str, bin: &str| {
        home.file(&format!("{whose}/s/notes.txt"), notes);
        home.file(&format!("{whose}/s/bin"), bin);
    };
    home.file("skills/s/SKILL.md", &skill("s", "Does it."));
    set("skills", "1\n2\n3\n", "\0one");
    home.ok(&["push", "skills"]);
    home.ok(&["pull", "ana"]);
    home.ok(&["pull", "ben"]);
    set("ana", "Ana\n2\n3\n", "\0Ana");
    home.ok(&["push", "ana"]);
    set("ben", "1\n2\nBen\n", "\0Ben");
    let output = home.run(&["push", "ben"]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(6), "{told}");
    assert!(told.contains("  bin, what you changed:\n    bytes that are no text\n"), "{told}");
    assert!(!told.contains("+++ bin") && told.contains("+++ notes.txt (mine)"), "{told}");

    home.file("ben/s/bin.theirs", "of somebody else");
    let output = home.run(&["pull", "ben", "--merge"]);
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(6), "{why}");
    assert!(why.contains("bin.theirs is there already") && !why.contains("--merge"), "{why}");
    assert_eq!(
        (home.read("ben/s/notes.txt"), home.read("ben/s/bin.theirs")),
        ("1\n2\nBen\n".into(), "of somebody else".into())
    );
    std::fs::remove_file(home.path().join("ben/s/bin.theirs")).unwrap();
    let planned = home.run(&["pull", "ben", "--merge", "--dry-run", "--json"]);
    assert_eq!(planned.status.code(), Some(3), "the status is that of the merge");
    let planned: Value = serde_json::from_slice(&planned.stdout).unwrap();
    let planned = &planned["skills"][0];
    assert_eq!((&planned["beside"], &planned["created"]), (&json!(["s/bin.theirs"]), &json!(["s/bin.theirs"])));
    assert!(!home.path().join("ben/s/bin.theirs").exists());

    let output = home.run(&["pull", "ben", "--merge"]);
    let why = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.status.code() == Some(3) && why.contains("s/bin.theirs is theirs") && why.contains("keep one"),
        "{why}"
    );
    let files = ["notes.txt", "bin", "bin.theirs"].map(|path| home.read(&format!("ben/s/{path}")));
    assert_eq!(files, ["Ana\n2\nBen\n", "\0Ben", "\0Ana"]);
    home.ok(&["pull", "ben"]);
    let output = home.run(&["push", "ben"]);
    let why = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{why}");
    assert!(why.contains("ben/s/bin.theirs: error: ") && why.contains("[merge_marks]"), "{why}");
    std::fs::remove_file(home.path().join("ben/s/bin.theirs")).unwrap();
    assert_eq!(home.json(&["push", "ben"])["skills"][0]["updated"], json!(["bin", "notes.txt"]));
}

// S-AUTHOR-7: A push publishes over the version that its folder comes from, and over no other.
#[test]
fn skills_that_were_changed_and_skills_that_were_deleted_are_told_apart_with_their_numbers() {
    let home = Home::with_skills();
    home.ok(&["pull", "ana"]);
    home.ok(&["pull", "ben"]);
    for whose in ["ana", "ben"] {
        home.file(&format!("{whose}/notas/SKILL.md"), &(skill("notas", "Toma notas.") + whose));
        home.file(&format!("{whose}/escrituras/compraventa/resources/ejemplo.md"), whose);
    }
    home.ok(&["push", "ana"]);
    let why = |arguments: &[&str]| {
        let output = home.run(arguments);
        assert_eq!(output.status.code(), Some(6));
        String::from_utf8(output.stderr).unwrap()
    };
    let told = why(&["push", "ben"]);
    let both = "error: 2 skills stayed as they are in the store, because they are not the versions that your folders come from: ";
    assert!(told.contains(both) && !told.contains("deleted"), "{told}");
    assert!(why(&["pull", "ben"]).contains("error: 2 skills stayed as you have them, because "));
    home.ok(&["skills", "rm", "notas"]);
    let told = why(&["push", "ben"]);
    let one =
        "error: 1 skill stayed as it is in the store, because it is not the version that your folder comes from: ";
    let gone = "; 1 skill was deleted or moved by another author since you had it: delete its folder too, or put it back with --force";
    assert!(told.contains(one) && told.contains(gone), "{told}");
    let told = why(&["push", "ben/notas"]);
    assert!(told.contains("error: 1 skill was deleted ") && !told.contains("pull"), "{told}");
}

#[test]
fn versions_are_listed_gone_back_to_moved_and_deleted() {
    let home = Home::with_skills();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.ok(&["push", "skills", "--source", "commit 7"]);
    let history = home.json(&["skills", "history", "notas"]);
    let versions = history["versions"].as_array().unwrap();
    assert_eq!((versions.len(), &versions[0]["source"]), (2, &json!("commit 7")));
    assert!(home.ok(&["skills", "history", "notas", "--limit", "1"]).starts_with("* sha256:"));
    let first = versions[1]["digest"].as_str().unwrap();
    assert_eq!(home.json(&["skills", "rollback", "notas", &first[..15]])["digest"], first);
    let shown = home.ok(&["skills", "history", "notas"]);
    let lines: Vec<_> = shown.lines().collect();
    assert!(lines.len() == 3 && lines[0].starts_with(&format!("* {}", &first[..15])), "{shown}");
    assert!(lines[0].contains("a rollback") && lines[1..].iter().all(|line| line.starts_with("  sha256:")), "{shown}");
    assert_eq!(home.json(&["skills", "history", "notas"])["last_change"]["digest"], first);
    assert_eq!(home.refused(&["skills", "rollback", "notas", "sha256:ffffffff0"]), (5, "version_not_found".into()));
    assert_eq!(home.ok(&["skills", "mv", "notas", "varios/notas"]), "moved notas to varios/notas\n");
    assert_eq!(
        home.refused(&["skills", "mv", "varios/notas", "escrituras/compraventa"]),
        (6, "version_conflict".into())
    );
    let moved = home.json(&["skills", "history", "varios/notas"])["versions"][0]["source"].to_string();
    assert!(moved.contains("notas ") && moved.contains(first), "{moved}");
    assert_eq!(home.ok(&["skills", "rm", "varios/notas"]), "deleted varios/notas\n");
    assert_eq!(home.json(&["skills", "list"])["total"], 1);
    home.ok(&["skills", "rollback", "varios/notas"]);
    assert_eq!(home.json(&["skills", "list"])["total"], 2);
    assert_eq!(home.refused(&["skills", "rm", "nadie"]), (5, "skill_not_found".into()));
    let renamed = home.ok(&["skills", "mv", "varios/notas", "varios/apuntes"]);
    assert_eq!(renamed, "moved varios/notas to varios/apuntes\n");
    assert_eq!(home.json(&["skills", "show", "varios/apuntes"])["name"], "apuntes");
}

#[test]
fn a_rollback_without_a_version_takes_back_the_last_change() {
    let home = Home::with_skills();
    let publish = |description: &str| {
        home.file("skills/notas/SKILL.md", &skill("notas", description));
        home.ok(&["push", "skills"]);
        home.json(&["skills", "history", "notas"])["current"].clone()
    };
    let back = || home.json(&["skills", "rollback", "notas"])["digest"].clone();
    let second = publish("Toma buenas notas.");
    let first = publish("Toma notas.");
    let versions = home.json(&["skills", "history", "notas"])["versions"].clone();
    assert_eq!((&versions[0]["digest"], &versions[1]["digest"]), (&second, &first), "old content is no new version");
    assert_eq!((back(), back()), (second, first.clone()));
    home.ok(&["skills", "rm", "notas"]);
    assert_eq!(back(), first, "and not the newest");
}

#[test]
fn a_skill_whose_folder_another_tool_deleted_is_brought_back_by_a_rollback() {
    let home = Home::with_skills();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.ok(&["push", "skills"]);
    let current = home.json(&["skills", "history", "notas"]);
    assert_eq!(current["folder_is_gone"], false);
    std::fs::remove_dir_all(home.path().join("data/skillmount/me/skills/notas")).unwrap();
    let output = home.run(&["skills", "history", "notas"]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("has no SKILL.md") && told.contains("`skillmount skills rollback notas`"), "{told}");
    assert_eq!(home.json(&["skills", "history", "notas"])["folder_is_gone"], true);
    assert_eq!(home.json(&["skills", "rollback", "notas"])["digest"], current["current"]);
    assert_eq!(home.read("data/skillmount/me/skills/notas/SKILL.md"), home.read("skills/notas/SKILL.md"));
    // With its folder there, the default is the version before.
    assert_eq!(home.json(&["skills", "rollback", "notas"])["digest"], current["versions"][1]["digest"]);
}

#[test]
fn a_version_whose_archive_is_damaged_is_listed_once() {
    let home = Home::with_skills();
    let folder = home.path().join("data/skillmount/me/.skillmount/versions/notas");
    let archive = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    std::fs::write(archive, "damaged").unwrap();
    let shown = home.ok(&["skills", "history", "notas"]);
    assert!(shown.lines().count() == 1 && shown.starts_with("* sha256:") && shown.contains('?'), "{shown}");
}

#[test]
fn two_versions_are_compared_as_a_patch() {
    let home = Home::with_skills();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma notas de una reunión."));
    home.ok(&["push", "skills"]);
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    home.file("skills/notas/logo.bin", "\0\u{1}");
    home.ok(&["push", "skills"]);
    let history = home.json(&["skills", "history", "notas"]);
    let digest = |at: usize| history["versions"][at]["digest"].as_str().unwrap().to_owned();
    let last = home.ok(&["skills", "diff", "notas"]);
    assert!(
        last.contains("\n-description: Toma notas de una reunión. ")
            && last.contains("\n+description: Toma buenas notas. "),
        "{last}"
    );
    assert_eq!(home.ok(&["skills", "diff", "notas", &digest(1)[..15], &digest(0)]), last);
    let none = home.json(&["skills", "diff", "notas", &digest(0)]);
    assert_eq!((&none["total"], &none["diff"]), (&json!(0), &json!("")));
    let binary = home.json(&["skills", "diff", "notas"]);
    assert_eq!(binary["files"][1]["path"], "logo.bin");
    assert_eq!(home.refused(&["skills", "diff", "notas", "sha256:ffffffff0"]), (5, "version_not_found".into()));
    assert_eq!(home.refused(&["skills", "diff", "nadie"]), (5, "skill_not_found".into()));

    let server = Server::start(&home, &[]);
    let through_it =
        |arguments: &[&str]| home.ok(&[&["--server", &server.url, "skills", "diff", "notas"], arguments].concat());
    assert_eq!(through_it(&[]), last);
    assert_eq!(through_it(&[&digest(1)[..15], &digest(0)]), last);
    assert_eq!(through_it(&[&digest(0)]), "");
    let unknown = ["--server", &server.url, "skills", "diff", "notas", "sha256:ffffffff0"];
    assert_eq!(home.refused(&unknown), (5, "version_not_found".into()));
}

#[cfg(unix)]
#[test]
fn what_is_saved_in_a_watched_folder_is_pushed_until_ctrl_c() {
    use std::{
        io::{BufRead as _, BufReader},
        process::{Command, Stdio},
    };
    let home = Home::with_skills();
    let mut program = home.program(&["push", "skills", "--watch"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(errors.next().unwrap().unwrap().starts_with("watching skills"));
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    home.file("skills/notas/SKILL.md", &skill("notas", "Toma buenas notas."));
    assert_eq!(lines.next().unwrap().unwrap(), "notas: 1 changed file pushed");
    home.file("skills/nueva/SKILL.md", &skill("nueva", "Es nueva."));
    assert_eq!(lines.next().unwrap().unwrap(), "nueva: new");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(home.json(&["skills", "list"])["total"], 3);
}
