//! The headers and refusals that the replies of all operations have.

use std::collections::BTreeMap;

use utoipa::openapi::{
    RefOr, Response,
    content::ContentBuilder,
    header::{Header, HeaderBuilder},
    path::Operation,
    response::ResponseBuilder,
    schema::{ObjectBuilder, Ref, Type},
};

use super::{
    parameters::SESSION,
    schemas::{self, Schemas},
};
use crate::wire::headers::{PROMPT_TAG, REQUEST_ID, SESSION_VERSION, TOOLS_TAG};

const PROBLEM: &str = "application/problem+json";
const BYTES: &str = "application/octet-stream";
const TAR: &str = "application/x-tar";
const ARCHIVES: [&str; 2] = ["application/zip", TAR];
/// How the routes end on which a file is read.
const FILES: [&str; 2] = ["/files/{path}", "/skill_files/{skill}"];

/// The headers of replies: name among the components, name on the wire, and what it says.
const HEADERS: [(&str, &str, &str); 12] = [
    ("RequestId", REQUEST_ID, "The request's name in the log: the client's own, or a new one."),
    ("SessionVersion", SESSION_VERSION, "The version of the session that answered. A client may send it back."),
    (
        "PromptTag",
        PROMPT_TAG,
        "While it stays, so does the prompt. Absent if that is not known without asking the store.",
    ),
    ("ToolsTag", TOOLS_TAG, "While it stays, so do the tools. Absent if that is not known without asking the store."),
    ("RetryAfter", "Retry-After", "After how many seconds the same request may succeed."),
    ("Challenge", "WWW-Authenticate", "How a key is sent."),
    ("LastModified", "Last-Modified", "When the file was written."),
    ("AcceptRanges", "Accept-Ranges", "`bytes`: parts of the file can be asked for."),
    ("Sandbox", "Content-Security-Policy", "A browser that shows the bytes runs nothing in them."),
    ("Disposition", "Content-Disposition", "`attachment`, with a name for a file."),
    ("NoSniff", "X-Content-Type-Options", "`nosniff`: a browser takes the bytes for what the content type says."),
    ("CacheControl", "Cache-Control", "Nobody but the caller keeps it, and not without asking again."),
];

/// Adds the headers that many replies have.
pub(super) fn declare(headers: &mut BTreeMap<String, RefOr<Header>>) {
    headers.extend(HEADERS.map(|(component, _, about)| {
        let kind = if component == "RetryAfter" { Type::Integer } else { Type::String };
        let schema = ObjectBuilder::new().schema_type(kind);
        (component.to_owned(), RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(about)).build()))
    }));
}

/// Completes the replies of an operation: adds the refusals that any request may get, the descriptions, and the headers.
pub(super) fn complete(path: &str, operation: &mut Operation, schemas: &Schemas) {
    let mut refuse = |status: u16, why: &str| {
        let response = RefOr::T(ResponseBuilder::new().description(why).build());
        operation.responses.responses.entry(status.to_string()).or_insert(response);
    };
    refuse(431, "The head of the request is over the limit.");
    if operation.request_body.is_some() {
        let why = "The body has a type or a `content-encoding` that is not taken, or the file is not text: `invalid_request`, \
                   `binary_file`.";
        refuse(415, why);
    }
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(response) = response {
            complete_one(status, response, schemas);
            add_headers(path, status, response);
        }
    }
}

fn complete_one(status: &str, response: &mut Response, schemas: &Schemas) {
    if is_problem(status) && response.content.is_empty() {
        let problem = Ref::from_schema_name("Problem");
        response.content.insert(PROBLEM.to_owned(), ContentBuilder::new().schema(Some(problem)).build().into());
    }
    if response.description.is_empty() {
        let content = response.content.values().find_map(|content| match content {
            RefOr::T(content) => content.schema.as_ref(),
            RefOr::Ref(_) => None,
        });
        let about = content.and_then(|schema| schemas::object(schema, schemas)?.description.clone());
        response.description = about.unwrap_or_default();
    }
}

fn add_headers(path: &str, status: &str, response: &mut Response) {
    for (component, name, _) in HEADERS {
        let has_it = match component {
            "SessionVersion" | "PromptTag" | "ToolsTag" => path.starts_with(SESSION) && !is_problem(status),
            "RetryAfter" => ["429", "503"].contains(&status),
            "Challenge" => status == "401",
            "LastModified" | "AcceptRanges" | "Sandbox" => is_file(path, status, response),
            "Disposition" | "NoSniff" => is_file(path, status, response) || has_content(response, &ARCHIVES),
            "CacheControl" => is_file(path, status, response) || has_content(response, &[TAR]),
            _ => true,
        };
        if has_it {
            let reference = Ref::new(format!("#/components/headers/{component}"));
            response.headers.insert(name.to_owned(), RefOr::Ref(reference));
        }
    }
}

/// Whether a reply is about a file: its bytes, or its headers alone.
fn is_file(path: &str, status: &str, response: &Response) -> bool {
    let is_head = FILES.iter().any(|route| path.ends_with(route)) && ["200", "304"].contains(&status);
    has_content(response, &[BYTES]) || (is_head && response.content.is_empty())
}

fn has_content(response: &Response, kinds: &[&str]) -> bool {
    kinds.iter().any(|kind| response.content.contains_key(*kind))
}

/// Whether a reply of this status is a problem document.
fn is_problem(status: &str) -> bool {
    status.starts_with(['4', '5'])
}
