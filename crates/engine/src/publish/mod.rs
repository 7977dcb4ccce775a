//! Publishing skills: versions that never change, a head that says which of them counts, and plain files that follow it.
//!
//! One compare-and-swap of the head publishes. All else can be repeated by anybody: the archive of the version is there
//! before the head names it, and the plain files are brought up to it afterwards, by whoever finds them behind. So a crash
//! at any point leaves the old version or the new one, and never a part of either.
//!
//! Files belong to whoever wrote them last. A plain file is replaced or deleted only in the very version that was there
//! when the head was written; if another tool wrote since, its file stays, and the folder differs from its head. Such a
//! folder is what the skill is, until the next publish, which first keeps it as a version of its own.
//!
//! A draft is an archive too, and a small object that names it, replaced by compare-and-swap. A path is published or a draft:
//! if a crash leaves both, the published skill counts, and the next publish or delete takes the draft away.

mod change;
mod change_error;
mod check_upload;
mod conflict;
mod difference;
mod draft_change;
mod drafting;
mod history;
mod owner;
mod published;
mod repack;
mod spooled_body;
mod upload;

pub use change::Condition;
pub use check_upload::PublishOptions;
pub(crate) use drafting::{DraftAsked, taken};
pub use owner::Publisher;
pub use published::{PageRequest, PublishedPage, PublishedSkill, PublishedSkills, PublishedVersion, VersionName};
pub use spooled_body::SpooledBody;
pub use upload::UploadedSkill;
