//! The agent's operations: each is the method of the same name, behind one `POST`.

use axum::{Extension, Json};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::JsonBody,
    call::SessionCall,
    problem::{Failure, Reply},
};
use crate::backend::{
    BackendProtocol as _, DeleteReply, DeleteRequest, DiscoverReply, DiscoverRequest, EditReply, EditRequest,
    GlobReply, GlobRequest, GrepReply, GrepRequest, LoadSkillReply, LoadSkillRequest, LsReply, LsRequest, ReadReply,
    ReadRequest, UnloadSkillReply, UnloadSkillRequest, WriteReply, WriteRequest,
};

macro_rules! operations {
    ($($(#[doc = $doc:literal])* $name:ident($request:ident) -> $reply:ident, $path:literal, $tag:literal;)*) => {
        /// The operations, each at its own name below a session.
        pub(super) fn of_session() -> OpenApiRouter {
            OpenApiRouter::new()$(.routes(routes!($name)))*
        }

        $(
            $(#[doc = $doc])*
            #[utoipa::path(post, path = $path, tag = $tag, request_body = $request, responses((status = 200, body = $reply), Failure))]
            async fn $name(
                Extension(call): Extension<SessionCall>,
                JsonBody(request): JsonBody<$request>,
            ) -> Reply<Json<$reply>> {
                Ok(Json(call.backend.$name(request).await?))
            }
        )*
    };
}

operations! {
    /// List a folder.
    ls(LsRequest) -> LsReply, "/ls", "files";
    /// Read lines of a text file.
    read(ReadRequest) -> ReadReply, "/read", "files";
    /// Search the contents of everything the session sees.
    grep(GrepRequest) -> GrepReply, "/grep", "files";
    /// Find files by name.
    glob(GlobRequest) -> GlobReply, "/glob", "files";
    /// Make a file, or replace it with `overwrite`.
    write(WriteRequest) -> WriteReply, "/write", "files";
    /// Replace text in a file.
    edit(EditRequest) -> EditReply, "/edit", "files";
    /// Delete a file, or a folder and everything below it.
    delete(DeleteRequest) -> DeleteReply, "/delete", "files";
    /// Find skills for a task; finding one does not load it.
    discover_skills(DiscoverRequest) -> DiscoverReply, "/discover_skills", "skills";
    /// Load a skill: mount its files below `/skills` and make it the current one.
    load_skill(LoadSkillRequest) -> LoadSkillReply, "/load_skill", "skills";
    /// Hide a loaded skill again.
    unload_skill(UnloadSkillRequest) -> UnloadSkillReply, "/unload_skill", "skills";
}
