//! The requests of authors about a user's skills beside their versions: findings of lint, and the state of the catalog.

use axum::Json;
use serde::Deserialize;
use utoipa::IntoParams;

use super::skills::readable_catalog;
use crate::{
    context::Action,
    http::{Failure, JsonReply, Parameters, UserCall},
    session::{TaggingReport, remove_idle_sessions, tag_sessions},
    wire::{CatalogStatus, ExpiryReport, LintList, LintListRequest, Policy},
};

/// Judge a user's own skills as they lie in the store: their SKILL.md and the names of their files. Skills that the user's
/// policy hides are omitted.
#[utoipa::path(get, path = "/lint", operation_id = "lint_skills", tag = "skills", params(LintListRequest),
    responses((status = 200, body = LintList), Failure))]
pub(crate) async fn lint(call: UserCall, wanted: Parameters<LintListRequest>) -> JsonReply<LintList> {
    let policy = readable_catalog(&call).await?;
    let sees_all = call.needs_control().is_ok();
    let all = Policy::default();
    Ok(Json(
        call.app.service.authoring().lint_skills(&call.user, if sees_all { &all } else { &policy }, &wanted).await?,
    ))
}

/// Return how many skills a user has. Skills that the user's policy hides from the caller do not count. A key of scope `control`
/// gets the state of the objects in the store too.
#[utoipa::path(get, path = "/catalog", operation_id = "show_catalog", tag = "skills",
    responses((status = 200, body = CatalogStatus), Failure))]
pub(crate) async fn catalog_status(call: UserCall) -> JsonReply<CatalogStatus> {
    let policy = readable_catalog(&call).await?;
    let (service, user) = (&call.app.service, &call.user);
    Ok(Json(if call.needs_control().is_ok() {
        service.authoring().catalog_status(user).await?
    } else {
        service.authoring().visible_catalog_status(user, &policy).await?
    }))
}

/// Throw away what the store keeps of a user's catalog, and read every skill again. Needs a key of scope `control`.
#[utoipa::path(post, path = "/catalog/rebuild", operation_id = "rebuild_catalog", tag = "skills",
    responses((status = 200, body = CatalogStatus), Failure))]
pub(crate) async fn rebuild(call: UserCall) -> JsonReply<CatalogStatus> {
    call.needs_control()?;
    let work = call.app.service.authoring().rebuild_catalog(&call.user);
    Ok(Json(call.author().perform((Action::RebuildCatalog, ""), work).await?))
}

/// Further work on sessions while idle ones are forgotten.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CollectParameters {
    /// Give the other sessions the tag of the bucket's lifecycle rule. Sessions of this version have it already.
    #[serde(default)]
    tag: bool,
}

/// Forget a user's sessions that were idle for 30 days; their files stay. Records that are older than the service keeps them go
/// too. Needs a key of scope `control`.
#[utoipa::path(post, path = "/session_gc", operation_id = "collect_sessions", tag = "sessions", params(CollectParameters),
    responses((status = 200, body = ExpiryReport), Failure))]
pub(crate) async fn collect(call: UserCall, wanted: Parameters<CollectParameters>) -> JsonReply<ExpiryReport> {
    call.needs_control()?;
    let work = async {
        let sessions = call.app.service.sessions();
        let collected = remove_idle_sessions(sessions, &call.user).await?;
        if let Some(recorder) = &call.app.audit {
            recorder.forget_old(&call.user).await?;
        }
        if !wanted.tag {
            return Ok(collected);
        }
        let TaggingReport { tagged, untagged } = tag_sessions(sessions, &call.user).await?;
        Ok(ExpiryReport { tagged: Some(tagged), untagged, ..collected })
    };
    Ok(Json(call.author().perform((Action::CollectSessions, ""), work).await?))
}
