//! Sessions: their objects, forks and counts, through restarts and damage.

mod approvals;
mod damaged;
mod forks;
pub(crate) mod objects;
mod sessions;
mod tags;
mod uses;
