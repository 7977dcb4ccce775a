//! Help, completions and the manual: what the command line says of itself.

use std::{collections::BTreeMap, fs};

use super::Home;

#[test]
fn help_of_every_command_is_as_reviewed() {
    let home = Home::new();
    let top = home.ok(&["--help"]);
    insta::assert_snapshot!("help", top);
    let commands = top.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names: Vec<_> =
        commands.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").collect();
    assert!(names.len() > 15, "{names:?}");
    for name in names {
        let help = home.ok(&[name, "--help"]);
        // The flags that every command takes are in the snapshot of the top level.
        let own = help.split("\nWhere and who:").next().unwrap();
        let after = help
            .rsplit_once("\n\n")
            .filter(|_| help.contains("Examples:"))
            .map(|_| &help[help.find("Examples:").unwrap()..]);
        insta::assert_snapshot!(format!("help_{name}"), format!("{own}\n{}", after.unwrap_or_default()));
    }
}

#[test]
fn every_command_teaches_by_example() {
    let home = Home::new();
    for command in [
        "serve",
        "demo",
        "ls",
        "cat",
        "grep",
        "glob",
        "write",
        "edit",
        "rm",
        "session show",
        "session list",
        "session gc",
        "session delete",
        "approvals",
        "approvals allow",
        "approvals deny",
        "prompt",
        "hook",
        "connect",
        "plugin export",
        "encoder add",
        "skills list",
        "skills show",
        "skills discover",
        "test",
        "usage",
        "catalog status",
        "catalog rebuild",
        "new",
        "skills load",
        "skills unload",
        "lint",
        "push",
        "pull",
        "doctor",
        "config show",
        "completions",
        "man",
        "openapi",
        "keys new",
        "keys list",
        "keys revoke",
    ] {
        let words: Vec<_> = command.split(' ').chain(["--help"]).collect();
        let help = home.ok(&words);
        assert!(help.contains("Examples:\n  "), "{command}: {help}");
        assert!(help.contains(&format!(" {command}")), "{command} is not shown at work: {help}");
    }
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let home = Home::new();
    let main = home.ok(&["man"]);
    assert!(main.contains(".TH skillmount 1") && main.contains(".SH SUBCOMMANDS"), "{main}");
    assert_eq!(home.ok(&["man", "pages/man1"]).lines().count(), 1);
    let mut pages = BTreeMap::new();
    for entry in fs::read_dir(home.path().join("pages/man1")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        pages.insert(name.strip_suffix(".1").unwrap().to_owned(), fs::read_to_string(entry.path()).unwrap());
    }
    assert!(pages.len() >= 40 && pages["skillmount"] == main, "{:?}", pages.keys());
    let reference = regex::Regex::new(r"skillmount[a-z\\-]*\(1\)").unwrap();
    for (name, page) in &pages {
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "SEE ALSO"] {
            assert!(
                page.contains(&format!(".SH {section}")) || page.contains(&format!(".SH \"{section}\"")),
                "{name} {section}"
            );
        }
        assert!(!page.contains("EXTRA"), "{name}");
        for found in reference.find_iter(page) {
            let named = found.as_str().replace('\\', "");
            assert!(pages.contains_key(named.strip_suffix("(1)").unwrap()), "{name} refers to {named}");
        }
    }
    for section in ["EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES", "NOTES"] {
        assert!(main.contains(section), "{section}");
    }
    let grep = &pages["skillmount-grep"];
    assert!(grep.contains("max\\-count") && grep.contains("EXAMPLES") && !grep.contains("sse\\-kms"), "{grep}");
    assert!(main.contains("sse\\-kms"), "flags of every command are told once");
}

#[test]
fn the_openapi_document_is_printed() {
    let document: serde_json::Value = serde_json::from_str(&Home::new().ok(&["openapi"])).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["paths"].as_object().unwrap().len() > 10);
}
