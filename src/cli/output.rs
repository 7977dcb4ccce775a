//! The only place that writes to stdout, and how an error looks on stderr.
//!
//! A reader that went away (`skillmount cat … | head`) is not an error: what follows is dropped in silence.

use std::{
    fmt::Display,
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use serde::Serialize;
use serde_json::{Value, json};

use super::commands::doctor::CHECKS_FAILED;
use crate::{
    error::{Code, Error, Result},
    skill::shown::{Shown, block, one_line},
    wire::{Instructions, Reply, TextForm},
};

/// Characters of a long line that are shown to a person.
const SHOWN_CHARS: usize = 110;

/// Where results go, and whether as text or as JSON.
#[derive(Debug)]
pub(super) struct Output {
    json: bool,
    closed: AtomicBool,
}

impl Output {
    /// Results as text, or as JSON with `--json`.
    pub(super) fn new(json: bool) -> Self {
        Self { json, closed: AtomicBool::new(false) }
    }

    /// Whether results are JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether nobody reads any more, so that a long output can stop.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// One line of text.
    pub(super) fn line(&self, text: impl Display) -> Result<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Bytes as they are.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => Err(Error::new(Code::Internal, "writing to standard output failed").with_source(error)),
        }
    }

    /// The result of a command: one JSON document, or what `text` makes of it.
    pub(super) fn reply<T: Serialize>(&self, value: &T, text: impl FnOnce(&Self, &T) -> Result<()>) -> Result<()> {
        if self.json { self.document(value) } else { text(self, value) }
    }

    /// The reply of an operation: one JSON document, or its text.
    pub(super) fn of_operation(&self, reply: &impl Reply) -> Result<()> {
        let form = TextForm { room: usize::MAX, instructions: Instructions::InReply };
        self.reply(reply, |out, reply| out.line(reply.text(form)?))
    }

    /// One JSON document on one line.
    pub(super) fn document(&self, value: &impl Serialize) -> Result<()> {
        self.line(serde_json::to_string(value).map_err(Error::internal)?)
    }
}

/// A remark beside the result, on stderr: it never mixes with what a script reads.
pub(super) fn note(text: impl Display) {
    // Where stderr is gone there is nobody left to tell.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Shows an error: a problem document with `--json`, else the message, its causes and what to do next.
pub(super) fn failure(error: &Error, json: bool) {
    if json {
        note(problem(error));
    } else {
        note(explained(error, io::stderr().is_terminal()));
    }
}

/// Whether progress is worth drawing.
pub(super) fn progress_is_seen(output: &Output) -> bool {
    !output.is_json() && io::stderr().is_terminal()
}

/// A member of a document on one line; `-` if it has none.
pub(super) fn member(document: &Value, name: &str) -> Shown {
    match document.get(name) {
        None | Some(Value::Null) => one_line("-"),
        Some(Value::String(text)) => one_line(text),
        Some(other) => one_line(&other.to_string()),
    }
}

/// At most [`SHOWN_CHARS`] characters of a line, and a mark where there are more.
pub(super) fn shortened(line: &str) -> String {
    if line.chars().count() <= SHOWN_CHARS {
        return line.to_owned();
    }
    let start: String = line.chars().take(SHOWN_CHARS).collect();
    format!("{start}…")
}

/// The problem document of RFC 9457, as the HTTP interface gives it.
fn problem(error: &Error) -> Value {
    let mut problem = json!({
        "type": "about:blank",
        "title": error.kind().title(),
        "status": error.code().http_status(),
        "detail": error.message(),
        "code": error.code().as_str(),
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

fn explained(error: &Error, colour: bool) -> String {
    let head = if colour { "\u{1b}[1;31merror:\u{1b}[0m" } else { "error:" };
    let mut text = format!("{head} {}", block(error.message()).plain());
    let mut last = error.message().to_owned();
    let mut next = std::error::Error::source(error);
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if cause_text != last && !error.message().contains(&cause_text) {
            text.push_str("\n  because: ");
            text.push_str(block(&cause_text).plain());
        }
        last = cause_text;
        next = cause.source();
    }
    // Advice that was given already, by doctor, does not send back to doctor.
    if let Some(step) = next_step(error.code()).filter(|_| !error.details().contains_key(CHECKS_FAILED)) {
        text.push_str("\n  next: ");
        text.push_str(step);
    }
    text
}

/// What a person at a terminal can do, where the message (written for agents) does not say it already.
fn next_step(code: Code) -> Option<&'static str> {
    match code {
        Code::StoreUnavailable => Some("run `skillmount doctor` to see which part fails and how to mend it"),
        Code::Unauthenticated => Some("give --api-key or set SKILLMOUNT_API_KEY"),
        Code::FileNotFound => Some("`skillmount ls` shows what is there, `skillmount skills list` what can be loaded"),
        Code::SkillNotFound | Code::AmbiguousSkill => Some("`skillmount skills list` shows every skill"),
        Code::AlreadyExists => Some("take another name; `write --overwrite` replaces a file"),
        Code::Internal => Some("run again with -v and report what it prints"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_on_a_terminal_has_message_causes_and_next_step() {
        let cause = io::Error::other("connection refused");
        let error = Error::new(Code::StoreUnavailable, "the store did not answer").with_source(cause);
        let text = explained(&error, false);
        assert_eq!(
            text,
            "error: the store did not answer\n  because: connection refused\n  next: run `skillmount doctor` to see which part fails and how to mend it"
        );
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
        let document = json!({ "name": "a\u{1b}[2Jb\nc", "size": 3 });
        assert_eq!(member(&document, "name").plain(), "a[2Jb c");
        assert_eq!((member(&document, "size").plain(), member(&document, "none").plain()), ("3", "-"));
        let error = Error::new(Code::SkillNotFound, "a\u{1b}[2Jb").with_source(io::Error::other("c\u{202e}d"));
        let text = explained(&error, false);
        assert!(text.starts_with("error: a[2Jb\n  because: cd\n"), "{text}");
    }
}
