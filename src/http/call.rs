//! One call on a user's data: let in, and with its user, session and rest of the path read.
//!
//! Both layers here run before any handler below `/v1/users/`, so no handler can forget to ask who is calling.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{OriginalUri, Request, State},
    http::{HeaderMap, HeaderValue, Method},
    middleware::Next,
    response::Response,
};

use super::{
    address::Address,
    app::App,
    keys::{Grant, Scope},
    layers::ServedUser,
    problem::Reply,
};
use crate::{
    backend::SkillBackend,
    catalog::Audience,
    error::{Code, Error, Result},
    path::Id,
    session::SessionVersion,
};

/// Carries the session's version, both ways.
pub(super) const SESSION_VERSION: &str = "x-skillmount-session-version";

/// A call on a user's data that was let in.
#[derive(Clone, Debug)]
pub(super) struct UserCall {
    pub(super) app: Arc<App>,
    pub(super) user: Id,
    grant: Grant,
    /// What follows the collection in the path, decoded.
    pub(super) rest: String,
}

impl UserCall {
    /// Who looks at skills: the user, in the team of the key.
    pub(super) fn audience(&self) -> Audience {
        Audience { user: self.user.clone(), team: self.grant.team().cloned() }
    }

    /// Goes on only with a key of scope `control`.
    pub(super) fn needs_control(&self) -> Result<()> {
        self.grant.allows(&self.user, Scope::Control)
    }
}

/// A call on a session that was let in.
#[derive(Clone, Debug)]
pub(super) struct SessionCall {
    pub(super) user: UserCall,
    pub(super) session: Id,
    pub(super) backend: SkillBackend,
}

impl SessionCall {
    /// The virtual path that the rest of the request path names.
    pub(super) fn virtual_path(&self) -> String {
        format!("/{}", self.user.rest)
    }
}

/// Finds out who is calling and whether they may call on this user's data; the handler finds a [`UserCall`].
pub(super) async fn enter_user(
    State(app): State<Arc<App>>,
    OriginalUri(sent): OriginalUri,
    mut request: Request,
    next: Next,
) -> Reply<Response> {
    let grant = app.keys.authenticate(request.headers(), app.clock.now())?;
    // Nested routers see a shortened path; this is the one that was sent.
    let Address { user, session, rest } = Address::parse(sent.path())?;
    grant.allows(&user, Scope::Agent)?;
    let call = UserCall { app: Arc::clone(&app), user: user.clone(), grant, rest };
    if let Some(session) = session {
        let at_least = known_version(request.headers())?;
        let team = call.audience().team;
        let backend = app.service.session(user.clone(), session.clone()).in_team(team).at_least(at_least);
        request.extensions_mut().insert(SessionCall { user: call.clone(), session, backend });
    }
    request.extensions_mut().insert(call);
    let mut response = next.run(request).await;
    response.extensions_mut().insert(ServedUser(user));
    Ok(response)
}

/// Tells the version of the session that the reply was made from or led to.
///
/// Only successful replies carry it: a refusal must not cost a look at the store.
pub(super) async fn tell_version(Extension(call): Extension<SessionCall>, request: Request, next: Next) -> Response {
    let forgotten = request.method() == Method::DELETE && call.user.rest.is_empty();
    let mut response = next.run(request).await;
    if (response.status().is_success() || response.status().is_redirection())
        && !forgotten
        && let Ok(session) = call.backend.session().await
        && let Ok(version) = HeaderValue::try_from(session.seen_version().to_string())
    {
        response.headers_mut().insert(SESSION_VERSION, version);
    }
    response
}

/// The version a client says it has seen.
fn known_version(headers: &HeaderMap) -> Result<SessionVersion> {
    let Some(value) = headers.get(SESSION_VERSION) else { return Ok(SessionVersion::default()) };
    value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        Error::new(Code::InvalidRequest, format!("the header {SESSION_VERSION} is sent back as a reply gave it"))
    })
}
