//! Everything the server does, on one page.

use std::sync::{Arc, LazyLock};

use axum::{
    Extension, Router,
    http::{HeaderMap, header},
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::openapi::OpenApi;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    app::SharedState,
    docs, guide,
    openapi::{beginning, beginning_of_skills_api, finished},
    page, skills_api,
};
use crate::{
    error::{Error, Result},
    http::{
        body::{FixedText, compress_short},
        door::{HandlerResult, add_session_headers, address, admit_all, admit_user, middleware, read_to_end},
        routes::{
            approvals, audit, authors, download, events, files, hooks, mcp, operations, prompt, publish, service,
            sessions, skill_files, skills, tools, upload, users, versions, well_known,
        },
    },
};

/// The OpenAPI 3.1 document of the service.
#[must_use]
pub fn openapi() -> OpenApi {
    finished(routes().split_for_parts().1)
}

/// The OpenAPI 3.1 document of the routes in shapes that others specify: their Skills APIs, and what installers read. It is a
/// document of its own, because their SDKs and installers are the clients of these routes, and a client made from both documents
/// would have every call twice.
#[must_use]
pub fn skills_api_openapi() -> OpenApi {
    let routes = OpenApiRouter::with_openapi(beginning_of_skills_api());
    let routes = routes.merge(skills_api::routes()).merge(well_known::described());
    finished(routes.split_for_parts().1)
}

/// An OpenAPI document, which is itself in none.
fn fixed(document: &OpenApi) -> Result<FixedText> {
    FixedText::new(serde_json::to_string(document).map_err(Error::internal)?)
}

async fn openapi_json(headers: HeaderMap) -> HandlerResult<Response> {
    static DOCUMENT: LazyLock<Result<FixedText>> = LazyLock::new(|| fixed(&openapi()));
    document(&DOCUMENT, &headers)
}

async fn skills_api_json(headers: HeaderMap) -> HandlerResult<Response> {
    static DOCUMENT: LazyLock<Result<FixedText>> = LazyLock::new(|| fixed(&skills_api_openapi()));
    document(&DOCUMENT, &headers)
}

fn document(document: &Result<FixedText>, headers: &HeaderMap) -> HandlerResult<Response> {
    match document {
        Ok(text) => Ok(([(header::CONTENT_TYPE, "application/json")], text.answer(headers)).into_response()),
        Err(cause) => Err(Error::internal(cause.chain()).into()),
    }
}

/// Every route with its description. [`router`] adds the middleware.
fn routes() -> OpenApiRouter {
    OpenApiRouter::with_openapi(beginning())
        .merge(service::routes())
        .merge(of_claude())
        .merge(of_all())
        .nest("/v1/users/{user}", of_user())
}

/// The routes about all users.
fn of_all() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(users::list)).routes(routes!(users::deletion))
}

/// Hooks of the session in the headers.
fn of_claude() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(hooks::answer_claude))
}

fn of_user() -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(sessions::list))
        .routes(routes!(sessions::user_policy, sessions::set_user_policy))
        .merge(skills::of_user())
        .routes(routes!(skill_files::get_skill_file))
        .routes(routes!(skill_files::download_skills))
        .merge(publish::of_user())
        .routes(routes!(users::export))
        .routes(routes!(users::delete))
        .routes(routes!(audit::list))
        .routes(routes!(audit::figures))
        .routes(routes!(events::user_events))
        .routes(routes!(versions::versions))
        .routes(routes!(versions::diff))
        .routes(routes!(authors::lint))
        .routes(routes!(authors::catalog_status))
        .routes(routes!(authors::rebuild))
        .routes(routes!(authors::collect))
        .nest("/sessions/{session}", of_session())
}

fn of_session() -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(sessions::create, sessions::show, sessions::forget, sessions::change))
        .merge(operations::of_session())
        .routes(routes!(files::get_file, files::head_file, files::put_file, files::delete_file))
        .merge(upload::of_session())
        .routes(routes!(download::download))
        .routes(routes!(prompt::show))
        .routes(routes!(tools::list))
        .routes(routes!(tools::answer_calls))
        .routes(routes!(tools::read_message))
        .routes(routes!(hooks::answer))
        .routes(routes!(events::session_events))
        .routes(routes!(approvals::list))
        .routes(routes!(approvals::decide))
        .route(address::MCP, any(mcp::answer))
        .route_layer(from_fn(add_session_headers))
}

/// The server: every route behind who may call it, and around all of them what every request meets.
pub(super) fn router(app: SharedState) -> Router {
    let users = of_user().route_layer(from_fn_with_state(Arc::clone(&app), admit_user));
    let workers = app.service.workers().clone();
    let service = service::routes()
        .route("/openapi.json", get(openapi_json))
        .route("/openapi-skills-api.json", get(skills_api_json))
        .merge(docs::routes())
        .merge(guide::routes())
        .merge(page::routes())
        .route_layer(from_fn_with_state(workers, compress_short));
    let all = of_all().route_layer(from_fn_with_state(Arc::clone(&app), admit_all));
    let claude = of_claude().route_layer(from_fn_with_state(Arc::clone(&app), admit_user));
    let mcp = OpenApiRouter::new()
        .route(address::MCP, any(mcp::answer))
        .route_layer(from_fn(add_session_headers))
        .route_layer(from_fn_with_state(Arc::clone(&app), admit_user));
    let published = skills_api::routes()
        .route_layer(from_fn_with_state(Arc::clone(&app), admit_user))
        .route_layer(from_fn(skills_api::take_key));
    let all = service.merge(claude).merge(published).merge(mcp).merge(all).nest("/v1/users/{user}", users);
    let (routes, _) = all.merge(well_known::routes(&app)).split_for_parts();
    routes
        .fallback(service::unknown_route)
        .method_not_allowed_fallback(service::unknown_method)
        .layer(from_fn(middleware::run_in_time))
        .layer(CatchPanicLayer::custom(middleware::panicked))
        .layer(from_fn_with_state(Arc::clone(&app), middleware::admit))
        .layer(from_fn(read_to_end))
        .layer(from_fn_with_state(Arc::clone(&app), middleware::observe))
        .layer(Extension(app))
}
