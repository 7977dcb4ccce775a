//! Reading skills of the catalog without a load, as far as the policies let a session do that.

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use serde_json::{Map, Value};

use crate::{
    catalog::CatalogEntry,
    content::{
        Archive, ArchivedFile, FileRef, FileVersion, Manifest, ReadError, RequestPace, SkillContents, SkillFiles,
        digests_of_version, fetch_whole, fetch_whole_at, missing, skill_files_at, standings,
    },
    context::{Action, Context, author_of_call},
    error::{Code, Error, Result},
    files::{archive_of_version, skill_mount},
    limits::{MCP_SKILL_BYTES, MCP_SKILL_FILES},
    path::{ETag, KeyPrefix, UserSpace},
    skill::{Fingerprint, Fingerprinter, MAIN, Snapshot, SnapshotFile, VersionFile, read_document},
    text::binary_type,
    wire::SkillRule,
};

/// Files of a skill that are read for their digests at once.
const PARALLEL: usize = 8;

/// A skill for a host that fetches the files itself.
#[derive(Clone, Debug)]
pub struct HostSkill {
    /// Its entry in the catalog.
    pub entry: Arc<CatalogEntry>,
    /// Every field of its frontmatter, of the same moment as the manifest if there is one.
    pub fields: Map<String, Value>,
    /// Its files; `None` as long as their digests are not known.
    pub manifest: Option<Arc<Manifest>>,
}

/// A file of a skill as a host reads it.
#[derive(Clone, Debug)]
pub struct HostFile {
    /// Its bytes.
    pub bytes: Bytes,
    /// The media type; `None` for text.
    pub media_type: Option<&'static str>,
}

/// The skills of one session for hosts that fetch files themselves, without a load.
#[derive(Clone, Debug)]
pub struct HostSkills {
    pub(super) context: Context,
}

impl HostSkills {
    pub(crate) fn new(context: Context) -> Self {
        Self { context }
    }

    /// The skills whose files this session may read without a load, in byte order of their paths. Omits skills that the policies
    /// hide, and skills of which a person approves each use. Empty if the policies do not let agents read the catalog.
    ///
    /// # Errors
    /// As `SessionBackend::session`; the store's.
    pub async fn catalog_skills(&self, fresh: bool) -> Result<Vec<Arc<CatalogEntry>>> {
        let policy = self.context.state().await?.policy;
        if !policy.catalog_reads() {
            return Ok(Vec::new());
        }
        let view = self.context.catalog(fresh).await?;
        let is_open = |entry: &&Arc<CatalogEntry>| policy.skill(&entry.skill) == SkillRule::AutoApprove;
        let open: Vec<_> = view.entries.iter().filter(is_open).cloned().collect();
        Ok(open.into_iter().filter(|entry| self.is_taken_by_hosts(entry)).collect())
    }

    /// These skills with their manifests, as far as the manifests are known. A background task makes the others later.
    ///
    /// # Errors
    /// The store's.
    pub async fn list_catalog_skills(&self, entries: &[Arc<CatalogEntry>]) -> Result<Vec<HostSkill>> {
        let unknown = |entry: &&Arc<CatalogEntry>| !matches!(self.cached_manifest(entry), Ok(Some(_)));
        let missing: Vec<&CatalogEntry> = entries.iter().filter(unknown).map(AsRef::as_ref).collect();
        if !missing.is_empty() {
            // The heads of published skills have their digests.
            standings(self.context.core.content(), self.context.caller.audience(), &missing).await?;
        }
        let mut behind = Vec::new();
        let mut skills = Vec::with_capacity(entries.len());
        for entry in entries {
            let manifest = self.cached_manifest(entry)?;
            if manifest.is_none() {
                behind.push(entry.clone());
            }
            skills.push(HostSkill { entry: entry.clone(), fields: entry.frontmatter.fields.clone(), manifest });
        }
        self.make_behind(behind);
        Ok(skills)
    }

    /// One of the skills of [`catalog_skills`](Self::catalog_skills) with its manifest.
    ///
    /// # Errors
    /// `file_not_found` if the skill is gone; `file_too_large` if the skill has grown beyond the limit of hosts; the store's.
    pub async fn show_catalog_skill(&self, entry: &Arc<CatalogEntry>) -> Result<HostSkill> {
        if let Some(manifest) = self.cached_manifest(entry)? {
            let fields = entry.frontmatter.fields.clone();
            return Ok(HostSkill { entry: entry.clone(), fields, manifest: Some(manifest) });
        }
        let (fields, manifest) = self.make_manifest(entry, RequestPace::NONE).await?;
        Ok(HostSkill { entry: entry.clone(), fields, manifest: Some(manifest) })
    }

    /// The files of one of the skills of [`catalog_skills`](Self::catalog_skills): path and size, in byte order of the paths.
    ///
    /// # Errors
    /// As [`show_catalog_skill`](Self::show_catalog_skill).
    pub async fn catalog_files(&self, entry: &CatalogEntry) -> Result<Vec<(String, u64)>> {
        if let Some(manifest) = self.cached_manifest(entry)? {
            return Ok(manifest.files().iter().map(|file| (file.path.clone(), file.size)).collect());
        }
        let files = self.files_now(&self.home_of(entry)?, entry, RequestPace::NONE).await?;
        Ok(files.snapshot.files().iter().map(|file| (file.path.clone(), file.size)).collect())
    }

