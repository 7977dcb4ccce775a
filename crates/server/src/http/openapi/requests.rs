//! Rules for the schemas of all documents that a client sends.

use utoipa::openapi::{
    KnownFormat, RefOr, Schema, SchemaFormat,
    schema::{Object, OneOfBuilder, Ref, SchemaType, Type},
};

use super::schemas::Schemas;

/// The documents that a client sends and that are named otherwise, because replies have them too.
const OF_BOTH: [&str; 2] = ["Policy", "ChildRights"];

/// Allows `null` for each member that is not required; `null` means that the member is absent (S-ERROR-6). Numbers have no
/// sign, so their format takes the whole of 64 bits.
pub(super) fn open_members(schemas: &mut Schemas) {
    for (name, schema) in schemas.iter_mut() {
        if let RefOr::T(Schema::Object(document)) = schema
            && (name.ends_with("Request") || OF_BOTH.contains(&name.as_str()))
        {
            open(document);
        }
    }
}

fn open(document: &mut Object) {
    let Object { properties, required, .. } = document;
    for (name, member) in properties.iter_mut() {
        if let RefOr::T(Schema::Object(number)) = member
            && number.format == Some(SchemaFormat::KnownFormat(KnownFormat::Int64))
        {
            number.format = Some(SchemaFormat::Custom("uint64".to_owned()));
        }
        if !required.contains(name) {
            allow_null(member);
        }
    }
}

fn allow_null(member: &mut RefOr<Schema>) {
    match member {
        RefOr::T(Schema::Object(object)) => {
            // openapi-python-client makes no type of a map with both a default and `null`. Its description says the default. The same
            // holds for a document below.
            if object.schema_type == SchemaType::Type(Type::Object) {
                object.default = None;
            }
            with_null(&mut object.schema_type);
        }
        RefOr::T(Schema::Array(array)) => with_null(&mut array.schema_type),
        RefOr::Ref(reference) => *member = or_null(reference.clone()),
        // The choice of an optional member has `null` among its items already.
        RefOr::T(_) => {}
    }
}

fn with_null(kind: &mut SchemaType) {
    if let SchemaType::Type(only) = kind {
        *kind = SchemaType::Array(vec![only.clone(), Type::Null]);
    }
}

fn or_null(mut reference: Ref) -> RefOr<Schema> {
    let default = reference.default.take().filter(|default| !default.is_object());
    let null = Object::with_type(SchemaType::Type(Type::Null));
    RefOr::T(Schema::OneOf(OneOfBuilder::new().item(RefOr::Ref(reference)).item(null).default(default).build()))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::http::openapi;

    // S-ERROR-6: In a request, `null` for an optional member means that the member is absent.
    #[test]
    fn the_document_takes_null_for_every_member_that_may_be_absent() {
        let document = serde_json::to_value(openapi()).unwrap();
        let schemas = document["components"]["schemas"].as_object().unwrap();
        let mut seen = 0;
        for (name, schema) in
            schemas.iter().filter(|(name, _)| name.ends_with("Request") || super::OF_BOTH.contains(&name.as_str()))
        {
            let required = schema["required"].as_array().cloned().unwrap_or_default();
            for (member, property) in schema["properties"].as_object().into_iter().flatten() {
                let kinds = property["type"].as_array().into_iter().chain(property["oneOf"].as_array()).flatten();
                let takes_null = kinds.into_iter().any(|kind| kind == "null" || kind["type"] == "null");
                assert_eq!(
                    takes_null,
                    !required.contains(&Value::from(member.as_str())),
                    "{name}.{member}: {property}"
                );
                seen += 1;
            }
        }
        assert!(seen > 30, "{seen}");
        let offset = &schemas["ReadRequest"]["properties"]["offset"];
        assert_eq!((&offset["format"], &offset["minimum"]), (&"uint64".into(), &0.into()));
    }
}
