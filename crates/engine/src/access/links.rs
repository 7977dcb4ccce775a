//! Signed links: the holder of a link may fetch a user's skills until the link expires, and nothing else.
//!
//! A link has no entry anywhere. A link holds the user and the time of expiry. A keyed hash over both proves that a
//! holder of the secret made the link. So a link ends early only with the secret.

use std::{fmt, sync::Arc};

use hmac::{Hmac, KeyInit as _, Mac as _};
use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::Sha256;

use crate::{
    error::{Code, Error, Result},
    limits::LINK_SECRET_BYTES,
    path::Id,
};

/// Part of the hashed text, so that a hash for another purpose with the same secret is no link.
const PURPOSE: &str = "skillmount link 1";

/// The secret that links are signed with.
#[derive(Clone)]
pub struct LinkSecret(Arc<SecretString>);

impl fmt::Debug for LinkSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LinkSecret")
    }
}

impl LinkSecret {
    /// The secret `text`.
    ///
    /// # Errors
    /// `invalid_request` if it is short enough to be guessed.
    pub fn parse(text: &str) -> Result<Self> {
        if text.len() < LINK_SECRET_BYTES {
            let message = format!(
                "a secret for links has {LINK_SECRET_BYTES} characters at least: openssl rand -hex 32 makes one"
            );
            return Err(Error::new(Code::InvalidRequest, message));
        }
        Ok(Self(Arc::new(text.into())))
    }

    /// The link for the skills of `user` until `expires`: the text that stands in its address.
    ///
    /// ```
    /// use skillmount_engine::access::LinkSecret;
    /// use skillmount_base::path::Id;
    ///
    /// let secret = LinkSecret::parse("0123456789abcdef0123456789abcdef")?;
    /// let link = secret.sign(&Id::parse("anna")?, "2026-01-31T00:00:00Z".parse().unwrap());
    /// assert_eq!(secret.user_of(&link, "2026-01-30T00:00:00Z".parse().unwrap())?.as_str(), "anna");
    /// assert!(secret.user_of(&link, "2026-01-31T00:00:00Z".parse().unwrap()).is_err());
    /// # Ok::<(), skillmount_base::Error>(())
    /// ```
    #[must_use]
    pub fn sign(&self, user: &Id, expires: Timestamp) -> String {
        let expires = expires.as_second();
        let hash = self.hash(user.as_str(), &expires.to_string()).map(|hash| hash.finalize().into_bytes());
        format!("{expires}.{}.{user}", hash.map(hex::encode).unwrap_or_default())
    }

    /// Whose skills `link` gives at the time `now`.
    ///
    /// # Errors
    /// `route_not_found` if the link was not made with the secret; `denied` if it has expired.
    pub fn user_of(&self, link: &str, now: Timestamp) -> Result<Id> {
        let unknown = || Error::new(Code::RouteNotFound, "there is no such link; ask its sender for a new one");
        let mut parts = link.splitn(3, '.');
        let (Some(expires), Some(hash), Some(user)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(unknown());
        };
        let given = hex::decode(hash).map_err(|_| unknown())?;
        // Compared in a time that does not depend on where they differ.
        self.hash(user, expires).ok_or_else(unknown)?.verify_slice(&given).map_err(|_| unknown())?;
        let second: i64 = expires.parse().map_err(|_| unknown())?;
        if now.as_second() >= second {
            return Err(Error::new(Code::Denied, "this link has expired; ask its sender for a new one"));
        }
        Id::parse(user)
    }

    fn hash(&self, user: &str, expires: &str) -> Option<Hmac<Sha256>> {
        // A secret of any length is taken.
        let mut hash = Hmac::<Sha256>::new_from_slice(self.0.expose_secret().as_bytes()).ok()?;
        hash.update(format!("{PURPOSE}\n{expires}\n{user}").as_bytes());
        Some(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_link_gives_one_users_skills_until_it_expires_and_no_change_of_it_gives_anything() {
        let secret = LinkSecret::parse(&"s".repeat(LINK_SECRET_BYTES)).unwrap();
        let anna = Id::parse("anna.b@example.com").unwrap();
        let link = secret.sign(&anna, at(1000));
        assert_eq!(secret.user_of(&link, at(999)).unwrap(), anna);
        assert_eq!(secret.user_of(&link, at(1000)).unwrap_err().code(), Code::Denied);
        let later = link.replacen("1000.", "2000.", 1);
        let otto = link.replace("anna", "otto");
        let (start, _) = link.split_at(20);
        for forged in [&later, &otto, start, "", "1000..anna", "1000.zz.anna", &link.replace(".b@", "")] {
            assert_eq!(secret.user_of(forged, at(1)).unwrap_err().code(), Code::RouteNotFound, "{forged}");
        }
        let other = LinkSecret::parse(&"t".repeat(LINK_SECRET_BYTES)).unwrap();
        assert_eq!(other.user_of(&link, at(1)).unwrap_err().code(), Code::RouteNotFound);
        assert!(LinkSecret::parse(&"s".repeat(LINK_SECRET_BYTES - 1)).is_err());
        assert!(!format!("{secret:?}").contains("ss"));
    }
}
