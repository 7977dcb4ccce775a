//! The one error of the crate, shaped by what the caller can do about it.
//!
//! A [`Code`] is stable and goes over the wire. Its [`Kind`] decides the exit status, the MCP code, and the HTTP status of all codes
//! but two, 415 and 412. The message is written for the agent that will read it: the path or name in question, and what to do next.
//! Causes lie in `source` and are for logs only: an internal error never shows its cause to a client.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What every fallible function of the crate returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type Source = Arc<dyn std::error::Error + Send + Sync + 'static>;

/// What a caller can do about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The request is wrong; change it.
    InvalidInput,
    /// No valid key was given.
    Unauthenticated,
    /// The key, the policy or the mount does not allow it.
    Denied,
    /// Nothing of that name can be seen from here.
    NotFound,
    /// The state differs from what the caller assumed; look again.
    Conflict,
    /// Over a size limit.
    TooLarge,
    /// Over a rate or count limit; wait.
    TooMany,
    /// The store did not answer in time; try again.
    Unavailable,
    /// A bug of ours.
    Internal,
}

impl Kind {
    /// (HTTP status, process exit status, JSON-RPC code, title): the only place they are decided.
    const fn row(self) -> (u16, u8, i32, &'static str) {
        match self {
            Self::InvalidInput => (400, 2, -32602, "The request is not valid"),
            Self::Unauthenticated => (401, 4, -32001, "A valid API key is required"),
            Self::Denied => (403, 4, -32003, "Not allowed"),
            Self::NotFound => (404, 5, -32004, "Not found"),
            Self::Conflict => (409, 6, -32009, "Conflict"),
            Self::TooLarge => (413, 7, -32013, "Too large"),
            Self::TooMany => (429, 7, -32029, "Too many requests"),
            Self::Unavailable => (503, 7, -32053, "The store is not available"),
            Self::Internal => (500, 1, -32603, "Internal error"),
        }
    }

    /// The status of an HTTP reply.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        self.row().0
    }

    /// The exit status of the command line.
    #[must_use]
    pub const fn exit_code(self) -> u8 {
        self.row().1
    }

    /// The error code of a JSON-RPC (MCP) reply.
    #[must_use]
    pub const fn mcp_code(self) -> i32 {
        self.row().2
    }

    /// The `title` of a problem document.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.row().3
    }
}

macro_rules! codes {
    ($($variant:ident $name:literal $kind:ident $doc:literal;)*) => {
        /// The stable name of an error, as clients see it in `code`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $(#[doc = $doc] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, in a sentence.
            pub(crate) const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }

            /// What the caller can do about it.
            #[must_use]
            pub const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* }
            }
        }
    };
}

codes! {
    InvalidPath "invalid_path" InvalidInput "A path that is not absolute and normal.";
    InvalidRequest "invalid_request" InvalidInput "A body, parameter or identifier that does not parse.";
    InvalidPattern "invalid_pattern" InvalidInput "A regular expression or glob that is refused.";
    TooExpensive "too_expensive" InvalidInput "A pattern or input over the budget of work or memory.";
    OffsetOutOfRange "offset_out_of_range" InvalidInput "A read that starts after the last line.";
    OldStringEmpty "old_string_empty" InvalidInput "An edit with nothing to look for.";
    InvalidSkill "invalid_skill" InvalidInput "A skill that cannot be published; `findings` says why.";
    BinaryFile "binary_file" InvalidInput "A file that is not text.";
    MethodNotAllowed "method_not_allowed" InvalidInput "A method that the route does not have.";
    Unauthenticated "unauthenticated" Unauthenticated "No key, or one that is unknown or expired.";
    Denied "denied" Denied "The key does not reach that user or scope, or the Host or Origin is not ours.";
    ReadOnly "read_only" Denied "A write where only reading is possible.";
    PlanMode "plan_mode" Denied "A change while the session plans.";
    ToolBlocked "tool_blocked" Denied "A tool or skill the policy blocks.";
    ApprovalRequired "approval_required" Denied "A tool or skill that a person must approve first.";
    RouteNotFound "route_not_found" NotFound "An address that is no route.";
    FileNotFound "file_not_found" NotFound "No file or folder at that path.";
    SkillNotFound "skill_not_found" NotFound "No skill of that name.";
    VersionNotFound "version_not_found" NotFound "No version of that digest.";
    SessionNotFound "session_not_found" NotFound "No session of that id.";
    NotADirectory "not_a_directory" Conflict "A file where a folder was expected.";
    IsADirectory "is_a_directory" Conflict "A folder where a file was expected.";
    AlreadyExists "already_exists" Conflict "A create where something is.";
    AmbiguousSkill "ambiguous_skill" Conflict "Several skills answer to that name.";
    MountConflict "mount_conflict" Conflict "The mount name is taken by another loaded skill.";
    WorkspaceShared "workspace_shared" Conflict "A workspace that other sessions share.";
    SkillChanged "skill_changed" Conflict "The skill changed since it was loaded and the old bytes are gone.";
    EditConflict "edit_conflict" Conflict "Other writers kept winning.";
    OldStringNotFound "old_string_not_found" Conflict "The text to replace is not there.";
    OldStringNotUnique "old_string_not_unique" Conflict "The text to replace is there more than once.";
    VersionConflict "version_conflict" Conflict "The skill has another version than If-Match names.";
    PreconditionFailed "precondition_failed" Conflict "The ETag given in If-Match or If-None-Match does not hold.";
    FileTooLarge "file_too_large" TooLarge "A file or body over the limit.";
    RateLimited "rate_limited" TooMany "Too much at once.";
    StoreUnavailable "store_unavailable" Unavailable "The object store did not answer, or refused.";
    Internal "internal" Internal "A bug; the cause is in the log.";
}

