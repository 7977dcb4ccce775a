//! The settings in one table. Names, variables, defaults and the mark of secrets come from it.

use super::text::Text;
use crate::path::{DEFAULT_SESSION, DEFAULT_USER};

/// The environment variable of a setting is this and its name in capitals.
pub(super) const ENV_PREFIX: &str = "SKILLMOUNT_";

macro_rules! settings {
    ($($variant:ident $name:literal $default:expr, $secret:literal;)*) => {
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
        }
    };
}

settings! {
    Store "store" None, false;
    Server "server" None, false;
    User "user" Some(DEFAULT_USER), false;
    Session "session" Some(DEFAULT_SESSION), false;
    ApiKey "api_key" None, true;
    EndpointUrl "endpoint_url" None, false;
    Region "region" None, false;
    Profile "profile" None, false;
    PathStyle "path_style" None, false;
    SseKmsKeyId "sse_kms_key_id" None, false;
    Listen "listen" Some("127.0.0.1:8787"), false;
    Keys "keys" None, false;
    Workspace "workspace" Some("{user}/threads/{session}"), false;
    Ticket "ticket" Some("{user}/tickets/{ticket_id}"), false;
    Layers "layers" Some("false"), false;
    Write "write" Some("false"), false;
    Hosts "hosts" None, false;
    Origins "origins" None, false;
    Public "public" None, false;
    LinkSecret "link_secret" None, true;
    Log "log" None, false;
    LogFormat "log_format" None, false;
    Memory "memory" Some("256"), false;
    CatalogMemory "catalog_memory" Some("128"), false;
    Spool "spool" None, false;
    Drain "drain" Some("5"), false;
    Audit "audit" Some("relaxed"), false;
    AuditDays "audit_days" Some("90"), false;
    DigestPace "digest_pace" Some("1000"), false;
    Feedback "feedback" Some("true"), false;
    Encoder "encoder" None, false;
    EncoderModel "encoder_model" Some("default"), false;
    EncoderSkillModel "encoder_skill_model" None, false;
    EncoderKey "encoder_key" None, true;
    EncoderQuestionPrefix "encoder_question_prefix" None, false;
    EncoderSkillPrefix "encoder_skill_prefix" None, false;
}

impl Setting {
    /// The name of its environment variable.
    pub(crate) fn env_name(self) -> String {
        format!("{ENV_PREFIX}{}", self.name().to_uppercase())
    }

    /// The value `text` of this setting.
    pub(super) fn text(self, text: String) -> Text {
        if self.is_secret() { Text::Secret(text.into()) } else { Text::Plain(text) }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|setting| setting.name() == name)
    }
}
