//! A check of every object that the service keeps in the store, and the repair of faults that need no loss.
//!
//! Nothing here deletes a file of a user, a version or a session. A repair rebuilds derived objects, finishes changes that were
//! begun, and removes unused objects that are older than a day.

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