impl Code {
    /// The code with this name on the wire; `None` if there is none.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|code| code.as_str() == name)
    }

    /// The HTTP status: the kind's, except for the codes that HTTP has a status of their own for.
    #[must_use]
    pub const fn http_status(self) -> u16 {
        match self {
            Self::MethodNotAllowed => 405,
            Self::BinaryFile => 415,
            Self::PreconditionFailed => 412,
            _ => self.kind().http_status(),
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Whether a failed change is in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ChangeOutcome)]
#[non_exhaustive]
pub enum Outcome {
    /// It is certain that the change is in the store.
    Applied,
    /// It is certain that nothing was changed.
    NotApplied,
    /// Its parts fared differently: the answer names them. Repeating the call completes it.
    Partial,
    /// The change may have landed, or may land yet; read before trying again.
    Unknown,
}

impl Outcome {
    /// The outcome of a change whose parts had these outcomes: theirs if they agree, else `partial`.
    #[must_use]
    pub fn of_all(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().reduce(|one, other| if one == other { one } else { Self::Partial })
    }
}

/// What became of each part of a failed change that has several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ChangeParts)]
pub struct Parts {
    /// The file, or the files below a folder: `partial` if only some of those went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Outcome>,
    /// The session's record of which version of the file it sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<Outcome>,
}

impl Parts {
    /// The outcome of the whole.
    #[must_use]
    pub fn outcome(self) -> Option<Outcome> {
        Outcome::of_all([self.file, self.session].into_iter().flatten())
    }
}

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    outcome: Option<Outcome>,
    parts: Option<Parts>,
    details: Map<String, Value>,
    source: Option<Source>,
}

/// An error with a stable code, a message that says what to do next, and details for machines.
///
/// Cheap to clone, because one failed store request may answer many waiting callers.
#[derive(Clone)]
pub struct Error(Box<Inner>);

impl Error {
    /// An error of this code; `message` is for the agent that will read it.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = message.into();
        Self(Box::new(Inner { code, message, outcome: None, parts: None, details: Map::new(), source: None }))
    }

    /// A bug of ours: clients see only that it happened, the log sees `cause`.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = cause.into();
        let mut error =
            Self::new(Code::Internal, "something went wrong inside the service; the log has the request id");
        error.0.source = Some(Arc::from(source));
        error
    }

    /// The same error with its cause attached, for logs.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// The same error, saying whether the change it reports on is in the store.
    #[must_use]
    pub fn with_outcome(mut self, outcome: Outcome) -> Self {
        self.0.outcome = Some(outcome);
        self
    }

    /// The same error, saying what became of each part of the change, and with that of the whole.
    #[must_use]
    pub fn with_parts(mut self, parts: Parts) -> Self {
        self.0.outcome = parts.outcome();
        self.0.parts = Some(parts);
        self
    }

    /// The same error as that of a change. If it has no outcome, the change was refused before anything was
    /// written. After a bug in this program the outcome is unknown.
    #[must_use]
    pub fn of_change(self) -> Self {
        let outcome = match (self.outcome(), self.kind()) {
            (Some(_), _) => return self,
            (None, Kind::Internal) => Outcome::Unknown,
            (None, _) => Outcome::NotApplied,
        };
        self.with_outcome(outcome)
    }

    /// The same error with one more member in its problem document.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(name.to_owned(), value.into());
        self
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// What the caller can do about it.
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.0.code.kind()
    }

    /// The message without its causes.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Whether the failed change is in the store; `None` if the failed call changes nothing.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.0.outcome
    }

    /// What became of each part of the failed change, if it has several.
    #[must_use]
    pub fn parts(&self) -> Option<Parts> {
        self.0.parts
    }

    /// Further members of the problem document, such as `suggestions` or `occurrences`.
    #[must_use]
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }

    /// Whether the same request may succeed later without being changed.
    #[must_use]
    pub fn retryable(&self) -> bool {
        matches!(self.kind(), Kind::Unavailable | Kind::TooMany) || self.code() == Code::EditConflict
    }

    /// The message followed by every cause, for logs and terminals.
    #[must_use]
    pub fn chain(&self) -> String {
        let causes = std::iter::successors(std::error::Error::source(self), |cause| cause.source());
        causes.fold(self.message().to_owned(), |text, cause| format!("{text}: {cause}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code(), self.chain())?;
        if let Some(outcome) = self.outcome() {
            write!(f, " ({outcome:?})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-ERROR-1: Every error has a stable code, and one table gives its HTTP status and exit status.
    #[test]
    fn the_tables_give_each_code_its_statuses() {
        for (name, http, exit) in [
            ("invalid_path", 400, 2),
            ("too_expensive", 400, 2),
            ("binary_file", 415, 2),
            ("unauthenticated", 401, 4),
            ("read_only", 403, 4),
            ("file_not_found", 404, 5),
            ("already_exists", 409, 6),
            ("precondition_failed", 412, 6),
            ("file_too_large", 413, 7),
            ("rate_limited", 429, 7),
            ("store_unavailable", 503, 7),
            ("internal", 500, 1),
        ] {
            let code = Code::parse(name).unwrap();
            assert_eq!((code.http_status(), code.kind().exit_code()), (http, exit), "{name}");
        }
        assert!(Code::ALL.iter().all(|code| Code::parse(code.as_str()) == Some(*code)));
        assert_eq!(Code::parse("no_such_code"), None);
    }

    // S-ERROR-2: The cause of an internal error is never shown to a client.
    #[test]
    fn an_internal_error_hides_its_cause_from_the_message_and_keeps_it_in_the_chain() {
        let error = Error::internal("disk on fire");
        assert!(!error.message().contains("fire") && error.chain().ends_with("disk on fire"));
    }
}
