//! Repairs frontmatter that is not YAML but has a clear meaning.
//!
//! Nearly all public skills that do not parse have one prose value with a `: ` inside, or with `*`, `@` or a backtick
//! first. Each entry of the block is parsed alone. If an entry fails, the repair puts its value in double quotes, with
//! its continuation lines. Lines keep their numbers, so that later findings still point at the file.
//!
//! Reading is one thing, writing back another: a repair that may have swallowed a field, a list or a comment is read,
//! but is not offered as the text that the author should have written. Only the whole block gives an alias its meaning,
//! so an entry with an alias is never quoted.

use std::{borrow::Cow, collections::BTreeSet};

use super::{
    split::Split,
    yaml::{self, Node, YamlFault},
};
use crate::{Diagnostic, FindingCode, diagnostic::saturating};

/// Levels of nesting that are repaired.
const LEVELS: usize = 8;

/// How the one field begins that every skill has.
const DESCRIPTION: &str = "description:";

/// Fields that are always text.
const TEXT_FIELDS: [&str; 6] = ["name", "description", "license", "compatibility", "when-to-use", "argument-hint"];

/// The repairs of a block, and the text that its author should have written, if there is no doubt about it.
#[derive(Default)]
pub(super) struct Repairs {
    pub text: Option<String>,
    pub findings: Vec<Diagnostic>,
}

/// Quotes the values that do not parse, and parses the block again.
///
/// # Errors
/// `yaml_invalid` or `frontmatter_not_a_map`, about the original text, if no repair helps.
pub(super) fn parse_repaired(split: &Split, first: Result<Node, YamlFault>) -> Result<(Node, Repairs), Diagnostic> {
    // Without its description there is no skill, and it is no more of the value above it.
    if split.yaml.lines().any(is_starred_description) && !split.yaml.lines().any(|line| line.starts_with(DESCRIPTION)) {
        return Err(refusal(split, first));
    }
    let mut repair = Repair {
        lines: split.yaml.lines().map(Cow::Borrowed).collect(),
        folded: BTreeSet::new(),
        done: Vec::new(),
        is_certain: true,
        anchors: marks(&split.yaml, '&').collect(),
        aliases: marks(&split.yaml, '*').collect(),
    };
    repair.tabs();
    repair.entries(0, repair.lines.len(), 0);
    match yaml::parse(&repair.text(0, repair.lines.len(), "\n")) {
        Ok(node) if node.is_fields() && !repair.done.is_empty() => {
            let place = |(line, column, what): (usize, usize, String)| {
                let line = split.yaml_line.saturating_add(saturating(line));
                Diagnostic::new(FindingCode::YamlRepaired, what).at(line, saturating(column + 1))
            };
            let text = repair.is_certain.then(|| repair.without_folded());
            Ok((node, Repairs { text, findings: repair.done.into_iter().map(place).collect() }))
        }
        _ => Err(refusal(split, first)),
    }
}

fn refusal(split: &Split, first: Result<Node, YamlFault>) -> Diagnostic {
    let Err(fault) = first else {
        let message = "the frontmatter is not a list of fields: write `name: …` and `description: …`, a line each";
        return Diagnostic::new(FindingCode::FrontmatterNotAMap, message).at(split.yaml_line, 1);
    };
    let advice = match split.yaml.lines().find_map(starred) {
        Some(key) => format!("fields have no asterisks: write `{key}: …`", key = key.trim()),
        None => "put the value in double quotes".to_owned(),
    };
    let message = format!("the frontmatter is not YAML: {}; {advice}", fault.message);
    // The engine also counts U+0085, U+2028 and U+2029 as line ends, but no editor shows a line after the last.
    let (line, column) = fault.place.filter(|(line, _)| *line <= split.yaml.lines().count()).unwrap_or((1, 1));
    Diagnostic::new(FindingCode::YamlInvalid, message)
        .at(split.yaml_line.saturating_add(saturating(line.saturating_sub(1))), saturating(column))
}

/// The key of `**key:** value` and of `**key**: value`, also in a list.
fn starred(line: &str) -> Option<&str> {
    let (key, value) = line.trim_start_matches(['-', ' ']).strip_prefix("**")?.split_once("**")?;
    key.strip_suffix(':').or_else(|| value.trim_start().starts_with(':').then_some(key))
}

