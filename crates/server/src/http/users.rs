//! Users as a whole: who there is, an archive of one, and the end of one.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Body,
    extract::OriginalUri,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use futures_util::{Stream, stream};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    address::deleted_user,
    app::ServerState,
    audit::flush,
    body::Parameters,
    call::UserCall,
    files::percent_encoded,
    openapi::Binary,
    problem::{Failure, HandlerResult},
};
use crate::{
    backend::{Action, Export},
    error::Result,
    wire::{Deletion, UserList, UserListRequest},
};

/// What the archive of a user is.
const ARCHIVE: &str = "application/x-tar";

/// What is about all users.
pub(super) fn of_all() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(deletion))
}

/// What is about one user.
pub(super) fn of_user() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(export)).routes(routes!(delete))
}

/// List the users who have objects in the store. Needs a key of scope `control` for all users.
#[utoipa::path(get, path = "/v1/users", operation_id = "list_users", tag = "users", params(UserListRequest),
    responses((status = 200, body = UserList), Failure))]
async fn list(
    Extension(app): Extension<Arc<ServerState>>,
    Parameters(wanted): Parameters<UserListRequest>,
) -> HandlerResult<Json<UserList>> {
    Ok(Json(app.service.list_users(&wanted).await?))
}

/// Show how far the deletion of a user is, or what the last one removed. Needs a key of scope `control` for all users.
#[utoipa::path(get, path = "/v1/deletions/{user}", operation_id = "show_deletion", tag = "users",
    responses((status = 200, body = Deletion), Failure))]
async fn deletion(
    Extension(app): Extension<Arc<ServerState>>,
    OriginalUri(sent): OriginalUri,
) -> HandlerResult<Json<Deletion>> {
    Ok(Json(app.service.deletion(&deleted_user(sent.path())?).await?))
}

/// Everything of a user as one tar archive: skills, files, sessions, versions, policy, records. Needs a key of scope `control`.
/// Entries are named as the keys of the store. The last one, `_manifest.json`, counts them and names what is left out; an
/// archive without it is not whole.
#[utoipa::path(get, path = "/export", operation_id = "export_user", tag = "users", responses(
    (status = 200, description = "The archive.", body = inline(Binary), content_type = "application/x-tar"), Failure))]
async fn export(Extension(call): Extension<UserCall>) -> HandlerResult<Response> {
    call.needs_control()?;
    flush(&call).await;
    let beginning = async { call.app.service.export(&call.user) };
    let archive = pieces(call.author().perform((Action::ExportUser, ""), beginning).await?);
    let name = format!("attachment; filename*=UTF-8''{}", percent_encoded(&format!("{}.tar", call.user)));
    let mut response = Body::from_stream(archive).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(ARCHIVE));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    headers.extend(HeaderValue::try_from(name).ok().map(|name| (header::CONTENT_DISPOSITION, name)));
    Ok(response)
}

/// Delete a user with everything that it has, earlier versions included. Needs a key of scope `control` for all users. The
/// reply comes before the sweeps, the second of which begins a minute later; `show_deletion` says how far they are. Calls for
/// the user are `denied` until then.
#[utoipa::path(delete, path = "", operation_id = "delete_user", tag = "users",
    responses((status = 202, body = Deletion), Failure))]
async fn delete(Extension(call): Extension<UserCall>) -> HandlerResult<(StatusCode, Json<Deletion>)> {
    call.needs_all_users()?;
    let deletion = call.app.service.delete_user(&call.user, call.caller.key().map(str::to_owned)).await?;
    Ok((StatusCode::ACCEPTED, Json(deletion)))
}

/// The pieces of an archive as they come. A failure on the way cuts the connection, so that no client takes a part for the
/// whole.
fn pieces(archive: Export) -> impl Stream<Item = Result<Bytes>> {
    stream::try_unfold(archive, |mut archive| async move {
        let piece =
            archive.next().await.inspect_err(|error| tracing::warn!(cause = %error.chain(), "an export was cut"))?;
        Ok(piece.map(|bytes| (bytes, archive)))
    })
}
