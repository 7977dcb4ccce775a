//! Files of the catalog's skills for hosts that fetch skills themselves, without a load.
//!
//! A host is shown a skill with the digest and the size of each file, and checks what it reads against them. A manifest has both,
//! of one moment. The manifest of a published skill is made of its head. That of any other takes a read of every file, so a
//! listing goes without it until it is there: it is made when a host asks for the skill, or behind all requests, slowly.

mod manifest;
mod reads;

pub use manifest::Manifest;
pub(super) use manifest::ManifestCache;
pub use reads::{HostFile, HostSkill};
