//! The values that the service assumes for absent members of a request.
//!
//! The defaults are read from the requests themselves. A request with only its required members is parsed, and the other
//! members of the result are the defaults. So the document and the service cannot disagree. The defaults are in an
//! extension, because openapi-typescript demands each member that has a `default`.

use serde_json::{Map, Value};
use utoipa::openapi::{RefOr, Schema};

use super::{examples, schemas::Schemas};
use crate::http::routes::operations;

const DEFAULTS: &str = "x-defaults";

/// Writes the defaults into the schemas of the requests.
pub(super) fn declare(schemas: &mut Schemas) {
    for form in operations::requests() {
        let Some(RefOr::T(Schema::Object(object))) = schemas.get_mut(&*form.schema) else { continue };
        let Some(Value::Object(mut least)) = examples::request_of(form.operation).cloned() else { continue };
        least.retain(|member, _| object.required.contains(member));
        let Some(Value::Object(whole)) = (form.parse)(Value::Object(least)) else { continue };
        // A member that is null by default is simply absent.
        let is_default = |(member, value): &(String, Value)| !value.is_null() && !object.required.contains(member);
        let defaults: Map<_, _> = whole.into_iter().filter(is_default).collect();
        if !defaults.is_empty() {
            object.extensions.get_or_insert_default().insert(DEFAULTS.to_owned(), defaults.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        http::openapi,
        limits::{READ_LINES, SEARCH_RESULTS},
    };

    #[test]
    fn a_request_says_what_its_absent_members_are() {
        let document = serde_json::to_value(openapi()).unwrap();
        let default =
            |request: &str, member: &str| document["components"]["schemas"][request][DEFAULTS][member].clone();
        assert_eq!(default("ReadRequest", "limit"), READ_LINES);
        assert_eq!(default("DiscoverRequest", "limit"), SEARCH_RESULTS);
        assert_eq!(default("GrepRequest", "output_mode"), "content");
        assert_eq!(default("EditRequest", "replace_all"), false);
        assert_eq!(default("LoadSkillRequest", "invoker"), "model");
        for (request, member) in [("GrepRequest", "path"), ("ReadRequest", "file_path")] {
            assert_eq!(default(request, member), Value::Null, "{request}.{member}");
        }
    }
}
