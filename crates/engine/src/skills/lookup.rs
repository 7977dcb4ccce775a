//! Finds the skill that a name means, as the skill is in the store now.
//!
//! Listing, SKILL.md and head are asked for at once, in all layers, one round trip. Each call asks for the listing, because only
//! the listing shows a change. The content behind it usually is in memory.

use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};

use super::{
    hidden::missing_version,
    naming::{NamedSkill, ambiguous, answering, unknown},
    with_drafts::{forget_draft, with_drafts},
};
use crate::{
    catalog::{CatalogView, why_unreadable},
    content::{ReadError, SkillContents, SkillFiles, files_of_draft, files_of_version, skill_files},
    context::{Context, Refusal},
    error::{Code, Error, Result},
    path::{Layer, SkillPath, UserSpace},
    session::{LoadedSkill, Session},
    skill::{Document, Severity, Snapshot, is_version_digest, read_document, shown::one_line},
    store::StoreError,
    wire::EffectivePolicy,
};

/// A skill as it is in the store now.
pub(crate) struct LiveSkill {
    pub(crate) skill: SkillPath,
    pub(crate) layer: Layer,
    pub(crate) document: Document,
    pub(crate) snapshot: Arc<Snapshot>,
    /// The digest of the published version, if this is a published version.
    pub(crate) version: Option<String>,
    /// The digest of the draft, if this is a draft.
    pub(crate) draft: Option<String>,
}

/// The state of the path of a skill in one layer.
enum InLayer {
    Nothing,
    /// A skill that cannot be loaded, with the error for a caller that names it.
    Unusable(Error),
    Skill(Box<LiveSkill>),
}

/// Why a name gave no skill.
pub(crate) enum LookupError {
    /// No skill has it. The error is for a caller who named one on purpose.
    UnknownName(Error),
    /// The skill of this name cannot be loaded as it is now.
    Unusable(Error),
    Failed(Error),
}

