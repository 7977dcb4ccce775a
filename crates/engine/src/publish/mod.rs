//! Publishes skills: immutable versions, a head that names the published version, and plain files that follow the head.
//!
//! One compare-and-swap of the head publishes. Any process can repeat all other steps. The archive of the version is there
//! before the head names it. The plain files follow the head: the next process that finds them behind brings them up. So a
//! crash at any point leaves the old version or the new one, and never a part of either.
//!
//! A file belongs to its last writer. A publish replaces or deletes a plain file only in the version that was there when the
//! head was written. If another tool wrote since, its file stays, and the folder differs from the head. Such a folder is the
//! skill until the next publish, which first keeps the folder as a version.
//!
//! A draft is an archive too, and a small object that names it, replaced by compare-and-swap. The head says which drafts count.
//! A publish in the place of a draft, and a published skill that becomes a draft, are one compare-and-swap of the head.
//!
//! A publish that begins a skill is pending until no skill is found around it or in it. Until then nothing is published.

mod change;
mod change_error;
mod check_upload;
mod conflict;
mod difference;
mod draft_change;
mod drafting;
mod first_publish;
mod history;
mod made_draft;
mod owner;
mod published;
mod published_documents;
mod repack;
mod spooled_body;
mod upload;

pub use check_upload::PublishOptions;
pub(crate) use drafting::{DraftAsked, taken};
pub use owner::Publisher;
pub use published::PublishedSkills;
pub use published_documents::{PageRequest, PublishedPage, PublishedSkill, PublishedVersion, VersionName};
pub use spooled_body::SpooledBody;
pub use upload::UploadedSkill;
