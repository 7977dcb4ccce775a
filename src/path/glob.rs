//! Globs.

/// A compiled glob.
#[derive(Clone, Debug)]
pub struct Glob {}
