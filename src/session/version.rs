//! Which state of a session a client has seen.
//!
//! A version counts the changes of one *life* of a session, which begins when the session is made and ends when it is
//! deleted or expires. A session of the same id that is made later counts from one again, so versions compare only within
//! one life, and what a client sends back names the life.

use std::{fmt, str::FromStr, sync::Arc};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};

/// Characters of a life's name.
const LIFE_BYTES: usize = 64;

/// The name of one life of a session. Lives never share a name.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Life(Arc<str>);

impl Life {
    /// The life of a session that is made at `now`, told from others of that moment by `random`.
    #[must_use]
    pub fn new(now: Timestamp, random: u128) -> Self {
        Self(Arc::from(format!("{:x}-{random:x}", now.as_millisecond())))
    }

    /// The life of a session whose object is of a time when lives had no names.
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

impl fmt::Display for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Life {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

impl TryFrom<String> for Life {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("a life is named by up to 64 digits, small letters and hyphens")
    }
}

impl From<Life> for String {
    fn from(life: Life) -> Self {
        life.0.as_ref().to_owned()
    }
}

/// A version of a session as replies give it and clients send it back: `{life}.{number}`.
///
/// A number alone means any life. That is what a client says that knows of no lives, and `0` is what one is told of a
/// session that does not exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionVersion {
    /// Whose count it is; any life's where `None`.
    pub life: Option<Life>,
    /// The changes counted so far.
    pub number: u64,
}

impl SessionVersion {
    /// Whether it says anything about what was seen.
    #[must_use]
    pub fn is_known(&self) -> bool {
        *self != Self::default()
    }

    /// Whether it is a later version of the same life.
    #[must_use]
    pub fn is_later_than(&self, other: &Self) -> bool {
        self.life.is_some() && self.life == other.life && self.number > other.number
    }

    /// Whether a client that has seen `claim` may be answered from this version. Of another life it is not known which
    /// of the two is older.
    pub(super) fn serves(&self, claim: &Self) -> bool {
        !claim.is_known() || (claim.life.is_none() || claim.life == self.life) && self.number >= claim.number
    }

    /// Takes what a reply `told`, if that is newer than what is known: replies may overtake each other.
    pub fn follow(&mut self, told: Self) {
        let other_life = told.life.is_some() && told.life != self.life;
        if other_life || (told.life == self.life && told.number > self.number) {
            *self = told;
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
            Some((life, number)) => (Some(Life::parse(life)), number),
        };
        match (life, number.parse()) {
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
        for odd in ["", ".", ".1", "a.", "A.1", "a b.1", "a.1.2", "-1", "seven", "a.-1"] {
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
        for (told, now) in [("a.3", "a.3"), ("a.2", "a.3"), ("b.1", "b.1"), ("0", "b.1"), ("b.2", "b.2")] {
            known.follow(version(told));
            assert_eq!(known, version(now), "after {told}");
        }
    }
}
