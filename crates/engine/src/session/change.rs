//! Changes of a whole session by a caller: of policy, variables and current skill.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;

use super::{Change, Policy, Session, Sessions};
use crate::{error::Result, path::Id};

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

impl Sessions {
    /// Changes a session, and returns it as it is then.
    ///
    /// # Errors
    /// `invalid_request` for variables without a use or a policy that does not hold together; the store's.
    pub async fn change(&self, user: &Id, session: &Id, wanted: &ChangeSession) -> Result<Arc<Session>> {
        if let Some(policy) = &wanted.policy {
            policy.check()?;
        }
        if let Some(vars) = &wanted.vars {
            self.check_vars(vars)?;
        }
        let apply = |session: &mut Session| -> Result<Change<()>> {
            if let Some(policy) = &wanted.policy {
                let rights = session.rights();
                session.policy.clone_from(policy);
                if let Some(rights) = rights {
                    session.policy.restrict(rights);
                    session.given = Some(rights);
                }
                session.approvals.forget_remembered();
            }
            session.vars.extend(wanted.vars.clone().unwrap_or_default());
            if wanted.clear_current_skill {
                session.current_skill = None;
            }
            Ok(Change::Save(()))
        };
        Ok(self.update(user, session, apply).await?.0)
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
