//! Bytes that travel as they are.

use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        KnownFormat, RefOr, Schema, SchemaFormat,
        schema::{ObjectBuilder, Type},
    },
};

/// The schema of raw bytes. OpenAPI 3.1 names their media type; generators still look for the format of 3.0.
#[derive(Debug)]
pub(in crate::http) struct Binary;

impl PartialSchema for Binary {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)))
            .content_media_type("application/octet-stream")
            .into()
    }
}

impl ToSchema for Binary {}
