//! The policy of a user. It holds in every session of the user, beside the session's own.

use std::sync::Arc;

use super::{SessionError, Sessions, objects::StoredValue};
use crate::{
    budget::weight,
    error::{Code, Error, Outcome, Result},
    limits::SESSION_ATTEMPTS,
    path::{Id, ObjectKey, SkillPath},
    store::StoreError,
    wire::{Policy, SessionVersion, check_user_policy},
};

impl StoredValue for Policy {
    type Shared = ();

    fn weight(&self) -> usize {
        let rules = |names: usize, count: usize| names + weight::tree(count, size_of::<(String, u8)>());
        let tools: usize = self.tools.keys().map(|name| weight::text(name)).sum();
        let skills: usize = self.skills.keys().map(|name| weight::text(name)).sum();
        let preload: usize = self.preload.named().iter().map(|skill| weight::text(skill.as_str())).sum();
        let list = weight::list(self.preload.named().len(), size_of::<SkillPath>());
        let of_agent = |(agent, skills): (&String, &Vec<String>)| {
            let skills_bytes: usize = skills.iter().map(|skill| weight::text(skill)).sum();
            weight::text(agent) + skills_bytes + weight::list(skills.len(), size_of::<String>())
        };
        let agents: usize = self.agents.iter().map(of_agent).sum();
        let agents = agents + weight::tree(self.agents.len(), size_of::<(String, Vec<String>)>());
        rules(tools, self.tools.len()) + rules(skills, self.skills.len()) + preload + list + agents
    }

    fn in_place_of_damaged(_: &ObjectKey) -> Result<Self> {
        let message = "the policy of this user is damaged, so nothing is allowed to them; set another with a key of scope control";
        Err(Error::new(Code::ObjectDamaged, message))
    }
}

impl Sessions {
    /// The user's policy. It holds in every session of the user, beside the session's own. Nothing is forbidden to a
    /// user without a policy.
    ///
    /// # Errors
    /// `object_damaged` if its object is damaged: an unreadable policy never counts as a laxer one. The store's.
    pub async fn user_policy(&self, user: &Id) -> Result<Arc<Policy>> {
        Ok(read_user_policy(self, user).await?)
    }

    /// Replaces the user's policy, even a damaged one.
    ///
    /// # Errors
    /// `invalid_request` for an invalid policy, and for a policy with a setting that only sessions have; the store's.
    pub async fn set_user_policy(&self, user: &Id, policy: Policy) -> Result<Arc<Policy>> {
        self.check_writable()?;
        check_user_policy(&policy)?;
        let key = self.store.namespace().user(user)?.policy()?;
        let _lane = self.writes.lane(&key).await;
        for _ in 0..SESSION_ATTEMPTS {
            let seen = self.policies.refresh(&key).await?;
            match self.policies.put(&key, &seen, policy.clone()).await {
                Ok(saved) => return Ok(saved),
                Err(StoreError::PreconditionFailed | StoreError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::new(Code::EditConflict, "others kept changing the policy at the same time; try again")
            .with_outcome(Outcome::NotApplied))
    }
}

/// As [`Sessions::user_policy`], for a caller that treats damage apart from an outage.
///
/// # Errors
/// [`SessionError::Damaged`] if its object is damaged; the store's.
pub async fn read_user_policy(sessions: &Sessions, user: &Id) -> Result<Arc<Policy>, SessionError> {
    let key = sessions.store.namespace().user(user)?.policy()?;
    #[cfg(feature = "testing")]
    sessions.reads.count_policy();
    let seen = sessions.policies.get(&key, &SessionVersion::default()).await?;
    Ok(seen.value()?.cloned().unwrap_or_else(|| Arc::new(Policy::unrestricted())))
}
