//! The Skills extension: hosts that know skills list them, and fetch their files, as resources.
//!
//! They are those of the user's catalog. A host that fetches a skill has not loaded it: it is not below `/skills` for that.

mod listing;
mod resources;
mod uri;

pub(super) use listing::{get, list, page_of};
pub(super) use resources::{directory, list as list_resources, read};
