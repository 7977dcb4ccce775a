//! What skills a user has: the read side of the catalog, for people and frameworks, not for the agent's file operations.

use axum::{Extension, Json};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

use super::{
    body::Parameters,
    call::UserCall,
    problem::{Failure, Reply},
};
use crate::{
    backend::{Listing, ListingPage},
    catalog::{CatalogDiagnostic, CatalogEntry, CatalogView, Refreshed},
    error::{Code, Error, Result},
    limits::{PAGE_ENTRIES, SKILL_FILE_BYTES, SKILL_FILES},
    path::{Layer, SkillPath},
    session::Policy,
    skill::{Diagnostic, outline, read_document},
    store::{GetOptions, StoreExt as _},
};

/// A user's skills.
pub(super) fn of_user() -> OpenApiRouter {
    OpenApiRouter::new().routes(routes!(list)).routes(routes!(show)).routes(routes!(refresh))
}

/// One skill of the catalog.
#[derive(Debug, Serialize, ToSchema)]
struct SkillReply {
    /// Where it lies: what `load_skill` takes.
    skill: String,
    /// Its name.
    name: String,
    /// What it is for and when to use it.
    description: String,
    /// The part of `skill` before the last slash; empty at the top.
    category: String,
    layer: Layer,
    /// Its frontmatter as it was written, unknown fields included.
    #[schema(value_type = Object)]
    frontmatter: Map<String, Value>,
    /// How many files it has.
    files: usize,
    /// All their bytes.
    size: u64,
    /// The newest of them.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
    /// `published`: what lies in the bucket is what sessions load.
    state: &'static str,
    /// Layers further away that have a skill of the same path.
    shadows: Vec<Layer>,
}

impl From<&CatalogEntry> for SkillReply {
    fn from(entry: &CatalogEntry) -> Self {
        Self {
            skill: entry.skill.to_string(),
            name: entry.name().to_owned(),
            description: entry.description().to_owned(),
            category: entry.skill.category().to_owned(),
            layer: entry.layer,
            frontmatter: entry.frontmatter.fields.clone(),
            files: entry.files,
            size: entry.size,
            updated_at: entry.updated_at,
            state: "published",
            shadows: entry.shadows.clone(),
        }
    }
}

/// Something wrong with a SKILL.md.
#[derive(Debug, Serialize, ToSchema)]
struct SkillDiagnostic {
    /// Its folder below `skills/`.
    skill: String,
    #[serde(flatten)]
    diagnostic: Diagnostic,
}

impl From<&CatalogDiagnostic> for SkillDiagnostic {
    fn from(found: &CatalogDiagnostic) -> Self {
        Self { skill: found.skill.clone(), diagnostic: found.diagnostic.clone() }
    }
}

/// Which skills.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct ListParameters {
    /// Only skills in this category or below it.
    category: Option<String>,
    /// Ask the store anew, whatever is known.
    #[serde(default)]
    fresh: bool,
    /// Skills of one page at most, 1 to 1,000.
    limit: Option<usize>,
    /// `next_cursor` of the page before.
    cursor: Option<String>,
}

/// One page of skills.
#[derive(Debug, Serialize, ToSchema)]
struct SkillList {
    /// In byte order of their paths.
    skills: Vec<SkillReply>,
    /// What was wrong with the skills of this page, and with those that are left out between them and the next page.
    diagnostics: Vec<SkillDiagnostic>,
    /// How many skills there are on all pages.
    total: usize,
    /// How many diagnostics there are on all pages.
    total_diagnostics: usize,
    /// When the store was asked.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
    /// Give this back to get the next page; null on the last one.
    next_cursor: Option<String>,
}

/// List a user's skills, but for those the user's policy hides.
#[utoipa::path(get, path = "/skills", operation_id = "list_skills", tag = "skills", params(ListParameters),
    responses((status = 200, body = SkillList), Failure))]
async fn list(
    Extension(call): Extension<UserCall>,
    Parameters(parameters): Parameters<ListParameters>,
) -> Reply<Json<SkillList>> {
    let policy = readable_catalog(&call).await?;
    let view = call.app.service.catalogs().view(call.audience(), parameters.fresh).await?;
    Ok(Json(page(&view, &policy, &parameters)))
}

/// The policy that says what of the catalog may be shown.
async fn readable_catalog(call: &UserCall) -> Result<std::sync::Arc<Policy>> {
    let policy = call.app.service.sessions().user_policy(&call.user).await?;
    if !policy.catalog_reads {
        call.needs_control().map_err(|_| {
            Error::new(
                Code::Denied,
                "the user's policy does not let agents read the catalog; the prompt lists the skills",
            )
        })?;
    }
    Ok(policy)
}

fn page(view: &CatalogView, policy: &Policy, wanted: &ListParameters) -> SkillList {
    let limit = wanted.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES);
    let listing = Listing::of(view, policy, wanted.category.as_deref());
    let ListingPage { skills, diagnostics, next_cursor } = listing.page(wanted.cursor.as_deref(), limit);
    SkillList {
        skills: skills.into_iter().map(|entry| SkillReply::from(&**entry)).collect(),
        diagnostics: diagnostics.into_iter().map(SkillDiagnostic::from).collect(),
        total: listing.skills.len(),
        total_diagnostics: listing.diagnostics.len(),
        as_of: view.as_of,
        next_cursor: next_cursor.map(str::to_owned),
    }
}

