//! A check of everything that the service keeps in the store, and the repair of what can be repaired without a loss.
//!
//! Nothing here deletes a file of a user, a version or a session. A repair rebuilds what can be rebuilt, finishes what was begun,
//! and removes what nothing uses and is older than a day.

mod audit;
mod bucket;
mod bundles;
mod check;
mod derived;
mod drafts;
mod owner;
mod search;
mod sessions;
mod skills;
mod survey;

pub use owner::Upkeep;
