//! The policy of a user. It holds in every session of the user, beside the session's own.

use std::sync::Arc;

use super::{SessionError, Sessions, policy_object::PolicyObject};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::SESSION_ATTEMPTS,
    path::Id,
    store::StoreError,
    wire::{Policy, SessionVersion, check_user_policy},
};

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
        let policy = PolicyObject(Arc::new(policy));
        let key = self.store.namespace().user(user)?.policy()?;
        let _lane = self.writes.lane(&key).await;
        for _ in 0..SESSION_ATTEMPTS {
            let seen = self.policies.refresh(&key).await?;
            match self.policies.put(&key, &seen, policy.clone()).await {
                Ok(saved) => return Ok(saved.0.clone()),
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
    Ok(seen.value()?.map_or_else(|| Arc::new(Policy::unrestricted()), |stored| stored.0.clone()))
}
