//! The codes of errors, for the documents that hold one.

use serde_json::{Map, Value, json};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr, Schema,
        extensions::Extensions,
        schema::{ObjectBuilder, Type},
    },
};

use skillmount_base::error::Code;

/// The schema of a [`Code`] on the wire: one name of the table.
#[derive(Debug)]
pub struct ErrorCode;

impl PartialSchema for ErrorCode {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Code::ALL.iter().map(|code| code.as_str())))
            .description(Some("What went wrong. Names are stable, and later versions add some."))
            .extensions(Some(Extensions::from_iter([("x-codes", codes())])))
            .into()
    }
}

impl ToSchema for ErrorCode {}

/// The HTTP status and the meaning of each code. OpenAPI has no place for the meaning of a value of an enumeration.
fn codes() -> Value {
    let entry = |code: &Code| {
        let meaning = json!({"status": code.http_status(), "description": code.meaning()});
        (code.as_str().to_owned(), meaning)
    };
    Code::ALL.iter().map(entry).collect::<Map<_, _>>().into()
}
