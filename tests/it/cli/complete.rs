//! Completion, as a shell asks for it.

use super::{Home, server::Server};

/// What `shell` is offered for the last of these words.
fn offered(home: &Home, shell: &str, words: &[&str]) -> Vec<String> {
    let line = [&["--", "skillmount"], words].concat();
    let mut command = home.command(&line);
    command.env("COMPLETE", shell).env("_CLAP_IFS", "\n").env("_CLAP_COMPLETE_COMP_TYPE", "9");
    command.env("_CLAP_COMPLETE_INDEX", words.len().to_string()).env("_CLAP_COMPLETE_SPACE", "true");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    // Beside a name, fish and zsh show what it is.
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(['\t', ':']).next()).map(|name| name.trim().to_owned()).collect()
}

fn has(offered: &[String], name: &str) -> bool {
    offered.iter().any(|one| one == name)
}

#[test]
fn skills_and_sessions_are_completed_in_every_shell() {
    let home = Home::with_skills();
    home.ok(&["--session", "s-42", "skills", "load", "notas"]);
    for shell in ["bash", "zsh", "fish"] {
        let of = |words: &[&str]| offered(&home, shell, words);
        for command in [&["skills", "show"][..], &["skills", "load"], &["pull"], &["lint"]] {
            let all = of(&[command, &[""]].concat());
            assert!(has(&all, "escrituras/compraventa") && has(&all, "notas"), "{shell} {command:?}: {all:?}");
            let begun = of(&[command, &["esc"]].concat());
            assert!(has(&begun, "escrituras/compraventa") && !has(&begun, "notas"), "{shell} {command:?}: {begun:?}");
        }
        let loaded = of(&["--session", "s-42", "skills", "unload", ""]);
        assert!(has(&loaded, "notas") && !has(&loaded, "escrituras/compraventa"), "{shell}: {loaded:?}");
        assert!(has(&of(&["--session", ""]), "s-42"), "{shell}");
        assert!(has(&of(&["ls", "--session", "s-"]), "s-42"), "{shell}");
        let commands = of(&[""]);
        assert!(
            has(&commands, "doctor") && has(&commands, "skills") && has(&commands, "search") && !has(&commands, "link"),
            "{commands:?}"
        );
    }
}

#[test]
fn the_names_are_those_of_the_store_user_and_server_that_the_line_names() {
    let home = Home::with_skills();
    let server = Server::start(&home, &[]);
    let of = |words: &[&str]| offered(&home, "bash", words);
    assert!(!has(&of(&["--user", "ana", "skills", "show", ""]), "notas"));
    assert!(has(&of(&["--server", &server.url, "skills", "show", ""]), "notas"));
    assert!(!has(&of(&["skills", "show", "--server", "http://127.0.0.1:9", ""]), "notas"), "and no error is printed");
}

#[test]
fn the_scripts_ask_the_program() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = home.ok(&["completions", shell]);
        assert!(script.contains("COMPLETE") && script.contains("skillmount"), "{shell}: {script}");
    }
}
