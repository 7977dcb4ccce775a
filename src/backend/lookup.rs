//! Which skill a name means, and that skill as it is in the store now.
//!
//! Listing, SKILL.md and head are asked for at once, in all layers, one round trip. The listing is asked for every time,
//! because it is what sees a change; the content behind it usually is in memory.

use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};

use super::{
    Service, SkillBackend,
    publish::{Found, SkillFiles},
};
use crate::{
    catalog::{CatalogEntry, CatalogView, why_unreadable},
    error::{Code, Error, Result},
    path::{Layer, SkillPath, UserSpace, distance},
    session::{EffectivePolicy, LoadedSkill, Session},
    skill::{Document, Severity, Snapshot, is_version_digest, read_document, shown::one_line},
    store::StoreError,
};

/// Names suggested for a skill that was not found.
const SUGGESTIONS: usize = 3;

/// A skill as it is in the store now.
pub(super) struct Fetched {
    pub(super) skill: SkillPath,
    pub(super) layer: Layer,
    pub(super) document: Document,
    pub(super) snapshot: Arc<Snapshot>,
    /// The digest of the published version that it is, if it is one.
    pub(super) version: Option<String>,
}

/// What lies at the path of a skill in one layer.
enum InLayer {
    Nothing,
    /// A skill that cannot be loaded, with the error for a caller that names it.
    Unusable(Error),
    Skill(Box<Fetched>),
}

impl SkillBackend {
    /// The skill that answers to `name`: a skill path, a mount name or a frontmatter name, in that order.
    pub(super) async fn look_up(&self, name: &str, session: &Session, policy: &EffectivePolicy) -> Result<Fetched> {
        if let Ok(path) = SkillPath::parse(name)
            && policy.skill(&path).is_visible()
            && let Some(fetched) = self.fetch_skill(&path).await?
        {
            return Ok(fetched);
        }
        if let Some(loaded) = session.mounted(name)
            && policy.skill(&loaded.skill).is_visible()
            && let Some(fetched) = self.fetch_skill(&loaded.skill).await?
        {
            return Ok(fetched);
        }
        let mut view = self.catalog(false).await?;
        let mut answering = answering(&view, policy, name);
        if answering.is_empty() {
            view = self.catalog(true).await?;
            answering = self::answering(&view, policy, name);
        }
        match answering.as_slice() {
            [] => Err(unknown(name, &view, policy)),
            [entry] => match self.fetch_skill(&entry.skill).await? {
                Some(fetched) => Ok(fetched),
                None => Err(unknown(name, &view, policy)),
            },
            several => Err(ambiguous(name, several)),
        }
    }

    /// The skill that lies at `path` in the nearest layer that has it, or nothing. All layers are asked at once.
    async fn fetch_skill(&self, path: &SkillPath) -> Result<Option<Fetched>> {
        let layers = self.shared.catalogs.layers(&self.audience)?;
        let fetched = layers.iter().map(|(layer, space)| self.fetch_from(*layer, space, path));
        let mut unusable = None;
        for fetched in join_all(fetched).await {
            match fetched? {
                InLayer::Nothing => {}
                // The catalog leaves such a skill out and shows the one behind it; so does a load.
                InLayer::Unusable(why) => unusable = unusable.or(Some(why)),
                InLayer::Skill(fetched) => return Ok(Some(*fetched)),
            }
        }
        unusable.map_or(Ok(None), Err)
    }

