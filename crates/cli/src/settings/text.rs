//! The text of a setting, which is kept apart if it is a secret.

use secrecy::{ExposeSecret as _, SecretString};

/// The value of a setting as text. A secret is not printed by `Debug`, and its memory is cleared when it is dropped.
#[derive(Clone, Debug)]
pub(super) enum Text {
    Plain(String),
    Secret(SecretString),
}

impl Text {
    /// The text itself, secret or not.
    pub(super) fn expose(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(text) => text.expose_secret(),
        }
    }

    /// The text as it may be shown.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Plain(text) => text,
            Self::Secret(_) => "[redacted]",
        }
    }
}
