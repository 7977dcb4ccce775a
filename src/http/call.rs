//! One call on a user's data: let in, and with its user, session and rest of the path read.
//!
//! Both layers here run before any handler below `/v1/users/`, so no handler can forget to ask who is calling.

use std::sync::Arc;

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
    admission::Caller,
    app::App,
    connections::Line,
    cost::Cost,
    keys::{Grant, Scope},
    layers::ServedUser,
    pace::{GivenUp, paced},
    problem::{Problem, Reply},
    spool::Uploads,
};
use crate::{
    backend::SkillBackend,
    catalog::Audience,
    error::{Code, Error, Result},
    limits::REQUEST_PATIENCE,
    path::Id,
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
    let grant = app.access().keys.authenticate(request.headers(), app.clock.now())?;
    // Nested routers see a shortened path; this is the one that was sent.
    let Address { user, session, rest } = Address::parse(sent.path())?;
    grant.allows(&user, Scope::Agent)?;
    let caller = Caller { user: user.as_str().into(), key: grant.key().cloned() };
    let call = UserCall { app: Arc::clone(&app), user: user.clone(), grant, rest };
    if let Some(session) = session {
        let at_least = known_version(request.headers())?;
        let team = call.audience().team;
        let backend = app.service.session(user.clone(), session.clone()).in_team(team).at_least(at_least);
        request.extensions_mut().insert(SessionCall { user: call.clone(), session, backend });
    }
    request.extensions_mut().insert(call);
    let mut response = within_shares(&app, &caller, request, next).await;
    response.extensions_mut().insert(ServedUser(user));
    Ok(response)
}

/// Runs the rest once there is room for it, its body at a pace, and holds what the answer takes until that is sent.
async fn within_shares(app: &App, caller: &Caller, mut request: Request, next: Next) -> Response {
    let template = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str);
    let cost = Cost::of(request.method(), template);
    let bytes = cost.bytes(request.body().size_hint().exact());
    let admitted = match app.admission.enter(caller, request.extensions().get::<Line>(), bytes).await {
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
    let given_up = GivenUp::default();
    let request = request.map(|body| paced(body, given_up.clone()));
    let response = admitted.answered(next.run(request).await);
    if given_up.is_set() { closing(response) } else { response }
}

/// Reads a body for a while without keeping it: a client that is still sending would not see the answer otherwise.
async fn pass_over(request: Request) {
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let body = paced(request.into_body(), GivenUp::default()).into_data_stream();
    let read = body.take_while(|piece| std::future::ready(piece.is_ok())).for_each(|_| std::future::ready(()));
    // Whether it came to its end makes no difference.
    let _ = tokio::time::timeout(REQUEST_PATIENCE, read).await;
}

/// The last answer on its connection: what is still on its way in is of no use.
fn closing(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
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
    {
        response.headers_mut().insert(SESSION_VERSION, HeaderValue::from(session.version));
    }
    response
}

/// The version a client says it has seen; 0 where it says nothing.
fn known_version(headers: &HeaderMap) -> Result<u64> {
    let Some(value) = headers.get(SESSION_VERSION) else { return Ok(0) };
    value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(|| {
        Error::new(
            Code::InvalidRequest,
            format!("the header {SESSION_VERSION} holds a whole number, as replies gave it"),
        )
    })
}
