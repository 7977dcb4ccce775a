//! Ids: users, sessions and the values of template variables.

use std::{borrow::Borrow, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    error::{Code, Error, Result},
    limits::ID_BYTES,
};

/// The user of a person who works alone and names none.
pub const DEFAULT_USER: &str = "me";
/// The session of a person who names none.
pub const DEFAULT_SESSION: &str = "cli";

/// The name of a user, session or template variable: `[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}`.
///
/// The alphabet has no `/`, no space and nothing that needs escaping anywhere, so an id is a segment of an object key
/// as it is.
///
/// ```
/// use skillmount_base::path::Id;
///
/// assert_eq!(Id::parse("anna@example.com")?.as_str(), "anna@example.com");
/// assert!(Id::parse("anna/../otto").is_err());
/// # Ok::<(), skillmount_base::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Id(Arc<str>);

impl Id {
    /// Checks `text` against the pattern.
    ///
    /// # Errors
    /// `invalid_request` if it does not match.
    pub fn parse(text: &str) -> Result<Self> {
        let mut bytes = text.bytes();
        let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphanumeric());
        let rest = bytes.all(|byte| byte.is_ascii_alphanumeric() || b"._@+-".contains(&byte));
        if first && rest && text.len() <= ID_BYTES {
            return Ok(Self(Arc::from(text)));
        }
        Err(Error::new(
            Code::InvalidRequest,
            format!(
                "{} is not an id: use 1 to {ID_BYTES} of the characters A-Z a-z 0-9 . _ @ + - and begin with a letter or digit",
                quoted(text)
            ),
        ))
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `text` in quotes, cut to the length that an error message may quote of a client's input.
pub(super) fn quoted(text: &str) -> String {
    const SHOWN: usize = 80;
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

impl Borrow<str> for Id {
    fn borrow(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_taken_at_the_limit_and_refused_beyond_it() {
        assert!(Id::parse(&"a".repeat(ID_BYTES)).is_ok());
        assert!(Id::parse(&"a".repeat(ID_BYTES + 1)).is_err());
    }

    // S-PATH-5: An id matches `[A-Za-z0-9][A-Za-z0-9._@+-]{0,127}`; the service escapes and guesses nothing.
    #[test]
    fn only_the_alphabet_of_ids_is_taken() {
        for good in ["u1", "A", "ana.lopez@example.com", "a+b-c_d", "0", "a..b"] {
            assert_eq!(Id::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", "../u2", "u2/", "*", ".a", "-a", "a b", "ä", "a\0", "a\n", "_org", ".skillmount"] {
            assert_eq!(Id::parse(bad).unwrap_err().code(), Code::InvalidRequest, "{bad:?}");
        }
    }
}
