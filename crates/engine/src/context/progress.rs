//! How far a long operation is.

/// How far a search is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that were searched.
    pub done: usize,
    /// Files to search.
    pub total: usize,
}
