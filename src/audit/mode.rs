//! How much a service does for its audit records.

use std::{fmt, str::FromStr};

use crate::error::{Code, Error, Result};

/// How much a service does for its audit records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditMode {
    /// There are none.
    Off,
    /// They are written behind the calls: a crash loses those of the last minute.
    #[default]
    Relaxed,
    /// A change is acknowledged once its record is in the store.
    Strict,
}

impl AuditMode {
    /// Its name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Relaxed => "relaxed",
            Self::Strict => "strict",
        }
    }
}

impl fmt::Display for AuditMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AuditMode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let all = [Self::Off, Self::Relaxed, Self::Strict];
        all.into_iter().find(|mode| mode.name() == text).ok_or_else(|| {
            Error::new(Code::InvalidRequest, format!("{text:?} is no mode of audit; there are off, relaxed and strict"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mode_is_read_by_its_name_alone() {
        for mode in [AuditMode::Off, AuditMode::Relaxed, AuditMode::Strict] {
            assert_eq!(mode.to_string().parse::<AuditMode>().unwrap(), mode);
        }
        assert!("on".parse::<AuditMode>().is_err() && "Strict".parse::<AuditMode>().is_err());
    }
}