/// Whether a line is the description, between asterisks.
fn is_starred_description(line: &str) -> bool {
    !line.starts_with(' ') && starred(line).is_some_and(|key| key.eq_ignore_ascii_case("description"))
}

struct Repair<'a> {
    lines: Vec<Cow<'a, str>>,
    /// Lines whose text is now in quotes on a line above, and which are now blank.
    folded: BTreeSet<usize>,
    /// (line of the block, column, repair), counted from zero.
    done: Vec<(usize, usize, String)>,
    /// Whether no repair is in doubt.
    is_certain: bool,
    /// The names that the block gives to values, and the names that the block refers to.
    anchors: BTreeSet<&'a str>,
    aliases: BTreeSet<&'a str>,
}

/// The first line of an entry: `  key: value` or `  - value`.
#[derive(Clone, Copy)]
struct Entry<'a> {
    indent: usize,
    /// The key, or `None` for an item of a list.
    key: Option<&'a str>,
    /// The byte of the line at which the value begins; the length of the line if it has none.
    value_at: usize,
}

impl Entry<'_> {
    /// Whether its field is always text.
    fn is_text(&self) -> bool {
        self.key.is_some_and(|key| TEXT_FIELDS.contains(&key.replace('_', "-").as_str()))
    }
}

/// The value of an entry, read as text over all its lines.
struct Prose<'a> {
    text: String,
    /// The comment behind it, with the blanks before that.
    comment: &'a str,
    /// The lines below the first that belong to it, without comments and blank lines at the end.
    rest: &'a [Cow<'a, str>],
    /// Whether its form can only be text.
    is_plain: bool,
}

impl<'a> Prose<'a> {
    fn read(value: &'a str, rest: &'a [Cow<'a, str>]) -> Self {
        let joint = match value.trim_end_matches(['-', '+', ' ']) {
            "|" => Some("\n"),
            ">" => Some(" "),
            _ => None,
        };
        if let Some(joint) = joint {
            let text = trimmed(rest).collect::<Vec<_>>().join(joint);
            return Self { text, comment: "", rest, is_plain: false };
        }
        let is_content = |line: &Cow<'_, str>| !matches!(line.trim_start().chars().next(), None | Some('#'));
        let rest = rest.get(..rest.iter().rposition(is_content).map_or(0, |at| at + 1)).unwrap_or_default();
        let mut parts: Vec<&str> = std::iter::once(value.trim()).chain(trimmed(rest)).collect();
        let is_quoted = value.starts_with(['"', '\'']);
        let last = parts.pop().unwrap_or_default();
        let (last, comment) = if is_quoted { (last, "") } else { last.split_at(comment_start(last)) };
        parts.push(last);
        let has_comment = |part: &str| part.starts_with('#') || part.contains(" #") || part.contains("\t#");
        let is_plain = !parts.iter().any(|part| has_comment(part));
        Self { text: parts.join(" "), comment, rest, is_plain }
    }

    /// Whether it can only be the text of an entry at `indent`: no line of it can be another field or an item.
    fn is_certain(&self, indent: usize) -> bool {
        let is_below = |line: &Cow<'_, str>| match entry(line) {
            _ if line.trim().is_empty() => true,
            Some(Entry { key, .. }) if key.is_none_or(|key| !key.contains(' ')) => false,
            _ => line.len() - line.trim_start_matches(' ').len() > indent,
        };
        self.is_plain && self.rest.iter().all(is_below)
    }
}

