//! What several test files stand on.

pub(crate) mod world;
