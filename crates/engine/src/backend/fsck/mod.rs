//! A check of everything that the service keeps in the store, and mending what can be mended without losing anything.
//!
//! Nothing here deletes a file of a user, a version or a session. What is mended is what can be made again, what is begun and
//! can be finished, and what nothing uses and is older than a day.

mod audit;
mod bucket;
mod bundles;
mod check;
mod derived;
mod drafts;
mod search;
mod sessions;
mod skills;
mod survey;
