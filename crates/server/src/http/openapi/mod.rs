//! The OpenAPI document: generated from the handlers, finished here.
//!
//! Clients in other languages are generated from the document, so it has everything that a generator asks for. Facts about
//! every operation, such as its headers, are added by rule, so no handler can forget them.

mod binary;
mod bounds;
mod defaults;
mod examples;
mod parameters;
mod requests;
mod responses;
mod schemas;

use utoipa::openapi::{
    ExternalDocs, Info, License, OpenApi, OpenApiBuilder, PathItem,
    path::Operation,
    security::{ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme},
    tag::TagBuilder,
};

use crate::http::door::problem;

pub(super) use binary::Binary;

/// `document`, in which the routes have described themselves, with the facts that hold for all routes.
pub(super) fn finished(mut document: OpenApi) -> OpenApi {
    let components = document.components.get_or_insert_default();
    schemas::merge_flattened(&mut components.schemas);
    schemas::open_free_objects(&mut components.schemas);
    schemas::bare_choices(&mut components.schemas);
    bounds::declare(&mut components.schemas);
    requests::open_members(&mut components.schemas);
    defaults::declare(&mut components.schemas);
    parameters::declare(&mut components.parameters);
    responses::declare(&mut components.headers);
    document.paths.paths = std::mem::take(&mut document.paths.paths)
        .into_iter()
        .map(|(path, mut item)| {
            // The router's word for "the rest of the path" is not OpenAPI's.
            let path = path.replace("{*", "{");
            item.parameters = Some(parameters::of_path(&path));
            for operation in operations(&mut item) {
                parameters::complete(operation);
                responses::complete(&path, operation, &components.schemas);
                examples::add(operation);
            }
            (path, item)
        })
        .collect();
    document
}

/// The beginning of the document, before any route has described itself.
pub(super) fn beginning() -> OpenApi {
    let about = "A small file system over S3 for agents. Each session sees `/workspace`, `/ticket`, and below `/skills` only the \
                 skills it has loaded. Errors are problem documents (RFC 9457) with a stable `code`. The service refuses unknown \
                 fields in a request. Every reply has `x-request-id`. A successful reply about a session has \
                 `x-skillmount-session-version`. A client that sends it back gets no answer from an older session.";
    let tags = [
        ("sessions", "Agent conversations and what they may do."),
        ("files", "What an agent does with files."),
        ("skills", "What skills there are, and which are loaded."),
        ("tools", "The loop of an agent: its tools, its calls, and what a person says to it."),
        ("users", "Users as a whole: who there is, and how one leaves."),
        ("service", "The service itself."),
    ];
    let bearer = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("An API key. Without keys the service listens on a loopback address only and needs none."))
        .build();
    let mut document = headed("skillmount", about, &tags, &[("key", SecurityScheme::Http(bearer))]);
    let mut elsewhere = ExternalDocs::new("/openapi-skills-api.json");
    elsewhere.description =
        Some("`/v1/skills` in the shapes of other services' SDKs, and what installers of skills read.".to_owned());
    document.external_docs = Some(elsewhere);
    document
}

/// The beginning of the document about published skills in the shapes of other services.
pub(super) fn beginning_of_skills_api() -> OpenApi {
    let about = "Published skills in the shapes of the Skills APIs of Anthropic and of OpenAI, for the SDKs of both. A request with \
                 the header `anthropic-version` is answered in the shape of the one, errors included, and any other in that of \
                 the other. The user is that of the key or of the header `x-skillmount-user`. Beside them the addresses of Agent \
                 Skills Discovery 0.2.0, for installers, without a key.";
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("An API key.")).build();
    let header = ApiKeyValue::with_description("x-api-key", "The same key, as older clients send it.");
    let schemes = [("key", SecurityScheme::Http(bearer)), ("header", SecurityScheme::ApiKey(ApiKey::Header(header)))];
    let tags = [
        ("skills_api", "Published skills and their versions."),
        ("installers", "What installers of skills read, for whom the operator or a link names."),
    ];
    headed("skillmount: the Skills APIs", about, &tags, &schemes)
}

fn headed(title: &str, about: &str, tags: &[(&str, &str)], schemes: &[(&str, SecurityScheme)]) -> OpenApi {
    let mut info = Info::new(title, env!("CARGO_PKG_VERSION"));
    info.description = Some(about.to_owned());
    let mut license = License::new("Apache License 2.0");
    license.identifier = Some("Apache-2.0".to_owned());
    info.license = Some(license);
    let tags = tags.iter().map(|(name, about)| TagBuilder::new().name(*name).description(Some(*about)).build());
    let mut document = OpenApiBuilder::new().info(info).tags(Some(tags.collect::<Vec<_>>())).build();
    let components = document.components.get_or_insert_default();
    components.schemas.extend(problem::schemas());
    let mut security = vec![SecurityRequirement::default()];
    for (name, scheme) in schemes {
        components.add_security_scheme(*name, scheme.clone());
        security.push(SecurityRequirement::new(*name, [] as [&str; 0]));
    }
    document.security = Some(security);
    document
}

/// The operations of a path.
fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    let PathItem { get, head, put, post, patch, delete, .. } = item;
    [get, head, put, post, patch, delete].into_iter().flatten()
}
