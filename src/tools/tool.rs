//! The tools there are.

use crate::session::{Both, LoadTool, ToolRule};

/// A tool, by the name a model calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tool {
    /// Lists a folder.
    Ls,
    /// Reads lines of a file.
    Read,
    /// Searches contents.
    Grep,
    /// Finds files by name.
    Glob,
    /// Makes a file.
    Write,
    /// Replaces text in a file.
    Edit,
    /// Deletes a file or folder.
    Delete,
    /// Loads a skill.
    LoadSkill,
    /// Loads a skill, under the name and with the input that Claude's agents know.
    Skill,
    /// Hides a skill again.
    UnloadSkill,
    /// Finds skills for a task.
    DiscoverSkills,
}

impl Tool {
    /// Every tool, in the order they are offered.
    pub const ALL: [Self; 11] = [
        Self::DiscoverSkills,
        Self::LoadSkill,
        Self::Skill,
        Self::UnloadSkill,
        Self::Ls,
        Self::Read,
        Self::Grep,
        Self::Glob,
        Self::Write,
        Self::Edit,
        Self::Delete,
    ];

    /// The name a model calls it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ls => "ls",
            Self::Read => "read",
            Self::Grep => "grep",
            Self::Glob => "glob",
            Self::Write => "write",
            Self::Edit => "edit",
            Self::Delete => "delete",
            Self::LoadSkill => "load_skill",
            Self::Skill => "Skill",
            Self::UnloadSkill => "unload_skill",
            Self::DiscoverSkills => "discover_skills",
        }
    }

    /// Whether it changes files, and so is nothing for a session that plans.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        matches!(self, Self::Write | Self::Edit | Self::Delete)
    }

    /// Whether a session of this policy has the tool at all. Of the two that load a skill it has one, and the rule for
    /// `load_skill` holds for both: they are one operation.
    #[must_use]
    pub fn is_open_to(self, policy: &Both) -> bool {
        let (ruled, is_chosen) = match self {
            Self::LoadSkill => (self, policy.session().load_tool == LoadTool::LoadSkill),
            Self::Skill => (Self::LoadSkill, policy.session().load_tool == LoadTool::Skill),
            other => (other, true),
        };
        let rests = self.changes_files() && policy.plan_mode();
        is_chosen && !rests && policy.tool(ruled.name()) != ToolRule::Blocked
    }
}
