//! The agent's operations: each is the method of the same name, behind one `POST`.

use std::borrow::Cow;

use axum::{Json, http::StatusCode};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use utoipa::ToSchema as _;
use utoipa_axum::{router::OpenApiRouter, routes};

use crate::{
    error::Error,
    http::{Failure, HandlerResult, JsonBody, SessionCall},
    wire::{self, BackendProtocol as _, Operation, with_operations},
};

/// The name of an operation in generated clients: a verb and its object. Among a program's own names, short ones such as
/// `ls` and `delete` say little or are taken.
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
pub(crate) struct RequestForm {
    /// The name of its schema.
    pub(crate) schema: Cow<'static, str>,
    /// The operation that takes it.
    pub(crate) operation: &'static str,
    /// Reads a request as the service does and returns all of its members. `None` if the value is no such request.
    pub(crate) parse: fn(Value) -> Option<Value>,
}

fn parsed<T: DeserializeOwned + Serialize>(given: Value) -> Option<Value> {
    serde_json::to_value(serde_json::from_value::<T>(given).ok()?).ok()
}

macro_rules! operations {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident $method:ident($request:ident) -> $reply:ident
        { $name:literal, $aliases:tt, $under:expr, $effect:ident, $module:ident, $memory:ident, $status:literal }
    )* ; $($also:tt)*) => {
        /// The operations, each at its own name below a session.
        pub(crate) fn of_session() -> OpenApiRouter {
            OpenApiRouter::new()$(.routes(routes!($method)))*
        }

        /// The requests of all operations.
        pub(crate) fn requests() -> Vec<RequestForm> {
            vec![$(RequestForm {
                schema: wire::$request::name(),
                operation: id(Operation::$variant),
                parse: parsed::<wire::$request>,
            }),*]
        }

        $(
            $(#[doc = $doc])*
            #[utoipa::path(post, path = concat!("/", $name), operation_id = id(Operation::$variant), tag = stringify!($module),
                request_body = wire::$request, responses((status = $status, body = wire::$reply), Failure))]
            async fn $method(
                call: SessionCall,
                JsonBody(request): JsonBody<wire::$request>,
            ) -> HandlerResult<(StatusCode, Json<wire::$reply>)> {
                let status = StatusCode::from_u16($status).map_err(Error::internal)?;
                Ok((status, Json(call.backend.$method(request).await?)))
            }
        )*
    };
}

with_operations!(operations);
