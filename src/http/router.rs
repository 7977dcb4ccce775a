//! Everything the server does, on one page.

use std::sync::Arc;

use axum::{
    Extension, Router,
    middleware::{from_fn, from_fn_with_state},
};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa_axum::router::OpenApiRouter;

use super::{
    app::ServerState,
    call::{enter_user, tell_version},
    compression::compress_short,
    download, files, hooks, layers, openapi, operations, prompt, service, sessions, skills, tools, upload,
};

/// Every route with its description; what surrounds them is added by [`router`].
pub(super) fn routes() -> OpenApiRouter {
    OpenApiRouter::with_openapi(openapi::beginning())
        .merge(service::routes())
        .merge(hooks::of_claude())
        .nest("/v1/users/{user}", of_user())
}

fn of_user() -> OpenApiRouter {
    OpenApiRouter::new().merge(sessions::of_user()).merge(skills::of_user()).nest("/sessions/{session}", of_session())
}

fn of_session() -> OpenApiRouter {
    OpenApiRouter::new()
        .merge(sessions::of_session())
        .merge(operations::of_session())
        .merge(files::of_session())
        .merge(upload::of_session())
        .merge(download::of_session())
        .merge(prompt::of_session())
        .merge(tools::of_session())
        .merge(hooks::of_session())
        .route_layer(from_fn(tell_version))
}

/// The server: every route behind who may call it, and around all of them what every request meets.
pub(super) fn router(app: Arc<ServerState>) -> Router {
    let users = of_user().route_layer(from_fn_with_state(Arc::clone(&app), enter_user));
    let workers = app.service.workers().clone();
    let service = service::routes().route_layer(from_fn_with_state(workers, compress_short));
    let claude = hooks::of_claude().route_layer(from_fn_with_state(Arc::clone(&app), enter_user));
    let (routes, _) = service.merge(claude).nest("/v1/users/{user}", users).split_for_parts();
    routes
        .fallback(service::unknown_route)
        .method_not_allowed_fallback(service::unknown_method)
        .layer(from_fn(layers::run_in_time))
        .layer(CatchPanicLayer::custom(layers::panicked))
        .layer(from_fn_with_state(Arc::clone(&app), layers::admit))
        .layer(from_fn_with_state(Arc::clone(&app), layers::observe))
        .layer(Extension(app))
}
