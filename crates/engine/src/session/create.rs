//! Creating sessions: each is written once, complete.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Change, ChildRights, Policy, Session, SessionVersion, Sessions};
use crate::{error::Result, path::Id};

/// What a new session begins with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = CreateSessionRequest)]
pub struct CreateSession {
    /// Values for the mount templates; a key of scope `control` sets them, and an agent's those that the templates leave to
    /// agents.
    #[serde(default)]
    #[schema(value_type = BTreeMap<String, String>)]
    pub vars: BTreeMap<String, Id>,
    /// What it may do; needs a key of scope `control`.
    pub policy: Option<Policy>,
    /// A session of the same user whose loaded skills, variables and policy it starts from, and whose `/workspace` and
    /// `/ticket` it shares. What that session's policy withholds in `children`, it may not do.
    #[schema(value_type = Option<String>)]
    pub parent: Option<Id>,
}

/// A session that was asked for.
#[derive(Clone, Debug)]
pub struct CreatedSession {
    /// The session as it is now.
    pub session: Arc<Session>,
    /// True if the call created it, and false if it existed.
    pub is_new: bool,
}

impl Sessions {
    /// Creates a session, or returns the existing one.
    ///
    /// # Errors
    /// `invalid_request` for variables without a use, an invalid policy or a parent that does not exist; the store's.
    pub async fn create(&self, user: &Id, session: &Id, wanted: CreateSession) -> Result<CreatedSession> {
        self.create_with(user, session, wanted, |_| Ok(())).await
    }

    /// As [`create`](Self::create). `furnish` changes a new session before it is written.
    ///
    /// # Errors
    /// As [`create`](Self::create), and those of `furnish`: then no session is created.
    pub async fn create_with(
        &self,
        user: &Id,
        session: &Id,
        wanted: CreateSession,
        furnish: impl Fn(&mut Session) -> Result<()>,
    ) -> Result<CreatedSession> {
        let parent = self.check_wanted(user, &wanted).await?;
        self.update(user, session, |state| {
            if state.version > 0 {
                return Ok(Change::None(false));
            }
            begin(state, parent.as_ref(), &wanted);
            furnish(state)?;
            Ok(Change::Save(true))
        })
        .await
        .map(|(session, is_new)| CreatedSession { session, is_new })
    }

    /// The present session, or the session that [`create`](Self::create) would create. Writes nothing.
    ///
    /// # Errors
    /// As [`create`](Self::create).
    pub async fn draft(&self, user: &Id, session: &Id, wanted: &CreateSession) -> Result<Arc<Session>> {
        let parent = self.check_wanted(user, wanted).await?;
        let mut draft = self.get(user, session, &SessionVersion::default()).await?;
        if draft.version == 0 {
            begin(Arc::make_mut(&mut draft), parent.as_ref(), wanted);
        }
        Ok(draft)
    }

    /// Checks the first state of a new session. Returns the parent; `None` for a session without a parent.
    async fn check_wanted(&self, user: &Id, wanted: &CreateSession) -> Result<Option<Parent>> {
        self.check_vars(&wanted.vars)?;
        if let Some(policy) = &wanted.policy {
            policy.check()?;
        }
        let Some(parent) = &wanted.parent else { return Ok(None) };
        let none = SessionVersion::default();
        let (session, policy) = tokio::try_join!(self.existing(user, parent, &none), self.user_policy(user))?;
        Ok(Some(Parent { children: session.policy.under(&policy).children(), session }))
    }
}

/// The session that another one is made from.
struct Parent {
    session: Arc<Session>,
    /// The rights of sessions made from the parent.
    children: ChildRights,
}

/// Gives a new session its first state.
fn begin(state: &mut Session, parent: Option<&Parent>, wanted: &CreateSession) {
    if let Some(Parent { session: parent, .. }) = parent {
        state.vars.clone_from(&parent.vars);
        state.policy.clone_from(&parent.policy);
        state.loaded_skills.clone_from(&parent.loaded_skills);
        state.current_skill.clone_from(&parent.current_skill);
        state.ranks.clone_from(&parent.ranks);
        state.used.clone_from(&parent.used);
        state.has_found = parent.has_found;
        state.parent = Some(parent.session_id.clone());
        state.workspace_of = Some(parent.files_id().clone());
    }
    state.vars.extend(wanted.vars.clone());
    if let Some(policy) = &wanted.policy {
        state.policy.clone_from(policy);
    }
    if let Some(Parent { children, .. }) = parent {
        state.policy.restrict(*children);
        state.given = Some(*children);
    }
}
