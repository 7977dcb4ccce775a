//! The outcome of the questions.

use std::path::Path;

use anstyle::AnsiColor;
use quick_junit::{NonSuccessKind, Report as JunitReport, TestCase, TestCaseStatus, TestSuite};
use serde::Serialize;

use super::questions::TestQuestion;
use crate::{
    counts::counted,
    error::{Error, Result},
    output::Output,
    screen::{Cell, LastColumn, plain},
    wire::DiscoverReply,
};

/// All answers.
#[derive(Debug, Serialize)]
pub(super) struct TestReport {
    #[serde(skip)]
    file: String,
    questions: Vec<TestAnswer>,
    passed: usize,
    pub(super) failed: usize,
}

/// The skills that a question found.
#[derive(Debug, Serialize)]
pub(super) struct TestAnswer {
    query: String,
    expect: Vec<String>,
    top: usize,
    passed: bool,
    /// The first skills that were found, best first.
    found: Vec<RankedSkill>,
    /// The skills that were not among them.
    missing: Vec<Missing>,
}

#[derive(Debug, Serialize)]
struct RankedSkill {
    skill: String,
    score: f32,
}

/// A skill that a question should have found.
#[derive(Debug, Serialize)]
pub(super) struct Missing {
    /// As the file names it.
    pub(super) skill: String,
    /// Where it stands, if it was found further down.
    pub(super) rank: Option<usize>,
    pub(super) reason: String,
}

impl TestAnswer {
    /// The answer to `question`: the skills in `reply`, and the `missing` skills.
    pub(super) fn from_reply(question: TestQuestion, reply: &DiscoverReply, missing: Vec<Missing>) -> Self {
        let TestQuestion { query, expect, top, .. } = question;
        let found = reply.skills.iter().map(|found| RankedSkill { skill: found.skill.clone(), score: found.score });
        let found: Vec<_> = found.collect();
        let passed = missing.is_empty() && (found.is_empty() || !expect.is_empty());
        Self { query, expect, top, passed, found, missing }
    }

    /// Why it failed, one sentence for each reason.
    fn faults(&self) -> Vec<String> {
        if self.expect.is_empty() && !self.passed {
            return vec![format!("nothing should be found, and this is: {}", self.found_in_words())];
        }
        let say = |one: &Missing| format!("{}: {}", plain(&one.skill), plain(&one.reason));
        self.missing.iter().map(say).collect()
    }

    fn found_in_words(&self) -> String {
        let names: Vec<_> = self.found.iter().map(|found| plain(&found.skill)).collect();
        if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
    }
}

impl TestReport {
    /// The report on a file.
    pub(super) fn from_answers(file: &Path, questions: Vec<TestAnswer>) -> Self {
        let passed = questions.iter().filter(|answer| answer.passed).count();
        Self { file: file.display().to_string(), passed, failed: questions.len() - passed, questions }
    }

    /// A table for people: each question, and why it failed.
    pub(super) fn print(&self, out: &Output) -> Result<()> {
        let rows = self.questions.iter().flat_map(|answer| {
            let row = |word: &str, colour: AnsiColor, what: String| {
                [Cell::from(word).styled(colour.on_default()), plain(&answer.query).into(), what.into()]
            };
            let ok = answer.passed.then(|| row("ok", AnsiColor::Green, answer.found_in_words()));
            let faults = answer.faults().into_iter().map(|fault| row("FAIL", AnsiColor::Red, fault));
            ok.into_iter().chain(faults).collect::<Vec<_>>()
        });
        out.table(LastColumn::Wrapped, rows)?;
        let Self { passed, failed, .. } = self;
        out.line(format_args!("{}: {passed} passed, {failed} failed", counted(self.questions.len(), "question")))
    }

    /// `JUnit` XML, one test case for each question.
    ///
    /// # Errors
    /// `internal` if it cannot be written.
    pub(super) fn junit(&self) -> Result<String> {
        let mut suite = TestSuite::new(&*self.file);
        for answer in &self.questions {
            let status = if answer.passed {
                TestCaseStatus::success()
            } else {
                let mut failure = TestCaseStatus::non_success(NonSuccessKind::Failure);
                failure.set_message(answer.faults().join("; "));
                failure.set_description(format!("Found: {}", answer.found_in_words()));
                failure
            };
            let mut case = TestCase::new(plain(&answer.query), status);
            case.set_classname("skillmount.search");
            suite.add_test_case(case);
        }
        let mut report = JunitReport::new("skillmount test");
        report.add_test_suite(suite);
        report.to_string().map_err(Error::internal)
    }
}
