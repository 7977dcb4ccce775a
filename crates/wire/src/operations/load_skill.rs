//! Loading a skill.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use skillmount_base::{error::Result, limits::TOOL_LOADED_FILES};
use skillmount_skill::{
    FilledParameter,
    shown::{SafeText, ShownBlock, block, one_line, removed_note},
};
use utoipa::ToSchema;

use super::{
    Access, CallOutline, Instructions, Operation, Reply, Request, TextFormat, TextPage, absent_if_empty, left_out,
    lines::PageExtent,
};

/// Load a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSkillRequest {
    /// A skill path, a mount name or a frontmatter name, tried in that order.
    pub skill: String,
    /// Another name for its folder below `/skills`, if its own is taken.
    #[serde(default, deserialize_with = "absent_if_empty")]
    pub mount_as: Option<String>,
    /// Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.
    pub arguments: Option<String>,
    /// Lines of its instructions to skip, 0 by default. A result that is cut names the offset to go on with.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offset: u64,
    /// The digest of a published version to load in place of what the skill is now.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "absent_if_empty")]
    pub digest: Option<String>,
    /// Whether the reply holds the instructions. A framework that puts them into its prompt needs them once.
    #[serde(default = "default_body")]
    pub body: bool,
    /// Who asks for it: some skills are for people to call, and some for models.
    #[serde(default)]
    pub invoker: Invoker,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillFile {
    /// Its virtual path.
    pub path: String,
    /// Bytes.
    pub size: u64,
}

/// A parameter of a skill's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillParameter {
    /// Its name.
    pub name: String,
    /// What to ask the user for, where its author says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the skill cannot be followed without it.
    pub required: bool,
    /// The value it was given, or its default.
    pub value: Option<String>,
}

impl From<FilledParameter> for SkillParameter {
    fn from(filled: FilledParameter) -> Self {
        let FilledParameter { name, description, required, value } = filled;
        Self { name, description: Some(description).filter(|text| !text.is_empty()), required, value }
    }
}

/// A skill that is loaded now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LoadSkillReply {
    /// What happened.
    pub status: LoadStatus,
    /// Where it lies.
    pub skill: String,
    /// Its folder: `/skills/compraventa`.
    pub mount: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The digest of the snapshot that is mounted.
    pub digest: String,
    /// The digest of the published version that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its files.
    pub files: Vec<SkillFile>,
    /// Its instructions: SKILL.md without the frontmatter. Absent if the call wants none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Lines of the instructions before those of `body`, if the call skips any.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub body_offset: u64,
    /// The offset to go on with, if the instructions have lines behind those of `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
    /// The parameters of its body.
    pub parameters: Vec<SkillParameter>,
}

impl Request for LoadSkillRequest {
    const OPERATION: Operation = Operation::LoadSkill;
    const FOR_MODELS: &'static str =
        "Load a skill before you answer a request that it matches. Its files appear below /skills.";
    // Who calls is for the surface to say, as is where the instructions go, and a model has no use for an old version.
    const NOT_FOR_MODELS: &'static [&'static str] = &["invoker", "digest", "body"];
    type Reply = LoadSkillReply;

    fn outline(&self) -> CallOutline {
        let Self { skill, mount_as, arguments, offset, digest, body, invoker } = self;
        let named = CallOutline::default().skill("skill", skill).skill("mount_as", mount_as);
        let given = named
            .other("arguments", arguments.as_deref().map(left_out))
            .other("offset", Some(offset).filter(|offset| **offset > 0))
            .other("digest", digest);
        given.other("body", body).other("invoker", invoker)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Session]
    }

    fn subject(&self) -> String {
        self.skill.clone()
    }
}

impl LoadSkillRequest {
    /// A plain load by a model of the skill that answers to this name.
    #[must_use]
    pub fn new(skill: impl Into<String>) -> Self {
        let (mount_as, arguments, digest) = (None, None, None);
        Self { skill: skill.into(), mount_as, arguments, offset: 0, digest, body: true, invoker: Invoker::Model }
    }
}

const fn default_body() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde wants")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Who asks for a skill, where its author makes a difference between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillInvoker)]
pub enum Invoker {
    /// A model, by a tool: not where `disable-model-invocation` is set.
    #[default]
    Model,
    /// A person, by `/name`: not where `user-invocable` is false.
    Person,
}

