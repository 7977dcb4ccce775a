//! Lets calls in: finds out who is calling, and reads user, session and the rest of the path.
//!
//! This middleware runs before any handler below `/v1/users/`, so no handler can forget to ask who is calling.

use std::sync::Arc;

use axum::{
    extract::{OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method},
    middleware::Next,
    response::{IntoResponse as _, Response},
};

use super::{
    address::Address,
    peer_headers::authorization,
    refusal_record::{AskedCall, record_refusal, refusal_in},
    route::{DOWNLOAD_ROUTE, SKILL_ROUTE, is_route},
};
use crate::{
    access::{Grant, Scope},
    context::{CallReport, Caller},
    error::Result,
    http::{HandlerResult, Problem, ServedUser, SessionCall, ShareOwner, SharedState, UserCall, within_shares},
    limits::CALL_ID_BYTES,
    wire::{
        SessionVersion,
        headers::{CALL_ID, PROMPT_TAG, SESSION_VERSION, TOOLS_TAG},
    },
};

/// The owner of calls about all users, as far as shares go. It is no id.
const ALL_USERS: &str = "*";
const USER_ROUTE: &str = "/v1/users/{user}";

/// The routes on a user's data, outside of sessions, that a bound key may call. They only read, and report only sessions
/// within the key's bounds. All other routes reach further than one session.
const OPEN_TO_BOUND: [(Method, &str); 10] = [
    (Method::GET, "/v1/users/{user}/sessions"),
    (Method::GET, "/v1/users/{user}/policy"),
    (Method::GET, "/v1/users/{user}/skills"),
    (Method::GET, SKILL_ROUTE),
    (Method::GET, "/v1/users/{user}/skill_files/{*skill}"),
    (Method::POST, DOWNLOAD_ROUTE),
    (Method::POST, "/v1/users/{user}/catalog/refresh"),
    (Method::GET, "/v1/skills"),
    (Method::GET, "/v1/skills/{skill_id}"),
    (Method::GET, "/v1/skills/{skill_id}/content"),
];

/// Finds out who is calling and whether they may call on this user's data; the handler finds a [`UserCall`].
pub(crate) async fn admit_user(
    State(app): State<SharedState>,
    OriginalUri(sent): OriginalUri,
    request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let grant = app.callers().keys.authenticate(authorization(request.headers()), app.clock.now())?;
    let asked = AskedCall::new(&request, sent.path());
    // Nested routers see a shortened path, so the path is read from the URI that the client sent.
    let address = Address::from_request(&sent, request.headers(), &grant)?;
    let (user, session) = (address.user.clone(), address.session.clone());
    let key = grant.key().cloned();
    let mut response = let_in(&app, grant.clone(), address, request, next).await.into_response();
    record_refusal(&app, (&grant, Some(&user)), asked, refusal_in(&response)).await;
    response.extensions_mut().insert(ServedUser { user: Some(user), session, key });
    Ok(response)
}

/// Runs a call on the data of the user in the address, if the key of `grant` allows it.
async fn let_in(
    app: &SharedState,
    grant: Grant,
    Address { user, session, rest }: Address,
    mut request: Request,
    next: Next,
) -> HandlerResult<Response> {
    grant.allows(&user, Scope::Agent)?;
    // To ask for a deletion again changes nothing.
    if !is_route(&request, &Method::DELETE, USER_ROUTE) {
        app.service.deletions().check_not_deleted(&user).await?;
    }
    let owner = ShareOwner::new(user.as_str(), &grant);
    let caller = Caller::new(user.clone())
        .in_team(grant.team().cloned())
        .with_key(grant.called().map(AsRef::as_ref))
        .within(Arc::clone(grant.reach()));
    let caller = Arc::new(caller);
    let call = UserCall { app: Arc::clone(app), user, caller, grant, rest };
    if let Some(session) = session {
        let backend = app.service.session_of(Arc::clone(&call.caller), session.clone());
        let backend = backend.at_least(known_version(request.headers())?);
        let backend = match call_id(request.headers())? {
            Some(id) => backend.for_call(id),
            None => backend,
        };
        let call = SessionCall { user: call.clone(), session, backend };
        request.extensions_mut().insert(call);
    } else if !OPEN_TO_BOUND.iter().any(|(method, route)| is_route(&request, method, route)) {
        call.grant.reaches_all_sessions()?;
    }
    request.extensions_mut().insert(call);
    Ok(within_shares(app, &owner, request, next).await)
}

/// Lets in who may call about all users.
pub(crate) async fn admit_all(State(app): State<SharedState>, request: Request, next: Next) -> HandlerResult<Response> {
    let grant = app.callers().keys.authenticate(authorization(request.headers()), app.clock.now())?;
    let asked = AskedCall::new(&request, request.uri().path());
    let mut response = match grant.reaches_all_users() {
        Ok(()) => within_shares(&app, &ShareOwner::new(ALL_USERS, &grant), request, next).await,
        Err(error) => Problem::from(error).into_response(),
    };
    record_refusal(&app, (&grant, None), asked, refusal_in(&response)).await;
    response.extensions_mut().insert(ServedUser { user: None, session: None, key: grant.key().cloned() });
    Ok(response)
}

/// Adds the version of the session that the reply was made from or led to, and the tags of its prompt and tools.
///
/// Only successful replies carry it: a refusal must not cost a look at the store.
pub(crate) async fn add_session_headers(call: SessionCall, request: Request, next: Next) -> Response {
    let forgotten = request.method() == Method::DELETE && call.user.rest.is_empty();
    let mut response = next.run(request).await;
    if (response.status().is_success() || response.status().is_redirection())
        && !forgotten
        && let Ok(CallReport { seen, tag }) = call.backend.report().await
        && let Ok(version) = HeaderValue::try_from(seen.to_string())
    {
        response.headers_mut().insert(SESSION_VERSION, version);
        if let Some(tag) = tag.and_then(|tag| HeaderValue::try_from(tag).ok()) {
            response.headers_mut().insert(PROMPT_TAG, tag.clone());
            response.headers_mut().insert(TOOLS_TAG, tag);
        }
    }
    response
}

/// The version a client says it has seen.
fn known_version(headers: &HeaderMap) -> Result<SessionVersion> {
    let Some(value) = headers.get(SESSION_VERSION) else { return Ok(SessionVersion::default()) };
    value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        invalid!(
            "the header {SESSION_VERSION} is not as a reply gives it; send back what the last reply had, or leave it out"
        )
    })
}

/// The id that the model gave to the call.
fn call_id(headers: &HeaderMap) -> Result<Option<&str>> {
    let Some(value) = headers.get(CALL_ID) else { return Ok(None) };
    let fits = |text: &&str| (1..=CALL_ID_BYTES).contains(&text.len()) && !text.contains('\t');
    value.to_str().ok().filter(fits).map(Some).ok_or_else(|| {
        invalid!(
            "the header {CALL_ID} must have 1 to {CALL_ID_BYTES} printable ASCII characters; send the id that the model \
             gave to the call, or leave the header out"
        )
    })
}