impl From<Error> for LookupError {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<Refusal> for LookupError {
    fn from(refusal: Refusal) -> Self {
        Self::Failed(refusal.into())
    }
}

impl From<LookupError> for Error {
    fn from(error: LookupError) -> Self {
        match error {
            LookupError::UnknownName(error) | LookupError::Unusable(error) | LookupError::Failed(error) => error,
        }
    }
}

/// The skill that answers to `name`: a skill path, a mount name or a frontmatter name, in that order.
pub(crate) async fn look_up(
    context: &Context,
    name: &str,
    session: &Session,
    policy: &EffectivePolicy,
) -> Result<LiveSkill, LookupError> {
    if let Ok(path) = SkillPath::parse(name)
        && policy.skill(&path).is_visible()
    {
        check_length(context, &path).map_err(LookupError::UnknownName)?;
        if let Some(fetched) = fetch_for(context, session, &path).await? {
            return Ok(fetched);
        }
    }
    if let Some(loaded) = session.mounted(name)
        && policy.skill(&loaded.skill).is_visible()
        && let Some(fetched) = fetch_for(context, session, &loaded.skill).await?
    {
        return Ok(fetched);
    }
    let mut view = with_drafts(&context.catalog(false).await?, session);
    if answering(name, &named(&view, policy)).is_empty() {
        view = with_drafts(&context.catalog(true).await?, session);
    }
    let skills = named(&view, policy);
    match answering(name, &skills).as_slice() {
        [] => Err(missing(name, &view, policy)),
        [skill] => match fetch_for(context, session, skill).await? {
            Some(fetched) => Ok(fetched),
            None => Err(missing(name, &view, policy)),
        },
        several => Err(ambiguous(name, several).into()),
    }
}

/// # Errors
/// `invalid_path` if the key of a skill at `path` would be too long in some layer.
fn check_length(context: &Context, path: &SkillPath) -> Result<()> {
    let layers = context.core.catalogs().layers(context.caller.audience())?;
    layers.iter().try_for_each(|(_, space)| space.skill(path)?.key("SKILL.md").map(drop))
}

/// The skill at `path`: the published skill, or else the draft that this session made.
async fn fetch_for(context: &Context, session: &Session, path: &SkillPath) -> Result<Option<LiveSkill>, LookupError> {
    if session.draft(path).is_none() {
        return fetch_skill(context, path).await;
    }
    let reader = context.core.content();
    let space = context.space()?;
    let (published, draft) =
        tokio::join!(fetch_skill(context, path), files_of_draft(reader, &space, path, &context.session));
    let Some(draft) = draft? else {
        forget_draft(context, path).await;
        return published;
    };
    match (published?, read(Layer::User, path, draft)) {
        (Some(published), _) => Ok(Some(published)),
        (None, InLayer::Skill(draft)) => Ok(Some(*draft)),
        (None, InLayer::Unusable(why)) => Err(LookupError::Unusable(why)),
        (None, InLayer::Nothing) => Ok(None),
    }
}

/// The skill at `path` in the nearest layer that has the skill, or nothing. All layers are asked at once.
async fn fetch_skill(context: &Context, path: &SkillPath) -> Result<Option<LiveSkill>, LookupError> {
    let layers = context.core.catalogs().layers(context.caller.audience())?;
    let fetched = layers.iter().map(|(layer, space)| fetch_from(context, *layer, space, path));
    let mut unusable = None;
    for fetched in join_all(fetched).await {
        match fetched? {
            InLayer::Nothing => {}
            // The catalog leaves such a skill out and shows the one behind it; so does a load.
            InLayer::Unusable(why) => unusable = unusable.or(Some(why)),
            InLayer::Skill(fetched) => return Ok(Some(*fetched)),
        }
    }
    unusable.map_or(Ok(None), |why| Err(LookupError::Unusable(why)))
}

/// The state of `path` in one layer.
async fn fetch_from(context: &Context, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<InLayer> {
    let found = skill_files(context.core.content(), space, path).await?;
    let is_published = matches!(&found, SkillContents::Files(files) if files.version.is_some());
    let is_nothing = matches!(found, SkillContents::Nothing);
    // A published skill is a skill of its own, even if another tool puts a SKILL.md above it.
    if !is_published && !is_nothing && lies_inside_another(context, layer, space, path).await? {
        return Ok(InLayer::Nothing);
    }
    match found {
        SkillContents::Nothing => Ok(InLayer::Nothing),
        SkillContents::Unreadable(error) => {
            Ok(InLayer::Unusable(unusable(path, &why_unreadable(&error)).with_source(error)))
        }
        SkillContents::Files(files) => Ok(read(layer, path, files)),
    }
}

/// One version of the skill that answers to `name`, also of a deleted one if `name` is its path.
///
/// # Errors
/// `version_not_found` if it has no such version; as [`look_up`].
pub(crate) async fn look_up_version(
    context: &Context,
    name: &str,
    digest: &str,
    session: &Session,
    policy: &EffectivePolicy,
) -> Result<LiveSkill, LookupError> {
    if !is_version_digest(digest) {
        return Err(Error::new(Code::InvalidRequest, "a version is named by `sha256:` and 64 hex digits").into());
    }
    let (layer, path, missing) = match look_up(context, name, session, policy).await {
        Ok(found) if found.version.as_deref().or(found.draft.as_deref()) == Some(digest) => return Ok(found),
        Ok(found) => (found.layer, found.skill, None),
        Err(error @ LookupError::Failed(_)) => return Err(error),
        Err(error) => match SkillPath::parse(name) {
            Ok(path) if policy.skill(&path).is_visible() => (Layer::User, path, Some(error)),
            _ => return Err(error),
        },
    };
    let Some(space) = context.layer(layer)? else {
        return Err(LookupError::Unusable(unusable(&path, "its layer is not seen from here")));
    };
    let reader = context.core.content();
    let files = match (files_of_version(reader, &space, &path, digest).await, missing) {
        (Err(ReadError::VersionGone(gone)), Some(missing)) => {
            return Err(missing_version(&context.core, &space, &path, gone, missing).await?);
        }
        (files, _) => files.map_err(Error::from)?,
    };
    match read(layer, &path, files) {
        InLayer::Skill(fetched) => Ok(*fetched),
        InLayer::Unusable(why) => Err(LookupError::Unusable(why)),
        InLayer::Nothing => Err(LookupError::Unusable(unusable(&path, "that version has no SKILL.md"))),
    }
}

/// Whether a folder above `path` is a skill, so that `path` is a part of this skill and no skill itself. If the catalog is in
/// memory and has `path`, no request is needed. Otherwise each folder above is asked for.
async fn lies_inside_another(context: &Context, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<bool> {
    if let Some(view) = context.core.catalogs().cached_layer(context.caller.audience().clone(), layer)
        && view.entry(path).is_some()
    {
        return Ok(false);
    }
    let asked = path.ancestors().map(|above| {
        let key = space.skill(&above).and_then(|prefix| prefix.key("SKILL.md"));
        async move {
            match context.core.store().head(&key?).await {
                Ok(_) => Ok(true),
                Err(StoreError::NotFound) => Ok(false),
                Err(error) => Err(Error::from(error)),
            }
        }
    });
    let found = try_join_all(asked).await?;
    Ok(found.contains(&true))
}

/// A skill with these files, if its SKILL.md can be read.
fn read(layer: Layer, path: &SkillPath, files: SkillFiles) -> InLayer {
    let SkillFiles { text, snapshot, version, draft, .. } = files;
    let (document, diagnostics) = read_document(&text, path.folder());
    let Some(document) = document else {
        let why = diagnostics.iter().find(|finding| finding.severity == Severity::Error);
        let why = why.map_or("it cannot be read", |finding| finding.message.as_str());
        return InLayer::Unusable(unusable(path, why));
    };
    InLayer::Skill(Box::new(LiveSkill { skill: path.clone(), layer, document, snapshot, version, draft }))
}

/// The visible skills, with the names they answer to.
fn named<'view>(view: &'view CatalogView, policy: &EffectivePolicy) -> Vec<NamedSkill<'view>> {
    let visible = view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    visible.map(|entry| NamedSkill { skill: &entry.skill, name: entry.name() }).collect()
}

fn unusable(path: &SkillPath, why: &str) -> Error {
    let (skill, why) = (one_line(path.as_str()), one_line(why));
    Error::new(Code::SkillNotFound, format!("skill {} cannot be loaded: {}", skill.inline(), why.inline()))
}

/// A skill of that name which is left out of the catalog, and why.
fn left_out(name: &str, view: &CatalogView, policy: &EffectivePolicy) -> Option<Error> {
    let errors = view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error);
    let mut skills = errors.filter_map(|found| Some((SkillPath::parse(&found.skill).ok()?, &found.diagnostic)));
    let (skill, found) = skills.find(|(skill, _)| skill.folder() == name && policy.skill(skill).is_visible())?;
    Some(unusable(&skill, &found.message))
}

/// The error for a name that no visible skill answers to.
fn missing(name: &str, view: &CatalogView, policy: &EffectivePolicy) -> LookupError {
    match left_out(name, view, policy) {
        Some(left_out) => LookupError::Unusable(left_out),
        None => LookupError::UnknownName(unknown(name, &named(view, policy))),
    }
}

/// The loaded skill that answers to `name`, in the order of a load: path, mount, frontmatter name.
pub(crate) fn loaded_by_name<'session>(session: &'session Session, name: &str) -> Option<&'session LoadedSkill> {
    let loaded = &session.loaded_skills;
    let path = loaded.iter().find(|loaded| loaded.skill.as_str() == name);
    path.or_else(|| session.mounted(name)).or_else(|| loaded.iter().find(|loaded| loaded.name == name))
}