impl Repair<'_> {
    /// Replaces tabs in the indentation by spaces, because YAML forbids tabs there.
    fn tabs(&mut self) {
        for (at, line) in self.lines.iter_mut().enumerate() {
            let text = line.trim_start();
            let indent = line.strip_suffix(text).unwrap_or_default();
            if indent.contains('\t') && !text.is_empty() {
                self.done.push((at, 0, "a tab in the indentation was read as two spaces: use spaces".to_owned()));
                // A tab behind spaces may be text of a block.
                self.is_certain &= indent.starts_with('\t');
                *line = Cow::Owned(indent.replace('\t', "  ") + text);
            }
        }
    }

    /// Repairs the entries of the lines from `begin` to `end`, which have one level.
    fn entries(&mut self, begin: usize, end: usize, level: usize) {
        let starts = self.starts(begin, end);
        for (nth, start) in starts.iter().enumerate() {
            let stop = self.content_end(*start, starts.get(nth + 1).copied().unwrap_or(end));
            if level < LEVELS && !self.parses(*start, stop) {
                self.entry(*start, stop, level);
            }
        }
    }

    /// The lines at which entries of this level begin. Any other line belongs to the entry above it.
    fn starts(&self, begin: usize, end: usize) -> Vec<usize> {
        let indents = (begin..end).filter_map(|at| Some((at, entry(self.lines.get(at)?)?.indent)));
        let Some((_, margin)) = indents.clone().next() else { return Vec::new() };
        indents.filter(|(_, indent)| *indent <= margin).map(|(at, _)| at).collect()
    }

    /// The end of an entry that may reach to `end`. Blank lines and comments behind it are not part of it.
    fn content_end(&self, begin: usize, end: usize) -> usize {
        let lines = self.lines.get(begin + 1..end).unwrap_or_default();
        begin
            + 1
            + lines.iter().rposition(|line| !line.trim().is_empty() && !line.starts_with('#')).map_or(0, |at| at + 1)
    }

    /// Whether these lines are YAML on their own, and an entry, not loose text.
    fn parses(&self, begin: usize, end: usize) -> bool {
        matches!(yaml::parse(&self.text(begin, end, "\n")), Ok(Node::Map(_) | Node::Sequence(_)))
    }

    fn text(&self, begin: usize, end: usize, joint: &str) -> String {
        self.lines.get(begin..end).unwrap_or_default().join(joint)
    }

    /// Repairs an entry that does not parse.
    fn entry(&mut self, begin: usize, end: usize, level: usize) {
        let Some(line) = self.lines.get(begin).map(|line| line.clone().into_owned()) else { return };
        let Some(found) = entry(&line) else { return };
        let value = line.get(found.value_at..).unwrap_or_default();
        if found.key.is_none() && entry(value).is_some_and(|inner| inner.key.is_some()) {
            self.item(begin, end, &line, found.value_at, level);
        } else if value.is_empty() && !found.is_text() && self.starts(begin + 1, end).first() == Some(&(begin + 1)) {
            self.entries(begin + 1, end, level + 1);
        } else {
            self.quote(begin, end, &line, found);
        }
    }

    /// Repairs `- key: value`: the map inside, as if the dash were a space.
    fn item(&mut self, begin: usize, end: usize, line: &str, value_at: usize, level: usize) {
        let (dash, inside) = line.split_at(value_at);
        self.set(begin, dash.replace('-', " ") + inside);
        self.entries(begin, end, level + 1);
        let mended = self.lines.get(begin).and_then(|line| line.get(value_at..)).unwrap_or(inside).to_owned();
        self.set(begin, dash.to_owned() + &mended);
    }

    /// Puts the whole value of an entry in quotes on its first line and leaves its other lines blank.
    fn quote(&mut self, begin: usize, end: usize, line: &str, found: Entry<'_>) {
        let (prefix, value) = line.split_at(found.value_at);
        let whole = self.text(begin, end, "\n");
        let anchor = value.starts_with('&').then(|| marks(value, '&').next()).flatten();
        if marks(&whole, '*').any(|name| self.anchors.contains(name))
            || anchor.is_some_and(|it| self.aliases.contains(it))
        {
            return;
        }
        let rest = self.lines.get(begin + 1..end).unwrap_or_default();
        let prose = Prose::read(value, rest);
        let text = unquoted(prose.text.trim());
        if text.is_empty() {
            return;
        }
        let is_list_or_map = value.starts_with(['[', '{']) && !found.is_text();
        let is_certain = prose.is_certain(found.indent) && anchor.is_none() && !is_list_or_map;
        let gap = if prefix.ends_with([':', '-']) { " " } else { "" };
        let what = match found.key {
            Some(key) => {
                format!("the value of {key} is not YAML as written and was read as text: put it in double quotes")
            }
            None => "this item is not YAML as written and was read as text: put it in double quotes".to_owned(),
        };
        let mended = format!("{prefix}{gap}{}{}", quoted(&text), prose.comment);
        let folded = begin + 1..begin + 1 + prose.rest.len();
        self.done.push((begin, prefix.chars().count(), what));
        self.is_certain &= is_certain;
        self.set(begin, mended);
        for at in folded {
            self.set(at, String::new());
            self.folded.insert(at);
        }
    }

    fn without_folded(&self) -> String {
        let kept = self.lines.iter().enumerate().filter(|(at, _)| !self.folded.contains(at));
        kept.fold(String::new(), |text, (_, line)| text + line + "\n")
    }

    fn set(&mut self, at: usize, text: String) {
        if let Some(line) = self.lines.get_mut(at) {
            *line = Cow::Owned(text);
        }
    }
}

