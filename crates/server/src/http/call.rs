//! One call on a user's data: let in, and with its user, session and rest of the path read.
//!
//! Both layers here run before any handler below `/v1/users/`, so no handler can forget to ask who is calling.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Extension,
    body::HttpBody as _,
    extract::{MatchedPath, OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use futures_util::StreamExt as _;

use super::{
    address::Address,
    admission::ShareOwner,
    app::ServerState,
    compression::{compressed, prefers_gzip},
    connections::ConnectionHandle,
    cost::Cost,
    guard::authorization,
    log::ServedUser,
    pace::{BodyTimedOut, paced},
    problem::{HandlerResult, Problem},
    spool::Uploads,
};
use crate::{
    access::{Grant, Scope, SessionScope},
    backend::{Action, Author, CallReport, Caller, DraftReader, Effects, SessionBackend},
    catalog::Audience,
    error::{Code, Error, Result},
    limits::REQUEST_PATIENCE,
    path::{Id, Layer, LayerOwner},
    session::{CreateSession, CreatedSession, SessionVersion},
    wire::headers::{PROMPT_TAG, SESSION_VERSION, TOOLS_TAG},
};

/// The owner of calls about all users, as far as shares go. It is no id.
const ALL_USERS: &str = "*";
const USER_ROUTE: &str = "/v1/users/{user}";
const SKILL_ROUTE: &str = "/v1/users/{user}/skills/{*skill}";
const DOWNLOAD_ROUTE: &str = "/v1/users/{user}/skills/download";
const SESSION_ROUTE: &str = "/v1/users/{user}/sessions/{session}";

/// The calls on a user's data beside those in sessions that a bound key may make: they read, and what they report of sessions
/// is of those within its bounds. Any other reaches further than one session.
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

/// A call on a user's data that was let in.
#[derive(Clone, Debug)]
pub(super) struct UserCall {
    pub(super) app: Arc<ServerState>,
    pub(super) user: Id,
    pub(super) caller: Arc<Caller>,
    grant: Grant,
    /// What follows the collection in the path, decoded.
    pub(super) rest: String,
}

impl UserCall {
    /// Who looks at skills: the user, in the team of the key.
    pub(super) fn audience(&self) -> Audience {
        self.caller.audience().clone()
    }

    /// Goes on only with a key of scope `control`.
    pub(super) fn needs_control(&self) -> Result<()> {
        self.grant.allows(&self.user, Scope::Control)
    }

    /// Whose skills the call publishes: the user's, or those of the layer it asks for.
    ///
    /// # Errors
    /// `invalid_request` where layers are off, which no key changes; those of [`Grant::publishes`].
    pub(super) fn publishes(&self, layer: Option<Layer>) -> Result<LayerOwner> {
        let layer = layer.unwrap_or_default();
        self.app.service.check_layer(layer)?;
        self.grant.publishes(&self.user, layer)
    }

    /// Goes on only if the user is not being deleted by now: a body may be on its way for longer than the sweeps last.
    pub(super) async fn is_still_served(&self) -> Result<()> {
        self.app.service.check_not_deleted(&self.user).await
    }

    /// Which drafts the caller sees.
    pub(super) fn drafts(&self) -> DraftReader<'_> {
        if self.needs_control().is_ok() { DraftReader::Control } else { DraftReader::Agent(self.reach()) }
    }

    /// Goes on only with a key of scope `control` for all users.
    pub(super) fn needs_all_users(&self) -> Result<()> {
        self.grant.reaches_all_users()
    }

    /// Whether the caller's key allows now what it allowed when the call began, with this scope. A key that was bound or moved
    /// to another team since is as one that was revoked: the caller comes back, and is let in as the key is now. Asks no store.
    pub(super) fn is_still_allowed(&self, scope: Scope) -> bool {
        let now = self.app.callers().keys.renew(&self.grant, self.app.clock.now());
        now.is_ok_and(|now| {
            now.allows(&self.user, scope).is_ok()
                && now.reach() == self.grant.reach()
                && now.team() == self.grant.team()
        })
    }

    /// The entry of the caller as an author or an operator.
    pub(super) fn author(&self) -> Author {
        self.app.service.author(Arc::clone(&self.caller))
    }

    /// Which of the user's sessions the caller reaches.
    pub(super) fn reach(&self) -> &SessionScope {
        self.grant.reach()
    }

    /// Goes on only where the caller may set these variables, which choose what lies behind the mounts.
    ///
    /// # Errors
    /// As [`Grant::may_set`].
    pub(super) fn may_set(&self, vars: &BTreeMap<String, Id>) -> Result<()> {
        self.grant.may_set(&self.user, vars, |name| self.app.service.sessions().agents_may_set(name))
    }

    /// Makes the session `session`, or returns the one there is, where the caller reaches it.
    pub(super) async fn create_session(&self, session: &Id, wanted: CreateSession) -> Result<CreatedSession> {
        let is_taken = self.grant.is_taken(&self.user, session);
        let service = &self.app.service;
        let work = Box::pin(service.create_session_within(&self.caller, session, wanted, is_taken));
        let author = self.author().in_session(session.clone());
        author.perform_with((Action::CreateSession, ""), Effects::of_session, work).await
    }
}

/// A call on a session that was let in.
#[derive(Clone, Debug)]
pub(super) struct SessionCall {
    pub(super) user: UserCall,
    pub(super) session: Id,
    pub(super) backend: SessionBackend,
}

impl SessionCall {
    /// The entry of the caller as an operator of this session.
    pub(super) fn author(&self) -> Author {
        self.user.author().in_session(self.session.clone())
    }

