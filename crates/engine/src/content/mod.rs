//! The one reader of skills: the files of a skill in any version, loaded or not.
//!
//! A version is an archive that never changes. A head says which version is published, and plain files follow the head. A
//! draft is an archive too, and a small object that names it. Everything here reads these objects, remembers them, and brings
//! plain files up to their head. `publish` makes new versions.

mod archive;
mod checked_archive;
mod drafts;
mod export;
mod file_reads;
mod file_ref;
mod files;
mod folder;
mod head_cache;
mod heads;
mod inspect;
mod list_state;
mod manifest;
mod materialise;
mod memory;
mod objects;
mod owner;
mod pace;
mod pending;
mod place;
mod read_error;
mod settle;
mod single_reads;
mod stored_versions;
mod target;
mod version_cache;
mod version_numbers;

pub(crate) use archive::{Archive, ArchiveKind, ArchivedFile};
pub(crate) use checked_archive::{draft_archive, put_archive, version_archive};
pub use drafts::DraftReader;
pub(crate) use drafts::{
    DeletedDraft, DraftSlot, StoredDraft, delete_draft, draft_at, draft_contested, draft_or_skill_at, draft_paths,
    draft_slot, drafts_at, put_draft, read_draft, remove_deleted, remove_draft,
};
pub use export::SkillArchive;
pub(crate) use export::{archive_of, archive_of_draft, archive_of_version};
pub(crate) use file_reads::{advance, check_size, fetch, fetch_whole, fetch_whole_at, try_fetch, unreadable};
pub(crate) use file_ref::{FileRef, FileVersion, missing};
pub(crate) use files::{
    SkillContents, SkillFiles, content_of_draft, files_of_draft, files_of_version, skill_files, skill_files_at,
};
pub(crate) use folder::{
    PlainFiles, UnversionedFolder, archive_folder, is_as_published, is_published, list_folder, list_folder_sized,
};
pub(crate) use head_cache::HeadCard;
pub use head_cache::NumberedVersion;
pub(crate) use heads::{
    HeadPut, StoredHead, check_new_head, commit_head, is_newest, put_head, read_head, read_stored_head, settled_by_this,
};
pub(crate) use inspect::{InspectedHead, draft_in, inspect_draft_files, inspect_head, inspect_version, settle_head};
pub(crate) use list_state::{PublishState, digests_of_version, heads_of, known_head, published_digest, standings};
pub use manifest::Manifest;
pub(crate) use materialise::write_files;
pub(crate) use memory::{MemoryPermit, archive_bytes, owner_below};
pub use owner::Content;
pub(crate) use pace::RequestPace;
pub(crate) use pending::{Verdict, judge, materialise, materialise_after, settle_pending, undo};
pub(crate) use place::{own_files, place_conflict, settled_files};
pub(crate) use read_error::ReadError;
pub(crate) use settle::{complete_skill, restore_around, restore_skill_at, settled_head, settled_state};
pub(crate) use single_reads::{identifies_bytes, plain_file};
pub(crate) use stored_versions::{
    StoredVersion, VersionRow, archive_size, listed_versions, read_record, stored_versions,
};
pub(crate) use target::SkillTarget;
pub(crate) use version_numbers::{
    amend_head, description_of, head_card, not_published, numbers_after, numbers_before, stored_version,
    version_numbers,
};
