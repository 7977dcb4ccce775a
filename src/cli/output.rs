//! The only place that writes to stdout, and remarks on stderr.
//!
//! A reader that went away (`skillmount cat … | head`) is not an error: what follows is dropped in silence. Colours are written
//! as if every reader wanted them; anstream takes them out where `NO_COLOR`, `TERM=dumb` or a pipe says that nobody does.

use std::{
    fmt::Display,
    io::{self, IsTerminal, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use anstream::AutoStream;
use serde::Serialize;

use super::screen::{Screen, Table};
use crate::{
    error::{Code, Error, Result},
    wire::{Instructions, Reply, TextForm},
};

/// Where results go, and whether as text or as JSON.
#[derive(Debug)]
pub(super) struct Output {
    json: bool,
    screen: Screen,
    closed: AtomicBool,
}

impl Output {
    /// Results as text, or as JSON with `--json`.
    pub(super) fn new(json: bool) -> Self {
        Self { json, screen: Screen::of_stdout(), closed: AtomicBool::new(false) }
    }

    /// Whether results are JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// What results are written on.
    pub(super) fn screen(&self) -> Screen {
        self.screen
    }

    /// Whether stdout is closed, so that a long output can stop.
    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }

    /// One line of text, as it is.
    pub(super) fn line(&self, text: impl Display) -> Result<()> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    /// Bytes as they are.
    pub(super) fn bytes(&self, bytes: &[u8]) -> Result<()> {
        self.written(&mut io::stdout().lock(), bytes)
    }

    /// One line with styles, which only a reader sees who wants them.
    pub(super) fn styled(&self, text: impl Display) -> Result<()> {
        self.written(&mut AutoStream::auto(io::stdout()).lock(), format!("{text}\n").as_bytes())
    }

    /// The lines of a table, fitted to the screen.
    pub(super) fn table(&self, table: &Table) -> Result<()> {
        table.lines(self.screen.width()).into_iter().try_for_each(|line| self.styled(line))
    }

    fn written(&self, stdout: &mut impl Write, bytes: &[u8]) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => Err(Error::new(Code::InvalidRequest, "standard output cannot be written").with_source(error)),
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
    // Ignore the error: stderr may be closed.
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Whether a person watches what is said beside the results, such as progress.
pub(super) fn progress_is_seen(output: &Output) -> bool {
    !output.is_json() && io::stderr().is_terminal()
}

/// What a command has to say of several skills, under the member that every list of skills has.
#[derive(Debug, Serialize)]
pub(super) struct OfSkills<'list, T> {
    pub(super) skills: &'list [T],
}
