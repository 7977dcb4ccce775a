//! The rights of sessions made from another session: the sessions of sub-agents.

use serde::{Deserialize, Serialize};

/// What sessions made from another one may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(as = ChildRights)]
pub struct ChildRights {
    /// Whether they may load more skills than they begin with.
    pub load: bool,
    /// Whether they may write skills, which are drafts.
    pub create: bool,
    /// Whether they may change what other sessions load. No agent publishes a version; without this they do not change files
    /// of loaded skills either.
    pub publish: bool,
}

impl Default for ChildRights {
    fn default() -> Self {
        Self { load: true, create: false, publish: false }
    }
}

impl ChildRights {
    /// Every right. It holds for a user without a policy.
    pub const ALL: Self = Self { load: true, create: true, publish: true };

    /// The rights that both give.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            load: self.load && other.load,
            create: self.create && other.create,
            publish: self.publish && other.publish,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it writes by reference")]
    pub(super) fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
