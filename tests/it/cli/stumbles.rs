//! What a newcomer stumbles over: help by task, missing folders, suggestions, long lists, and scores.

use super::terminal::{plain, seen};
use super::{Home, skill};

/// The exit status of a command, and what it prints on both streams.
fn ran(home: &Home, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = home.run(arguments);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_first_help_groups_the_commands_by_task_and_leaves_out_those_for_programs() {
    let help = Home::new().ok(&["--help"]);
    let commands = help.split("\nOptions:").next().unwrap();
    let at = |text: &str| commands.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
    assert!(at("\nStart:\n") < at("\nWrite skills:\n") && at("\n  push ") < at("\nFind and load skills:\n"));
    for command in ["hook", "openapi", "man", "completions", "link"] {
        assert!(!commands.contains(&format!("\n  {command} ")), "{command}: {help}");
    }
    assert!(help.contains("Usage: skillmount [OPTIONS] <COMMAND>") && help.contains("\nWhere and who:\n"), "{help}");
}

#[test]
fn a_missing_folder_is_reported_as_missing() {
    let home = Home::with_skills();
    for (arguments, said) in [
        (&["lint", "/nope"][..], "error: there is no folder /nope\n"),
        (&["lint", "./nope"], "error: there is no folder ./nope\n"),
        (&["lint", "./nope/SKILL.md"], "error: there is no file ./nope/SKILL.md\n"),
        (&["lint", "/nope", "--fix"], "error: there is no folder /nope\n"),
        (&["push", "nope"], "error: there is no folder nope\n"),
    ] {
        assert_eq!(ran(&home, arguments), (Some(5), String::new(), said.to_owned()), "{arguments:?}");
    }
    let (status, _, said) = ran(&home, &["lint", "nota"]);
    let expected = "there is no folder nota, and there is no skill \"nota\"; the nearest are: notas";
    assert!(status == Some(5) && said.contains(expected), "{said}");
}

#[test]
fn only_near_names_are_suggested() {
    let home = Home::with_skills();
    for (arguments, tip) in [
        (&["serv"][..], Some("a similar subcommand exists: 'serve'")),
        (&["skills", "frob"], None),
        (&["serve", "--prot", "1"], Some("a similar argument exists: '--port'")),
        (&["skills", "show", "minutes"], None),
        (&["list"], Some("'skills list'")),
        (&["load", "minutes"], Some("a similar subcommand exists: 'skills load'")),
        (&["audit", "ana"], Some("to name a user, write '--user ana'")),
        (&["usage", "ana"], Some("to name a user, write '--user ana'")),
        (&["fsck", "ana"], None),
        (&["approvals", "list"], None),
    ] {
        let (_, _, said) = ran(&home, arguments);
        assert_eq!(tip.map(|tip| said.contains(tip)), tip.map(|_| true), "{said}");
        assert!(tip.is_some() || !said.contains("tip:") && !said.contains("nearest"), "{said}");
    }
}

/// A folder of twelve good skills and a bad one.
fn twelve_and_one() -> Home {
    let home = Home::new();
    for number in 10..22 {
        home.file(&format!("skills/s{number}/SKILL.md"), &skill(&format!("s{number}"), "Does good."));
    }
    home.file("skills/bad/SKILL.md", "no frontmatter");
    home
}

#[test]
fn a_push_of_many_skills_prints_a_summary_and_what_was_refused() {
    let (status, shown, said) = ran(&twelve_and_one(), &["push", "skills"]);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!(lines[..2], ["bad: refused, 1 error", "skills: 12 new, 1 refused"], "{shown}");
    assert!(lines.len() == 3 && lines[2].ends_with("12 changed; 1 skill refused"), "{shown}");
    assert!(said.contains("bad/SKILL.md:") && said.contains("`--verbose` lists each skill"), "{said}");
    assert_eq!(status, Some(3));

    let (status, shown, _) = ran(&twelve_and_one(), &["push", "skills", "--verbose"]);
    assert!(shown.contains("s10: new, 1 file\n  + SKILL.md\n") && shown.contains("s21: new"), "{shown}");
    assert_eq!(status, Some(3));
    let json = twelve_and_one().run(&["push", "skills", "--json"]);
    let document: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(document["skills"].as_array().unwrap().len(), 13, "a script has every row");
}

#[test]
fn quiet_leaves_out_remarks_and_keeps_results_and_errors() {
    let home = twelve_and_one();
    let (status, shown, said) = ran(&home, &["push", "skills", "-q"]);
    assert_eq!((status, shown.as_str()), (Some(3), "bad: refused, 1 error\n"));
    assert!(said.contains("bad/SKILL.md:") && said.contains("error: 1 skill stayed behind"), "{said}");
    assert_eq!(ran(&home, &["skills", "discover", "good", "--quiet", "--limit", "1"]).2, "");
    assert_eq!(ran(&home, &["skills", "list", "-q"]).1.lines().count(), 12);
    assert_eq!(ran(&home, &["-q", "-v", "ls"]).0, Some(2), "they are opposites");
}

#[test]
fn a_push_in_part_has_a_status_of_its_own_and_one_that_sent_nothing_has_not() {
    let home = twelve_and_one();
    for arguments in [["push", "skills", "--dry-run"], ["push", "skills", "--json"], ["push", "skills", "--quiet"]] {
        assert_eq!(ran(&home, &arguments).0, Some(3), "{arguments:?}");
    }
    assert_eq!(ran(&home, &["push", "skills/bad"]).0, Some(2));
    assert_eq!(ran(&home, &["push", "--nonsense"]).0, Some(2));
}

#[test]
fn lists_on_a_terminal_have_headings_and_scores_say_what_they_are() {
    let home = Home::with_skills();
    home.ok(&["skills", "load", "notas"]);
    home.ok(&["write", "/workspace/a", "x"]);
    let shown = |arguments: &[&str]| plain(&seen(home.program(arguments), 100));
    for (arguments, heading) in [
        (&["skills", "list"][..], "SKILL                   DESCRIPTION"),
        (&["session", "list"], "SESSION  STATE"),
        (&["ls", "-l", "/workspace"], "SIZE  CHANGED"),
        (&["config", "show"], "SETTING"),
        (&["skills", "history", "notas"], "VERSION"),
    ] {
        let text = shown(arguments);
        assert!(text.lines().any(|line| line.trim_start().starts_with(heading)), "{arguments:?}: {text}");
        let piped = home.ok(arguments);
        assert!(!piped.contains(heading.split_whitespace().next().unwrap()), "{arguments:?}: {piped}");
    }
    let found = shown(&["search", "contratos de compraventa"]);
    assert!(found.starts_with("SCORE  FIT"), "{found}");
    assert!(found.contains("\nscore: how much of the question the skill answers, 0 to 1\nfit: low if"), "{found}");
}

#[test]
fn an_unknown_flag_shows_the_usage_of_its_command_and_no_far_flag() {
    let home = Home::new();
    for (line, usage) in [
        ("serve --nonsense", "Usage: skillmount serve [OPTIONS] [DIR]"),
        ("serve --prot 1", "Usage: skillmount serve [OPTIONS] [DIR]"),
        ("--user ana skills list --nonsense", "Usage: skillmount skills list [OPTIONS]"),
        ("push x --into", "Usage: skillmount push [OPTIONS] <DIR>"),
        ("serve --port x", "Usage: skillmount serve [OPTIONS] [DIR]"),
        ("--nonsense push", "Usage: skillmount push [OPTIONS] <DIR>"),
        ("--nonsense", "Usage: skillmount [OPTIONS] <COMMAND>"),
    ] {
        let (status, _, said) = ran(&home, &line.split(' ').collect::<Vec<_>>());
        assert_eq!(status, Some(2), "{said}");
        assert_eq!(said.lines().find(|line| line.starts_with("Usage")), Some(usage), "{line}: {said}");
    }
}

#[test]
fn a_list_of_skills_marks_each_skill_with_warnings_and_names_the_skills_that_are_left_out() {
    let home = Home::new();
    home.file("data/skillmount/me/skills/a/good/SKILL.md", &skill("good", "Does good."));
    home.file("data/skillmount/me/skills/a/odd/SKILL.md", "---\nname: other\ndescription: Is odd.\n---\n# Odd\n");
    home.file("data/skillmount/me/skills/bad/SKILL.md", "no frontmatter");
    let (status, shown, said) = ran(&home, &["skills", "list"]);
    let lines: Vec<_> = shown.lines().collect();
    assert_eq!((status, lines.len()), (Some(0), 2), "a script gets one row for each skill: {shown}");
    assert_eq!((lines[0], lines[1]), ("a/good  Does good. Úsala cuando haga falta.", "a/odd   (1 warning) Is odd."));
    assert!(said.starts_with("bad: left out, 1 error\n  bad/SKILL.md:") && said.contains("frontmatter"), "{said}");
    assert!(said.ends_with("1 warning; `skillmount lint a/odd` shows each with its place\n"), "{said}");
    let lint = ran(&home, &["lint", "a/odd"]).1;
    let seen = plain(&seen(home.program(&["skills", "list"]), 200));
    let lines: Vec<_> = seen.lines().collect();
    assert!(lines[2].starts_with("a/odd") && lines[3].starts_with("        warning: "), "{seen}");
    let warning = lines[3].trim().trim_start_matches("warning: ");
    assert!(lint.contains(warning), "lint says the same: {lint}\n{seen}");
}

#[cfg(feature = "s3")]
#[test]
fn a_bucket_without_a_region_names_the_flag() {
    let home = Home::new();
    let typed = home.command(&["--store", "s3://nobucket/x", "skills", "list"]);
    let output = { typed }.env("AWS_EC2_METADATA_DISABLED", "true").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    let way_out = "give --region, or set SKILLMOUNT_REGION or AWS_REGION";
    assert!(said.contains(way_out), "{said}");
    let typed = home.command(&["--store", "s3://nobucket/x", "doctor"]);
    let output = { typed }.env("AWS_EC2_METADATA_DISABLED", "true").output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(way_out) && words.contains("to fix it: correct the value, as a flag"), "{shown}");
}