/// What a load did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadStatus {
    /// It was not loaded before.
    Loaded,
    /// It was loaded already, with these very files.
    AlreadyLoaded,
    /// It was loaded before; its files changed since and are the new ones now.
    Reloaded,
}

impl SkillParameter {
    /// Whether the skill cannot be followed without this parameter, which it was not given.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        self.required && self.value.is_none()
    }
}

/// The result of a load: the skill, its missing parameters and files, and the instructions if they belong here.
impl Reply for LoadSkillReply {
    fn page(&self, form: TextFormat) -> Result<TextPage> {
        let skill = LoadText::from(self);
        let head = skill.head(self.status);
        // The prompt has the first lines. The rest of long instructions is in the reply that was asked for it.
        Ok(if form.instructions == Instructions::InPrompt && self.body_offset == 0 {
            let in_prompt = "Its instructions are in the system prompt now, for as long as no other skill is loaded.";
            TextPage::whole(head + in_prompt)
        } else {
            let body = InstructionsWindow { skill: &self.skill, skipped: self.body_offset, next: self.next_offset };
            body.page(&(head + "Follow its instructions:\n\n"), self.body.as_deref().unwrap_or_default(), form.room)
        })
    }

    fn cut(&mut self, page: &TextPage) {
        let Some(body) = &mut self.body else { return };
        let whole: usize = body.split_inclusive('\n').take(page.shown).map(str::len).sum();
        let end = page.cut.map_or(whole, |bytes| bytes.min(whole));
        body.truncate(body.floor_char_boundary(end));
        self.next_offset = Some(self.body_offset + page.shown as u64);
    }
}

/// The window of a skill's instructions that a text shows.
#[derive(Clone, Copy, Debug)]
pub struct InstructionsWindow<'a> {
    /// The location of the skill, for `load_skill`.
    pub skill: &'a str,
    /// Lines of the instructions before the window.
    pub skipped: u64,
    /// The offset behind the window, if the reply has fewer lines than the instructions.
    pub next: Option<u64>,
}

impl InstructionsWindow<'_> {
    /// As many lines of `body` as fit into `room` bytes, and the note if that is not all.
    #[must_use]
    pub fn fit(self, body: &ShownBlock, room: usize) -> TextPage {
        let lines: Vec<_> = body.plain().split_inclusive('\n').map(str::to_owned).collect();
        let is_part = self.skipped > 0 || self.next.is_some();
        TextPage::new(&lines, 1, room, is_part, |shown| self.note(lines.len(), shown))
    }

    /// `head` and the instructions in a fence, within `room` bytes together. The note is before and behind the fence.
    fn page(self, head: &str, body: &str, room: usize) -> TextPage {
        let body = block(body);
        let removed = removed_note(body.removed()).map(|note| format!("\n[{note}]")).unwrap_or_default();
        let frame = head.len() + removed.len() + body.fence_bytes() + 1;
        let page = self.fit(&body, room.saturating_sub(frame));
        let fenced = block(&page.body).fenced();
        let text = if page.note.is_empty() { fenced } else { format!("{0}\n{fenced}\n{0}", page.note) };
        TextPage { body: format!("{head}{text}{removed}"), note: String::new(), ..page }
    }

    fn note(self, lines: usize, shown: PageExtent) -> String {
        let last = self.skipped + shown.lines as u64;
        let rest = if shown.lines < lines { Some(last) } else { self.next };
        let next = rest.map(|offset| {
            let skill = one_line(self.skill);
            format!("; for the rest load {} again with offset {offset} and the same arguments", skill.inline())
        });
        let cut = if shown.cut_in_line { "; the line is too long and was cut" } else { "" };
        format!("[instructions: lines {}-{last}{cut}{}]", self.skipped + 1, next.unwrap_or_default())
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
        let wanting = reply.parameters.iter().filter(|one| one.is_missing());
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
}

impl Missing {
    fn say(&self) -> String {
        match &self.description {
            Some(description) => format!("{} ({})", self.name.inline(), description.inline()),
            None => self.name.inline().into_owned(),
        }
    }
}
