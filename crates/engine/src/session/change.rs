//! Changes of a whole session by a caller: of policy, variables and current skill.

use super::{Session, vars::check_vars};
use crate::{error::Result, path::MountTemplates, wire::ChangeSession};

/// Checks the variables and the policy.
///
/// # Errors
/// `invalid_request`, naming the variable or the rule.
pub(super) fn check_change(change: &ChangeSession, templates: &MountTemplates) -> Result<()> {
    if let Some(policy) = &change.policy {
        policy.check()?;
    }
    change.vars.as_ref().map_or(Ok(()), |vars| check_vars(templates, vars))
}

/// Makes the change in `session`.
pub(super) fn apply_change(change: &ChangeSession, session: &mut Session) {
    if let Some(policy) = &change.policy {
        let rights = session.rights();
        session.policy.clone_from(policy);
        if let Some(rights) = rights {
            session.policy.restrict(rights);
            session.given = Some(rights);
        }
        session.approvals.forget_remembered();
    }
    session.vars.extend(change.vars.clone().unwrap_or_default());
    if change.clear_current_skill {
        session.current_skill = None;
    }
}
