//! Tools that a person approves unless a rule names them. `*` is no such rule: an operator allows agents to write
//! skills only on purpose.

use super::{EffectivePolicy, Policy, ToolRule};
use crate::Operation;

impl EffectivePolicy {
    /// The laxest rule that `operation` can have. A `*` that is stricter holds beside it.
    pub(super) fn least_rule(&self, operation: Operation) -> ToolRule {
        let names = |policy: &Policy| operation.own_names().any(|name| policy.tools.contains_key(name));
        let is_named = names(&self.session) || names(&self.user);
        if operation.asks_unless_named() && !is_named { ToolRule::Ask } else { ToolRule::Auto }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruled(rules: &[(&str, ToolRule)]) -> Policy {
        let tools = rules.iter().map(|(name, rule)| ((*name).to_owned(), *rule)).collect();
        Policy { tools, ..Policy::default() }
    }

    // S-DRAFT-6: `create_skill` is `ask` unless a policy names it; `*` never stands for it.
    #[test]
    fn a_tool_that_asks_is_opened_by_its_own_rule_alone() {
        use ToolRule::{Ask, Auto, Blocked};
        let named = |rule| ruled(&[("create_skill", rule)]);
        for (session, user, expected) in [
            (ruled(&[]), ruled(&[]), Ask),
            (ruled(&[("*", Auto)]), ruled(&[("*", Auto)]), Ask),
            (named(Auto), ruled(&[("*", Auto)]), Auto),
            (ruled(&[("*", Auto)]), named(Auto), Auto),
            (named(Auto), named(Ask), Ask),
            (named(Blocked), named(Auto), Blocked),
            (ruled(&[("*", Blocked)]), ruled(&[]), Blocked),
            (named(Auto), ruled(&[("*", Blocked)]), Blocked),
            (named(Auto), ruled(&[("write", Blocked)]), Blocked),
            (ruled(&[("write", Auto)]), ruled(&[]), Ask),
        ] {
            assert_eq!(session.under(&user).tool(Operation::CreateSkill), expected, "{session:?} {user:?}");
        }
        assert_eq!(ruled(&[]).under(&ruled(&[])).tool(Operation::Write), Auto);
    }
}
