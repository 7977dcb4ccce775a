//! The audit record of a call that a key does not allow.
//!
//! The record lies with the user of the key, so no key writes below the prefix of another user.

use axum::{extract::Request, response::Response};

use super::route::template;
use crate::{
    access::Grant,
    context::{Action, Caller},
    error::{Code, Error},
    http::{Problem, ServerState},
    observer::EffectsRecorder,
    path::Id,
};

/// A call that may be refused.
#[derive(Debug)]
pub(super) struct AskedCall {
    /// The method and the template of the route.
    route: String,
    /// The method and the path, which are the subject of the record.
    subject: String,
}

impl AskedCall {
    /// The call of a request to `path`, as the client sent it.
    pub(super) fn new(request: &Request, path: &str) -> Self {
        let method = request.method();
        Self { route: format!("{method} {}", template(request)), subject: format!("{method} {path}") }
    }
}

/// The error of a response to a call that the key does not allow.
pub(super) fn refusal_in(response: &Response) -> Option<Error> {
    let problem = response.extensions().get::<Problem>()?;
    Some(problem.error().clone()).filter(|error| error.code() == Code::Denied)
}

/// Makes the record of a call that `error` refused, if there is an error. For a key of all users the record lies with the user
/// `named` by the call.
pub(super) async fn record_refusal(
    app: &ServerState,
    (grant, named): (&Grant, Option<&Id>),
    asked: &AskedCall,
    error: Option<Error>,
) {
    let Some(error) = error else { return };
    let (Some(key), Some(user)) = (grant.key(), grant.user().or(named)) else { return };
    // Nothing is written for a user who is being deleted.
    if app.service.deletions().check_not_deleted(user).await.is_err() {
        return;
    }
    let Some(calls) = app.refusals.count(key, &asked.route, app.clock.uptime()) else { return };
    let caller = Caller::new(user.clone()).in_team(grant.team().cloned());
    let caller = caller.with_key(grant.called().map(AsRef::as_ref));
    let effects = EffectsRecorder::default();
    effects.refused(calls);
    let (author, action) = (app.service.author(caller), (Action::RefuseCall, asked.subject.as_str()));
    let refused = async { Err::<(), _>(error) };
    // The answer is the refusal in any case.
    drop(author.perform_recording(action, &effects, refused).await);
}
