//! The user, the session and the rest of a request path, read from the path as the client sent it.
//!
//! Each segment is decoded once and on its own; the router's own decoding is not used. A segment that names a user, a
//! session or a verb may hold no encoded `/`, so the slash can never split or join segments. The rest of the path names a
//! file or a skill. An encoded `/` is a `/` there, because generated clients encode a parameter whole. The types that
//! parse the decoded names decide which names are valid.

use axum::http::{HeaderMap, Uri};

use crate::{
    access::Grant,
    error::{Code, Error, Result},
    path::{Id, percent_decoded},
};

/// The address at which headers name user and session.
const HOOKS_OF_CLAUDE: &str = "/hooks/claude";
/// The address of MCP, at which headers name user and session if the key does not. Below a session it is MCP in that session.
pub(crate) const MCP: &str = "/mcp";
/// The index that installers read, below a Host or a link.
pub(crate) const INDEX: &str = "/.well-known/agent-skills/index.json";
/// The skills that the index names.
pub(crate) const ARTIFACT: &str = "/.well-known/agent-skills/{*artifact}";
/// The address of published skills in the shapes of other services, at which the key or a header names the user.
const SKILLS_API: &str = "/v1/skills";
/// Names the user there.
const USER: &str = "x-skillmount-user";
/// Names the session there.
pub(crate) const SESSION: &str = "x-skillmount-session";
/// Names the session in the words of MCP.
pub(crate) const MCP_SESSION: &str = "mcp-session-id";
/// The user of a call that names none on a service without keys, as on the command line.
const DEFAULT_USER: &str = "me";
/// The session of a host that names none.
const DEFAULT_SESSION: &str = "mcp";

/// The subject of a request, from its path below `/v1/users/` or from the headers of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    /// Whose data it is about.
    pub(crate) user: Id,
    /// Which session, for paths below `sessions/`.
    pub(crate) session: Option<Id>,
    /// The path after the collection or verb, decoded, without a leading `/`. Empty if nothing follows.
    pub(crate) rest: String,
}

impl Address {
    /// Reads the address of a call on a user's data by a caller with this grant.
    ///
    /// # Errors
    /// As [`parse`](Self::parse); `invalid_request` if a header that should name user or session is missing, or if a query
    /// seems to name them.
    pub(crate) fn from_request(sent: &Uri, headers: &HeaderMap, grant: &Grant) -> Result<Self> {
        match sent.path() {
            HOOKS_OF_CLAUDE => Self::of_hook(headers),
            MCP if sent.query().is_some() => Err(query_of_mcp()),
            MCP => Self::of_mcp(headers, grant),
            path if is_of_skills_api(path) => Self::of_skills_api(path, headers, grant),
            path => Self::parse(path),
        }
    }

    /// A host of MCP may leave its session to the service.
    fn of_mcp(headers: &HeaderMap, grant: &Grant) -> Result<Self> {
        let session =
            named(headers, SESSION)?.map_or_else(|| named(headers, MCP_SESSION), |session| Ok(Some(session)))?;
        let session = session.map_or_else(|| Id::parse(DEFAULT_SESSION), Ok)?;
        Ok(Self { user: user_of(headers, grant)?, session: Some(session), rest: String::new() })
    }

    fn of_skills_api(path: &str, headers: &HeaderMap, grant: &Grant) -> Result<Self> {
        let rest = path.strip_prefix(SKILLS_API).unwrap_or_default();
        let names = rest.split('/').skip(1).map(decode_name).collect::<Result<Vec<_>>>()?;
        Ok(Self { user: user_of(headers, grant)?, session: None, rest: names.join("/") })
    }

    fn of_hook(headers: &HeaderMap) -> Result<Self> {
        let id = |name: &str| {
            let missing = || invalid!("the header {name} is missing; send an id in it");
            Id::parse(headers.get(name).and_then(|value| value.to_str().ok()).ok_or_else(missing)?)
        };
        Ok(Self { user: id(USER)?, session: Some(id(SESSION)?), rest: String::new() })
    }

    /// Reads `/v1/users/{user}[/sessions/{session}][/{verb}[/{rest}]]`.
    ///
    /// # Errors
    /// `invalid_path` for a segment that does not decode, or that holds an encoded `/` before the rest; `invalid_request`
    /// for an id that is none.
    fn parse(path: &str) -> Result<Self> {
        let mut segments = path.strip_prefix("/v1/users/").unwrap_or_default().split('/');
        let user = Id::parse(&segments.next().map(decode_name).transpose()?.unwrap_or_default())?;
        let collection = segments.next().map(decode_name).transpose()?;
        let mut session = None;
        if collection.as_deref() == Some("sessions") {
            session = segments.next().map(decode_name).transpose()?.map(|id| Id::parse(&id)).transpose()?;
            segments.next().map(decode_name).transpose()?;
        }
        let rest = segments.map(decode).collect::<Result<Vec<_>>>()?.join("/");
        Ok(Self { user, session, rest })
    }
}

