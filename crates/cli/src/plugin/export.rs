//! One look at the skills of the user, and the changes that it makes in the folder of the plugin.

use std::{collections::BTreeSet, sync::Arc};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde::Serialize;

use super::{
    folder::{Occupant, PluginChanges, PluginFolder},
    manifest::ExportRecord,
    parts::parts,
};
use crate::{
    app::App,
    client::sync::{SkillText, SyncBase},
    control::Control,
    error::{Error, Result},
    folder::check_names,
    limits::PARALLEL_SKILLS,
    local_path::LocalPath,
    screen::plain,
    skills::flat_names,
    wire::{Policy, SkillDigest, SkillRepository, SkillRule},
};

/// The outcome for a skill or a file of the plugin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ExportStatus {
    /// It was not there.
    New,
    /// It has another version now.
    Changed,
    /// It is as it was.
    Unchanged,
    /// The user has it no more, or agents may not read it without asking, and it went.
    Removed,
    /// The place has a change that no export made, so the change stays.
    Kept,
    /// This disk cannot hold it.
    Refused,
}

/// A skill or a file of the plugin, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ExportRow {
    /// Its path in the plugin.
    pub(crate) path: String,
    /// The skill that it is; `None` for a file beside the skills.
    pub(crate) skill: Option<String>,
    /// The outcome.
    pub(crate) status: ExportStatus,
    /// Why it was kept or refused, in words to put after its path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
}

/// Keeps the folder of a plugin as the skills of a user are.
pub(crate) struct Exporter<'run> {
    app: &'run App,
    author: Arc<dyn SkillRepository>,
    control: Control,
    folder: PluginFolder,
    parts: Vec<(&'static str, Vec<u8>)>,
}

impl<'run> Exporter<'run> {
    /// For the plugin called `name` in the folder `root`.
    ///
    /// # Errors
    /// `invalid_request` if the folder has files and no export wrote any of them; those of the settings.
    pub(crate) async fn open(app: &'run App, root: LocalPath, name: &str) -> Result<Self> {
        let parts = parts(app, name)?;
        let (author, control) = (app.author().await?, app.control().await?);
        Ok(Self { app, author, control, folder: PluginFolder::open(root)?, parts })
    }

    /// Brings the folder up to date, and returns what became of each skill and file.
    ///
    /// # Errors
    /// Those of the store or the server, and of the disk.
    pub(crate) async fn pass(&mut self) -> Result<Vec<ExportRow>> {
        let known = self.author.skill_digests(None).await?;
        let policy = self.control.user_policy().await?;
        let open: Vec<&SkillDigest> = known.skills.iter().filter(|there| is_open(&policy, there)).collect();
        let named = flat_names(&open, |there| &there.skill);
        check_names(named.keys().map(String::as_str))?;
        let wanted: BTreeSet<&str> = named.keys().map(String::as_str).collect();
        let (mut changes, mut rows, mut fetched) = (PluginChanges::default(), Vec::new(), Vec::new());
        for (folder, there) in &named {
            match self.folder.skill(folder)? {
                Occupant::Foreign(why) => {
                    rows.push(ExportRow { why: Some(why), ..ExportRow::new(folder, there, ExportStatus::Kept) });
                }
                Occupant::Ours if self.is_version(folder, there, there.digest.as_deref()) => {
                    rows.push(ExportRow::new(folder, there, ExportStatus::Unchanged));
                }
                place => fetched.push((folder, **there, place)),
            }
        }
        let author = &*self.author;
        let texts: Vec<_> = fetched
            .into_iter()
            .map(async |(folder, there, place)| {
                Ok::<_, Error>((folder, there, place, SkillText::get(author, &there.skill, None).await?))
            })
            .collect();
        let mut texts = std::pin::pin!(stream::iter(texts).buffered(PARALLEL_SKILLS));
        while let Some((folder, there, place, text)) = texts.try_next().await? {
            // The skill was removed after the listing: the next look removes it here.
            let Some(text) = text else { continue };
            rows.push(self.version(&mut changes, folder, there, (place, &text)));
        }
        // Skills beyond the end of a listing that was cut are not known to be gone.
        if !known.is_cut {
            self.remove_all_but(&wanted, &mut changes, &mut rows)?;
        }
        self.beside_skills(&mut changes, &mut rows)?;
        self.folder.apply(changes, self.app.clock.random())?;
        rows.sort_by(|one, two| one.path.cmp(&two.path));
        Ok(rows)
    }

