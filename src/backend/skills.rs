//! A user's skills as documents, for people and frameworks: what every surface serves and prints of the catalog.

use super::{
    Listing, ListingPage, Service,
    naming::{NamedSkill, unknown},
};
use crate::{
    catalog::{Audience, CatalogDiagnostic, CatalogEntry, CatalogView, Refreshed},
    error::{Code, Error, Result},
    limits::{PAGE_ENTRIES, SKILL_FILE_BYTES, SKILL_FILES},
    path::{KeyPrefix, SkillPath},
    session::Policy,
    skill::{Diagnostic, outline, read_document},
    store::{GetOptions, StoreExt as _},
    wire::{
        OutlineHeading, RefreshReply, SkillDiagnostic, SkillDocument, SkillFile, SkillList, SkillListRequest,
        SkillPage, SkillState,
    },
};

impl Service {
    /// A page of the skills that `audience` sees, without those that `policy`, the user's, hides.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_skills(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        wanted: &SkillListRequest,
    ) -> Result<SkillList> {
        let view = self.catalogs().view(audience, wanted.fresh).await?;
        let limit = wanted.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES);
        let listing = Listing::of(&view, policy, wanted.category.as_deref());
        let ListingPage { skills, diagnostics, next_cursor } = listing.page(wanted.cursor.as_deref(), limit);
        Ok(SkillList {
            skills: skills.into_iter().map(|entry| SkillDocument::from(&**entry)).collect(),
            diagnostics: diagnostics.into_iter().map(SkillDiagnostic::from).collect(),
            total: listing.skills.len(),
            total_diagnostics: listing.diagnostics.len(),
            as_of: view.as_of,
            next_cursor: next_cursor.map(str::to_owned),
        })
    }

    /// Reads the skills of `audience` again, however fresh they are. Skills that `policy`, the user's, hides are not counted.
    ///
    /// # Errors
    /// The store's.
    pub async fn refresh_skills(&self, audience: impl Into<Audience>, policy: &Policy) -> Result<RefreshReply> {
        let Refreshed { view, difference } = self.catalogs().refresh(audience).await?;
        let visible = |skills: &[SkillPath]| skills.iter().filter(|skill| policy.skill(skill).is_visible()).count();
        Ok(RefreshReply {
            skills: view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible()).count(),
            changed: visible(&difference.changed),
            removed: visible(&difference.removed),
            as_of: view.as_of,
        })
    }

    /// One skill that `audience` sees, with its instructions, their outline and its files.
    ///
    /// # Errors
    /// `skill_not_found` if there is none, if it cannot be read, or if `policy`, the user's, hides it; the store's.
    pub async fn show_skill(
        &self,
        audience: impl Into<Audience>,
        policy: &Policy,
        skill: &SkillPath,
    ) -> Result<SkillPage> {
        let audience = audience.into();
        let mut view = self.catalogs().view(audience.clone(), false).await?;
        if view.entry(skill).is_none() {
            // It may have been put there since.
            view = self.catalogs().view(audience.clone(), true).await?;
        }
        let entry = visible_entry(&view, policy, skill)?;
        let layers = self.catalogs().layers(&audience)?;
        let space = layers.iter().find(|(layer, _)| *layer == entry.layer).map(|(_, space)| space);
        let space = space.ok_or_else(|| not_found(&view, policy, skill))?;
        self.page_of(entry, &space.skill(skill)?).await
    }

    async fn page_of(&self, entry: &CatalogEntry, folder: &KeyPrefix) -> Result<SkillPage> {
        let main = folder.key("SKILL.md")?;
        let whole = GetOptions::range(0..SKILL_FILE_BYTES);
        let (object, (files, _)) =
            tokio::try_join!(self.store().get(&main, whole), self.store().list_all(folder, SKILL_FILES))
                .map_err(Error::from)?;
        let (document, diagnostics) = read_document(&object.bytes, entry.skill.folder());
        let body = document.map(|document| document.body).unwrap_or_default();
        let outline = outline(&body);
        let headings = outline.headings.into_iter().map(|heading| OutlineHeading {
            level: heading.level,
            text: heading.text,
            start: heading.section.start,
            end: heading.section.end,
        });
        // Keys that no path can name are no files of the skill.
        let file = |key: &str, size| {
            let path = folder.admit(key).and_then(|_| folder.relative(key));
            path.map(|path| SkillFile { path: path.to_owned(), size })
        };
        Ok(SkillPage {
            skill: SkillDocument::from(entry),
            outline: headings.collect(),
            outline_truncated: outline.is_cut,
            body,
            file_list: files.iter().filter_map(|entry| file(&entry.key, entry.size)).collect(),
            diagnostics,
        })
    }
}

fn visible_entry<'view>(view: &'view CatalogView, policy: &Policy, skill: &SkillPath) -> Result<&'view CatalogEntry> {
    if !policy.skill(skill).is_visible() {
        return Err(not_found(view, policy, skill));
    }
    let missing = || view.left_out(skill).map_or_else(|| not_found(view, policy, skill), |why| unusable(skill, why));
    view.entry(skill).map(|entry| &**entry).ok_or_else(missing)
}

fn unusable(skill: &SkillPath, why: &Diagnostic) -> Error {
    Error::new(Code::SkillNotFound, format!("skill {skill} cannot be shown: {}", why.message))
}

fn not_found(view: &CatalogView, policy: &Policy, skill: &SkillPath) -> Error {
    let visible = view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    let skills: Vec<_> = visible.map(|entry| NamedSkill { skill: &entry.skill, name: entry.name() }).collect();
    unknown(skill.as_str(), &skills)
}

impl From<&CatalogEntry> for SkillDocument {
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
            state: SkillState::Published,
            shadows: entry.shadows.clone(),
        }
    }
}

impl From<&CatalogDiagnostic> for SkillDiagnostic {
    fn from(found: &CatalogDiagnostic) -> Self {
        Self { skill: found.skill.clone(), diagnostic: found.diagnostic.clone() }
    }
}
