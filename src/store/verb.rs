//! The five verbs by name, for the layers that treat requests by kind.

/// One of the verbs of [`Store`](super::Store).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verb {
    /// `get`.
    Get,
    /// `put`.
    Put,
    /// `head`.
    Head,
    /// `list`.
    List,
    /// `delete`.
    Delete,
}
