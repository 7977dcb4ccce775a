//! Help, completions and the manual: what the command line says of itself.

use std::{collections::BTreeMap, fs};

use super::Home;

#[test]
fn help_of_every_command_is_as_reviewed() {
    let home = Home::new();
    let top = home.ok(&["--help"]);
    insta::assert_snapshot!("help", top);
    let groups = top.split("\nOptions:").next().unwrap().lines().filter_map(|line| line.strip_prefix("  "));
    let grouped = groups.filter_map(|line| line.split_whitespace().next());
    // The first help leaves these out, and each has a help of its own.
    let names: Vec<_> = grouped.chain(["hook", "openapi", "man", "completions"]).collect();
    assert!(names.len() > 30, "{names:?}");
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
    let pages = manual(&home);
    let commands = pages.keys().filter_map(|page| page.strip_prefix("skillmount-"));
    // What has commands of its own teaches by those, unless it does something without them.
    let has_commands = |command: &str| pages.keys().any(|page| page.starts_with(&format!("skillmount-{command}-")));
    let commands: Vec<_> = commands.filter(|command| !has_commands(command) || *command == "approvals").collect();
    assert!(commands.len() > 50, "{commands:?}");
    for command in commands {
        let words: Vec<_> = command.split('-').chain(["--help"]).collect();
        let help = home.ok(&words);
        assert!(help.contains("Examples:\n  "), "{command}: {help}");
        let called = format!(" {}", command.replace('-', " "));
        assert!(help.contains(&called), "{command} is not shown at work: {help}");
    }
}

/// The pages of the manual, by their names without section.
fn manual(home: &Home) -> BTreeMap<String, String> {
    assert_eq!(home.ok(&["man", "pages/man1"]).lines().count(), 1);
    let read = fs::read_dir(home.path().join("pages/man1")).unwrap().map(Result::unwrap);
    let page = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name.strip_suffix(".1").unwrap().to_owned(), fs::read_to_string(entry.path()).unwrap())
    };
    read.map(page).collect()
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let home = Home::new();
    let main = home.ok(&["man"]);
    assert!(main.contains(".TH skillmount 1") && main.contains(".SH SUBCOMMANDS"), "{main}");
    let pages = manual(&home);
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
