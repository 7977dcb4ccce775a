//! Results as a model reads them.
//!
//! Each result says what was left out, and how to get it. Contents of files come as they are. Texts that skills have
//! about themselves are cleaned and fenced, because they stand among sentences of ours.

use crate::tools::found_skills::discover;
use std::{collections::BTreeMap, fmt::Write as _};

use super::{
    lines::{LinePage, list},
    reply_text::{Instructions, ReplyText, TextFormat},
};
use crate::{
    error::{Error, Kind, Result},
    limits::TOOL_LOADED_FILES,
    skill::shown::{SafeText, ShownBlock, block, one_line, removed_note},
    wire::{
        CreateSkillReply, DeleteReply, DiscoverReply, EditReply, GlobReply, GrepMatch, GrepReply, LoadSkillReply,
        LoadStatus, LsReply, MoveReply, ReadReply, SkillFile, SkillParameter, UnloadSkillReply, UnloadStatus,
        WriteReply,
    },
};

/// The text of an empty listing.
const NO_FILES: &str = "No files found";

/// The text for a model of an internal error: the error's own message is for operators of the service.
const INTERNAL: &str =
    "something went wrong inside the service; make the call again, and if it fails again go on without it";

pub(super) fn error(error: &Error) -> String {
    let message = if error.kind() == Kind::Internal { INTERNAL } else { error.message() };
    format!("Error: {message}")
}

impl ReplyText for MoveReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        let Self { from, to, moved, .. } = self;
        match self.failure() {
            Some(error) => Err(error),
            None if *moved == 1 => Ok(format!("Moved {from} to {to}")),
            None => Ok(format!("Moved {from} to {to} ({moved} files)")),
        }
    }
}

impl ReplyText for CreateSkillReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        let Self { skill, lint, .. } = self;
        let mut lines = vec![format!(
            "Created {} as a draft: load_skill loads it in this session, and other sessions find it once a person has \
             published it.",
            one_line(skill).inline()
        )];
        lines.extend(lint.iter().map(|finding| format!("- {}", one_line(&finding.message).inline())));
        Ok(lines.join("\n"))
    }
}

impl ReplyText for LsReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(ls(self, form.room))
    }
}

impl ReplyText for ReadReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(read(self, form.room))
    }
}

impl ReplyText for GrepReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(grep(self, form.room))
    }
}

impl ReplyText for GlobReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(glob(self, form.room))
    }
}

impl ReplyText for WriteReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        Ok(write(self))
    }
}

impl ReplyText for EditReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        Ok(edit(self))
    }
}

impl ReplyText for DeleteReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        delete(self)
    }
}

impl ReplyText for LoadSkillReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(load(self, form.instructions, form.room))
    }
}

impl ReplyText for UnloadSkillReply {
    fn text(&self, _: TextFormat) -> Result<String> {
        Ok(unload(self))
    }
}

impl ReplyText for DiscoverReply {
    fn text(&self, form: TextFormat) -> Result<String> {
        Ok(discover(self, form.room))
    }
}

fn ls(reply: &LsReply, room: usize) -> String {
    let line = |entry: &crate::wire::Entry| {
        if entry.is_dir { format!("{}/", entry.path) } else { format!("{} ({} bytes)", entry.path, entry.size) }
    };
    let left_out = reply.truncated.then_some("there are more entries; find files by name with glob");
    let hidden = |file: &crate::wire::Entry| format!("{} (file, {} bytes, beside the folder)", file.path, file.size);
    let lines = reply.entries.iter().map(line).chain(reply.hidden.iter().map(hidden));
    list(lines, NO_FILES, left_out, room, "list a folder below this one, or use glob")
}

fn glob(reply: &GlobReply, room: usize) -> String {
    let lines = reply.matches.iter().map(|found| found.path.clone());
    list(lines, NO_FILES, reply.truncation_reason.as_deref(), room, "narrow the pattern or the path")
}

