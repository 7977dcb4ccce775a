//! How the rights of a parent restrict the policy of a session, and how a stored policy shows these rights.

use super::{ChildRights, Policy, Preload, SkillsAccess, ToolRule};
use crate::Operation;

impl Policy {
    /// Takes from the policy of a session the rights that its parent withholds. Rules for tools hold in every version,
    /// so a replica of an earlier version keeps to them too.
    pub fn restrict(&mut self, rights: ChildRights) {
        self.children = self.children.and(rights);
        self.unknown.forget("children");
        for (is_given, operation) in [(rights.load, Operation::LoadSkill), (rights.create, Operation::CreateSkill)] {
            if !is_given {
                self.tools.insert(operation.name().to_owned(), ToolRule::Blocked);
            }
        }
        if !rights.load {
            // The session begins with the skills of its parent.
            self.preload = Preload::default();
        }
        if !rights.publish {
            self.skills_access = SkillsAccess::Read;
            self.unknown.forget("skills_access");
        }
    }

    /// The rights that a policy leaves: never more than it was restricted to, and fewer if it closes something by itself.
    #[must_use]
    pub fn rights(&self) -> ChildRights {
        let is_given = |operation: Operation| self.tools.get(operation.name()) != Some(&ToolRule::Blocked);
        ChildRights {
            load: is_given(Operation::LoadSkill),
            create: is_given(Operation::CreateSkill),
            publish: self.skills_access == SkillsAccess::Write,
        }
    }
}
