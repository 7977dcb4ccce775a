//! Paths: whose files one can lead to.

mod scope;