/// Lines with their numbers, and behind them where they stand in the file.
fn read(reply: &ReadReply, room: usize) -> String {
    let Some(first) = reply.start_line else {
        let blank = reply.content.len() as u64 == reply.size;
        let why = if blank { "The file is blank" } else { "No lines were asked for" };
        return format!("[{why}: {} bytes]", reply.size);
    };
    let mut page = LinePage::new(room);
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

fn grep(reply: &GrepReply, room: usize) -> String {
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

fn write(reply: &WriteReply) -> String {
    format!("Updated file {}", reply.path)
}

fn edit(reply: &EditReply) -> String {
    format!("Successfully replaced {} instance(s) of the string in '{}'", reply.occurrences, reply.path)
}

/// A delete that left something behind is an error, which says how much and what to do.
fn delete(reply: &DeleteReply) -> Result<String> {
    match (reply.failure(), reply.deleted) {
        (Some(error), _) => Err(error),
        (None, 1) => Ok(format!("Deleted {}", reply.path)),
        (None, files) => Ok(format!("Deleted {} ({files} files)", reply.path)),
    }
}

/// The parts of a skill that the result of a load shows.
struct LoadText {
    skill: SafeText,
    name: SafeText,
    mount: SafeText,
    /// Its first files, as they are called in its folder.
    files: Vec<SafeText>,
    /// How many others it has.
    more_files: usize,
    missing: Vec<Missing>,
}

/// A required parameter without a value, and its author's description.
struct Missing {
    name: SafeText,
    description: Option<SafeText>,
}

impl From<&LoadSkillReply> for LoadText {
    fn from(reply: &LoadSkillReply) -> Self {
        let inside = |file: &SkillFile| {
            let path = file.path.strip_prefix(&reply.mount).unwrap_or(&file.path);
            one_line(path.trim_start_matches('/'))
        };
        let wanting = reply.parameters.iter().filter(|one| is_missing(one));
        Self {
            skill: one_line(&reply.skill),
            name: one_line(&reply.name),
            mount: one_line(&reply.mount),
            files: reply.files.iter().take(TOOL_LOADED_FILES).map(inside).collect(),
            more_files: reply.files.len().saturating_sub(TOOL_LOADED_FILES),
            missing: wanting
                .map(|one| Missing { name: one_line(&one.name), description: one.description.as_deref().map(one_line) })
                .collect(),
        }
    }
}

/// Whether a skill cannot be followed without a parameter that it was not given.
pub(super) fn is_missing(parameter: &SkillParameter) -> bool {
    parameter.required && parameter.value.is_none()
}

/// The result of a load: the skill, its missing parameters and files, and the instructions if they belong here.
pub(super) fn load(reply: &LoadSkillReply, body: Instructions, room: usize) -> String {
    let skill = LoadText::from(reply);
    let head = skill.head(reply.status);
    match body {
        Instructions::InPrompt => {
            head + "Its instructions are in the system prompt now, for as long as no other skill is loaded."
        }
        Instructions::InReply => skill.instructions(head, &block(reply.body.as_deref().unwrap_or_default()), room),
    }
}

impl LoadText {
    /// All but the instructions.
    fn head(&self, status: LoadStatus) -> String {
        let done = match status {
            LoadStatus::Loaded => "Loaded skill",
            LoadStatus::AlreadyLoaded => "Already loaded: skill",
            LoadStatus::Reloaded => "Loaded again, with the files as they are now: skill",
        };
        let (name, skill, mount) = (self.name.inline(), self.skill.inline(), self.mount.inline());
        let mut text = format!("{done} {name} ({skill}). Its files are in {mount}:\n");
        for file in &self.files {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "- {}", file.at_line_start());
        }
        if self.more_files > 0 {
            let _ = writeln!(text, "- and {} more; list {mount} with ls", self.more_files);
        }
        if !self.missing.is_empty() {
            let missing: Vec<_> = self.missing.iter().map(Missing::say).collect();
            let _ = writeln!(
                text,
                "Missing parameters: {}. Ask the user for them, then load the skill again with them as arguments.",
                missing.join(", ")
            );
        }
        text
    }

    /// The head and the instructions, as many lines of them as fit.
    fn instructions(&self, head: String, body: &ShownBlock, room: usize) -> String {
        let mut page = LinePage::new(room.saturating_sub(head.len()));
        let whole = body.plain().split_inclusive('\n').all(|line| page.push(line));
        let mut text = head + "Follow its instructions:\n\n" + &block(&page.close("")).fenced();
        if !whole {
            let mount = self.mount.inline();
            let _ = write!(text, "\n[the instructions are cut here; read {mount}/SKILL.md for all of them]");
        }
        let removed = body.removed() + self.name.removed();
        if let Some(note) = removed_note(removed) {
            let _ = write!(text, "\n[{note}]");
        }
        text
    }
}

impl Missing {
    fn say(&self) -> String {
        match &self.description {
            Some(description) => format!("{} ({})", self.name.inline(), description.inline()),
            None => self.name.inline().into_owned(),
        }
    }
}

fn unload(reply: &UnloadSkillReply) -> String {
    let skill = one_line(&reply.skill);
    let skill = skill.inline();
    match reply.status {
        UnloadStatus::Unloaded => format!("Unloaded skill {skill}; its files are no longer below /skills"),
        UnloadStatus::NotLoaded => format!("Skill {skill} is not loaded"),
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    // S-TOOL-10: A model reads what a model can act on.
    #[test]
    fn an_error_of_ours_is_read_without_what_is_for_those_who_run_the_service() {
        for text in [
            error(&Error::internal("disk on fire")),
            error(&Error::new(Code::ObjectDamaged, "set a policy with a key")),
        ] {
            assert_eq!(text, format!("Error: {INTERNAL}"));
        }
        assert_eq!(error(&Error::new(Code::FileNotFound, "no file")), "Error: no file");
    }
}
