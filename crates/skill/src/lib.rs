//! The model of a skill, apart from storage: pure functions over the text of a SKILL.md and its list of files.
//!
//! Reading is lenient and returns findings beside the value, so that one bad file never takes a catalog down. `lint`
//! judges. Only `frontmatter` parses YAML.
//!
//! [`read_document`] reads a SKILL.md, and [`read_head`] reads only its beginning. [`quality`] scores a skill, and [`compose`] writes
//! a new SKILL.md.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

mod archive;
mod body;
mod compose;
mod diagnostic;
mod document;
mod draft;
mod fingerprint;
mod folded;
mod frontmatter;
mod head;
mod lint;
mod numbers;
mod outline;
mod patch;
mod quality;
mod rewrite;
mod root;
pub mod shown;
mod skeleton;
mod snapshot;
mod upload;
mod version;

pub use archive::{
    MAIN, Package, Packer, Provenance, RECORD_TAIL_BYTES, VersionArchive, VersionRecord, ZipPieces, described, parcel,
    plain_zip, record_in,
};
pub use body::{FilledParameter, RenderedBody, render};
pub use compose::compose;
pub use diagnostic::{Diagnostic, FindingCode, Severity, misnamed};
pub use document::{Document, Head, read_document, read_head};
pub use draft::{DraftChange, SkillDraft};
pub use fingerprint::{Fingerprint, Fingerprinter};
pub use folded::folded;
pub use frontmatter::yaml_value;
pub use frontmatter::{Frontmatter, Parameter};
pub use head::HeadFormat;
pub use head::{FileChange, HeadChange, HeadFile, HeadState, LateFiles, PendingPublish, SkillHead};
pub use lint::{
    FixResult, content_findings, fix, hidden_in_file, is_skill_name, lint, name_finding, template, theirs_beside,
};
pub use numbers::VersionNumbers;
pub use outline::{CodeBlock, Heading, Link, Outline, outline};
pub use patch::patch;
pub use quality::{Quality, QualityReason, quality};
pub use rewrite::rewrite;
pub use root::names;
pub use skeleton::SkillTemplate;
pub use snapshot::{Snapshot, SnapshotFile};
pub use upload::{CheckedSkill, SkillUpload};
pub use version::{Version, VersionFile, is_version_digest};