    /// What lies at `path` in one layer.
    async fn fetch_from(&self, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<InLayer> {
        let service = Service { shared: self.shared.clone() };
        let (found, inside) =
            tokio::join!(service.skill_files(space, path), self.lies_inside_another(layer, space, path));
        if inside? {
            return Ok(InLayer::Nothing);
        }
        match found? {
            Found::Nothing => Ok(InLayer::Nothing),
            Found::Unreadable(error) => {
                Ok(InLayer::Unusable(unusable(path, &why_unreadable(&error)).with_source(error)))
            }
            Found::Files(files) => Ok(read(layer, path, files)),
        }
    }

    /// One version of the skill that answers to `name`, also of a deleted one if `name` is its path.
    ///
    /// # Errors
    /// `version_not_found` if it has no such version; as [`look_up`](Self::look_up).
    pub(super) async fn look_up_version(
        &self,
        name: &str,
        digest: &str,
        session: &Session,
        policy: &EffectivePolicy,
    ) -> Result<Fetched> {
        if !is_version_digest(digest) {
            return Err(Error::new(Code::InvalidRequest, "a version is named by `sha256:` and 64 hex digits"));
        }
        let path = match self.look_up(name, session, policy).await {
            Ok(found) if found.version.as_deref() == Some(digest) => return Ok(found),
            Ok(found) => (found.layer, found.skill),
            Err(error) => match SkillPath::parse(name) {
                Ok(path) if error.code() == Code::SkillNotFound && policy.skill(&path).is_visible() => {
                    (Layer::User, path)
                }
                _ => return Err(error),
            },
        };
        let (layer, path) = path;
        let Some(space) = self.layer(layer)? else { return Err(unusable(&path, "its layer is not seen from here")) };
        let service = Service { shared: self.shared.clone() };
        match read(layer, &path, service.files_of_version(&space, &path, digest).await?) {
            InLayer::Skill(fetched) => Ok(*fetched),
            InLayer::Unusable(why) => Err(why),
            InLayer::Nothing => Err(unusable(&path, "that version has no SKILL.md")),
        }
    }

    /// Whether a folder above `path` is a skill, so that this is a part of it and not one of its own. The catalog knows,
    /// if it is in memory; otherwise each folder above is asked for.
    async fn lies_inside_another(&self, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<bool> {
        if let Some(view) = self.shared.catalogs.known(self.audience.clone(), layer)
            && view.entry(path).is_some()
        {
            return Ok(false);
        }
        let asked = path.ancestors().map(|above| {
            let key = space.skill(&above).and_then(|prefix| prefix.key("SKILL.md"));
            async move {
                match self.shared.store.head(&key?).await {
                    Ok(_) => Ok(true),
                    Err(StoreError::NotFound) => Ok(false),
                    Err(error) => Err(Error::from(error)),
                }
            }
        });
        let found = try_join_all(asked).await?;
        Ok(found.contains(&true))
    }
}

/// A skill with these files, if its SKILL.md can be read.
fn read(layer: Layer, path: &SkillPath, files: SkillFiles) -> InLayer {
    let SkillFiles { text, snapshot, version } = files;
    let (document, diagnostics) = read_document(&text, path.folder());
    let Some(document) = document else {
        let why = diagnostics.iter().find(|finding| finding.severity == Severity::Error);
        let why = why.map_or("it cannot be read", |finding| finding.message.as_str());
        return InLayer::Unusable(unusable(path, why));
    };
    InLayer::Skill(Box::new(Fetched { skill: path.clone(), layer, document, snapshot, version }))
}

/// The visible skills whose folder is called `name`, or else those whose frontmatter says so.
fn answering(view: &CatalogView, policy: &EffectivePolicy, name: &str) -> Vec<Arc<CatalogEntry>> {
    let visible = || view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    let by_folder: Vec<_> = visible().filter(|entry| entry.skill.folder() == name).cloned().collect();
    if by_folder.is_empty() { visible().filter(|entry| entry.name() == name).cloned().collect() } else { by_folder }
}

fn ambiguous(name: &str, several: &[Arc<CatalogEntry>]) -> Error {
    let candidates: Vec<&str> = several.iter().map(|entry| entry.skill.as_str()).collect();
    let message = format!("several skills are called {name:?}; load one of these by its path: {}", listed(&candidates));
    Error::new(Code::AmbiguousSkill, message).with_detail("candidates", candidates)
}

fn unusable(path: &SkillPath, why: &str) -> Error {
    let (skill, why) = (one_line(path.as_str()), one_line(why));
    Error::new(Code::SkillNotFound, format!("skill {} cannot be loaded: {}", skill.inline(), why.inline()))
}

/// Paths of skills within a sentence.
fn listed(skills: &[&str]) -> String {
    let shown: Vec<_> = skills.iter().map(|skill| one_line(skill).inline().into_owned()).collect();
    shown.join(", ")
}

/// A skill of that name which is left out of the catalog, and why.
fn left_out(name: &str, view: &CatalogView, policy: &EffectivePolicy) -> Option<Error> {
    let errors = view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error);
    let mut skills = errors.filter_map(|found| Some((SkillPath::parse(&found.skill).ok()?, &found.diagnostic)));
    let (skill, found) = skills.find(|(skill, _)| skill.folder() == name && policy.skill(skill).is_visible())?;
    Some(unusable(&skill, &found.message))
}

fn unknown(name: &str, view: &CatalogView, policy: &EffectivePolicy) -> Error {
    if let Some(left_out) = left_out(name, view, policy) {
        return left_out;
    }
    let mut near: Vec<(usize, &str)> = view
        .entries
        .iter()
        .filter(|entry| policy.skill(&entry.skill).is_visible())
        .map(|entry| {
            let names = [entry.skill.as_str(), entry.skill.folder(), entry.name()];
            (names.iter().map(|known| distance(name, known)).min().unwrap_or(usize::MAX), entry.skill.as_str())
        })
        .collect();
    near.sort_unstable();
    let suggestions: Vec<&str> = near.iter().take(SUGGESTIONS).map(|(_, skill)| *skill).collect();
    let shown: String = name.chars().take(100).collect();
    let message = if suggestions.is_empty() {
        format!("there is no skill {shown:?}, and none other either")
    } else {
        format!("there is no skill {shown:?}; the nearest are: {}", listed(&suggestions))
    };
    Error::new(Code::SkillNotFound, message).with_detail("suggestions", suggestions)
}

/// The loaded skill that answers to `name`, in the order of a load: path, mount, frontmatter name.
pub(super) fn loaded_by_name<'session>(session: &'session Session, name: &str) -> Option<&'session LoadedSkill> {
    let loaded = &session.loaded_skills;
    let path = loaded.iter().find(|loaded| loaded.skill.as_str() == name);
    path.or_else(|| session.mounted(name)).or_else(|| loaded.iter().find(|loaded| loaded.name == name))
}
