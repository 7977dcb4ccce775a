//! Shows each call with its answer, and remembers which answers were right.

use serde::Serialize;
use serde_json::{Value, json};

use crate::{
    error::{Code, Error, Result},
    output::Output,
    skill::shown::block,
};

/// Lines of a long answer that are shown.
const SHOWN_LINES: usize = 8;
/// Columns before an answer.
const ANSWER_INDENT: usize = 4;

/// Where the play is shown.
pub(super) struct Stage<'out> {
    out: &'out Output,
    played: Vec<DemoCall>,
}

/// One call and its answer.
#[derive(Debug, Serialize)]
struct DemoCall {
    call: String,
    answer: String,
    right: bool,
}

impl<'out> Stage<'out> {
    pub(super) fn new(out: &'out Output) -> Self {
        Self { out, played: Vec::new() }
    }

    /// A line that says what comes next.
    pub(super) fn scene(&self, title: &str) -> Result<()> {
        if self.out.is_json() { Ok(()) } else { self.out.line(format_args!("\n{title}")) }
    }

    /// A call, the answer it really got, and whether the answer is right.
    pub(super) fn played(&mut self, call: String, answer: String, right: bool) -> Result<()> {
        if !self.out.is_json() {
            self.out.line(format_args!("  {call}"))?;
            let lines: Vec<_> = answer.lines().collect();
            for line in lines.iter().take(SHOWN_LINES) {
                let shown = self.out.screen().fitted(block(line).plain(), ANSWER_INDENT);
                self.out.line(format_args!("    {shown}"))?;
            }
            if lines.len() > SHOWN_LINES {
                self.out.line(format_args!("    … {} more lines", lines.len() - SHOWN_LINES))?;
            }
            if !right {
                self.out.line("    ^ this answer is WRONG")?;
            }
        }
        self.played.push(DemoCall { call, answer, right });
        Ok(())
    }

    /// The verdict on the whole play.
    ///
    /// # Errors
    /// `internal` where an answer was wrong, or none was given.
    pub(super) fn close(self) -> Result<()> {
        let wrong = self.played.iter().filter(|played| !played.right).count();
        let calls = self.played.len();
        if self.out.is_json() {
            self.out.document(&json!({ "right": wrong == 0, "calls": self.played }))?;
        } else if wrong == 0 {
            self.out.line(format_args!("\nAll {calls} answers are right."))?;
        }
        if wrong == 0 && calls > 0 {
            return Ok(());
        }
        Err(Error::new(Code::Internal, format!("{wrong} of {calls} answers are wrong")))
    }
}

/// A call as the reader sees it: a name and arguments in JSON.
pub(super) fn call(name: &str, arguments: &Value) -> String {
    format!("{name} {arguments}")
}

/// An error as the agent sees it.
pub(super) fn refusal(error: &Error) -> String {
    format!("{}: {}", error.code(), error.message())
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::streams::Stream;

    #[test]
    fn one_wrong_answer_or_none_at_all_is_a_failure() {
        let nowhere = Stream::to(io::sink());
        let out = Output::new(false, nowhere.clone(), nowhere);
        let closed = |answers: &[bool]| {
            let played =
                answers.iter().map(|right| DemoCall { call: "c".into(), answer: String::new(), right: *right });
            Stage { out: &out, played: played.collect() }.close().is_ok()
        };
        assert!(closed(&[true, true]));
        assert!(!closed(&[true, false]));
        assert!(!closed(&[]));
    }
}
