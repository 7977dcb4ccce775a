//! Calls that were let in, as their handlers get them.

use std::{collections::BTreeMap, sync::Arc};

use axum::{extract::FromRequestParts, http::request::Parts};

use super::background::{complete_later, run_detached};
use crate::{
    access::{Grant, Scope, SessionScope},
    catalog::Audience,
    content::DraftReader,
    context::{Action, Author, Caller},
    error::{Error, Result},
    handle::SessionBackend,
    http::{HandlerResult, Problem, SharedState, Uploads},
    observer::Effects,
    path::{Id, Layer, LayerOwner, SkillPath},
    publish::PublishOptions,
    session::CreatedSession,
    wire::{CreateSession, PublishReply},
};

/// A call on a user's data that was let in.
#[derive(Clone, Debug)]
pub(crate) struct UserCall {
    pub(crate) app: SharedState,
    pub(crate) user: Id,
    pub(crate) caller: Arc<Caller>,
    pub(super) grant: Grant,
    /// The path after the collection, decoded.
    pub(crate) rest: String,
}

impl UserCall {
    /// Who looks at skills: the user, in the team of the key.
    pub(crate) fn audience(&self) -> Audience {
        self.caller.audience().clone()
    }

    /// Goes on only with a key of scope `control`.
    pub(crate) fn needs_control(&self) -> Result<()> {
        self.grant.allows(&self.user, Scope::Control)
    }

    /// Whose skills the call publishes: the user's, or those of the layer it asks for.
    ///
    /// # Errors
    /// `invalid_request` if layers are off, which no key changes; those of [`Grant::publishes`].
    pub(crate) fn publishes(&self, layer: Option<Layer>) -> Result<LayerOwner> {
        let layer = layer.unwrap_or_default();
        self.app.service.library().check_layer(layer)?;
        self.grant.publishes(&self.user, layer)
    }

    /// Goes on only if the user is not being deleted by now: a body may be on its way for longer than the sweeps last.
    pub(crate) async fn is_still_served(&self) -> Result<()> {
        self.app.service.deletions().check_not_deleted(&self.user).await
    }

    /// Which drafts the caller sees.
    pub(crate) fn drafts(&self) -> DraftReader<'_> {
        if self.needs_control().is_ok() { DraftReader::Control } else { DraftReader::Agent(self.reach()) }
    }

    /// Goes on only with a key of scope `control` for all users.
    pub(crate) fn needs_all_users(&self) -> Result<()> {
        self.grant.reaches_all_users()
    }

    /// Whether the caller's key still allows this scope as it did when the call began. If the key was bound or moved to
    /// another team since, it counts as revoked: the caller connects again and gets the key's present rights. Asks no store.
    pub(crate) fn is_still_allowed(&self, scope: Scope) -> bool {
        let now = self.app.callers().keys.renew(&self.grant, self.app.clock.now());
        now.is_ok_and(|now| {
            now.allows(&self.user, scope).is_ok()
                && now.reach() == self.grant.reach()
                && now.team() == self.grant.team()
        })
    }

    /// The entry of the caller as an author or an operator.
    pub(crate) fn author(&self) -> Author {
        self.app.service.author(Arc::clone(&self.caller))
    }

    /// Changes a skill to the end, whether the client waits or not, and reports the change as `action`. `change` makes the change.
    ///
    /// # Errors
    /// Those of `change`; as [`run_detached`].
    pub(crate) async fn change_skill<T, Change>(
        self,
        (action, skill): (Action, SkillPath),
        options: PublishOptions,
        change: impl FnOnce(Self, SkillPath, PublishOptions) -> Change + Send + 'static,
    ) -> Result<T>
    where
        T: Send + 'static,
        Change: Future<Output = Result<T>> + Send,
    {
        let (author, note, subject) = (self.author(), options.note.clone(), skill.clone());
        run_detached(async move {
            let work = Box::pin(change(self, skill, options));
            author.perform_recording((action, subject.as_str()), &note, work).await
        })
        .await
    }

    /// Lets the service go on with plain files that a change could not complete.
    pub(crate) fn complete_if_behind(&self, owner: &LayerOwner, skill: &SkillPath, done: &Result<PublishReply>) {
        if done.as_ref().is_ok_and(|reply| !reply.complete) {
            complete_later(&self.app.service, owner.clone(), skill.clone());
        }
    }

    /// Which of the user's sessions the caller reaches.
    pub(crate) fn reach(&self) -> &SessionScope {
        self.grant.reach()
    }

    /// Goes on only if the caller may set these variables, which choose what lies behind the mounts.
    ///
    /// # Errors
    /// As [`Grant::may_set`].
    pub(crate) fn may_set(&self, vars: &BTreeMap<String, Id>) -> Result<()> {
        self.grant.may_set(&self.user, vars, |name| self.app.service.sessions().agents_may_set(name))
    }

    /// Makes the session, or returns the existing one if the caller reaches it.
    pub(crate) async fn create_session(&self, session: &Id, wanted: CreateSession) -> Result<CreatedSession> {
        let is_taken = self.grant.is_taken(&self.user, session);
        let service = &self.app.service;
        let work = Box::pin(service.create_session_within(&self.caller, session, wanted, is_taken));
        let author = self.author().in_session(session.clone());
        author.perform_with((Action::CreateSession, ""), Effects::of_session, work).await
    }
}

/// A call on a session that was let in.
#[derive(Clone, Debug)]
pub(crate) struct SessionCall {
    pub(crate) user: UserCall,
    pub(crate) session: Id,
    pub(crate) backend: SessionBackend,
}

impl SessionCall {
    /// The entry of the caller as an operator of this session.
    pub(crate) fn author(&self) -> Author {
        self.user.author().in_session(self.session.clone())
    }

    /// The virtual path that the rest of the request path names.
    pub(crate) fn virtual_path(&self) -> String {
        format!("/{}", self.user.rest)
    }
}

/// Lets handlers take these values as arguments. The middleware has put them into the request.
macro_rules! extract {
    ($($value:ty),*) => {$(
        impl<S: Send + Sync> FromRequestParts<S> for $value {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, _: &S) -> HandlerResult<Self> {
                let missing = || Error::internal("a route without the middleware that lets callers in");
                Ok(parts.extensions.get::<Self>().cloned().ok_or_else(missing)?)
            }
        }
    )*};
}

extract!(UserCall, SessionCall, Uploads);
