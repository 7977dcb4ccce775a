//! How an error looks. A person reads its message, its causes and the next step; a script reads a problem document.
//!
//! Messages are written for the model that meets them most, and name its tools. Here they get a person's words.

use anstyle::{AnsiColor, Style};
use serde_json::{Value, json};

use crate::{
    error::{Code, Error, with_causes},
    output::note,
    skill::shown::block,
    status::CHECKS_FAILED,
    streams::Stream,
};

/// The head of an error.
const ERROR: Style = AnsiColor::Red.on_default().bold();
/// The style of causes and advice.
const ASIDE: Style = Style::new().dimmed();

/// Texts for models, each with the text for people in its place. A `*` stands for any text, which is dropped.
const FOR_PEOPLE: &[(&str, &str)] = &[
    ("; change it with edit, or write it with overwrite: true", ""),
    ("; read it with read", "; `skillmount cat` prints it"),
    ("; list it with ls, or name a file in it", "; `skillmount ls` lists it"),
    ("after load_skill; list a folder with ls to see what is there", "once `skillmount skills load` has loaded it"),
    ("List the folder with ls to see what is there; files live", "Files live"),
    ("; fetch its bytes with download", "; `skillmount cat PATH > FILE` fetches its bytes"),
    ("; to look for plain text, set literal: true", "; -F takes it as plain text"),
    (
        "set literal: true, or search fewer files with path or glob",
        "take it as plain text with -F, or search fewer files",
    ),
    (
        "Use replace_all=true to replace all occurrences, or give a longer old_string with the text around it",
        "--all replaces every one; or give a longer text, with what stands around it",
    ),
    ("call load_skill again", "`skillmount skills load` it again"),
    ("call load_skill(*) again", "`skillmount skills load` it again"),
    ("; read them in windows", "; `skillmount cat --offset` shows them in parts"),
    ("; give a narrower pattern or a path", "; give a narrower pattern, or a folder"),
    ("; go on without it", ""),
    (
        ", which was asked for; wait, then make the identical call again",
        "; `skillmount approvals` shows it, and once it is allowed, the same command does it",
    ),
    ("; do not make this call again, go on without it", ""),
    ("max_count goes up to", "--max-count goes up to"),
    (
        "old_string cannot be empty. Give the exact text to replace, or use write for a new file",
        "the text to replace cannot be empty; `skillmount write` makes a new file",
    ),
    ("leave it out of old_string", "leave it out"),
    ("one begins with DELETE /v1/users/", "this begins one: skillmount user delete "),
    ("; give a region, or set AWS_REGION", "; give --region, or set SKILLMOUNT_REGION or AWS_REGION"),
    (
        "Last-Event-ID is no id of an event here; send one back as it came, or leave the header out",
        "--after names no event here; give an id as `session tail --json` shows it, or leave --after out",
    ),
];

/// Shows an error of `command` on `stderr`: a problem document with `--json`, else the message, its causes and what to do next.
pub(super) fn show(stderr: &Stream, error: &Error, command: &str, json: bool) {
    if json {
        note(stderr, problem(error));
    } else {
        note(stderr, explained(error, command));
    }
}

/// A message in the words of a person at a terminal.
pub(super) fn for_people(message: &str) -> String {
    FOR_PEOPLE.iter().fold(message.to_owned(), |text, (model, person)| {
        let found = match model.split_once('*') {
            None => text.split_once(model),
            Some((start, end)) => {
                text.split_once(start).and_then(|(before, rest)| rest.split_once(end).map(|(_, after)| (before, after)))
            }
        };
        found.map_or_else(|| text.clone(), |(before, after)| format!("{before}{person}{after}"))
    })
}

