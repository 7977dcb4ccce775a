//! The codes of errors, for the documents that hold one.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        RefOr, Schema,
        schema::{ObjectBuilder, Type},
    },
};

use crate::error::Code;

/// The schema of a [`Code`] on the wire: one name of the table.
#[derive(Debug)]
pub(crate) struct ErrorCode;

impl PartialSchema for ErrorCode {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Code::ALL.iter().map(|code| code.as_str())))
            .description(Some("What went wrong. Names are stable, and later versions add some."))
            .into()
    }
}

impl ToSchema for ErrorCode {}
