//! Schemas as generators read them best.

use std::collections::BTreeMap;

use utoipa::openapi::{
    RefOr, Schema,
    schema::{AdditionalProperties, AllOf, ArrayItems, Object, SchemaType, Type},
};

/// The schemas of the document, by name.
pub(super) type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Where a reference to a schema begins.
const PLACE: &str = "#/components/schemas/";

/// Makes one object of each schema that is several at once: a document that takes another's members in. A closed object
/// among the several would refuse the members of the others.
pub(super) fn merge_flattened(schemas: &mut Schemas) {
    let merged: Vec<_> = schemas
        .iter()
        .filter_map(|(name, schema)| match schema {
            RefOr::T(Schema::AllOf(several)) => Some((name.clone(), merged(several, schemas)?)),
            _ => None,
        })
        .collect();
    schemas.extend(merged.into_iter().map(|(name, object)| (name, RefOr::T(Schema::Object(object)))));
}

/// The schema that a reference leads to, if it is an object.
pub(super) fn object<'schemas>(
    schema: &'schemas RefOr<Schema>,
    schemas: &'schemas Schemas,
) -> Option<&'schemas Object> {
    match schema {
        RefOr::T(Schema::Object(object)) => Some(object),
        RefOr::T(_) => None,
        RefOr::Ref(reference) => match schemas.get(reference.ref_location.strip_prefix(PLACE)?)? {
            RefOr::T(Schema::Object(object)) => Some(object),
            _ => None,
        },
    }
}

/// Leaves bare references in a choice. openapi-generator imports nothing for one with a description of its own.
pub(super) fn bare_choices(schemas: &mut Schemas) {
    for schema in schemas.values_mut() {
        let RefOr::T(Schema::OneOf(choice)) = schema else { continue };
        for item in &mut choice.items {
            if let RefOr::Ref(reference) = item {
                reference.description.clear();
            }
        }
    }
}

/// Allows any members in each object that declares none. Without this, some generators make a type that takes no members.
pub(super) fn open_free_objects(schemas: &mut Schemas) {
    schemas.values_mut().for_each(open);
}

fn open(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::Object(object)) => {
            let is_object = object.schema_type == SchemaType::Type(Type::Object);
            if is_object && object.properties.is_empty() && object.additional_properties.is_none() {
                object.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
            }
            object.properties.values_mut().for_each(open);
        }
        RefOr::T(Schema::Array(array)) => {
            if let ArrayItems::RefOrSchema(items) = &mut array.items {
                open(items);
            }
        }
        _ => {}
    }
}

/// Removes `null` from the schema of a parameter. An optional parameter is left out instead.
pub(super) fn without_null(schema: &mut RefOr<Schema>) {
    if let RefOr::T(Schema::Object(object)) = schema
        && let SchemaType::Array(kinds) = &object.schema_type
        && let Some(kind) = kinds.iter().find(|kind| **kind != Type::Null).cloned()
    {
        object.schema_type = SchemaType::Type(kind);
    }
}

fn merged(several: &AllOf, schemas: &Schemas) -> Option<Object> {
    let mut whole = Object::new();
    whole.description.clone_from(&several.description);
    for part in &several.items {
        let part = object(part, schemas)?;
        whole.properties.extend(part.properties.clone());
        whole.required.extend(part.required.iter().cloned());
        // An object without any member of its own stands for any members.
        if part.properties.is_empty() {
            whole.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(true)));
        }
    }
    Some(whole)
}
