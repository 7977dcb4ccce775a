//! Sessions: their objects, forks and counts, through restarts and damage.

mod approvals;
mod damaged;
mod forks;
mod lowered;
pub(crate) mod objects;
mod sessions;
mod shared_writes;
mod tags;
mod uses;
