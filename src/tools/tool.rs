//! The tools there are.

use crate::session::{Both, LoadTool, Operation, ToolRule};

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

    /// What it does: of the two that load a skill it is the same.
    #[must_use]
    pub const fn operation(self) -> Operation {
        match self {
            Self::Ls => Operation::Ls,
            Self::Read => Operation::Read,
            Self::Grep => Operation::Grep,
            Self::Glob => Operation::Glob,
            Self::Write => Operation::Write,
            Self::Edit => Operation::Edit,
            Self::Delete => Operation::Delete,
            Self::LoadSkill | Self::Skill => Operation::LoadSkill,
            Self::UnloadSkill => Operation::UnloadSkill,
            Self::DiscoverSkills => Operation::DiscoverSkills,
        }
    }

    /// The name a model calls it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skill => LoadTool::Skill.name(),
            other => other.operation().name(),
        }
    }

    /// Whether it changes files, and so is nothing for a session that plans.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        self.operation().changes_files()
    }

    /// Whether a session of this policy has the tool at all. Of the two that load a skill it has one.
    #[must_use]
    pub fn is_open_to(self, policy: &Both) -> bool {
        let is_chosen = match self {
            Self::LoadSkill => policy.session().load_tool == LoadTool::LoadSkill,
            Self::Skill => policy.session().load_tool == LoadTool::Skill,
            _ => true,
        };
        let rests = self.changes_files() && policy.plan_mode();
        is_chosen && !rests && policy.tool(self.operation()) != ToolRule::Blocked
    }
}
