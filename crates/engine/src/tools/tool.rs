//! The tools there are: the operations, under each of their names.

use crate::wire::{EffectivePolicy, LoadTool, Operation, ToolRule};

/// A tool: an operation by a name that a model calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tool {
    operation: Operation,
    name: &'static str,
}

impl Tool {
    /// Every tool, in the order they are offered.
    pub fn all() -> impl Iterator<Item = Self> {
        let under_each_name = |operation: Operation| operation.own_names().map(move |name| Self { operation, name });
        Operation::CALLS.iter().copied().flat_map(under_each_name)
    }

    /// The operation of the tool. The two tools that load a skill have the same operation.
    #[must_use]
    pub const fn operation(self) -> Operation {
        self.operation
    }

    /// The name a model calls it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Whether it changes files, and so is nothing for a session that plans.
    #[must_use]
    pub const fn changes_files(self) -> bool {
        self.operation.changes_files()
    }

    /// Whether it loads a skill under the name and with the input that Claude's agents know.
    pub(super) fn is_skill_tool(self) -> bool {
        self.name == LoadTool::Skill.name()
    }

    /// Whether a session of this policy has the tool at all. It never has both tools that load a skill.
    #[must_use]
    pub fn is_open_to(self, policy: &EffectivePolicy) -> bool {
        let is_chosen = self.operation != Operation::LoadSkill || policy.session().load_tool.name() == self.name;
        let rests = self.changes_files() && policy.plan_mode();
        is_chosen && !rests && policy.tool(self.operation) != ToolRule::Blocked
    }
}
