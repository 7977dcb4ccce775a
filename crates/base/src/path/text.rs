//! The traits that all checked texts share.

use std::fmt;

use super::{ETag, Id, KeyPrefix, MountName, ObjectKey, SkillPath, VirtualPath};
use crate::error::{Error, Result};

/// A text displays as it is, and appears in quotes where it is debugged.
macro_rules! shown_as_text {
    ($($name:ident)*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.as_str())
            }
        }
    )*};
}

/// A text that serde reads through the check of `parse`.
macro_rules! read_by_parse {
    ($($name:ident)*) => {$(
        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> Self {
                name.as_str().to_owned()
            }
        }
    )*};
}

shown_as_text!(ETag Id KeyPrefix MountName ObjectKey SkillPath VirtualPath);
read_by_parse!(Id MountName SkillPath);