    /// The virtual path that the rest of the request path names.
    pub(super) fn virtual_path(&self) -> String {
        format!("/{}", self.user.rest)
    }
}

/// Finds out who is calling and whether they may call on this user's data; the handler finds a [`UserCall`].
pub(super) async fn enter_user(
    State(app): State<Arc<ServerState>>,
    OriginalUri(sent): OriginalUri,
    mut request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let grant = app.callers().keys.authenticate(authorization(request.headers()), app.clock.now())?;
    // Nested routers see a shortened path; this is the one that was sent.
    let Address { user, session, rest } = Address::from_request(&sent, request.headers(), &grant)?;
    grant.allows(&user, Scope::Agent)?;
    // To ask for a deletion again changes nothing.
    if !is_route(&request, &Method::DELETE, USER_ROUTE) {
        app.service.check_not_deleted(&user).await?;
    }
    let owner = ShareOwner { user: user.as_str().into(), key: grant.key().cloned() };
    let caller = Caller::new(user.clone())
        .in_team(grant.team().cloned())
        .with_key(grant.called().map(AsRef::as_ref))
        .within(Arc::clone(grant.reach()));
    let caller = Arc::new(caller);
    let call = UserCall { app: Arc::clone(&app), user: user.clone(), caller, grant, rest };
    if let Some(session) = session.clone() {
        let backend = app.service.session_of(Arc::clone(&call.caller), session.clone());
        let backend = backend.at_least(known_version(request.headers())?);
        let call = SessionCall { user: call.clone(), session, backend };
        request.extensions_mut().insert(call);
    } else if !OPEN_TO_BOUND.iter().any(|(method, route)| is_route(&request, method, route)) {
        call.grant.reaches_all_sessions()?;
    }
    request.extensions_mut().insert(call);
    let mut response = within_shares(&app, &owner, request, next).await;
    response.extensions_mut().insert(ServedUser { user, session });
    Ok(response)
}

/// Lets in who may call about all users.
pub(super) async fn enter_all(
    State(app): State<Arc<ServerState>>,
    request: Request,
    next: Next,
) -> HandlerResult<Response> {
    let grant = app.callers().keys.authenticate(authorization(request.headers()), app.clock.now())?;
    grant.reaches_all_users()?;
    let owner = ShareOwner { user: ALL_USERS.into(), key: grant.key().cloned() };
    Ok(within_shares(&app, &owner, request, next).await)
}

/// Runs the rest once there is room for it, its body at a pace, and holds what the answer takes until that is sent.
pub(super) async fn within_shares(
    app: &ServerState,
    caller: &ShareOwner,
    mut request: Request,
    next: Next,
) -> Response {
    let cost = Cost::for_route(request.method(), template(&request));
    let bytes = cost.bytes(request.body().size_hint().exact());
    let admitted = match app.admission.enter(caller, request.extensions().get::<ConnectionHandle>(), bytes).await {
        Ok(admitted) => admitted,
        Err(error) => {
            pass_over(request).await;
            return closing(Problem::from(error).into_response());
        }
    };
    if cost == Cost::Upload {
        let uploads = Uploads::new(Arc::clone(&app.admission), Arc::clone(&app.spool), caller.clone());
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
        match enter_bound(call).await {
            Ok(call) => request.extensions_mut().insert(call),
            Err(error) => return Problem::from(error).into_response(),
        };
    }
    next.run(request).await
}

/// Lets a bound caller into a session within its bounds, and reads that session for the call. What is bound to values of variables
/// makes the session at its first call, whichever that is: a session that is not there has no values.
async fn enter_bound(call: SessionCall) -> Result<SessionCall> {
    let UserCall { app, user, .. } = &call.user;
    if !call.user.reach().vars().is_empty()
        && app.service.sessions().get(user, &call.session, &SessionVersion::default()).await?.version == 0
    {
        call.user.create_session(&call.session, CreateSession::default()).await?;
    }
    let (backend, _) = call.backend.read_ahead().await?;
    Ok(SessionCall { backend, ..call })
}

fn is_route(request: &Request, method: &Method, route: &str) -> bool {
    let asked = if *request.method() == Method::HEAD { &Method::GET } else { request.method() };
    asked == method && template(request) == route
}

/// The template of the route that was matched. A skill may be called as the download is, which alone is a POST.
fn template(request: &Request) -> &str {
    match request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str) {
        DOWNLOAD_ROUTE if *request.method() != Method::POST => SKILL_ROUTE,
        matched => matched,
    }
}

/// Reads a body for a while without keeping it: a client that is still sending would not see the answer otherwise.
async fn pass_over(request: Request) {
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let body = paced(request.into_body(), BodyTimedOut::default()).into_data_stream();
    let read = body.take_while(|piece| std::future::ready(piece.is_ok())).for_each(|_| std::future::ready(()));
    // Whether it came to its end makes no difference.
    let _ = tokio::time::timeout(REQUEST_PATIENCE, read).await;
}

/// The last answer on its connection: what is still on its way in is of no use.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Adds the version of the session that the reply was made from or led to, and the tags of its prompt and tools.
///
/// Only successful replies carry it: a refusal must not cost a look at the store.
pub(super) async fn add_session_headers(
    Extension(call): Extension<SessionCall>,
    request: Request,
    next: Next,
) -> Response {
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
        Error::new(Code::InvalidRequest, format!("the header {SESSION_VERSION} is not as a reply gives it; send back what the last reply had, or leave it out"))
    })
}
