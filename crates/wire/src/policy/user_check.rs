//! Settings that only a session has. They say how an agent works, so no value is stricter than another. They would have
//! no effect in a user's policy, so a user's policy that has one is refused.

use skillmount_base::error::{Code, Error, Result};

use super::Policy;

/// Checks the policy of a user as [`Policy::check`] does, and that it has no member of a session alone.
///
/// # Errors
/// `invalid_request`, naming the rule or the member.
pub fn check_user_policy(policy: &Policy) -> Result<()> {
    policy.check()?;
    let default = Policy::default();
    let members = [
        ("prompt_mode", policy.prompt_mode != default.prompt_mode),
        ("load_tool", policy.load_tool != default.load_tool),
        ("preload", policy.preload != default.preload),
    ];
    match members.iter().find(|(_, is_said)| *is_said) {
        None => Ok(()),
        Some((member, _)) => Err(Error::new(
            Code::InvalidRequest,
            format!(
                "{member} is a session's own and has no effect in the policy of a user: leave it out here, and set it in the \
                 policy of each session, when it is made or changed"
            ),
        )),
    }
}
