//! Runs a call within the shares of its caller.

use std::sync::{Arc, Mutex, PoisonError};

use axum::{
    body::{Body, HttpBody as _},
    extract::Request,
    http::{HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::TryStreamExt as _;

use super::{
    admission::{AdmissionPermit, ConnectionUse, FairShare, HeldConnection},
    connections::ConnectionHandle,
    route::{is_route, template},
    slow_clients::{BodyTimedOut, paced},
};
use crate::{
    error::Result,
    http::{
        Cost, Problem, ServerState, SessionCall, ShareOwner, Uploads, UserCall, broken, check_announced, compressed,
        over, prefers, prefers_gzip,
    },
    limits::MEMORY_PATIENCE,
    wire::{CreateSession, SessionVersion},
};

/// The header of a client that knows an event.
pub(crate) const LAST_EVENT_ID: &str = "last-event-id";
/// The type of a stream of events.
pub(crate) const EVENT_STREAM: &str = "text/event-stream";

const SESSION_ROUTE: &str = "/v1/users/{user}/sessions/{session}";

/// The memory of a stream that replays events. The stream holds it until the end of the replay. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct ReplayMemory(Arc<Mutex<Option<FairShare>>>);

impl ReplayMemory {
    /// The memory; `None` if it was taken before.
    pub(crate) fn take(&self) -> Option<FairShare> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Runs the handler once the body has come and the call has its shares. The body must come at a minimum pace. The memory of the
/// answer is held until the answer is sent.
pub(crate) async fn within_shares(app: &ServerState, caller: &ShareOwner, request: Request, next: Next) -> Response {
    let given_up = BodyTimedOut::default();
    let request = request.map(|body| paced(body, given_up.clone()));
    let prefers = prefers_gzip(request.headers());
    let response = match Box::pin(admitted(app, caller, request)).await {
        Ok((permit, request)) => {
            let response = compressed(prefers, run(request, next).await, app.service.workers(), &caller.user).await;
            permit.answered(response)
        }
        Err(error) => Problem::from(error).into_response(),
    };
    if given_up.is_set() { closing(response) } else { response }
}

/// The call with its shares, and its body in memory. The handler of an upload receives the body itself.
async fn admitted(app: &ServerState, caller: &ShareOwner, mut request: Request) -> Result<(AdmissionPermit, Request)> {
    let admission = &app.limits.admission;
    let cost = Cost::for_route(request.method(), template(&request));
    let used_for =
        if cost == Cost::Events && is_stream(&request) { ConnectionUse::Stream } else { ConnectionUse::Call };
    let connection = admission.connect(caller, request.extensions().get::<ConnectionHandle>(), used_for)?;
    let uploads = Uploads::new(Arc::clone(admission), Arc::clone(&app.limits.spool), caller.clone());
    request.extensions_mut().insert(cost);
    if cost == Cost::Upload {
        request.extensions_mut().insert(uploads);
        return Ok((AdmissionPermit::new(connection, admission.place(caller).await?, None), request));
    }
    let limit = cost.json_bytes();
    if check_announced(&request, limit)?.is_some_and(|announced| announced > limit as u64) {
        return Err(over(limit));
    }
    if !brings_body(&request) {
        let place = admission.place(caller).await?;
        if used_for == ConnectionUse::Stream {
            let replays = request.headers().contains_key(LAST_EVENT_ID);
            let memory = replay_memory(app, caller, replays).await?;
            request.extensions_mut().insert(memory);
            return Ok((AdmissionPermit::new(connection, place, None), request));
        }
        let memory = admission.reserve(caller, cost.bytes(0, None), MEMORY_PATIENCE).await?;
        return Ok((AdmissionPermit::new(connection, place, Some(memory)), request));
    }
    with_body(app, (caller, &uploads), connection, request).await
}

/// The call once its body has come. It waits for a place and for memory without memory of its own.
async fn with_body(
    app: &ServerState,
    (caller, uploads): (&ShareOwner, &Uploads),
    connection: HeldConnection,
    request: Request,
) -> Result<(AdmissionPermit, Request)> {
    let (parts, body) = request.into_parts();
    let cost = parts.extensions.get::<Cost>().copied().unwrap_or(Cost::Turn);
    let announced = body.size_hint().exact();
    let incoming = uploads.begin(announced, cost.json_bytes(), 1).await;
    let incoming = incoming.add_all(body.into_data_stream().map_err(broken)).await?;
    let (length, arrived) = (incoming.seen() as u64, incoming.arrived()?);
    let need = cost.bytes(length, arrived.short());
    let (place, arrived) = if let Some(place) = app.limits.admission.try_place(caller) {
        (place, arrived)
    } else {
        let arrived = uploads.without_memory(arrived).await?;
        (app.limits.admission.place(caller).await?, arrived)
    };
    let (bytes, memory) = uploads.in_memory(arrived, need).await?;
    let request = Request::from_parts(parts, Body::from(bytes));
    Ok((AdmissionPermit::new(connection, place, Some(memory)), request))
}

/// Whether a body comes that the call takes.
fn brings_body(request: &Request) -> bool {
    let takes_body = [Method::POST, Method::PUT, Method::PATCH].contains(request.method());
    takes_body && !request.body().is_end_stream()
}

/// Whether the events are wanted as a stream.
fn is_stream(request: &Request) -> bool {
    !prefers(request.headers(), "application/json", EVENT_STREAM)
}

/// The memory of a stream, which `replays` events if the client sent an id.
async fn replay_memory(app: &ServerState, caller: &ShareOwner, replays: bool) -> Result<ReplayMemory> {
    let bytes = Cost::Events.bytes(0, None);
    let memory = if replays { Some(app.limits.admission.reserve(caller, bytes, MEMORY_PATIENCE).await?) } else { None };
    Ok(ReplayMemory(Arc::new(Mutex::new(memory))))
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