/// Whether a path is one of published skills in the shapes of other services.
pub(crate) fn is_of_skills_api(path: &str) -> bool {
    path.strip_prefix(SKILLS_API).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The user of a call whose path names none: that of the header, of the key, or the default one of a service without keys.
fn user_of(headers: &HeaderMap, grant: &Grant) -> Result<Id> {
    match (named(headers, USER)?, grant.user(), grant.key()) {
        (Some(user), _, _) => Ok(user),
        (None, Some(user), _) => Ok(user.clone()),
        (None, None, None) => Id::parse(DEFAULT_USER),
        (None, None, Some(_)) => Err(invalid!("this key is one of all users: name the user in the header {USER}")),
    }
}

/// The refusal of a query at the address of MCP. A host that puts its user into the query would get the answers of
/// another user.
fn query_of_mcp() -> Error {
    invalid!(
        "{MCP} takes no query: name user and session in the path, as /v1/users/USER/sessions/SESSION{MCP}, or in the headers \
         {USER} and {SESSION}"
    )
}

/// The id in a header, if there is one.
fn named(headers: &HeaderMap, name: &str) -> Result<Option<Id>> {
    headers.get(name).map(|value| Id::parse(value.to_str().unwrap_or_default())).transpose()
}

/// The user whose deletion `path` is about: `/v1/deletions/{user}`.
///
/// # Errors
/// As [`Address::parse`].
pub(crate) fn deleted_user(path: &str) -> Result<Id> {
    Id::parse(&decode_name(path.strip_prefix("/v1/deletions/").unwrap_or_default())?)
}

/// A segment that names a single thing, decoded once.
fn decode_name(segment: &str) -> Result<String> {
    let name = decode(segment)?;
    if name.contains('/') { Err(refused(segment, "holds an encoded `/`")) } else { Ok(name) }
}

/// Text with `%XX` in it, decoded once.
///
/// # Errors
/// `invalid_path` if it does not decode.
pub(crate) fn decode(segment: &str) -> Result<String> {
    let bytes =
        percent_decoded(segment).ok_or_else(|| refused(segment, "holds a % that is not followed by two hex digits"))?;
    String::from_utf8(bytes.into_owned()).map_err(|_| refused(segment, "is not UTF-8"))
}

fn refused(segment: &str, why: &str) -> Error {
    Error::new(
        Code::InvalidPath,
        format!(
            "the path segment {segment:?} {why}; percent-encode each segment once, as UTF-8, and keep `/` between segments"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_decoded_once_and_on_their_own() {
        let address = Address::parse("/v1/users/u1/sessions/s1/files/workspace/a%20b/caf%C3%A9%252e+%5B1%5D").unwrap();
        assert_eq!(address.user.as_str(), "u1");
        assert_eq!(address.session.as_ref().map(Id::as_str), Some("s1"));
        assert_eq!(address.rest, "workspace/a b/café%2e+[1]");
        assert_eq!(Address::parse("/v1/users/u1/skills/a/b").unwrap().rest, "a/b");
        assert_eq!(Address::parse("/v1/users/u1/sessions").unwrap().session, None);
    }

    #[test]
    fn segments_that_could_hide_something_are_refused() {
        for bad in ["%", "%4", "%zz", "%ff", "..%c0%af"] {
            let path = format!("/v1/users/u1/sessions/s1/files/workspace/{bad}");
            assert_eq!(Address::parse(&path).unwrap_err().code(), Code::InvalidPath, "{bad}");
        }
        for bad in
            ["u1%2Fskills/a", "u1/sessions/s1%2fls", "u1/sessions%2Fs1", "u1/sessions/s1/files%2Fa", "..%2Fu2/skills"]
        {
            let path = format!("/v1/users/{bad}");
            assert_eq!(Address::parse(&path).unwrap_err().code(), Code::InvalidPath, "{bad}");
        }
        assert_eq!(Address::parse("/v1/users/%2e%2e/skills").unwrap_err().code(), Code::InvalidRequest);
        assert_eq!(Address::parse("/v1/users/u1/sessions/../x").unwrap_err().code(), Code::InvalidRequest);
    }

    #[test]
    fn dots_and_empty_segments_reach_the_path_type_as_they_are() {
        let rest = |path: &str| Address::parse(&format!("/v1/users/u/sessions/s/files/{path}")).unwrap().rest;
        assert_eq!(rest("a/../b"), "a/../b");
        assert_eq!(rest("a/%2e%2e/b"), "a/../b");
        assert_eq!(rest("a//b/"), "a//b/");
    }

    #[test]
    fn only_whole_segments_make_the_address_of_published_skills() {
        assert!(is_of_skills_api("/v1/skills") && is_of_skills_api("/v1/skills/a/versions"));
        assert!(!is_of_skills_api("/v1/skillsets") && !is_of_skills_api("/v1/users/u/skills"));
    }

    #[test]
    fn an_encoded_slash_in_the_rest_is_a_slash() {
        let rest = |path: &str| Address::parse(&format!("/v1/users/u/{path}")).unwrap().rest;
        assert_eq!(rest("sessions/s/files/workspace%2Fa%2fb%252Fc"), "workspace/a/b%2Fc");
        assert_eq!(rest("sessions/s/files/workspace%2F..%2F..%2Fu2"), "workspace/../../u2");
        assert_eq!(rest("skills/a%2Fb"), "a/b");
    }
}
