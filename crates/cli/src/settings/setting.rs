//! The settings in one table. Names, variables, defaults, the mark of secrets and the way to a host's program come from it.

use super::text::Text;
use crate::path::{DEFAULT_SESSION, DEFAULT_USER};

/// The environment variable of a setting is this and its name in capitals.
pub(super) const ENV_PREFIX: &str = "SKILLMOUNT_";

/// How a setting that was chosen comes to the program that a host starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passage {
    /// As a flag with its value.
    Flag,
    /// As a flag if it is on, and as a variable if it is off.
    Switch,
    /// As a variable of its environment, because it has no flag.
    Variable,
    /// The person gives it to the host: it is a secret, and other people may read the configuration.
    Secret,
    /// No way: `mcp` does not read it.
    Unread,
}

macro_rules! settings {
    ($($variant:ident $name:literal $default:expr, $secret:literal, $passage:ident;)*) => {
        /// A setting.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Setting { $($variant,)* }

        impl Setting {
            /// Every setting, in the order of the table.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The name in `skillmount.toml`; flags write it with dashes.
            pub(crate) const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            pub(super) const fn default(self) -> Option<&'static str> {
                match self { $(Self::$variant => $default,)* }
            }

            /// Whether the value must never be shown.
            pub(super) const fn is_secret(self) -> bool {
                match self { $(Self::$variant => $secret,)* }
            }

            /// How it comes to the program that a host starts, if a value was chosen.
            pub(crate) const fn passage(self) -> Passage {
                match self { $(Self::$variant => Passage::$passage,)* }
            }
        }
    };
}

settings! {
    Store "store" None, false, Flag;
    Server "server" None, false, Unread;
    User "user" Some(DEFAULT_USER), false, Flag;
    Session "session" Some(DEFAULT_SESSION), false, Flag;
    ApiKey "api_key" None, true, Unread;
    EndpointUrl "endpoint_url" None, false, Flag;
    Region "region" None, false, Flag;
    Profile "profile" None, false, Flag;
    PathStyle "path_style" None, false, Switch;
    SseKmsKeyId "sse_kms_key_id" None, false, Flag;
    Listen "listen" Some("127.0.0.1:8787"), false, Unread;
    Keys "keys" None, false, Unread;
    Workspace "workspace" Some("{user}/threads/{session}"), false, Variable;
    Ticket "ticket" Some("{user}/tickets/{ticket_id}"), false, Variable;
    Layers "layers" Some("false"), false, Switch;
    Writable "writable" Some("false"), false, Switch;
    Hosts "hosts" None, false, Unread;
    Origins "origins" None, false, Unread;
    Public "public" None, false, Unread;
    ShareSigningKey "share_signing_key" None, true, Unread;
    Log "log" None, false, Variable;
    LogFormat "log_format" None, false, Variable;
    MemoryLimit "memory_limit" Some("256"), false, Variable;
    CatalogMemory "catalog_memory" Some("128"), false, Variable;
    Connections "connections" Some("4096"), false, Unread;
    UploadDir "upload_dir" None, false, Unread;
    Drain "drain" Some("0"), false, Unread;
    HookTimeout "hook_timeout" Some("5"), false, Unread;
    Audit "audit" Some("async"), false, Variable;
    AuditDays "audit_days" Some("90"), false, Variable;
    DigestPace "digest_pace" Some("1000"), false, Variable;
    Feedback "feedback" Some("true"), false, Variable;
    McpInstructionChars "mcp_instruction_chars" None, false, Variable;
    McpResultBytes "mcp_result_bytes" None, false, Variable;
    McpStructured "mcp_structured" Some("false"), false, Variable;
    EmbeddingUrl "embedding_url" None, false, Flag;
    EmbeddingModel "embedding_model" Some("default"), false, Variable;
    EmbeddingDocumentModel "embedding_document_model" None, false, Variable;
    EmbeddingApiKey "embedding_api_key" None, true, Secret;
    EmbeddingQueryPrefix "embedding_query_prefix" None, false, Variable;
    EmbeddingDocumentPrefix "embedding_document_prefix" None, false, Variable;
}

impl Setting {
    /// The name of its environment variable.
    pub(crate) fn env_name(self) -> String {
        variable_of(self.name())
    }

    /// Its flag on the command line.
    pub(crate) fn flag(self) -> String {
        flag_of(self.name())
    }

    /// The value `text` of this setting.
    pub(super) fn text(self, text: String) -> Text {
        if self.is_secret() { Text::Secret(text.into()) } else { Text::Plain(text) }
    }
}

/// The environment variable of the setting `name`.
pub(super) fn variable_of(name: &str) -> String {
    format!("{ENV_PREFIX}{}", name.to_uppercase())
}

/// The flag of the setting `name`.
pub(crate) fn flag_of(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}
