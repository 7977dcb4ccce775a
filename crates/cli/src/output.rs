//! The only place that writes results, and remarks beside them.
//!
//! A reader that went away (`skillmount cat … | head`) is not an error: the rest of the output is dropped in silence.
//! Colours are written as if every reader wanted them. The stream removes them if `NO_COLOR`, `TERM=dumb` or a pipe
//! shows that the reader wants none.

use std::{
    fmt::Display,
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use serde::Serialize;

use crate::{
    error::{Error, Result},
    screen::{Cell, LastColumn, Table, Terminal},
    skill::shown::block,
    streams::Stream,
    wire::{Instructions, Reply, TextFormat},
};

/// How much is printed beside results and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// Nothing.
    Quiet,
    /// Remarks, and a summary of long lists.
    Usual,
    /// Every line.
    Every,
}

/// Where results and remarks go, and whether results are text or JSON.
#[derive(Debug)]
pub(super) struct Output {
    json: bool,
    detail: Detail,
    stdout: Stream,
    stderr: Stream,
    closed: AtomicBool,
}

impl Output {
    /// Results on `stdout` as text, or as JSON with `--json`, and remarks on `stderr`.
    pub(super) fn new(json: bool, stdout: Stream, stderr: Stream) -> Self {
        Self { json, detail: Detail::Usual, stdout, stderr, closed: AtomicBool::new(false) }
    }

    /// The same with this much beside results.
    pub(super) fn with_detail(self, detail: Detail) -> Self {
        Self { detail, ..self }
    }

    /// How much is printed beside results.
    pub(super) fn detail(&self) -> Detail {
        self.detail
    }

    /// Whether results are JSON.
    pub(super) fn is_json(&self) -> bool {
        self.json
    }

    /// The terminal or other target of results.
    pub(super) fn screen(&self) -> Terminal {
        self.stdout.screen()
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
        self.written(|| self.stdout.write_plain(bytes))
    }

    /// One line with styles, which only a reader sees who wants them.
    pub(super) fn styled(&self, text: impl Display) -> Result<()> {
        self.written(|| self.stdout.write_styled(&format!("{text}\n")))
    }

    /// The rows of a table, fitted to the screen.
    pub(super) fn table<const N: usize>(
        &self,
        last: LastColumn,
        rows: impl IntoIterator<Item = [Cell; N]>,
    ) -> Result<()> {
        Table::new(last, rows).lines(self.screen().width).into_iter().try_for_each(|line| self.styled(line))
    }

    /// As [`table`](Self::table), on a terminal below `headings`. A script gets the rows alone.
    pub(super) fn list<const N: usize>(
        &self,
        headings: [&str; N],
        last: LastColumn,
        rows: impl IntoIterator<Item = [Cell; N]>,
    ) -> Result<()> {
        if self.screen().is_terminal { self.headed(headings, last, rows) } else { self.table(last, rows) }
    }

    /// As [`table`](Self::table), below `headings` everywhere. No rows have no headings.
    pub(super) fn headed<const N: usize>(
        &self,
        headings: [&str; N],
        last: LastColumn,
        rows: impl IntoIterator<Item = [Cell; N]>,
    ) -> Result<()> {
        let mut rows = rows.into_iter().peekable();
        let mut headings = headings.into_iter();
        let heading =
            rows.peek().map(|first| first.each_ref().map(|cell| cell.heading(headings.next().unwrap_or_default())));
        self.table(last, heading.into_iter().chain(rows))
    }

    /// Lines of text of others. A terminal gets them without the characters that drive it, and a file gets them whole.
    pub(super) fn block(&self, text: &str) -> Result<()> {
        if self.screen().is_terminal { self.bytes(block(text).plain().as_bytes()) } else { self.bytes(text.as_bytes()) }
    }

    fn written(&self, write: impl FnOnce() -> io::Result<()>) -> Result<()> {
        if self.is_closed() {
            return Ok(());
        }
        match write() {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed.store(true, Ordering::Relaxed);
                Ok(())
            }
            Err(error) => Err(invalid!("standard output cannot be written").with_source(error)),
        }
    }

    /// The result of a command: one JSON document, or the output of `text`.
    pub(super) fn reply<T: Serialize>(&self, value: &T, text: impl FnOnce(&Self, &T) -> Result<()>) -> Result<()> {
        if self.json { self.document(value) } else { text(self, value) }
    }

    /// The reply of an operation: one JSON document, or its text.
    pub(super) fn of_operation(&self, reply: &impl Reply) -> Result<()> {
        let form = TextFormat { room: usize::MAX, instructions: Instructions::InReply };
        self.reply(reply, |out, reply| out.line(reply.text(form)?))
    }

    /// A remark beside the result, on stderr. It never mixes with the output for scripts, and --quiet leaves it out.
    pub(super) fn note(&self, text: impl Display) {
        if self.detail != Detail::Quiet {
            self.fault(text);
        }
    }

    /// A fault or another important line beside the result, on stderr. --quiet keeps it.
    pub(super) fn fault(&self, text: impl Display) {
        note(&self.stderr, text);
    }

    /// Whether a person watches what is said beside the results, such as progress.
    pub(super) fn progress_is_seen(&self) -> bool {
        !self.json && self.detail != Detail::Quiet && self.stderr.is_terminal()
    }

    /// One JSON document on one line.
    pub(super) fn document(&self, value: &impl Serialize) -> Result<()> {
        self.line(serde_json::to_string(value).map_err(Error::internal)?)
    }
}

/// A remark on `stderr`, also if there are no results yet.
pub(super) fn note(stderr: &Stream, text: impl Display) {
    // Ignore the error: stderr may be closed.
    let _ = stderr.write_styled(&format!("{text}\n"));
}

/// The results of a command on several skills, in the member `skills` as in every list of skills.
#[derive(Debug, Serialize)]
pub(super) struct OfSkills<'list, T> {
    pub(super) skills: &'list [T],
}