    /// A file of one of the skills of [`catalog_skills`](Self::catalog_skills), for the host of this session. The bytes are those
    /// of its manifest.
    ///
    /// # Errors
    /// `file_not_found`; as [`show_catalog_skill`](Self::show_catalog_skill).
    pub async fn catalog_file(&self, entry: &CatalogEntry, path: &str) -> Result<HostFile> {
        let subject = format!("{}/{path}", entry.skill);
        let work = Box::pin(self.read_catalog_file(entry, path));
        author_of_call(&self.context).perform((Action::GetSkillFile, &subject), work).await
    }

    /// As [`catalog_file`](Self::catalog_file), for files that are shown to everybody.
    ///
    /// # Errors
    /// As [`catalog_file`](Self::catalog_file).
    pub(crate) async fn read_catalog_file(&self, entry: &CatalogEntry, path: &str) -> Result<HostFile> {
        let bytes = self.catalog_bytes(entry, path).await?;
        Ok(HostFile { media_type: binary_type(&bytes), bytes })
    }

    async fn catalog_bytes(&self, entry: &CatalogEntry, path: &str) -> Result<Bytes> {
        let home = self.home_of(entry)?;
        let folder = home.skill(&entry.skill)?;
        if let Some(manifest) = self.cached_manifest(entry)? {
            let (size, etag) = manifest.pinned(path).ok_or_else(|| no_such_file(entry, path))?;
            let file = file_ref(entry, &folder, path, (size, etag), manifest.archived(path))?;
            match fetch_whole(self.context.core.content(), &file, MCP_SKILL_BYTES).await {
                Ok((_, bytes)) => return Ok(bytes),
                // The plain file moved on, so the catalog is read again.
                Err(ReadError::Changed(_)) => drop(self.context.catalog(true).await?),
                Err(error) => return Err(error.into()),
            }
        }
        let files = self.files_now(&home, entry, RequestPace::NONE).await?;
        let found = files.snapshot.file(path).ok_or_else(|| no_such_file(entry, path))?;
        self.read_pinned(entry, &home, &files, found, RequestPace::NONE).await.map(|(bytes, _)| bytes)
    }

    /// Logs once that hosts are not shown a skill, and why.
    pub fn record_left_out(&self, entry: &CatalogEntry, why: &str) {
        let Ok(folder) = self.home_of(entry).and_then(|home| home.skill(&entry.skill)) else { return };
        if self.context.core.content().manifests().is_news(&folder, &entry.etag) {
            tracing::warn!(user = %self.context.user(), skill = %entry.skill, why, "hosts over MCP are not shown a skill");
        }
    }

    fn is_taken_by_hosts(&self, entry: &CatalogEntry) -> bool {
        let is_taken = check_bounds(entry, entry.files, entry.size);
        if let Err(error) = &is_taken {
            self.record_left_out(entry, error.message());
        }
        is_taken.is_ok()
    }

    fn home_of(&self, entry: &CatalogEntry) -> Result<UserSpace> {
        self.context.layer(entry.layer)?.ok_or_else(|| no_such_file(entry, MAIN))
    }

    fn cached_manifest(&self, entry: &CatalogEntry) -> Result<Option<Arc<Manifest>>> {
        let Some(fingerprint) = &entry.fingerprint else { return Ok(None) };
        Ok(self.context.core.content().manifests().get(&self.home_of(entry)?.skill(&entry.skill)?, fingerprint))
    }

    /// Makes the manifests of skills that are only listed, one request after the other with a pause between.
    fn make_behind(&self, entries: Vec<Arc<CatalogEntry>>) {
        if entries.is_empty() {
            return;
        }
        let Some(turn) = self.context.core.content().manifests().begin(self.context.user()) else { return };
        let this = self.clone();
        tokio::spawn(async move {
            let _turn = turn;
            let pace = RequestPace::with_pause(this.context.core.content().digest_pace());
            for entry in entries {
                if let Err(error) = this.make_manifest(&entry, pace).await {
                    tracing::debug!(user = %this.context.user(), skill = %entry.skill, cause = %error.chain(), "no digests");
                }
            }
        });
    }

