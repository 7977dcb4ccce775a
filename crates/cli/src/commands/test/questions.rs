//! The file of questions.

use serde::Deserialize;
use serde_json::Value;

use crate::{error::Result, limits::SEARCH_RESULTS_MOST, skill::yaml_value};

/// How far down a skill may stand if a file does not say it.
const TOP: usize = 5;

/// The text that `--init` prints.
pub(super) const TEMPLATE: &str = "\
# Questions as people ask them, each with the skills that should be found.
#   skillmount test questions.yaml
top: 5                                # within the first so many, if a question does not say it
questions:
  - query: write the minutes of yesterday's meeting
    expect: minutes                   # a path, a folder or a name
  - query: rent a flat and take over its contract
    expect: [contracts/lease, notes]  # all of them
    top: 3
  - query: what is the weather like
    expect: []                        # nothing should be found
";

/// A question and what it should find.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestQuestion {
    pub(super) query: String,
    /// Skills that should be found; none if nothing should.
    pub(super) expect: Vec<String>,
    /// Within the first so many.
    pub(super) top: usize,
    pub(super) category: Option<String>,
    pub(super) level: Option<String>,
}

/// A file as it is written, unless it is a bare list of questions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionFile {
    top: Option<usize>,
    questions: Vec<Value>,
}

/// A question as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenQuestion {
    query: String,
    expect: ExpectedSkills,
    top: Option<usize>,
    category: Option<String>,
    level: Option<String>,
}

/// The skills of a question as they are written.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expect is a skill or a list of skills")]
enum ExpectedSkills {
    One(String),
    All(Vec<String>),
}

/// Reads a file of questions.
///
/// # Errors
/// `invalid_request` if it is no YAML, if it has no question, or if a question is not one.
pub(super) fn read(text: &str) -> Result<Vec<TestQuestion>> {
    let value = yaml_value(text).map_err(|why| invalid!("{why}"))?;
    let written = match value {
        Value::Array(questions) => QuestionFile { top: None, questions },
        Value::Object(_) => serde_json::from_value(value).map_err(|error| invalid!("{error}"))?,
        _ => QuestionFile { top: None, questions: Vec::new() },
    };
    if written.questions.is_empty() {
        return Err(invalid!("it has no questions; `skillmount test --init` prints a file to begin with"));
    }
    let top = written.top.unwrap_or(TOP);
    let questions = written.questions.into_iter().enumerate();
    questions.map(|(at, value)| question(value, top).map_err(|why| invalid!("question {}: {why}", at + 1))).collect()
}

fn question(value: Value, top: usize) -> Result<TestQuestion, String> {
    let written: WrittenQuestion = serde_json::from_value(value).map_err(|error| error.to_string())?;
    let WrittenQuestion { query, expect, top: own, category, level } = written;
    let expect = match expect {
        ExpectedSkills::One(skill) => vec![skill],
        ExpectedSkills::All(skills) => skills,
    };
    let top = own.unwrap_or(top);
    if !(1..=SEARCH_RESULTS_MOST).contains(&top) {
        return Err(format!("top is {top}; it is a number from 1 to {SEARCH_RESULTS_MOST}"));
    }
    if expect.len() > top {
        return Err(format!("{} skills cannot be among the first {top}; raise top", expect.len()));
    }
    Ok(TestQuestion { query, expect, top, category, level })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        read(text).unwrap_err().message().to_owned()
    }

    #[test]
    fn the_template_a_bare_list_and_json_are_read() {
        let template = read(TEMPLATE).unwrap();
        assert_eq!(
            template.iter().map(|one| (one.expect.len(), one.top)).collect::<Vec<_>>(),
            [(1, 5), (2, 3), (0, 5)]
        );
        let list = read("- query: a\n  expect: b\n").unwrap();
        assert_eq!((list[0].expect.as_slice(), list[0].top), (["b".to_owned()].as_slice(), TOP));
        let json = r#"{"top": 2, "questions": [{"query": "a", "expect": ["b"], "category": "c", "level": "d"}]}"#;
        let json = read(json).unwrap();
        assert_eq!((json[0].top, json[0].category.as_deref(), json[0].level.as_deref()), (2, Some("c"), Some("d")));
    }

    #[test]
    fn a_fault_is_named_with_its_place() {
        for (text, part) in [
            ("a: [", "line "),
            ("", "no questions"),
            ("[]", "no questions"),
            ("questions: []", "no questions"),
            ("question: []", "unknown field `question`"),
            ("- query: a\n  expect: b\n- query: c\n", "question 2: missing field `expect`"),
            ("- query: a\n  expects: b\n", "question 1: unknown field `expects`"),
            ("- query: a\n  expect: {b: c}\n", "a skill or a list of skills"),
            ("- query: a\n  expect:\n", "a skill or a list of skills"),
            ("- query: a\n  expect: b\n  top: 0\n", "top is 0"),
            ("- query: a\n  expect: b\n  top: 101\n", "top is 101"),
            ("- query: a\n  expect: [b, c]\n  top: 1\n", "2 skills cannot be among the first 1"),
            (&"[".repeat(1000), "column 65: too many"),
        ] {
            assert!(refusal(text).contains(part), "{text:.40}: {}", refusal(text));
        }
        assert!(read("- query: a\n  expect: b\n  top: 100\n").is_ok());
    }

    #[test]
    fn a_long_file_is_read_and_aliases_cannot_multiply_it() {
        let questions = (0..20_000).map(|number| format!("- {{query: q{number}, expect: s{number}}}\n"));
        let many = questions.collect::<Vec<_>>().concat();
        assert_eq!(read(&many).unwrap().len(), 20_000);
        let bomb = format!("a: &a [{}]\nquestions: [{}]\n", "x,".repeat(4000), "*a,".repeat(2000));
        assert!(refusal(&bomb).contains("repe"), "{}", refusal(&bomb));
    }
}