    fn is_version(&self, folder: &str, there: &SkillDigest, digest: Option<&str>) -> bool {
        let known = self.folder.recorded(folder);
        known.is_some_and(|known| known.skill == there.skill && digest == Some(known.version.digest.as_str()))
    }

    /// Writes the version beside, unless it is there already.
    fn version(
        &self,
        changes: &mut PluginChanges,
        folder: &str,
        there: &SkillDigest,
        (place, text): (Occupant, &SkillText),
    ) -> ExportRow {
        if place == Occupant::Ours && self.is_version(folder, there, Some(text.version.digest())) {
            return ExportRow::new(folder, there, ExportStatus::Unchanged);
        }
        let written = ExportRecord { skill: there.skill.clone(), version: SyncBase::from_version(&text.version) };
        match self.folder.write_beside(changes, folder, (written, text), self.app.clock.random()) {
            Ok(()) if place == Occupant::Free => ExportRow::new(folder, there, ExportStatus::New),
            Ok(()) => ExportRow::new(folder, there, ExportStatus::Changed),
            Err(error) => ExportRow {
                why: Some(error.message().to_owned()),
                ..ExportRow::new(folder, there, ExportStatus::Refused)
            },
        }
    }

    fn remove_all_but(
        &self,
        wanted: &BTreeSet<&str>,
        changes: &mut PluginChanges,
        rows: &mut Vec<ExportRow>,
    ) -> Result<()> {
        for folder in self.folder.folders().into_iter().filter(|folder| !wanted.contains(folder.as_str())) {
            let skill = self.folder.recorded(&folder).map(|known| known.skill.to_string());
            let row = ExportRow { path: path(&folder), skill, status: ExportStatus::Removed, why: None };
            if let Occupant::Foreign(why) = self.folder.skill(&folder)? {
                rows.push(ExportRow { status: ExportStatus::Kept, why: Some(why), ..row });
            } else {
                rows.push(row);
                changes.removed.push(folder);
            }
        }
        Ok(())
    }

    fn beside_skills(&self, changes: &mut PluginChanges, rows: &mut Vec<ExportRow>) -> Result<()> {
        for (path, bytes) in &self.parts {
            let (status, why) = match self.folder.part(path, bytes)? {
                Occupant::Free => (ExportStatus::New, None),
                Occupant::Ours => (ExportStatus::Unchanged, None),
                Occupant::Damaged => (ExportStatus::Changed, None),
                Occupant::Foreign(why) => (ExportStatus::Kept, Some(why)),
            };
            if matches!(status, ExportStatus::New | ExportStatus::Changed) {
                changes.parts.push((path, bytes.clone()));
            }
            rows.push(ExportRow { path: (*path).to_owned(), skill: None, status, why });
        }
        Ok(())
    }
}

/// Whether agents of the user may read the skill without approval: a host that reads a disk asks for none.
fn is_open(policy: &Policy, there: &SkillDigest) -> bool {
    policy.catalog_reads && policy.skill(&there.skill) == SkillRule::AutoApprove
}

/// The path of a skill's folder in the plugin.
fn path(folder: &str) -> String {
    format!("skills/{folder}")
}

impl ExportRow {
    fn new(folder: &str, there: &SkillDigest, status: ExportStatus) -> Self {
        Self { path: path(folder), skill: Some(there.skill.to_string()), status, why: None }
    }

    /// The line that shows it.
    pub(crate) fn line(&self) -> String {
        let path = plain(&self.path);
        let why = || plain(self.why.as_deref().unwrap_or_default());
        match self.status {
            ExportStatus::New => format!("{path}: new"),
            ExportStatus::Changed => format!("{path}: changed"),
            ExportStatus::Unchanged => format!("{path}: unchanged"),
            ExportStatus::Removed => format!("{path}: removed"),
            ExportStatus::Kept => format!("{path}: left as it is, it {}", why()),
            ExportStatus::Refused => format!("{path}: left out: {}", why()),
        }
    }
}
