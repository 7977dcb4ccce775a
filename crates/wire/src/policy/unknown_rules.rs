//! The rules of a newer version in a stored policy.

use serde_json::{Map, Value};
use skillmount_base::json::UnknownMembers;

/// The members of a policy that this version knows.
pub(super) const MEMBERS: [&str; 12] = [
    "skills_access",
    "visibility",
    "catalog_reads",
    "plan_mode",
    "prompt_mode",
    "load_tool",
    "tools",
    "skills",
    "preload",
    "children",
    "agents",
    "approve_by",
];
/// The rights of child sessions that this version knows. It gives no other right.
pub(super) const CHILD_RIGHTS: [&str; 3] = ["load", "create", "publish"];

/// The rules of a stored policy that this version cannot understand, at their places in the policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownRules(UnknownMembers);

impl UnknownRules {
    /// Whether the policy has members that this version does not know.
    pub(super) fn has_members(&self) -> bool {
        self.0.names().any(|name| !MEMBERS.contains(&name))
    }

    /// Drops what a newer version says in the member `name`, because the known value of this member is stricter from now on.
    pub(super) fn forget(&mut self, name: &str) {
        self.0.remove(name);
    }

    /// They as they are written back.
    pub(super) fn members(&self) -> &UnknownMembers {
        &self.0
    }

    /// The bytes they take in memory.
    #[must_use]
    pub fn weight(&self) -> usize {
        self.0.weight()
    }
}

impl From<Map<String, Value>> for UnknownRules {
    fn from(rules: Map<String, Value>) -> Self {
        Self(rules.into())
    }
}
