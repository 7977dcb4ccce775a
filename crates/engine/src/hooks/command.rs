//! The words of a shell command that show its subject: the programs and the types of the files.
//!
//! This is no shell. A word that is taken for a program and is none costs a look at the catalog, and calls for a skill only if
//! the skill names it.

/// Words that stand before a program. Sorted.
const RUNNERS: &[&str] = &[
    "command", "do", "else", "env", "exec", "if", "nice", "nohup", "sudo", "then", "time", "timeout", "while", "xargs",
];

/// Programs that are in every command and say nothing about it. Sorted.
const COMMON_PROGRAMS: &[&str] = &[
    "awk", "bash", "cat", "cd", "chmod", "cp", "done", "echo", "exit", "export", "fi", "find", "for", "grep", "head",
    "ls", "make", "mkdir", "mv", "node", "npm", "npx", "pip", "pip3", "printf", "pwd", "python", "python3", "rg", "rm",
    "sed", "set", "sh", "sleep", "sort", "source", "tail", "tee", "test", "touch", "true", "uniq", "wc", "which",
    "zsh",
];

/// Types of files that say as little. Sorted.
const COMMON_TYPES: &[&str] = &["js", "log", "md", "py", "sh", "tmp", "ts", "txt"];

/// The longest ending of a file name that is taken for a type.
const TYPE_BYTES: usize = 5;

/// The programs that `command` runs and the types of the files in it. Repeated words are returned each time.
pub(super) fn key_words(command: &str) -> Vec<&str> {
    let parts = command.split(['|', ';', '&', '\n', '(', ')', '{', '}', '`']);
    parts.flat_map(|part| program(part).into_iter().chain(types(part))).collect()
}

fn is_in(sorted: &[&str], word: &str) -> bool {
    sorted.binary_search(&word).is_ok()
}

/// The words of a part of a command, without quotes.
fn words(part: &str) -> impl Iterator<Item = &str> {
    part.split(|c: char| c.is_whitespace() || "'\"<>=$,".contains(c)).filter(|word| !word.is_empty())
}

/// The program that a part of a command runs.
fn program(part: &str) -> Option<&str> {
    let is_assignment = |word: &str| word.contains('=') && !word.starts_with('-');
    let mut said = part.split_whitespace().filter(|word| !is_assignment(word));
    let first = said.find(|word| !is_in(RUNNERS, word) && !word.starts_with('-'))?;
    let name = words(first).next()?.rsplit('/').next()?;
    (!is_in(COMMON_PROGRAMS, name)).then_some(name)
}

/// The types of the files that a part of a command names.
fn types(part: &str) -> impl Iterator<Item = &str> {
    let says_something = |ending: &&str| {
        ending.len() <= TYPE_BYTES
            && ending.chars().all(|c| c.is_ascii_alphanumeric())
            && ending.chars().any(|c| c.is_ascii_alphabetic())
            && !is_in(COMMON_TYPES, ending)
    };
    words(part).filter_map(ending).filter(says_something)
}

/// The text behind the last dot in the last segment of a path.
fn ending(path: &str) -> Option<&str> {
    path.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_and_types_of_files_are_found() {
        for (command, expected) in [
            ("ffmpeg -i in.mov out.mp4", &["ffmpeg", "mov", "mp4"][..]),
            ("cd /tmp && sudo -E pdftk 'a b.pdf' cat output x.PDF", &["pdftk", "pdf", "PDF"]),
            ("X=1 /usr/bin/pandoc notes.md -o notes.docx | tee log.txt", &["pandoc", "docx"]),
            ("python3 scripts/fill.py --form=form.pdf>out.xlsx", &["pdf", "xlsx"]),
            ("for f in *.pptx; do soffice --convert-to pdf $f; done", &["pptx", "soffice"]),
            ("ls -la", &[]),
            ("echo 3.14 v1.2.3 archive.longending .", &[]),
            ("", &[]),
            ("\u{1f600}'\"=..", &[]),
        ] {
            assert_eq!(key_words(command), expected, "{command}");
        }
    }

    #[test]
    fn the_lists_are_sorted_so_that_they_can_be_searched() {
        for list in [RUNNERS, COMMON_PROGRAMS, COMMON_TYPES] {
            assert!(list.windows(2).all(|pair| pair[0] < pair[1]), "{list:?}");
        }
    }
}