/// What a reading of the catalog found.
#[derive(Debug, Serialize, ToSchema)]
struct RefreshReply {
    /// How many skills there are now.
    skills: usize,
    /// How many of them are new to this server, or not as it last read them.
    changed: usize,
    /// How many it knew that are gone.
    removed: usize,
    /// When the store was asked.
    #[schema(value_type = String, format = DateTime)]
    as_of: Timestamp,
}

/// Read a user's skills anew, however fresh they are; skills that the user's policy hides are not counted.
#[utoipa::path(post, path = "/catalog/refresh", operation_id = "refresh_catalog", tag = "skills", responses((status = 200, body = RefreshReply), Failure))]
async fn refresh(Extension(call): Extension<UserCall>) -> Reply<Json<RefreshReply>> {
    let policy = readable_catalog(&call).await?;
    let Refreshed { view, difference } = call.app.service.catalogs().refresh(call.audience()).await?;
    let visible = |skills: &[SkillPath]| skills.iter().filter(|skill| policy.skill(skill).is_visible()).count();
    Ok(Json(RefreshReply {
        skills: view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible()).count(),
        changed: visible(&difference.changed),
        removed: visible(&difference.removed),
        as_of: view.as_of,
    }))
}

/// One skill with its instructions.
#[derive(Debug, Serialize, ToSchema)]
struct SkillPage {
    #[serde(flatten)]
    skill: SkillReply,
    /// SKILL.md without its frontmatter.
    body: String,
    /// The headings of the body, 10,000 at most.
    outline: Vec<OutlineHeading>,
    /// Whether the outline is cut: the body has more headings, or more text in them, than is kept.
    outline_truncated: bool,
    /// Its files, by their path below the skill's folder.
    file_list: Vec<SkillFileReply>,
    /// What is wrong with its SKILL.md.
    diagnostics: Vec<Diagnostic>,
}

/// A heading of a body.
#[derive(Debug, Serialize, ToSchema)]
struct OutlineHeading {
    /// 1 to 6.
    level: u8,
    text: String,
    /// The bytes of the body its section begins and ends at.
    start: usize,
    end: usize,
}

/// One file of a skill.
#[derive(Debug, Serialize, ToSchema)]
struct SkillFileReply {
    path: String,
    size: u64,
}

/// Nothing may be asked for but the skill.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShowParameters {}

/// Show one skill: its instructions, their outline, and its files.
#[utoipa::path(get, path = "/skills/{*skill}", operation_id = "show_skill", tag = "skills", responses((status = 200, body = SkillPage), Failure))]
async fn show(
    Extension(call): Extension<UserCall>,
    Parameters(ShowParameters {}): Parameters<ShowParameters>,
) -> Reply<Json<SkillPage>> {
    let path = SkillPath::parse(&call.rest)?;
    let policy = readable_catalog(&call).await?;
    let (catalogs, audience) = (call.app.service.catalogs(), call.audience());
    let mut view = catalogs.view(audience.clone(), false).await?;
    if view.entry(&path).is_none() {
        // It may have been put there since.
        view = catalogs.view(audience.clone(), true).await?;
    }
    let is_visible = policy.skill(&path).is_visible();
    let missing =
        || view.left_out(&path).filter(|_| is_visible).map_or_else(|| not_found(&path), |why| unusable(&path, why));
    let entry = view.entry(&path).filter(|_| is_visible).ok_or_else(missing)?;
    let layers = catalogs.layers(&audience)?;
    let (_, space) = layers.iter().find(|(layer, _)| *layer == entry.layer).ok_or_else(|| not_found(&path))?;
    let folder = space.skill(&path)?;
    let key = folder.key("SKILL.md")?;
    let store = call.app.service.store();
    let whole = GetOptions::range(0..SKILL_FILE_BYTES);
    let (object, listed) =
        tokio::try_join!(store.get(&key, whole), store.list_all(&folder, SKILL_FILES)).map_err(Error::from)?;
    let (document, diagnostics) = read_document(&object.bytes, path.folder());
    let body = document.map(|document| document.body).unwrap_or_default();
    let outline = outline(&body);
    let outline_truncated = outline.is_cut;
    let outline = outline.headings.into_iter().map(|heading| OutlineHeading {
        level: heading.level,
        text: heading.text,
        start: heading.section.start,
        end: heading.section.end,
    });
    let file = |key: &str, size| folder.relative(key).map(|path| SkillFileReply { path: path.to_owned(), size });
    Ok(Json(SkillPage {
        skill: SkillReply::from(&**entry),
        outline: outline.collect(),
        outline_truncated,
        body,
        file_list: listed.0.iter().filter_map(|entry| file(&entry.key, entry.size)).collect(),
        diagnostics,
    }))
}

fn unusable(path: &SkillPath, why: &Diagnostic) -> Error {
    Error::new(Code::SkillNotFound, format!("skill {path} cannot be shown: {}", why.message))
}

fn not_found(path: &SkillPath) -> Error {
    Error::new(Code::SkillNotFound, format!("there is no skill {path}; list them without a path to see what there is"))
}
