//! The audit record of a call that a key does not allow.
//!
//! The record lies with the user of the key, so no key writes below the prefix of another user.

use std::sync::Arc;

use axum::{extract::Request, response::Response};

use super::{refusals::RecordDue, route::template};
use crate::{
    access::Grant,
    context::{Action, Caller},
    error::{Code, Error},
    http::{Problem, ServerState, SharedState},
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
/// `named` by the call. A further call of the minute has its record at the end of the minute.
pub(super) async fn record_refusal(
    app: &SharedState,
    (grant, named): (&Grant, Option<&Id>),
    asked: AskedCall,
    error: Option<Error>,
) {
    let Some(error) = error else { return };
    let (Some(key), Some(user)) = (grant.key(), grant.user().or(named)) else { return };
    let caller = Caller::new(user.clone()).in_team(grant.team().cloned());
    let caller = caller.with_key(grant.called().map(AsRef::as_ref));
    let refused = RefusedCall { caller, user: user.clone(), asked, error };
    match app.refusals.count(key, &refused.asked.route, app.clock.uptime()) {
        RecordDue::Now(calls) => refused.record(app, calls).await,
        RecordDue::Counted => {}
        RecordDue::After(wait) => {
            let (app, key) = (Arc::clone(app), key.clone());
            tokio::spawn(async move {
                tokio::time::sleep(wait).await;
                if let Some(calls) = app.refusals.take(&key, &refused.asked.route, app.clock.uptime()) {
                    refused.record(&app, calls).await;
                }
            });
        }
    }
}

/// A refused call, as its record has it.
struct RefusedCall {
    caller: Caller,
    user: Id,
    asked: AskedCall,
    error: Error,
}

impl RefusedCall {
    async fn record(self, app: &ServerState, calls: u64) {
        // Nothing is written for a user who is being deleted.
        if app.service.deletions().check_not_deleted(&self.user).await.is_err() {
            return;
        }
        let effects = EffectsRecorder::default();
        effects.refused(calls);
        let (author, action) = (app.service.author(self.caller), (Action::RefuseCall, self.asked.subject.as_str()));
        let refused = async { Err::<(), _>(self.error) };
        // The answer is the refusal in any case.
        drop(author.perform_recording(action, &effects, refused).await);
    }
}
