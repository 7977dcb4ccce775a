//! The agent's operations: each is the method of the same name, behind one `POST`.

use std::borrow::Cow;

use axum::{Extension, Json, http::StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use utoipa::ToSchema as _;
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::JsonBody,
    call::SessionCall,
    problem::{Failure, HandlerResult},
};
use crate::{
    backend::BackendProtocol as _,
    error::Error,
    wire::{self, Operation, with_operations},
};

/// What a generated client calls an operation: a verb and what it is done to, since short names such as `ls` and `delete`
/// say little, or are taken, among a program's own.
const fn id(operation: Operation) -> &'static str {
    match operation {
        Operation::Ls => "list_folder",
        Operation::Read => "read_file",
        Operation::Grep => "search_files",
        Operation::Glob => "find_files",
        Operation::Write => "write_file",
        Operation::Edit => "edit_file",
        Operation::Move => "move_path",
        Operation::Delete => "delete_path",
        named_well => named_well.name(),
    }
}

/// The request of one operation, for the document.
pub(super) struct RequestForm {
    /// The name of its schema.
    pub(super) schema: Cow<'static, str>,
    /// The operation that takes it.
    pub(super) operation: &'static str,
    /// Reads a request as the service does and returns it with all its members; `None` if it is not one.
    pub(super) parse: fn(Value) -> Option<Value>,
}

fn parsed<T: DeserializeOwned + Serialize>(given: Value) -> Option<Value> {
    serde_json::to_value(serde_json::from_value::<T>(given).ok()?).ok()
}

macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, $aliases:tt, $under:expr, $effect:ident, $tag:literal, $memory:ident, $status:literal }
    )* ; $($also:tt)*) => {
        /// The operations, each at its own name below a session.
        pub(super) fn of_session() -> OpenApiRouter {
            OpenApiRouter::new()$(.routes(routes!($method)))*
        }

        /// The requests of all operations.
        pub(super) fn requests() -> Vec<RequestForm> {
            vec![$(RequestForm {
                schema: wire::$request::name(),
                operation: id(Operation::$variant),
                parse: parsed::<wire::$request>,
            }),*]
        }

        $(
            $(#[doc = $doc])*
            #[utoipa::path(post, path = concat!("/", $name), operation_id = id(Operation::$variant), tag = $tag,
                request_body = wire::$request, responses((status = $status, body = wire::$reply), Failure))]
            async fn $method(
                Extension(call): Extension<SessionCall>,
                JsonBody(request): JsonBody<wire::$request>,
            ) -> HandlerResult<(StatusCode, Json<wire::$reply>)> {
                let status = StatusCode::from_u16($status).map_err(Error::internal)?;
                Ok((status, Json(call.backend.$method(request).await?)))
            }
        )*
    };
}

with_operations!(operations);
