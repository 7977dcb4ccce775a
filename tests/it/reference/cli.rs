//! The page on the command line, from the help of each command.

use std::fmt::Write as _;

use super::page::check;
use crate::cli::Home;

const BEGINNING: &str = "# Command line

Each command prints this help with `--help`. `skillmount man DIR` writes the same as pages of the manual, and
`skillmount completions --help` says how a shell completes commands, skills and sessions.

* A skill has three names: its path, its folder, and the name in its frontmatter. A command answers a misspelt name with the nearest.
* On a terminal, lists fit the width, and sizes and times are rounded. A pipe gets everything, and exact.
* `--json` prints one document. A list is a member of it. A failure prints a problem document on standard error.
* `-v` logs each operation, and `-vv` also each request to the store or the server.
* `NO_COLOR`, `TERM=dumb` and `CLICOLOR_FORCE` decide about colours.

| exit status | meaning |
|---|---|
| 0 | The command has done its work. |
| 1 | `grep` found nothing, `fsck` found a fault, or a question of `test` failed. With a message on standard error it is a bug. |
| 2 | The input is wrong. |
| 3 | It is done in part: `push` rejected some skills for wrong input, or `pull --merge` left conflicts. |
| 4 | The key or the policy does not allow it. |
| 5 | There is no such thing. |
| 6 | There is a conflict: the present state differs from the assumed one. |
| 7 | It is too large, too much at once, or not available. |
| 130, 143 | Ctrl-C or SIGTERM ended it. |

## skillmount
";

/// The heading in a help text behind which the flags of every command stand.
const OF_EVERY_COMMAND: &str = "\nWhere and who:\n";
const EXAMPLES: &str = "\nExamples:\n";

#[test]
fn the_page_on_the_command_line_is_generated() {
    let home = Home::new();
    let mut text = BEGINNING.to_owned();
    let mut open = vec![Vec::<String>::new()];
    let mut count = 0;
    while let Some(words) = open.pop() {
        let arguments: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = home.ok(&arguments);
        if !words.is_empty() {
            write!(text, "\n## skillmount {}\n", words.join(" ")).unwrap();
        }
        text.push_str(&section(&help, words.is_empty()));
        let mut names = commands(&help);
        if words.is_empty() {
            names.extend(NOT_IN_HELP.map(str::to_owned));
        }
        let below = names.into_iter().map(|name| [words.clone(), vec![name]].concat());
        open.extend(below.collect::<Vec<_>>().into_iter().rev());
        count += 1;
    }
    assert!(count > 60, "only {count} commands: is the help still read?");
    check("cli.md", &text);
}

/// The commands that the first help leaves out.
const NOT_IN_HELP: [&str; 4] = ["hook", "openapi", "man", "completions"];

/// The names of the commands that a help text lists, in one group or several.
fn commands(help: &str) -> Vec<String> {
    let listed = help.lines().skip_while(|line| !line.starts_with("Usage:")).take_while(|line| *line != "Options:");
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    names
        .filter(|name| *name != "help" && name.starts_with(|c: char| c.is_ascii_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// A command: its purpose in prose, and the rest as it is printed. Flags of every command stand with `skillmount` alone.
fn section(help: &str, is_top: bool) -> String {
    let (purpose, rest) = help.split_once("\nUsage: ").unwrap();
    let purpose = purpose.split_whitespace().collect::<Vec<_>>().join(" ");
    let stop = if purpose.ends_with(['.', '!', '?']) { "" } else { "." };
    let rest = format!("Usage: {rest}");
    let own = match rest.find(OF_EVERY_COMMAND).filter(|_| !is_top) {
        None => rest,
        Some(at) => {
            let examples = rest.find(EXAMPLES).map_or("", |at| &rest[at..]);
            format!("{}{examples}", &rest[..at])
        }
    };
    format!("\n{purpose}{stop}\n\n```text\n{}\n```\n", own.trim_end())
}