/// The problem document of RFC 9457, as the HTTP interface gives it.
fn problem(error: &Error) -> Value {
    let mut problem = json!({
        "type": "about:blank",
        "title": error.kind().title(),
        "status": error.code().http_status(),
        "detail": error.message(),
        "code": error.name(),
        "retryable": error.retryable(),
    });
    if let Some(members) = problem.as_object_mut() {
        if let Some(outcome) = error.outcome() {
            members.insert("outcome".into(), json!(outcome));
        }
        if let Some(parts) = error.parts() {
            members.insert("parts".into(), json!(parts));
        }
        for (name, value) in error.details() {
            members.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    problem
}

fn explained(error: &Error, command: &str) -> String {
    let mut lines = vec![format!("{ERROR}error:{ERROR:#} {}", block(&for_people(error.message())).plain())];
    let mut last = error.message().to_owned();
    for cause_text in with_causes(error).skip(1).map(ToString::to_string) {
        if cause_text != last && !error.message().contains(&cause_text) {
            lines.push(format!("  {ASIDE}because:{ASIDE:#} {}", block(&for_people(&cause_text)).plain()));
        }
        last = cause_text;
    }
    // Advice that was given already, by doctor, does not send back to doctor.
    if let Some(step) = next_step(error, command).filter(|_| !error.details().contains_key(CHECKS_FAILED)) {
        lines.push(format!("  {ASIDE}next:{ASIDE:#} {step}"));
    }
    lines.join("\n")
}

/// The commands on files, whose paths `ls` shows.
const ON_FILES: &[&str] = &["ls", "cat", "grep", "glob", "write", "edit", "mv", "rm"];

/// The next step for a person at a terminal, if the message does not say it already.
fn next_step(error: &Error, command: &str) -> Option<&'static str> {
    match error.code() {
        Code::StoreUnavailable => Some("run `skillmount doctor` to see which part fails and how to fix it"),
        Code::Unauthenticated => Some("give --api-key or set SKILLMOUNT_API_KEY"),
        Code::FileNotFound if ON_FILES.contains(&command) => {
            Some("`skillmount ls` shows what is there, `skillmount skills list` what can be loaded")
        }
        Code::SkillNotFound | Code::AmbiguousSkill => Some("`skillmount skills list` shows every skill"),
        Code::AlreadyExists if command == "write" => Some("take another name; `write --overwrite` replaces a file"),
        Code::Internal => Some("run again with -v and report what it prints"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::{fs, io, path::Path};

    use anstream::adapter::strip_str;

    use super::*;

    fn plain(error: &Error) -> String {
        strip_str(&explained(error, "ls")).to_string()
    }

    #[test]
    fn an_error_on_a_terminal_has_message_causes_and_next_step() {
        let cause = io::Error::other("connection refused");
        let error = Error::new(Code::StoreUnavailable, "the store did not answer").with_source(cause);
        assert_eq!(
            plain(&error),
            "error: the store did not answer\n  because: connection refused\n  next: run `skillmount doctor` to see which part fails and how to fix it"
        );
        let styled = explained(&error, "ls");
        assert!(styled.starts_with("\u{1b}[1m\u{1b}[31merror:\u{1b}[0m "), "{styled:?}");
    }

    #[test]
    fn the_next_step_is_one_of_the_command() {
        let step = |code, message: &str, command| next_step(&Error::new(code, message), command);
        assert!(step(Code::AlreadyExists, "", "write").is_some() && step(Code::FileNotFound, "", "cat").is_some());
        for command in ["mv", "user export", "skills mv", "push", "encoder add"] {
            assert_eq!(step(Code::AlreadyExists, "", command), None, "{command}");
        }
        assert_eq!(step(Code::FileNotFound, "", "encoder add"), None);
        let damaged = "the head of the skill a is damaged (x): an operator deletes the object k, and the skill is what lies there";
        assert_eq!(step(Code::ObjectDamaged, damaged, "push"), None);
        assert!(step(Code::Internal, "something went wrong", "push").is_some());
    }

    #[test]
    fn a_problem_document_carries_code_outcome_and_details() {
        let error = Error::new(Code::AmbiguousSkill, "two answer").with_detail("candidates", ["a", "b"]);
        let problem = problem(&error);
        assert_eq!(problem["code"], "ambiguous_skill");
        assert_eq!(problem["status"], 409);
        assert_eq!(problem["candidates"], json!(["a", "b"]));
    }

    #[test]
    fn text_of_others_cannot_drive_the_terminal() {
        let error = Error::new(Code::SkillNotFound, "a\u{1b}[2Jb").with_source(io::Error::other("c\u{202e}d"));
        let text = plain(&error);
        assert!(text.starts_with("error: a[2Jb\n  because: cd\n"), "{text}");
    }

    #[test]
    fn a_person_reads_no_sentence_that_was_written_for_a_model() {
        for (model, person) in [
            ("/a exists already; change it with edit, or write it with overwrite: true", "/a exists already"),
            ("/a is a file, not a folder; read it with read", "/a is a file, not a folder; `skillmount cat` prints it"),
            (
                "the file list of skill a is gone; call load_skill(\"a\") again",
                "the file list of skill a is gone; `skillmount skills load` it again",
            ),
            ("nothing of the kind", "nothing of the kind"),
        ] {
            assert_eq!(for_people(model), person);
        }
    }

    #[test]
    fn every_sentence_that_is_put_otherwise_is_still_said() {
        fn sources(folder: &Path, text: &mut String) {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                match entry.path() {
                    path if path.is_dir() => sources(&path, text),
                    path => text.push_str(&fs::read_to_string(path).unwrap()),
                }
            }
        }
        let mut said = String::new();
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for module in ["audit", "content", "context", "deletions", "files", "publish", "session", "skills"] {
            sources(&crates.join("engine/src").join(module), &mut said);
        }
        sources(&crates.join("base/src/text"), &mut said);
        sources(&crates.join("wire/src"), &mut said);
        sources(&crates.join("store/src"), &mut said);
        for (model, _) in FOR_PEOPLE {
            assert!(model.split('*').all(|part| said.contains(part)), "nobody says {model:?} any more");
        }
    }
}
