//! Runs a call within the shares of its caller.

use std::sync::Arc;

use axum::{
    body::HttpBody as _,
    extract::Request,
    http::{HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    connections::ConnectionHandle,
    route::{is_route, template},
    slow_clients::{BodyTimedOut, paced},
};
use crate::{
    error::Result,
    http::{Cost, Problem, ServerState, SessionCall, ShareOwner, Uploads, UserCall, compressed, prefers_gzip},
    wire::{CreateSession, SessionVersion},
};

const SESSION_ROUTE: &str = "/v1/users/{user}/sessions/{session}";

/// Runs the handler once the call has its shares. The body must come at a minimum pace. The memory of the answer is held
/// until the answer is sent.
pub(crate) async fn within_shares(
    app: &ServerState,
    caller: &ShareOwner,
    mut request: Request,
    next: Next,
) -> Response {
    let cost = Cost::for_route(request.method(), template(&request));
    let bytes = cost.bytes(request.body().size_hint().exact());
    let admitted = match app.limits.admission.admit(caller, request.extensions().get::<ConnectionHandle>(), bytes).await
    {
        Ok(admitted) => admitted,
        Err(error) => return Problem::from(error).into_response(),
    };
    if cost == Cost::Upload {
        let uploads = Uploads::new(Arc::clone(&app.limits.admission), Arc::clone(&app.limits.spool), caller.clone());
        request.extensions_mut().insert(uploads);
    }
    request.extensions_mut().insert(cost);
    let given_up = BodyTimedOut::default();
    let request = request.map(|body| paced(body, given_up.clone()));
    let prefers = prefers_gzip(request.headers());
    let response = compressed(prefers, run(request, next).await, app.service.workers(), &caller.user).await;
    let response = admitted.answered(response);
    if given_up.is_set() { closing(response) } else { response }
}

/// Runs the rest, for a bound caller once it is in its session.
async fn run(mut request: Request, next: Next) -> Response {
    // Whether a session may be made, its parent decides, and that is in the body.
    let makes = is_route(&request, &Method::PUT, SESSION_ROUTE);
    let call = request.extensions().get::<SessionCall>().filter(|call| call.user.reach().is_bound() && !makes).cloned();
    if let Some(call) = call {
        match admit_bound(call).await {
            Ok(call) => request.extensions_mut().insert(call),
            Err(error) => return Problem::from(error).into_response(),
        };
    }
    next.run(request).await
}

/// Lets a bound caller into a session within its bounds, and reads the session for the call. A session that does not exist
/// has no variables. So a key that is bound to values of variables makes the session with its first call, of any kind.
async fn admit_bound(mut call: SessionCall) -> Result<SessionCall> {
    let UserCall { app, user, .. } = &call.user;
    if !call.user.reach().vars().is_empty()
        && app.service.sessions().get(user, &call.session, &SessionVersion::default()).await?.version == 0
    {
        call.user.create_session(&call.session, CreateSession::default()).await?;
    }
    call.backend.read_ahead().await?;
    Ok(call)
}

/// Marks the last answer on its connection. The rest of the request body is of no use.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}