/// The byte at which the comment at the end of a line begins, with the blanks before it; the length of a line without
/// one. `issue #12` counts as text, although YAML reads a comment there.
fn comment_start(line: &str) -> usize {
    let mut marks = line.match_indices('#').map(|(at, _)| line.split_at(at));
    let is_comment = |(before, from): &(&str, &str)| {
        before.ends_with([' ', '\t']) && from.chars().nth(1).is_none_or(char::is_whitespace)
    };
    marks.find(is_comment).map_or(line.len(), |(before, _)| before.trim_end().len())
}

/// The names behind each `sigil` that can belong to a value: `&name` gives a name, `*name` refers to one.
fn marks(yaml: &str, sigil: char) -> impl Iterator<Item = &str> {
    yaml.match_indices(sigil).filter_map(move |(at, _)| {
        let (before, from) = yaml.split_at(at);
        let begins = before.chars().next_back().is_none_or(|c| c.is_whitespace() || "[{,".contains(c));
        let name = from.get(1..)?.split(|c: char| c.is_whitespace() || ",[]{}".contains(c)).next()?;
        (begins && !name.is_empty()).then_some(name)
    })
}

fn trimmed<'a>(lines: &'a [Cow<'_, str>]) -> impl Iterator<Item = &'a str> + Clone {
    lines.iter().map(|line| line.trim()).filter(|line| !line.is_empty())
}

/// Reads the first line of an entry. A key is a word or a few, or in quotes. Prose before a colon is not a key.
fn entry(line: &str) -> Option<Entry<'_>> {
    let text = line.trim_start_matches(' ');
    let indent = line.len() - text.len();
    if let Some(value) = text.strip_prefix("- ").or_else(|| text.strip_prefix('-').filter(|rest| rest.is_empty())) {
        return Some(Entry { indent, key: None, value_at: line.len() - value.trim_start().len() });
    }
    let (key, value) = text.split_once(':')?;
    let bare = key.trim_end();
    let named = bare.trim_matches(['"', '\'']);
    let plain = named.starts_with(|c: char| c.is_alphanumeric() || "_$<".contains(c))
        && named.chars().all(|c| c.is_alphanumeric() || " _-.$<".contains(c));
    let spaced = value.is_empty() || value.starts_with([' ', '\t']);
    (plain && spaced).then(|| Entry { indent, key: Some(named), value_at: line.len() - value.trim_start().len() })
}

/// The text inside a pair of quotes that did not parse; any other text unchanged. JSON strings are not YAML if they
/// write a character as two surrogates.
fn unquoted(text: &str) -> Cow<'_, str> {
    if let Ok(json) = serde_json::from_str::<String>(text) {
        return Cow::Owned(json);
    }
    let inside = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    match (inside('"'), inside('\'')) {
        (Some(text), _) => Cow::Owned(text.replace("\\\"", "\"")),
        (_, Some(text)) => Cow::Owned(text.replace("''", "'")),
        _ => Cow::Borrowed(text),
    }
}

/// A YAML double-quoted scalar that reads as exactly `text`.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            ' '..='~' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'.. => {
                out.push(c);
            }
            _ => out.extend(["\\u", &format!("{:04x}", u32::from(c))]),
        }
    }
    out.push('"');
    out
}
