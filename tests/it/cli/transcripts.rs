//! What a person sees who follows the documents.

use std::{fmt::Write as _, fs, path::Path};

use super::Home;

/// What differs from run to run, and what stands for it.
const CHANGES: [(&str, &str); 6] = [
    (r"\d{4}-\d\d-\d\dT[0-9:.]+Z", "[time]"),
    (r"\d{4}-\d\d-\d\d [0-9:]+Z", "[time]"),
    (r"\d+\.\d m?s", "[time]"),
    (r"sha256:[0-9a-f]+", "sha256:[digest]"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:[port]"),
    (r"(file:|to |connected: )/[^ \n]*", "$1[folder]"),
];

fn document(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// What a text has below a heading.
fn section(text: &str, heading: &str) -> String {
    text.split_once(&format!("\n{heading}\n")).unwrap().1.split("\n##").next().unwrap().to_owned()
}

/// The commands in the blocks of a shell, as words. A block without a language has commands that go on until they are stopped.
fn commands_of(text: &str) -> Vec<Vec<String>> {
    let blocks = text.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let commands =
        blocks.flat_map(str::lines).filter_map(|line| line.split(" #").next()?.trim().strip_prefix("skillmount "));
    commands.map(words).collect()
}

/// The words of a command, as a shell splits them; quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let parts = command.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

/// Runs each command in a home of its own and writes down what a terminal would show.
fn transcript(commands: &[Vec<String>]) -> String {
    let mut home = Home::new();
    home.leave_indexes_alone();
    let mut text = String::new();
    for command in commands {
        let output = home.run(&command.iter().map(String::as_str).collect::<Vec<_>>());
        let _ = write!(text, "$ skillmount {}\n{}", command.join(" "), String::from_utf8_lossy(&output.stdout));
        let _ = write!(text, "{}", String::from_utf8_lossy(&output.stderr));
        let _ = writeln!(text, "[status {}]\n", output.status.code().unwrap());
    }
    text
}

#[test]
fn the_first_session_of_the_documents_is_as_reviewed() {
    let commands = commands_of(&document("docs/book/tutorials/home.md").replace("$PWD/", ""));
    assert!(commands.len() > 5, "{commands:?}");
    insta::with_settings!({ filters => CHANGES }, {
        insta::assert_snapshot!("first_session", transcript(&commands));
        insta::assert_snapshot!("demo", transcript(&[vec!["demo".to_owned()]]));
    });
}

#[test]
fn the_first_session_of_the_readme_prints_what_the_readme_shows() {
    let section = section(&document("README.md"), "### At home, with an MCP host");
    let commands = commands_of(&section);
    let shown = section.split_once("```text\n").unwrap().1.split("```").next().unwrap();
    let first = commands.iter().position(|command| command == &["ls"]).unwrap();
    let home = Home::new();
    let printed: Vec<_> =
        commands.iter().map(|command| home.ok(&command.iter().map(String::as_str).collect::<Vec<_>>())).collect();
    assert!(commands.len() > 5, "{commands:?}");
    assert_eq!(printed[first..].concat(), shown);
}
