//! Where content comes from: an argument, a file, or standard input.

use std::{io, path::Path};

use crate::{
    app::App,
    error::{Error, Result},
    findings::read,
};

/// The argument as it was given, or else the bytes of `file`, or else those of standard input.
///
/// # Errors
/// `invalid_request` where the file or standard input cannot be read.
pub(super) fn bytes(app: &App, argument: Option<String>, file: Option<&Path>) -> Result<Vec<u8>> {
    match (argument, file) {
        (Some(text), _) => Ok(text.into_bytes()),
        (None, Some(path)) if path != Path::new("-") => read(&app.process.local(path)),
        _ => stdin(app),
    }
}

/// As [`bytes`], for content that must be text.
///
/// # Errors
/// Also if it is not UTF-8.
pub(super) fn text(app: &App, argument: Option<String>, file: Option<&Path>) -> Result<String> {
    String::from_utf8(bytes(app, argument, file)?)
        .map_err(|error| invalid!("the text given is not UTF-8").with_source(error))
}

/// The line that a person types in answer to `question`; `None` if standard input is no terminal.
///
/// # Errors
/// `invalid_request` if standard input cannot be read.
pub(super) fn typed(app: &App, question: &str) -> Result<Option<String>> {
    let stdin = &app.process.stdin;
    if !stdin.is_terminal() {
        return Ok(None);
    }
    app.out.note(question);
    stdin.line().map(Some).map_err(unreadable)
}

fn stdin(app: &App) -> Result<Vec<u8>> {
    let stdin = &app.process.stdin;
    if stdin.is_terminal() {
        app.out.note("reading standard input; end it with Ctrl-D");
    }
    stdin.rest().map_err(unreadable)
}

/// The error of standard input that cannot be read.
pub(super) fn unreadable(error: io::Error) -> Error {
    invalid!("standard input cannot be read").with_source(error)
}
