//! Users as a whole: who there is, an archive of one, and the end of one.

use axum::{
    Extension, Json,
    extract::OriginalUri,
    http::{StatusCode, header},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;

use super::audit::flush;
use crate::{
    context::Action,
    http::{Binary, Failure, HandlerResult, JsonReply, Parameters, SharedState, UserCall, archive, deleted_user},
    path::LayerOwner,
    wire::{Deletion, UserList, UserListRequest},
};

/// List the users who have objects in the store. Needs a key of scope `control` for all users.
#[utoipa::path(get, path = "/v1/users", operation_id = "list_users", tag = "users", params(UserListRequest),
    responses((status = 200, body = UserList), Failure))]
pub(crate) async fn list(
    Extension(app): Extension<SharedState>,
    wanted: Parameters<UserListRequest>,
) -> JsonReply<UserList> {
    Ok(Json(app.service.users().list_users(&wanted).await?))
}

/// Show how far the deletion of a user is, or what the last one removed. Needs a key of scope `control` for all users.
#[utoipa::path(get, path = "/v1/deletions/{user}", operation_id = "show_deletion", tag = "users",
    responses((status = 200, body = Deletion), Failure))]
pub(crate) async fn deletion(
    Extension(app): Extension<SharedState>,
    OriginalUri(sent): OriginalUri,
) -> JsonReply<Deletion> {
    Ok(Json(app.service.deletions().deletion(&deleted_user(sent.path())?).await?))
}

/// Everything of a user as one tar archive: skills, files, sessions, versions, policy, records. Needs a key of scope `control`.
/// Entries are named as the keys of the store. The last one, `_manifest.json`, counts them and names what is left out; an
/// archive without it is not whole.
#[utoipa::path(get, path = "/export", operation_id = "export_user", tag = "users", responses(
    (status = 200, description = "The archive.", body = inline(Binary), content_type = "application/x-tar"), Failure))]
pub(crate) async fn export(call: UserCall) -> HandlerResult<Response> {
    call.needs_control()?;
    flush(&call, &LayerOwner::from(&call.user)).await;
    let beginning = async { call.app.service.users().export(&call.user) };
    let export = call.author().perform((Action::ExportUser, ""), beginning).await?;
    let pieces = stream::try_unfold(export, |mut export| async move {
        let piece = export.next().await?;
        Ok(piece.map(|bytes| (bytes, export)))
    });
    let response = archive(pieces, "application/x-tar", &format!("{}.tar", call.user));
    Ok(([(header::CACHE_CONTROL, "private, no-store")], response).into_response())
}

/// Delete a user with everything that it has, earlier versions included. Needs a key of scope `control` for all users. The
/// reply comes before the sweeps, the second of which begins a minute later; `show_deletion` says how far they are. Calls for
/// the user are `denied` until then.
#[utoipa::path(delete, path = "", operation_id = "delete_user", tag = "users",
    responses((status = 202, body = Deletion), Failure))]
pub(crate) async fn delete(call: UserCall) -> HandlerResult<(StatusCode, Json<Deletion>)> {
    call.needs_all_users()?;
    let deletion = call.app.service.deletions().delete_user(&call.user, call.caller.key().map(str::to_owned)).await?;
    Ok((StatusCode::ACCEPTED, Json(deletion)))
}
