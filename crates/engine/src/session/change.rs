//! Changes of a whole session by a caller: of policy, variables and current skill.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::{Policy, Session, vars::check_vars};
use crate::{
    error::Result,
    path::{Id, MountTemplates},
};

/// What to change of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = ChangeSessionRequest)]
pub struct ChangeSession {
    /// The new policy, whole; needs a key of scope `control`. Approvals that were given for the whole session end with the old one.
    /// What was withheld from a session when it was made from another one stays withheld.
    pub policy: Option<Policy>,
    /// Variables to set; a key of scope `control` sets them, and an agent's those that the templates leave to agents.
    #[schema(value_type = Option<BTreeMap<String, String>>)]
    pub vars: Option<BTreeMap<String, Id>>,
    /// `null`: no skill is current any more. A skill becomes current by loading it.
    #[serde(
        default,
        rename = "current_skill",
        deserialize_with = "only_null",
        serialize_with = "null",
        skip_serializing_if = "std::ops::Not::not"
    )]
    #[schema(value_type = Option<String>)]
    pub clear_current_skill: bool,
}

impl ChangeSession {
    /// Checks the variables and the policy.
    ///
    /// # Errors
    /// `invalid_request`, naming the variable or the rule.
    pub(super) fn check(&self, templates: &MountTemplates) -> Result<()> {
        if let Some(policy) = &self.policy {
            policy.check()?;
        }
        self.vars.as_ref().map_or(Ok(()), |vars| check_vars(templates, vars))
    }

    /// Makes the change in `session`.
    pub(super) fn apply_to(&self, session: &mut Session) {
        if let Some(policy) = &self.policy {
            let rights = session.rights();
            session.policy.clone_from(policy);
            if let Some(rights) = rights {
                session.policy.restrict(rights);
                session.given = Some(rights);
            }
            session.approvals.forget_remembered();
        }
        session.vars.extend(self.vars.clone().unwrap_or_default());
        if self.clear_current_skill {
            session.current_skill = None;
        }
    }
}

/// Takes `null` and nothing else.
fn only_null<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    match Option::<serde::de::IgnoredAny>::deserialize(deserializer)? {
        None => Ok(true),
        Some(_) => Err(serde::de::Error::custom(
            "current_skill can be set to null alone; load a skill to make it the current one",
        )),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it writes by reference")]
fn null<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_unit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_reads_back_as_it_was_written_and_the_current_skill_takes_null_alone() {
        for clear_current_skill in [false, true] {
            let change = ChangeSession { clear_current_skill, ..ChangeSession::default() };
            let text = serde_json::to_string(&change).unwrap();
            assert_eq!(serde_json::from_str::<ChangeSession>(&text).unwrap(), change, "{text}");
        }
        assert!(serde_json::from_str::<ChangeSession>(r#"{"current_skill": "a"}"#).is_err());
    }
}
