//! The OpenAPI document: generated from the handlers, finished here.

use utoipa::openapi::{
    Info, License, OpenApi, OpenApiBuilder, PathItem, RefOr, Required,
    path::{Parameter, ParameterBuilder, ParameterIn},
    schema::{ObjectBuilder, Type},
    security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    tag::TagBuilder,
};

use super::{problem, router};

/// The OpenAPI 3.1 document of the service.
#[must_use]
pub fn openapi() -> OpenApi {
    let (_, mut document) = router::routes().split_for_parts();
    document.paths.paths = std::mem::take(&mut document.paths.paths)
        .into_iter()
        .map(|(path, item)| {
            // The router's word for "the rest of the path" is not OpenAPI's.
            let path = path.replace("{*", "{");
            let item = with_path_parameters(&path, item);
            (path, item)
        })
        .collect();
    document
}

/// What the document begins with, before any route has added itself.
pub(super) fn beginning() -> OpenApi {
    let mut info = Info::new("skillmount", env!("CARGO_PKG_VERSION"));
    info.description = Some(
        "A small file system over S3 for agents. Each session sees `/workspace`, `/ticket`, and below `/skills` only the \
         skills it has loaded. Errors are problem documents (RFC 9457) with a stable `code`; unknown fields in a request \
         are refused; every reply has `x-request-id`, and successful ones on a session `x-skillmount-session-version`, \
         which a client may send back so that it is never answered from an older session."
            .to_owned(),
    );
    info.license = Some(License::new("Apache-2.0"));
    let tags = [
        ("sessions", "Agent conversations and what they may do."),
        ("files", "What an agent does with files."),
        ("skills", "What skills there are, and which are loaded."),
        ("tools", "The loop of an agent: its tools, its calls, and what a person says to it."),
        ("service", "The service itself."),
    ];
    let tags = tags.map(|(name, about)| TagBuilder::new().name(name).description(Some(about)).build());
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key. Without keys the service listens on a loopback address only and needs none."))
        .build();
    let mut document = OpenApiBuilder::new().info(info).tags(Some(tags)).build();
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("key", SecurityScheme::Http(bearer));
    components.schemas.extend(problem::schemas());
    document.security = Some(vec![SecurityRequirement::default(), SecurityRequirement::new("key", [] as [&str; 0])]);
    document
}

/// Declares each `{name}` of a path once for all its operations.
fn with_path_parameters(path: &str, mut item: PathItem) -> PathItem {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let parameters: Vec<_> = names.map(|name| RefOr::T(path_parameter(name))).collect();
    item.parameters = (!parameters.is_empty()).then_some(parameters);
    item
}

fn path_parameter(name: &str) -> Parameter {
    let about = match name {
        "user" => "The user's id.",
        "session" => "The session's id; any id names a session, which begins with its first change.",
        "skill" => "The skill path; its slashes stay slashes.",
        _ => "The virtual path without its first slash; further slashes stay slashes.",
    };
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(about))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)))
        .build()
}
