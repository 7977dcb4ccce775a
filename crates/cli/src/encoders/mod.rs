//! Encoders on this machine: their files are checked, copied into the user's data folder, and tried there.

mod add;
mod part;

pub(super) use add::{AddedEncoder, NewEncoder, add};
