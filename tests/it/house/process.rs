//! The command line asks the operating system in one place.

use std::fs;

use crate::support::sources::{root, sources};

/// What only the process itself has.
const OF_THE_PROCESS: &[&str] = &[
    "env::args",
    "env::current_",
    "env::home_dir",
    "env::temp_dir",
    "env::var",
    "std::env",
    "dirs::",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "anstream::std",
    "print!(",
    "println!(",
    "SystemClock",
];
/// The file that gives it to all others.
const ADAPTER: &str = "crates/cli/src/process.rs";

#[test]
fn only_one_file_of_the_command_line_asks_for_environment_streams_folders_and_clock() {
    let mut wrong = Vec::new();
    for file in sources("crates/cli/src").into_iter().filter(|file| *file != root().join(ADAPTER)) {
        let text = fs::read_to_string(&file).unwrap();
        let of_process = OF_THE_PROCESS.iter().filter(|word| text.contains(**word));
        wrong.extend(of_process.map(|word| format!("{}: {word}", file.display())));
    }
    assert!(wrong.is_empty(), "what belongs into {ADAPTER}:\n{}", wrong.join("\n"));
    let adapter = fs::read_to_string(root().join(ADAPTER)).unwrap();
    assert!(["env::vars_os", "io::stdout", "SystemClock"].iter().all(|word| adapter.contains(word)));
}
