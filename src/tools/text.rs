//! Results as a model reads them.
//!
//! What is left out is said, with how to get it. Contents of files come as they are; what skills say of themselves is
//! cleaned and fenced, because it stands among sentences of ours.

use std::{collections::BTreeMap, fmt::Write as _};

use super::lines::Page;
use crate::{
    backend::{
        DeleteReply, DiscoverReply, DiscoveredSkill, EditReply, GlobReply, GrepMatch, GrepReply, LoadSkillReply,
        LoadStatus, LsReply, ReadReply, SkillParameter, UnloadSkillReply, UnloadStatus, WriteReply,
    },
    error::{Error, Result},
    limits::TOOL_LOADED_FILES,
    skill::{fence, sanitize},
};

/// What an empty listing says.
const NO_FILES: &str = "No files found";

/// Where a model finds the instructions of a skill it has loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// In the result of the tool.
    Here,
    /// In the system prompt.
    InPrompt,
}

pub(super) fn error(error: &Error) -> String {
    format!("Error: {}", error.message())
}

pub(super) fn ls(reply: &LsReply, room: usize) -> String {
    let line = |entry: &crate::backend::Entry| {
        if entry.is_dir { format!("{}/", entry.path) } else { format!("{} ({} bytes)", entry.path, entry.size) }
    };
    let left_out = reply.truncated.then_some("there are more entries; find files by name with glob");
    let hidden = |file: &crate::backend::Entry| format!("{} (file, {} bytes, beside the folder)", file.path, file.size);
    let lines = reply.entries.iter().map(line).chain(reply.hidden.iter().map(hidden));
    list(lines, NO_FILES, left_out, room, "list a folder below this one, or use glob")
}

pub(super) fn glob(reply: &GlobReply, room: usize) -> String {
    let lines = reply.matches.iter().map(|found| found.path.clone());
    list(lines, NO_FILES, reply.truncation_reason.as_deref(), room, "narrow the pattern or the path")
}

/// Lines with their numbers, and behind them where they stand in the file.
pub(super) fn read(reply: &ReadReply, room: usize) -> String {
    let Some(first) = reply.start_line else {
        let blank = reply.content.len() as u64 == reply.size;
        let why = if blank { "The file is blank" } else { "No lines were asked for" };
        return format!("[{why}: {} bytes]", reply.size);
    };
    let mut page = Page::new(room);
    let mut number = first;
    for line in reply.content.split_inclusive('\n') {
        if !page.push(&format!("{number:>6}\t{}\n", line.strip_suffix('\n').unwrap_or(line))) {
            break;
        }
        number += 1;
    }
    let shown_to = number.saturating_sub(1);
    let rest = if reply.end_line.is_some_and(|end| shown_to < end) { Some(shown_to) } else { reply.next_offset };
    let total = reply.total_lines.map(|total| format!(" of {total}")).unwrap_or_default();
    let next = rest.map(|offset| format!("; go on with offset {offset}")).unwrap_or_default();
    let cut =
        if page.is_cut_in_line() { "; the line is too long and was cut, grep shows the part around a hit" } else { "" };
    let lossy = if reply.lossy { "; bytes that are not UTF-8 were replaced" } else { "" };
    page.close(&format!("[lines {first}-{shown_to}{total}{next}{cut}{lossy}]"))
}

pub(super) fn grep(reply: &GrepReply, room: usize) -> String {
    let empty = "No matches found";
    let (left_out, more) = (reply.truncation_reason.as_deref(), "narrow the pattern, the path or the glob");
    if let Some(matches) = &reply.matches {
        return list(hits(matches), empty, left_out, room, more);
    }
    if let Some(counts) = &reply.counts {
        return list(counts.iter().map(|one| format!("{}: {}", one.path, one.count)), empty, left_out, room, more);
    }
    list(reply.files.iter().flatten().cloned(), empty, left_out, room, more)
}

pub(super) fn write(reply: &WriteReply) -> String {
    format!("Updated file {}", reply.path)
}

pub(super) fn edit(reply: &EditReply) -> String {
    format!("Successfully replaced {} instance(s) of the string in '{}'", reply.occurrences, reply.path)
}

/// A delete that left something behind is an error, which says how much and what to do.
pub(super) fn delete(reply: &DeleteReply) -> Result<String> {
    match (reply.failure(), reply.deleted) {
        (Some(error), _) => Err(error),
        (None, 1) => Ok(format!("Deleted {}", reply.path)),
        (None, files) => Ok(format!("Deleted {} ({files} files)", reply.path)),
    }
}

/// What a loaded skill is, what it needs, its files, and its instructions where they belong here.
pub(super) fn load(reply: &LoadSkillReply, body: Body, room: usize) -> String {
    let done = match reply.status {
        LoadStatus::Loaded => "Loaded skill",
        LoadStatus::AlreadyLoaded => "Already loaded: skill",
        LoadStatus::Reloaded => "Loaded again, with the files as they are now: skill",
    };
    let mount = quoted(&reply.mount);
    let mut text = format!("{done} {} ({}). Its files are in {mount}:\n", quoted(&reply.name), quoted(&reply.skill));
    let inside = |path: &str| quoted(path.strip_prefix(&reply.mount).unwrap_or(path).trim_start_matches('/'));
    for file in reply.files.iter().take(TOOL_LOADED_FILES) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "- {}", inside(&file.path));
    }
    if let Some(more @ 1..) = reply.files.len().checked_sub(TOOL_LOADED_FILES) {
        let _ = writeln!(text, "- and {more} more; list {mount} with ls");
    }
    let missing = missing(reply);
    if !missing.is_empty() {
        let _ = writeln!(
            text,
            "Missing parameters: {}. Ask the user for them, then load the skill again with them as arguments.",
            missing.join(", ")
        );
    }
    match body {
        Body::InPrompt => {
            text.push_str("Its instructions are in the system prompt now, for as long as no other skill is loaded.");
            text
        }
        Body::Here => instructions(text, reply, room),
    }
}

