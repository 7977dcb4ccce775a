//! The state of a session that a client has seen.
//!
//! A version counts the changes of one *life* of a session. A life begins when the session is created and ends when it
//! is deleted or expires. A later session of the same id counts from one again, so versions compare only within one
//! life, and clients send the life back with the number.

use std::{fmt, str::FromStr, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use skillmount_base::{
    error::{Code, Error, Result},
    limits::LIFE_BYTES,
};

/// The name of one life of a session. No two lives have one name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SessionIncarnation(Arc<str>);

impl SessionIncarnation {
    /// The life of a session created at `now`. `random` distinguishes lives of the same moment.
    #[must_use]
    pub fn new(now: Timestamp, random: u128) -> Self {
        Self(Arc::from(format!("{:x}-{random:x}", now.as_millisecond())))
    }

    /// The life of a session whose object was written before lives had names.
    #[must_use]
    pub fn begun(created_at: Timestamp) -> Self {
        Self(Arc::from(format!("{:x}", created_at.as_millisecond())))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn parse(text: &str) -> Option<Self> {
        let fits = (1..=LIFE_BYTES).contains(&text.len());
        let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase() || byte == b'-');
        (fits && plain).then(|| Self(Arc::from(text)))
    }
}

impl fmt::Display for SessionIncarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for SessionIncarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl TryFrom<String> for SessionIncarnation {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("the name of a life is up to 64 digits, small letters and hyphens")
    }
}

impl From<SessionIncarnation> for String {
    fn from(life: SessionIncarnation) -> Self {
        life.0.as_ref().to_owned()
    }
}

/// A version of a session, as replies contain it and clients send it back: `{life}.{number}`.
///
/// A number alone means any life. Clients that know no lives send it, and `0` is the version of a session that does not
/// exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionVersion {
    /// The life that is counted; `None` means any.
    pub life: Option<SessionIncarnation>,
    /// The number of changes so far.
    pub number: u64,
}

impl SessionVersion {
    /// Whether the client has seen any version.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Whether it is a later version of the same life.
    #[must_use]
    pub fn is_later_than(&self, other: &Self) -> bool {
        self.life.is_some() && self.life == other.life && self.number > other.number
    }

    /// Whether this version can answer a client that has seen `claim`. Nothing orders versions of two lives.
    #[must_use]
    pub fn serves(&self, claim: &Self) -> bool {
        !claim.is_known() || (claim.life.is_none() || claim.life == self.life) && self.number >= claim.number
    }

    /// Takes the version of a reply if it is newer than the known one. Replies can overtake each other.
    pub fn follow(&mut self, replied: Self) {
        let other_life = replied.life.is_some() && replied.life != self.life;
        if other_life || (replied.life == self.life && replied.number > self.number) {
            *self = replied;
        }
    }
}

impl From<u64> for SessionVersion {
    fn from(number: u64) -> Self {
        Self { life: None, number }
    }
}

impl From<&Self> for SessionVersion {
    fn from(version: &Self) -> Self {
        version.clone()
    }
}

impl fmt::Display for SessionVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.life {
            None => write!(f, "{}", self.number),
            Some(life) => write!(f, "{life}.{}", self.number),
        }
    }
}

impl FromStr for SessionVersion {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (life, number) = match text.split_once('.') {
            None => (None, text),
            Some((life, number)) => (Some(SessionIncarnation::parse(life)), number),
        };
        // A number parses with a sign, which no reply writes.
        let digits = Some(number).filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        match (life, digits.unwrap_or_default().parse()) {
            (None, Ok(number)) => Ok(Self { life: None, number }),
            (Some(Some(life)), Ok(number)) => Ok(Self { life: Some(life), number }),
            _ => Err(Error::new(Code::InvalidRequest, "a session's version is sent back as a reply gave it")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> SessionVersion {
        text.parse().unwrap()
    }

    #[test]
    fn a_version_reads_as_it_is_written() {
        for text in ["0", "7", "18c-7f.3", "18c.18446744073709551615"] {
            assert_eq!(version(text).to_string(), text);
        }
        for odd in ["", ".", ".1", "a.", "A.1", "a b.1", "a.1.2", "-1", "seven", "a.-1", "+1", "a.+1"] {
            assert!(odd.parse::<SessionVersion>().is_err(), "{odd}");
        }
        let long = "a".repeat(LIFE_BYTES);
        assert!(format!("{long}.1").parse::<SessionVersion>().is_ok());
        assert!(format!("{long}a.1").parse::<SessionVersion>().is_err());
    }

    #[test]
    fn versions_compare_within_one_life() {
        assert!(version("a.2").serves(&version("a.2")) && version("a.3").serves(&version("a.2")));
        assert!(!version("a.1").serves(&version("a.2")));
        assert!(!version("a.9").serves(&version("b.2")), "which life is the newer only the store knows");
        assert!(version("a.2").serves(&version("2")), "a number alone is any life's");
        assert!(version("0").serves(&version("0")) && !version("0").serves(&version("1")));
        assert!(version("a.2").is_later_than(&version("a.1")) && !version("b.2").is_later_than(&version("a.1")));
    }

    #[test]
    fn a_client_goes_on_within_a_life_and_takes_another_as_it_comes() {
        let mut known = version("0");
        for (replied, now) in [("a.3", "a.3"), ("a.2", "a.3"), ("b.1", "b.1"), ("0", "b.1"), ("b.2", "b.2")] {
            known.follow(version(replied));
            assert_eq!(known, version(now), "after {replied}");
        }
    }
}
