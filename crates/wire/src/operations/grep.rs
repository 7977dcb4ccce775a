//! Searching contents of files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use skillmount_base::error::Result;
use utoipa::ToSchema;

use super::{
    Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, absent_if_empty, left_out, lines::ListNotes,
};

/// Search file contents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GrepRequest {
    /// A Rust regular expression, or plain text with `literal`.
    pub pattern: String,
    /// Folder or file to search; everything the session sees if absent.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub path: Option<String>,
    /// Only files that this glob matches, such as `*.md`.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub glob: Option<String>,
    /// Take the pattern as plain text.
    #[serde(default)]
    pub literal: bool,
    /// Ignore case.
    #[serde(default)]
    pub ignore_case: bool,
    /// Lines to show before and after each hit.
    #[serde(default)]
    pub context: usize,
    /// What to return.
    #[serde(default)]
    pub output_mode: GrepOutput,
    /// Hits (or files, in the other modes) to return at most.
    pub max_count: Option<usize>,
}

/// A line that matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepMatch {
    /// The file.
    pub path: String,
    /// 1-based.
    pub line: u64,
    /// The line without its line ending.
    pub text: String,
    /// Lines before it.
    #[serde(default)]
    pub before: Vec<String>,
    /// Lines after it.
    #[serde(default)]
    pub after: Vec<String>,
}

/// A file and how many of its lines matched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepCount {
    /// The file.
    pub path: String,
    /// Lines that matched.
    pub count: u64,
}

/// What a grep found, in one of three forms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrepReply {
    /// With `content`: the first hits in (path, line) order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<Vec<GrepMatch>>,
    /// With `files`: the files that hold a hit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<String>>,
    /// With `count`: how many lines matched in each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Vec<GrepCount>>,
    /// Whether something was left out.
    pub truncated: bool,
    /// What was left out and how to get it.
    pub truncation_reason: Option<String>,
}

impl GrepRequest {
    /// Searches for this expression in everything the session sees.
    #[must_use]
    pub fn new(pattern: impl Into<String>) -> Self {
        Self { pattern: pattern.into(), ..Self::default() }
    }
}

impl Request for GrepRequest {
    const OPERATION: Operation = Operation::Grep;
    const FOR_MODELS: &'static str = "Search file contents with a Rust regular expression.";
    type Reply = GrepReply;

    fn outline(&self) -> CallOutline {
        let Self { pattern, path, glob, literal, ignore_case, context, output_mode, max_count } = self;
        let place = CallOutline::default().path("path", path).glob("glob", glob);
        let what =
            place.other("pattern", left_out(pattern)).other("literal", literal).other("ignore_case", ignore_case);
        what.other("context", context).other("output_mode", output_mode).other("max_count", max_count)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Reads(self.path.as_deref().unwrap_or("/"))]
    }

    fn paths_mut(&mut self) -> Vec<&mut String> {
        vec![self.path.get_or_insert_with(|| "/".to_owned())]
    }
}

/// What a grep returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrepOutput {
    /// The lines.
    #[default]
    Content,
    /// The files.
    Files,
    /// The files, and how many lines matched in each.
    Count,
}

impl Reply for GrepReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let (omitted, more) = (self.truncation_reason.as_deref(), "narrow the pattern, the path or the glob");
        let lines = self.lines();
        // A page shows a part of the first hit at least, not its heading alone.
        let least = lines.iter().position(|(kind, _)| *kind == LineKind::Item).map_or(1, |at| at + 1);
        let lines = lines.into_iter().map(|(_, line)| line).collect();
        Ok(TextPage::list(lines, least, form.room, ListNotes { empty: "No matches found", omitted, more }))
    }

    fn cut(&mut self, page: &TextPage) {
        let shown = self.lines().iter().take(page.shown).filter(|(kind, _)| *kind == LineKind::Item).count();
        if let Some(matches) = &mut self.matches {
            matches.truncate(shown);
            if let (Some(bytes), Some(last)) = (page.cut, matches.last_mut()) {
                last.text.truncate(last.text.floor_char_boundary(bytes));
            }
        }
        self.counts.iter_mut().for_each(|counts| counts.truncate(shown));
        self.files.iter_mut().for_each(|files| files.truncate(shown));
        self.truncated = true;
        self.truncation_reason = Some(page.bare_note());
    }
}

/// The kind of a line of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineKind {
    /// A hit, or a file in the other modes.
    Item,
    /// A line around hits, or between them.
    Around,
}

impl GrepReply {
    fn lines(&self) -> Vec<(LineKind, String)> {
        let counts = self.counts.iter().flatten().map(|one| (LineKind::Item, format!("{}: {}", one.path, one.count)));
        let files = self.files.iter().flatten().map(|file| (LineKind::Item, file.clone()));
        self.matches.as_deref().map(hits).unwrap_or_default().into_iter().chain(counts).chain(files).collect()
    }
}

/// Hits under the name of their file, each line once, with its number; `:` marks a hit and `-` a line around one.
fn hits(matches: &[GrepMatch]) -> Vec<(LineKind, String)> {
    let mut files: BTreeMap<&str, BTreeMap<u64, (LineKind, &str)>> = BTreeMap::new();
    for hit in matches {
        let lines = files.entry(&hit.path).or_default();
        let before = hit.line.saturating_sub(hit.before.len() as u64);
        for (number, text) in (before..).zip(&hit.before).chain((hit.line + 1..).zip(&hit.after)) {
            lines.entry(number).or_insert((LineKind::Around, text));
        }
        lines.insert(hit.line, (LineKind::Item, &hit.text));
    }
    let has_context = matches.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
    let mut text = Vec::new();
    for (path, lines) in files {
        text.push((LineKind::Around, format!("{path}:")));
        let mut last = None;
        for (number, (kind, line)) in lines {
            if has_context && last.is_some_and(|last| last + 1 < number) {
                text.push((LineKind::Around, "  --".to_owned()));
            }
            let mark = if kind == LineKind::Item { ':' } else { '-' };
            text.push((kind, format!("  {number}{mark} {line}")));
            last = Some(number);
        }
    }
    text
}
