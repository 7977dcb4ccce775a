//! The parameters of every call in its path and its headers.

use std::collections::BTreeMap;

use utoipa::openapi::{
    RefOr, Required,
    path::{Operation, Parameter, ParameterBuilder, ParameterIn},
    schema::{ObjectBuilder, Ref, Type},
};

use super::{
    bounds::{CALL, ID, REST, TextBounds, VERSION},
    examples, schemas,
};
use crate::{
    http::door::is_of_skills_api,
    limits::REQUEST_ID_BYTES,
    wire::{
        Operation as AgentOperation,
        headers::{CALL_ID, REQUEST_ID, SESSION_VERSION},
    },
};

/// The names of the shared headers among the components.
const SHARED_ID: &str = "RequestId";
const SHARED_VERSION: &str = "SessionVersion";
const SHARED_CALL: &str = "CallId";

/// The path of a session, and the beginning of all paths below it.
pub(super) const SESSION: &str = "/v1/users/{user}/sessions/{session}";

/// Adds the headers that many calls take.
pub(super) fn declare(parameters: &mut BTreeMap<String, RefOr<Parameter>>) {
    let id = format!(
        "The client's name for the request: up to {REQUEST_ID_BYTES} letters, digits, `-`, `_` and `.`. The service's log and \
         reply have it. A new one takes the place of any other."
    );
    let version = "The session version that a reply gave. The answer is then from no older session.";
    parameters.insert(SHARED_ID.to_owned(), header(REQUEST_ID, &id, None));
    parameters.insert(SHARED_VERSION.to_owned(), header(SESSION_VERSION, version, Some(VERSION)));
    let call = "The id that the model gave to the call. The event and the audit record have it. Without it they have a new one.";
    parameters.insert(SHARED_CALL.to_owned(), header(CALL_ID, call, Some(CALL)));
}

fn header(name: &str, about: &str, bound: Option<TextBounds>) -> RefOr<Parameter> {
    let mut text = ObjectBuilder::new().schema_type(Type::String).build();
    if let Some(bound) = bound {
        bound.bind(&mut text);
    }
    let header = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Header).required(Required::False);
    RefOr::T(header.description(Some(about)).schema(Some(text)).build())
}

/// The parameters that all operations of a path take: each `{name}` in it, and the headers.
pub(super) fn of_path(path: &str) -> Vec<RefOr<Parameter>> {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    let shared = |name: &str| RefOr::Ref(Ref::new(format!("#/components/parameters/{name}")));
    let version = path.starts_with(SESSION).then(|| shared(SHARED_VERSION));
    let of_api = is_of_skills_api(path).then(|| {
        let shape = "Any value: the reply is then in the shape of Anthropic's API, and else in that of OpenAI's.";
        let user = "The user's id, for a key of all users; the user of the key unless given.";
        [header("anthropic-version", shape, None), header("x-skillmount-user", user, Some(ID))]
    });
    let of_api = of_api.into_iter().flatten();
    let call = is_call(path).then(|| shared(SHARED_CALL));
    let shared = [shared(SHARED_ID)].into_iter().chain(version).chain(call);
    names.map(|name| RefOr::T(in_path(name))).chain(shared).chain(of_api).collect()
}

/// Whether the requests of a path are calls of operations: by name, or at the address of a file.
fn is_call(path: &str) -> bool {
    let rest = path.strip_prefix(SESSION).and_then(|rest| rest.strip_prefix('/'));
    rest.is_some_and(|rest| {
        rest.starts_with("files/") || AgentOperation::ALL.iter().any(|operation| operation.name() == rest)
    })
}

/// Completes the parameters of one operation.
pub(super) fn complete(operation: &mut Operation) {
    for parameter in operation.parameters.iter_mut().flatten() {
        if let RefOr::T(Parameter { schema: Some(schema), .. }) = parameter {
            schemas::without_null(schema);
        }
    }
}

fn in_path(name: &str) -> Parameter {
    let (about, bound): (_, TextBounds) = match name {
        "user" => ("The user's id.", ID),
        "session" => ("The session's id; any id names a session, which begins with its first change.", ID),
        "approval_id" => ("The id of a call that waits, as the refusal of the call and the list have it.", ID),
        "skill_id" => ("The id of a skill, as a listing has it.", REST),
        "link" => ("What makes the address of a link: whose it is, until when, and the signature.", REST),
        "artifact" => ("An address of the index: a skill path and `/SKILL.md`, or a skill path and `.zip`.", REST),
        "version" => ("The id of a version, or its number.", REST),
        "skill" => ("The skill path. Its slashes may be written as they are or as `%2F`.", REST),
        _ => {
            ("The virtual path without its first slash. Further slashes may be written as they are or as `%2F`.", REST)
        }
    };
    let mut text = ObjectBuilder::new().schema_type(Type::String).build();
    bound.bind(&mut text);
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(about))
        .schema(Some(text))
        .example(examples::of_parameter(name))
        .build()
}
