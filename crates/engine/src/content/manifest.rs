//! The files of a skill at one moment with their digests, and the memory of these manifests.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use moka::sync::Cache;

use super::archive::{Archive, ArchivedFile};
use crate::{
    budget::weight,
    limits::{MANIFEST_CACHE_BYTES, MCP_SKILL_FILES},
    path::{ETag, Id, KeyPrefix, ObjectKey},
    skill::{Fingerprint, SkillHead, VersionFile},
};

/// The files of a skill at one moment, with their digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    files: Vec<VersionFile>,
    /// The version of each file's object, in the same order.
    tags: Vec<ETag>,
    /// Where the bytes are if the plain files have moved on.
    archive: Option<Archive>,
}

impl Manifest {
    /// The manifest of these files, in byte order of their paths.
    pub(crate) fn new(files: Vec<(VersionFile, ETag)>, archive: Option<Archive>) -> Self {
        let (files, tags) = files.into_iter().unzip();
        Self { files, tags, archive }
    }

    /// The manifest of a head whose plain files are in place; `None` if they are not, or if hosts do not take so many.
    pub(crate) fn of_head(head: &SkillHead, archive: Archive) -> Option<Self> {
        if head.files.len() > MCP_SKILL_FILES {
            return None;
        }
        let files: Option<Vec<_>> = head.files.iter().map(|one| Some((one.file.clone(), one.etag.clone()?))).collect();
        Some(Self::new(files?, Some(archive)))
    }

    /// The files in byte order of their paths.
    #[must_use]
    pub fn files(&self) -> &[VersionFile] {
        &self.files
    }

    /// The file at `path`: its size and the version of its object.
    pub(crate) fn pinned(&self, path: &str) -> Option<(u64, ETag)> {
        let at = self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()?;
        Some((self.files.get(at)?.size, self.tags.get(at)?.clone()))
    }

    /// The file at `path` in the archive of the version.
    pub(crate) fn archived(&self, path: &str) -> Option<ArchivedFile> {
        Some(ArchivedFile { archive: self.archive.clone()?, path: path.to_owned() })
    }

    fn weight(&self) -> usize {
        let file = |file: &VersionFile| weight::text(&file.path) + weight::text(&file.sha256);
        let tags: usize = self.tags.iter().map(|tag| weight::text(tag.as_str())).sum();
        weight::list(self.files.len(), size_of::<(VersionFile, ETag)>())
            + self.files.iter().map(file).sum::<usize>()
            + tags
    }
}

/// The manifests and digests that a process remembers. None goes stale, because the keys identify versions of objects.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    /// By the folder of the skill and its fingerprint.
    known: Cache<(String, String), Arc<Manifest>>,
    digests: Cache<(ObjectKey, ETag), String>,
    /// The digests of archives, by the digest of the version that the files are.
    archives: Cache<String, String>,
    /// Skills that hosts are not shown, if the log has said so.
    left_out: Cache<(String, ETag), ()>,
    /// The users whose manifests are being made behind all requests.
    under_way: Arc<Mutex<HashSet<Id>>>,
}

impl Default for ManifestCache {
    fn default() -> Self {
        let of_manifest = |(folder, print): &(String, String), manifest: &Arc<Manifest>| {
            weight::counted(weight::SLOT + weight::text(folder) + weight::text(print) + manifest.weight())
        };
        let of_digest = |(key, etag): &(ObjectKey, ETag), digest: &String| {
            weight::counted(
                weight::SLOT + weight::text(key.as_str()) + weight::text(etag.as_str()) + weight::text(digest),
            )
        };
        let of_archive = |content: &String, digest: &String| {
            weight::counted(weight::SLOT + weight::text(content) + weight::text(digest))
        };
        let of_note = |(folder, etag): &(String, ETag), (): &()| {
            weight::counted(weight::SLOT + weight::text(folder) + weight::text(etag.as_str()))
        };
        Self {
            known: Cache::builder().max_capacity(MANIFEST_CACHE_BYTES).weigher(of_manifest).build(),
            digests: Cache::builder().max_capacity(MANIFEST_CACHE_BYTES).weigher(of_digest).build(),
            archives: Cache::builder().max_capacity(MANIFEST_CACHE_BYTES).weigher(of_archive).build(),
            left_out: Cache::builder().max_capacity(MANIFEST_CACHE_BYTES).weigher(of_note).build(),
            under_way: Arc::default(),
        }
    }
}

impl ManifestCache {
    /// The manifest of the files in `folder` that have this fingerprint.
    pub(crate) fn get(&self, folder: &KeyPrefix, fingerprint: &Fingerprint) -> Option<Arc<Manifest>> {
        self.known.get(&(folder.as_str().to_owned(), fingerprint.as_str().to_owned()))
    }

    /// Keeps the manifest of the files in `folder` that have this fingerprint.
    pub(crate) fn keep(&self, folder: &KeyPrefix, fingerprint: &Fingerprint, manifest: Manifest) -> Arc<Manifest> {
        let manifest = Arc::new(manifest);
        self.known.insert((folder.as_str().to_owned(), fingerprint.as_str().to_owned()), manifest.clone());
        manifest
    }

    /// The SHA-256 of an object in one version.
    pub(crate) fn digest(&self, key: &ObjectKey, etag: &ETag) -> Option<String> {
        self.digests.get(&(key.clone(), etag.clone()))
    }

    /// Keeps the SHA-256 of an object in one version.
    pub(crate) fn keep_digest(&self, key: ObjectKey, etag: ETag, digest: String) {
        self.digests.insert((key, etag), digest);
    }

    /// The digest of the archive of a version's files.
    pub(crate) fn archive(&self, content: &str) -> Option<String> {
        self.archives.get(content)
    }

    /// Keeps the digest of the archive of a version's files.
    pub(crate) fn keep_archive(&self, content: String, digest: String) {
        self.archives.insert(content, digest);
    }

    /// Whether the log has not said yet that hosts are not shown the skill in `folder`, in this version of SKILL.md.
    pub(crate) fn is_news(&self, folder: &KeyPrefix, etag: &ETag) -> bool {
        let name = (folder.as_str().to_owned(), etag.clone());
        let is_news = !self.left_out.contains_key(&name);
        self.left_out.insert(name, ());
        is_news
    }

    /// The turn of `user`, if manifests are not being made for that user already.
    pub(crate) fn begin(&self, user: &Id) -> Option<Turn> {
        let is_free = self.under_way.lock().unwrap_or_else(PoisonError::into_inner).insert(user.clone());
        is_free.then(|| Turn { user: user.clone(), under_way: self.under_way.clone() })
    }
}

/// While this lives, manifests are being made for one user.
#[derive(Debug)]
pub(crate) struct Turn {
    user: Id,
    under_way: Arc<Mutex<HashSet<Id>>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.user);
    }
}