#[test]
fn a_file_that_cannot_be_written_names_the_reason() {
    let home = Home::with_skills();
    home.file("out/notas/SKILL.md/x", "a folder in the place of the file");
    let (status, shown, said) = ran(&home, &["pull", "notas", "out"]);
    assert!(said.contains("out/notas/SKILL.md cannot be written or read: Is a directory"), "{said}");
    assert!(shown.starts_with("notas: nothing written\n"), "{shown}");
    assert_eq!(status, Some(2));
}

#[test]
fn a_push_recommends_the_fixes_of_lint_only_if_there_are_any() {
    let home = Home::new();
    let two = skill("b", &"long ".repeat(300));
    for (text, way_out) in [
        ("---\nname: a\n---\nText.\n", "1 error: fix it and push again\n"),
        ("---\nname: a\nname: b\n---\nText.\n", "3 errors: fix them and push again\n"),
        ("---\nname: b\ndescription: Does.\n---\nText.\n", "1 error: `skillmount lint --fix` fixes it\n"),
        (&two, "2 errors: `skillmount lint --fix` fixes 1 of them, and you fix the others\n"),
    ] {
        home.file("skills/a/SKILL.md", text);
        let said = ran(&home, &["push", "skills"]).2;
        assert!(said.contains(way_out), "{said}");
    }
}