    /// The frontmatter and the files of a skill as they are now, at this pace.
    async fn make_manifest(
        &self,
        entry: &CatalogEntry,
        pace: RequestPace,
    ) -> Result<(Map<String, Value>, Arc<Manifest>)> {
        let home = self.home_of(entry)?;
        let folder = home.skill(&entry.skill)?;
        let files = self.files_now(&home, entry, pace).await?;
        let fields = read_document(&files.text, entry.skill.folder()).0.map(|read| read.frontmatter.fields);
        let fields = fields.ok_or_else(|| no_such_file(entry, MAIN))?;
        let fingerprint = fingerprint_of(&files.snapshot);
        if let Some(manifest) = self.context.core.content().manifests().get(&folder, &fingerprint) {
            return Ok((fields, manifest));
        }
        let of_head = match &files.version {
            Some(digest) => {
                pace.rest().await;
                digests_of_version(self.context.core.content(), &home, &entry.skill, digest).await?
            }
            None => HashMap::new(),
        };
        let digest = |file: SnapshotFile| {
            let (home, files, of_head) = (&home, &files, &of_head);
            async move {
                let known = of_head.get(&file.path).cloned().or_else(|| self.cached_digest(entry, home, &file));
                let sha256 = if let Some(sha256) = known {
                    sha256
                } else {
                    self.read_pinned(entry, home, files, &file, pace).await?.1
                };
                Ok::<_, Error>((VersionFile { path: file.path, size: file.size, sha256 }, file.etag))
            }
        };
        let parallel = if pace.is_slow() { 1 } else { PARALLEL };
        let digested: Vec<_> = files.snapshot.files().iter().cloned().map(digest).collect();
        let digested: Vec<_> = stream::iter(digested).buffered(parallel).try_collect().await?;
        let archive = archive_of(entry, &files, &home)?;
        Ok((
            fields,
            self.context.core.content().manifests().keep(&folder, &fingerprint, Manifest::new(digested, archive)),
        ))
    }

    fn cached_digest(&self, entry: &CatalogEntry, home: &UserSpace, file: &SnapshotFile) -> Option<String> {
        let key = home.skill(&entry.skill).and_then(|folder| folder.key(&file.path)).ok()?;
        let said = ArchivedFile::sha256_of(&file.etag).map(str::to_owned);
        said.or_else(|| self.context.core.content().manifests().digest(&key, &file.etag))
    }

    /// The files of a skill as a load would pin them.
    async fn files_now(&self, home: &UserSpace, entry: &CatalogEntry, pace: RequestPace) -> Result<SkillFiles> {
        let files = match skill_files_at(self.context.core.content(), home, &entry.skill, pace).await? {
            SkillContents::Files(files) => files,
            SkillContents::Nothing => return Err(no_such_file(entry, MAIN)),
            SkillContents::Unreadable(error) => return Err(error.into()),
        };
        check_bounds(entry, files.snapshot.files().len(), files.snapshot.size())?;
        Ok(files)
    }

    /// The bytes of a file and their SHA-256, which is kept.
    async fn read_pinned(
        &self,
        entry: &CatalogEntry,
        home: &UserSpace,
        files: &SkillFiles,
        found: &SnapshotFile,
        pace: RequestPace,
    ) -> Result<(Bytes, String)> {
        let folder = home.skill(&entry.skill)?;
        let archive = archive_of(entry, files, home)?;
        let archived = archive.map(|archive| ArchivedFile { archive, path: found.path.clone() });
        let file = file_ref(entry, &folder, &found.path, (found.size, found.etag.clone()), archived)?;
        let (_, bytes) = fetch_whole_at(self.context.core.content(), &file, MCP_SKILL_BYTES, pace).await?;
        let read = bytes.clone();
        let hash = move |_: &_| Ok(VersionFile::from_bytes("", &read).sha256);
        let sha256 = self.context.errand().run_sized(bytes.len() as u64, hash).await?;
        self.context.core.content().manifests().keep_digest(file.key, found.etag.clone(), sha256.clone());
        Ok((bytes, sha256))
    }
}

fn archive_of(entry: &CatalogEntry, files: &SkillFiles, home: &UserSpace) -> Result<Option<Archive>> {
    let archive = |digest| archive_of_version(&entry.skill, digest, &files.snapshot, home);
    files.version.as_deref().map(archive).transpose()
}

fn fingerprint_of(snapshot: &Snapshot) -> Fingerprint {
    let mut fingerprint = Fingerprinter::default();
    for file in snapshot.files() {
        fingerprint.add(&file.path, &file.etag);
    }
    fingerprint.finish()
}

fn file_ref(
    entry: &CatalogEntry,
    folder: &KeyPrefix,
    path: &str,
    (size, etag): (u64, ETag),
    archived: Option<ArchivedFile>,
) -> Result<FileRef> {
    let shown = skill_mount(&entry.mount_name())?.join(path)?;
    let key = folder.key(path)?;
    Ok(FileRef { path: shown, key, version: FileVersion::Pinned(etag), size: Some(size), archived })
}

/// Checks that hosts take a skill of so many files and bytes.
fn check_bounds(entry: &CatalogEntry, files: usize, size: u64) -> Result<()> {
    if files <= MCP_SKILL_FILES && size <= MCP_SKILL_BYTES {
        return Ok(());
    }
    let message = format!(
        "{} has {files} files and {size} bytes, and hosts over MCP take {MCP_SKILL_FILES} files and {} MiB of a skill: split it, \
         or load it with load_skill",
        entry.skill,
        MCP_SKILL_BYTES >> 20
    );
    Err(Error::new(Code::FileTooLarge, message))
}

fn no_such_file(entry: &CatalogEntry, path: &str) -> Error {
    match skill_mount(&entry.mount_name()).and_then(|mount| mount.join(path)) {
        Ok(path) => missing(&path),
        Err(error) => error,
    }
}
