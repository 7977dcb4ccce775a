//! Skills as installers fetch them: one artifact each, whose digest is listed beside its address.
//!
//! A skill with no file but SKILL.md is offered as this file, any other as an archive. The archive is made of the plain files
//! whenever an installer asks for it. Its bytes are always the same, so the digest can be listed without storing the archive. The
//! index offers the skills that an agent of the user may read without a load and without an approval. Only skills of the user's
//! own layer are offered, because others share the further layers.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;

use super::{host_reads::HostSkills, naming::flat_names};
use crate::{
    catalog::CatalogEntry,
    content::owner_below,
    error::{Code, Error, Kind, Result},
    limits::{MCP_SKILL_BYTES, SKILL_DESCRIPTION_CHARS},
    path::{Layer, SkillPath},
    skill::{MAIN, Version, VersionFile, is_skill_name, plain_zip},
};

/// The form in which an installer fetches a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    /// Its SKILL.md, the only file.
    Text,
    /// An archive of its files.
    Archive,
}

/// A skill that installers are offered.
#[derive(Clone, Debug)]
pub struct OfferedSkill {
    /// The name to install it by, which no other of the user's skills has.
    pub name: String,
    /// Its description, cut to the length that a specification of skills allows.
    pub description: String,
    /// Where it lies.
    pub skill: SkillPath,
    /// The form of its artifact.
    pub kind: ArtifactKind,
    /// `sha256:` and the SHA-256 of the artifact as 64 hex digits.
    pub digest: String,
}

/// The file that an installer fetches, with its digest.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The bytes.
    pub bytes: Bytes,
    /// `sha256:` and their SHA-256 as 64 hex digits.
    pub digest: String,
}

impl HostSkills {
    /// The skills that installers are offered, in byte order of their names. A skill that cannot be read is omitted, and the log
    /// says why.
    ///
    /// # Errors
    /// As [`catalog_skills`](Self::catalog_skills).
    pub async fn offered_skills(&self) -> Result<Vec<OfferedSkill>> {
        let entries = self.offered_entries().await?;
        let mut offered = Vec::with_capacity(entries.len());
        for (name, entry) in names(&entries) {
            match self.offer(name, entry).await {
                Ok(one) => offered.push(one),
                Err(error) if error.kind() == Kind::Unavailable => return Err(error),
                Err(error) => {
                    tracing::warn!(user = %self.context.user(), skill = %entry.skill, cause = %error.chain(), "not offered");
                }
            }
        }
        Ok(offered)
    }

    /// The artifact of one of the skills that are offered.
    ///
    /// # Errors
    /// `skill_not_found` if it is not offered, or is offered as the other kind; the store's.
    pub async fn artifact(&self, skill: &SkillPath, kind: ArtifactKind) -> Result<Artifact> {
        let entries = self.offered_entries().await?;
        let named = names(&entries).into_values();
        let found = named.into_iter().find(|entry| entry.skill == *skill && kind_of(entry) == kind);
        let entry = found.ok_or_else(|| Error::new(Code::SkillNotFound, "no such skill is offered here"))?;
        match kind {
            ArtifactKind::Archive => self.archive_to_offer(entry).await,
            ArtifactKind::Text => {
                let bytes = self.read_catalog_file(entry, MAIN).await?.bytes;
                let digest = format!("sha256:{}", VersionFile::from_bytes(MAIN, &bytes).sha256);
                Ok(Artifact { bytes, digest })
            }
        }
    }

    async fn offered_entries(&self) -> Result<Vec<Arc<CatalogEntry>>> {
        let entries = self.catalog_skills(false).await?;
        Ok(entries.into_iter().filter(|entry| entry.layer == Layer::User).collect())
    }

    async fn offer(&self, name: String, entry: &Arc<CatalogEntry>) -> Result<OfferedSkill> {
        let gone = || Error::new(Code::SkillNotFound, "the skill changed while it was listed");
        let manifest = self.show_catalog_skill(entry).await?.manifest.ok_or_else(gone)?;
        let digest = match (kind_of(entry), manifest.files()) {
            (ArtifactKind::Text, [only]) => format!("sha256:{}", only.sha256),
            (ArtifactKind::Text, _) => return Err(gone()),
            (ArtifactKind::Archive, files) => {
                let content = Version::new(files.to_vec()).digest().to_owned();
                match self.context.core.content().manifests().archive(&content) {
                    Some(digest) => digest,
                    None => self.archive_to_offer(entry).await?.digest,
                }
            }
        };
        let description = entry.description().chars().take(SKILL_DESCRIPTION_CHARS).collect();
        Ok(OfferedSkill { name, description, skill: entry.skill.clone(), kind: kind_of(entry), digest })
    }

    /// Makes the archive of a skill. Keeps its digest under the digest of the files, for later listings.
    async fn archive_to_offer(&self, entry: &Arc<CatalogEntry>) -> Result<Artifact> {
        // The files, and the archive of them.
        let _room = self
            .context
            .core
            .content()
            .versions()
            .rooms
            .reserve(&owner_below(self.context.space()?.root()), 2 * entry.size.min(MCP_SKILL_BYTES))
            .await?;
        let mut files = Vec::with_capacity(entry.files);
        for (path, _) in self.catalog_files(entry).await? {
            let bytes = self.read_catalog_file(entry, &path).await?.bytes;
            files.push((path, bytes));
        }
        let size = files.iter().map(|(_, bytes)| bytes.len() as u64).sum();
        let pack = move |_: &_| {
            let zip = plain_zip(&files).map_err(Error::internal)?;
            let content =
                Version::new(files.iter().map(|(path, bytes)| VersionFile::from_bytes(path, bytes)).collect());
            Ok((VersionFile::from_bytes("", &zip).sha256, content.digest().to_owned(), zip))
        };
        let (sha256, content, bytes) = self.context.errand().run_sized(size, pack).await?;
        let digest = format!("sha256:{sha256}");
        self.context.core.content().manifests().keep_archive(content, digest.clone());
        Ok(Artifact { bytes, digest })
    }
}

fn kind_of(entry: &CatalogEntry) -> ArtifactKind {
    if entry.files == 1 { ArtifactKind::Text } else { ArtifactKind::Archive }
}

/// The skills by the names that installers know them by. A name that is another skill's too begins with the category, and a
/// skill whose name installers would refuse is left out.
fn names(entries: &[Arc<CatalogEntry>]) -> BTreeMap<String, &Arc<CatalogEntry>> {
    flat_names(entries, |entry| &entry.skill).into_iter().filter(|(name, _)| is_skill_name(name)).collect()
}
