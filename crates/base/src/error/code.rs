//! The tables of errors: the kinds, and the codes that clients see.

use std::fmt;

/// The kinds of errors, by the possible reactions of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request is wrong; change it.
    InvalidInput,
    /// No valid key was given.
    Unauthenticated,
    /// The key, the policy or the mount does not allow it.
    Denied,
    /// Nothing of that name can be seen from here.
    NotFound,
    /// The state differs from the state that the caller assumed; look again.
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
        pub enum Code { $(#[doc = $doc] $variant,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The meaning, in a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $doc,)* }
            }

            /// The kind, from which a caller sees how to react.
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
    ToolBlocked "tool_blocked" Denied "A tool or skill the policy blocks, or a call that a person denied.";
    ApprovalRequired "approval_required" Denied "A tool or skill that a person must approve first.";
    RouteNotFound "route_not_found" NotFound "An address that is no route.";
    FileNotFound "file_not_found" NotFound "No file or folder at that path.";
    SkillNotFound "skill_not_found" NotFound "No skill of that name.";
    VersionNotFound "version_not_found" NotFound "No version of that digest.";
    DeletionNotFound "deletion_not_found" NotFound "No deletion of that user.";
    ApprovalNotFound "approval_not_found" NotFound "No call of that id waits for approval in the session.";
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
    ObjectDamaged "object_damaged" Internal "A stored object is damaged, or a newer service wrote it; the message says what an operator does.";
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
}