/// The parameters a skill cannot be followed without and was not given, and what their author says of them.
pub(super) fn missing(reply: &LoadSkillReply) -> Vec<String> {
    let wanting = reply.parameters.iter().filter(|one| one.required && one.value.is_none());
    let say = |one: &SkillParameter| match &one.description {
        Some(description) => format!("{} ({})", quoted(&one.name), quoted(description)),
        None => quoted(&one.name),
    };
    wanting.map(say).collect()
}

/// What was found, best first: for each skill what to load it by, its name where that differs, and what it is for.
pub(super) fn discover(reply: &DiscoverReply, room: usize) -> String {
    let line = |found: &DiscoveredSkill| {
        let (skill, name) = (quoted(&found.skill), quoted(&found.name));
        let named = if skill.rsplit('/').next() == Some(&name) { String::new() } else { format!(" ({name})") };
        format!("- {skill}{named}: {}", quoted(&found.description))
    };
    let lines = std::iter::once(quoted(&reply.message)).chain(reply.skills.iter().map(line));
    let hidden: usize = reply.skills.iter().map(|found| hidden(&[&found.name, &found.description])).sum();
    let removed = (hidden > 0).then(|| removed_note(hidden));
    list(lines, "", removed.as_deref(), room, "ask more narrowly, or with a smaller limit")
}

pub(super) fn unload(reply: &UnloadSkillReply) -> String {
    let skill = quoted(&reply.skill);
    match reply.status {
        UnloadStatus::Unloaded => format!("Unloaded skill {skill}; its files are no longer below /skills"),
        UnloadStatus::NotLoaded => format!("Skill {skill} is not loaded"),
    }
}

/// Text of a skill on one line, without characters that a reader would not see.
pub(super) fn plain(text: &str) -> String {
    sanitize(text).0.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The same among sentences of ours: nothing in it opens a tag.
fn quoted(text: &str) -> String {
    plain(text).replace('<', "\\<")
}

/// Characters of these texts that [`plain`] takes out.
fn hidden(texts: &[&str]) -> usize {
    texts.iter().map(|text| sanitize(text).1).sum()
}

fn removed_note(removed: usize) -> String {
    format!("invisible characters removed: {removed}")
}

fn instructions(head: String, reply: &LoadSkillReply, room: usize) -> String {
    let (body, removed) = sanitize(&reply.body);
    let mut page = Page::new(room.saturating_sub(head.len()));
    let whole = body.split_inclusive('\n').all(|line| page.push(line));
    let mut text = head + "Follow its instructions:\n\n" + &fence(&page.close(""));
    if !whole {
        let _ =
            write!(text, "\n[the instructions are cut here; read {}/SKILL.md for all of them]", quoted(&reply.mount));
    }
    let removed = removed + hidden(&[&reply.name]);
    if removed > 0 {
        let _ = write!(text, "\n[{}]", removed_note(removed));
    }
    text
}

/// Hits under the name of their file, each line once, with its number; `:` marks a hit and `-` a line around one.
fn hits(matches: &[GrepMatch]) -> Vec<String> {
    let mut files: BTreeMap<&str, BTreeMap<u64, (char, &str)>> = BTreeMap::new();
    for hit in matches {
        let lines = files.entry(&hit.path).or_default();
        let before = hit.line.saturating_sub(hit.before.len() as u64);
        for (number, text) in (before..).zip(&hit.before).chain((hit.line + 1..).zip(&hit.after)) {
            lines.entry(number).or_insert(('-', text));
        }
        lines.insert(hit.line, (':', &hit.text));
    }
    let has_context = matches.iter().any(|hit| !hit.before.is_empty() || !hit.after.is_empty());
    let mut text = Vec::new();
    for (path, lines) in files {
        text.push(format!("{path}:"));
        let mut last = None;
        for (number, (mark, line)) in lines {
            if has_context && last.is_some_and(|last| last + 1 < number) {
                text.push("  --".to_owned());
            }
            text.push(format!("  {number}{mark} {line}"));
            last = Some(number);
        }
    }
    text
}

/// One line each, as many as fit, or `empty`; `left_out` says what the backend left out, `more` how to see what did not fit.
fn list(
    lines: impl IntoIterator<Item = String>,
    empty: &str,
    left_out: Option<&str>,
    room: usize,
    more: &str,
) -> String {
    let mut lines = lines.into_iter().peekable();
    let is_empty = lines.peek().is_none();
    let mut page = Page::new(room);
    let mut left = lines.skip_while(|line| page.push(&format!("{line}\n"))).count();
    left += usize::from(page.is_cut_in_line());
    let cut = (left > 0).then(|| format!("[lines that did not fit: {left}; {more}]"));
    let left_out = left_out.map(|what| format!("[{what}]"));
    let empty = is_empty.then(|| empty.to_owned());
    page.close(&[empty, left_out, cut].into_iter().flatten().collect::<Vec<_>>().join("\n"))
}
