//! The Skills extension: hosts that know skills list them, and fetch their files, as resources.
//!
//! The skills are the user's catalog. A host that fetches a skill has not loaded it: `/skills` does not show it.

mod listing;
mod resources;
mod uri;

pub(super) use listing::{SkillResourcePage, cursor_behind_first, get, list, page_of};
pub(super) use resources::{directory, list as list_resources, read};
