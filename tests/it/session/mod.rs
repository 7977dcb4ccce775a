//! Sessions: their objects, forks and counts, through restarts and damage.

mod damaged;
mod forks;
pub(crate) mod objects;
mod sessions;
mod uses;
