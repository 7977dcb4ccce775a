//! The documents about a user's skills.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};

use crate::SkillFile;
use skillmount_base::path::Layer;
use skillmount_skill::{Diagnostic, SkillDraft};

/// Which skills to list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SkillListRequest {
    /// Only skills in this category or below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Ask the store again, whatever is known.
    #[serde(default)]
    pub fresh: bool,
    /// Skills of one page at most, 1 to 1,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
    /// `next_cursor` of the page before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// One skill of the catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SkillReply)]
pub struct SkillDocument {
    /// Where it lies: what `load_skill` takes.
    pub skill: String,
    /// Its name.
    pub name: String,
    /// What it is for and when to use it.
    pub description: String,
    /// The part of `skill` before the last slash; empty at the top.
    pub category: String,
    /// Whose folder it lies in.
    pub layer: Layer,
    /// Its frontmatter as it was written, unknown fields included.
    #[schema(value_type = Object)]
    pub frontmatter: Map<String, Value>,
    /// How many files it has.
    pub files: usize,
    /// All their bytes.
    pub size: u64,
    /// The newest of them.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
    /// Whether it was published through the service.
    pub state: ListedState,
    /// The digest of the published version that its files are, or of the draft: `sha256:` and 64 hex digits. Null if it was
    /// never published, and if other tools changed its folder since.
    pub digest: Option<String>,
    /// Layers further away that have a skill of the same path.
    pub shadows: Vec<Layer>,
}

impl From<&SkillDraft> for SkillDocument {
    fn from(draft: &SkillDraft) -> Self {
        Self {
            skill: draft.skill.to_string(),
            name: draft.name.clone(),
            description: draft.description.clone(),
            category: draft.skill.category().to_owned(),
            layer: Layer::User,
            frontmatter: draft.frontmatter.clone(),
            files: draft.files,
            size: draft.size,
            updated_at: draft.made_at,
            state: ListedState::Draft,
            digest: Some(draft.digest.clone()),
            shadows: Vec::new(),
        }
    }
}

/// What becomes of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillState {
    /// What lies in the bucket is what sessions load.
    #[default]
    Published,
    /// It is not published: keys of scope `control` see it, and the session that made it.
    Draft,
}

/// How a listed skill came to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ListedSkillState)]
pub enum ListedState {
    /// A version of it is published.
    Published,
    /// It is not published: keys of scope `control` see it, and the session that made it.
    Draft,
    /// Other tools put its files into the bucket, and no version of it is published.
    Unmanaged,
}

/// Something wrong with a SKILL.md.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillDiagnostic {
    /// Its folder below `skills/`; not always a valid skill path.
    pub skill: String,
    /// What was found.
    #[serde(flatten)]
    pub diagnostic: Diagnostic,
}

/// One page of skills.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillList {
    /// In byte order of their paths.
    pub skills: Vec<SkillDocument>,
    /// Faults of the skills of this page, and of skills that the catalog omits between this page and the next.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// How many skills there are on all pages.
    pub total: usize,
    /// How many diagnostics there are on all pages.
    pub total_diagnostics: usize,
    /// When the store was asked.
    #[schema(value_type = String, format = DateTime)]
    pub as_of: Timestamp,
    /// Give this back to get the next page; null on the last one.
    pub next_cursor: Option<String>,
}

/// What a reading of the catalog found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RefreshReply {
    /// How many skills there are now.
    pub skills: usize,
    /// How many of them are new to this server, or not as it last read them.
    pub changed: usize,
    /// How many it knew that are gone.
    pub removed: usize,
    /// When the store was asked.
    #[schema(value_type = String, format = DateTime)]
    pub as_of: Timestamp,
}

/// One skill with its instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillPage {
    /// The skill.
    #[serde(flatten)]
    pub skill: SkillDocument,
    /// SKILL.md without its frontmatter.
    pub body: String,
    /// The headings of the body, 10,000 at most.
    pub outline: Vec<OutlineHeading>,
    /// Whether the outline is cut: the body has more headings, or more text in them, than is kept.
    pub outline_truncated: bool,
    /// Its files, by their path below the skill's folder.
    pub file_list: Vec<SkillFile>,
    /// What is wrong with its SKILL.md.
    pub diagnostics: Vec<Diagnostic>,
}

/// A heading of a body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OutlineHeading {
    /// 1 to 6.
    pub level: u8,
    /// Its text.
    pub text: String,
    /// The byte of the body its section begins at.
    pub start: usize,
    /// The byte of the body its section ends at.
    pub end: usize,
}
