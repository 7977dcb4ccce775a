//! Where content comes from: an argument, a file, or standard input.

use std::{
    io::{self, IsTerminal, Read},
    path::Path,
};

use super::output::note;
use crate::error::{Code, Error, Result};

/// The argument as it was given, or else the bytes of `file`, or else those of standard input.
///
/// # Errors
/// `invalid_request` where the file or standard input cannot be read.
pub(super) fn bytes(argument: Option<String>, file: Option<&Path>) -> Result<Vec<u8>> {
    match (argument, file) {
        (Some(text), _) => Ok(text.into_bytes()),
        (None, Some(path)) if path != Path::new("-") => std::fs::read(path).map_err(|error| {
            Error::new(Code::InvalidRequest, format!("{} cannot be read", path.display())).with_source(error)
        }),
        _ => stdin(),
    }
}

/// As [`bytes`], for content that must be text.
///
/// # Errors
/// Also if it is not UTF-8.
pub(super) fn text(argument: Option<String>, file: Option<&Path>) -> Result<String> {
    String::from_utf8(bytes(argument, file)?)
        .map_err(|error| Error::new(Code::InvalidRequest, "the text given is not UTF-8").with_source(error))
}

/// What a person types in answer to `question`; `None` if nobody is at the terminal.
///
/// # Errors
/// `invalid_request` if standard input cannot be read.
pub(super) fn typed(question: &str) -> Result<Option<String>> {
    let stdin = io::stdin();
    if !stdin.is_terminal() {
        return Ok(None);
    }
    note(question);
    let mut line = String::new();
    stdin.read_line(&mut line).map_err(unreadable)?;
    Ok(Some(line))
}

fn stdin() -> Result<Vec<u8>> {
    let mut stdin = io::stdin().lock();
    if stdin.is_terminal() {
        note("reading standard input; end it with Ctrl-D");
    }
    let mut bytes = Vec::new();
    stdin.read_to_end(&mut bytes).map_err(unreadable)?;
    Ok(bytes)
}

fn unreadable(error: io::Error) -> Error {
    Error::new(Code::InvalidRequest, "standard input cannot be read").with_source(error)
}
