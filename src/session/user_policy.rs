//! The policy of a user, which holds in every session beside the session's own.

use std::sync::Arc;

use super::{
    Policy, Sessions,
    objects::{Stored, is_damage},
};
use crate::{
    error::{Code, Error, Outcome, Result},
    limits::SESSION_ATTEMPTS,
    path::Id,
    store::StoreError,
};

impl Stored for Policy {
    /// A policy counts no versions: which is newer is told by when it was seen.
    fn order(&self) -> u64 {
        0
    }
}

impl Sessions {
    /// The user's policy: it holds in every session of the user, beside the session's own. Where none was set, one that
    /// forbids nothing.
    ///
    /// # Errors
    /// `internal` where there is one that cannot be read: what it forbade is not known, so nothing is allowed. The store's.
    pub async fn user_policy(&self, user: &Id) -> Result<Arc<Policy>> {
        let key = self.namespace.user(user)?.policy()?;
        let seen = self
            .policies
            .get(&key, 0)
            .await
            .map_err(|error| if is_damage(&error) { damaged(user).with_source(error) } else { error })?;
        Ok(seen.value.clone().unwrap_or_else(|| Arc::new(Policy::unrestricted())))
    }

    /// Replaces the user's policy.
    ///
    /// # Errors
    /// `invalid_request` for one that does not hold together; the store's.
    pub async fn set_user_policy(&self, user: &Id, policy: Policy) -> Result<Arc<Policy>> {
        self.check_writable()?;
        policy.check()?;
        let key = self.namespace.user(user)?.policy()?;
        for _ in 0..SESSION_ATTEMPTS {
            let seen = self.policies.look_past_damage(&key).await?;
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

fn damaged(user: &Id) -> Error {
    Error::new(
        Code::Internal,
        format!(
            "the policy of user {user} is damaged, so nothing is allowed to this user; set another with a key of scope control"
        ),
    )
}
