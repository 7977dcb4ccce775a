//! Help, completions and the manual: what the command line says of itself.

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
        "prompt",
        "hook",
        "skills list",
        "skills show",
        "skills discover",
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
fn completions_and_the_manual_name_every_command() {
    let home = Home::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(home.ok(&["completions", shell]).contains("doctor"), "{shell}");
    }
    let page = home.ok(&["man"]);
    assert!(page.contains(".TH skillmount 1") && page.contains("SUBCOMMANDS"), "{page}");
    assert!(page.contains("max\\-count"), "the manual holds the flags of the commands");
}

#[test]
fn the_openapi_document_is_printed() {
    let document: serde_json::Value = serde_json::from_str(&Home::new().ok(&["openapi"])).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    assert!(document["paths"].as_object().unwrap().len() > 10);
}
