//! The publish state of each skill in a listing, found without a look at the files.
//!
//! The catalog has the fingerprint of each folder as it was listed. A head has the fingerprint of the folder that its
//! publish left behind. So a listing of heads, and the heads that are new to this process, are enough to name the version of
//! each skill. A prompt asks for none of this.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jiff::Timestamp;

use super::{
    Content,
    archive::{Archive, ArchiveKind},
    folder::{is_as_published, is_published},
    head_cache::{HeadListing, KnownHead},
    heads::{StoredHead, read_head, read_stored_head},
    manifest::Manifest,
    place::has_main,
    read_error::ReadError,
    settle::{restore_skill, settled_head},
    target::SkillTarget,
    version_numbers::head_card,
};
use crate::{
    catalog::{Audience, CatalogEntry},
    error::Result,
    limits::{LIST_OBJECTS, PARALLEL_GETS},
    path::{ETag, Id, Layer, LayerOwner, SkillPath, UserSpace},
    skill::SkillHead,
    store::StoreExt as _,
    wire::ListedState,
};

/// The publish state of a skill in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublishState {
    pub(crate) state: ListedState,
    /// The digest of the version, if the files are a published one.
    pub(crate) digest: Option<String>,
}

impl PublishState {
    /// The state of a skill whose files were read and are `version`.
    pub(crate) fn of_files(is_published: bool, version: Option<String>) -> Self {
        let state = if is_published { ListedState::Published } else { ListedState::Unmanaged };
        Self { state, digest: version }
    }
}

/// The publish state of each of `entries`, in the same order; `None` for the files of a publish that was refused since the catalog
/// was read. `audience` must see these skills. The call takes a LIST of the heads for each reading of the catalog, and a GET of each head
/// that is new to this process. A head without a published version takes a second look at it and at SKILL.md.
///
/// # Errors
/// The store's.
pub(crate) async fn standings(
    content: &Content,
    audience: &Audience,
    entries: &[&CatalogEntry],
) -> Result<Vec<Option<PublishState>>> {
    let mut listings: HashMap<Layer, (UserSpace, Arc<HeadListing>)> = HashMap::new();
    for (layer, space) in content.catalogs().layers(audience)? {
        if entries.iter().any(|entry| entry.layer == layer) {
            let view = content.catalogs().cached_layer(audience.clone(), layer);
            let listing = heads_of(content, &space, view.map(|view| view.as_of)).await?;
            listings.insert(layer, (space, listing));
        }
    }
    let standing = |entry: &CatalogEntry| {
        let (entry, home) = (entry.clone(), listings.get(&entry.layer));
        let home = home.map(|(space, listing)| (space.clone(), listing.clone()));
        async move {
            match home {
                Some((space, listing)) => standing(content, &space, &listing, &entry).await,
                None => Ok(Some(PublishState::of_files(false, None))),
            }
        }
    };
    let standings: Vec<_> = entries.iter().map(|entry| standing(entry)).collect();
    stream::iter(standings).buffered(PARALLEL_GETS).try_collect().await
}

/// The SHA-256 of each file of a skill's published version, by path, if `digest` is that version; empty otherwise.
///
/// # Errors
/// The store's.
pub(crate) async fn digests_of_version(
    content: &Content,
    space: &UserSpace,
    skill: &SkillPath,
    digest: &str,
) -> Result<HashMap<String, String>> {
    published_digests(&content.place_in(space.clone(), skill)?, digest).await
}

/// The heads of an owner, listed no earlier than the catalog at `since`. If the store is down, an earlier listing.
pub(crate) async fn heads_of(
    content: &Content,
    space: &UserSpace,
    since: Option<Timestamp>,
) -> Result<Arc<HeadListing>> {
    let prefix = space.heads()?;
    let known = content.heads().listings.get(prefix.as_str());
    if let Some(known) = known.as_ref().filter(|known| since.is_some_and(|since| known.as_of >= since)) {
        return Ok(known.clone());
    }
    let as_of = content.clock().now();
    let listed = match (content.store().list_all(&prefix, LIST_OBJECTS).await, known) {
        (Ok((listed, _)), _) => listed,
        (Err(_), Some(known)) => return Ok(known),
        (Err(error), None) => return Err(error.into()),
    };
    let name = |key: &str| Some(prefix.relative(key)?.strip_suffix(".json")?.to_owned());
    let heads = listed.into_iter().filter_map(|entry| Some((name(&entry.key)?, (entry.etag, entry.size))));
    let listing = Arc::new(HeadListing { as_of, heads: heads.collect() });
    content.heads().listings.insert(prefix.as_str().to_owned(), listing.clone());
    Ok(listing)
}

/// The digest of the user's skill if its files, path and version of each, are as they were published. `None` if they differ,
/// or if a publish is under way.
///
/// # Errors
/// `object_damaged` if the head is damaged; the store's.
pub(crate) async fn published_digest(
    content: &Content,
    user: &Id,
    skill: &SkillPath,
    files: &BTreeMap<String, ETag>,
) -> Result<Option<String>, ReadError> {
    let head = read_head(&content.place(&LayerOwner::from(user), skill)?).await?;
    let is_so = is_published(head.as_ref()) && is_as_published(head.as_ref(), files);
    Ok(head.filter(|_| is_so).and_then(|known| known.head.digest))
}

async fn standing(
    content: &Content,
    space: &UserSpace,
    listing: &HeadListing,
    entry: &CatalogEntry,
) -> Result<Option<PublishState>> {
    let Some((etag, size)) = listing.heads.get(entry.skill.as_str()) else {
        return Ok(Some(PublishState::of_files(false, None)));
    };
    let place = content.place_in(space.clone(), &entry.skill)?;
    let head = known_head(&place, etag, *size).await?;
    if !head.is_published {
        match is_refused(&place).await {
            Ok(true) => return Ok(None),
            Ok(false) => {}
            // While the store is down, a listing says what the service remembers.
            Err(error) => {
                tracing::warn!(skill = %entry.skill, cause = %error.chain(), "a listed skill was not looked at again");
            }
        }
    }
    let is_same = head.fingerprint.is_some() && head.fingerprint == entry.fingerprint;
    Ok(Some(PublishState::of_files(head.is_published, head.digest.clone().filter(|_| is_same))))
}

/// Whether a skill in the catalog is the SKILL.md of a publish that is not final or was refused, or is gone.
async fn is_refused(target: &SkillTarget) -> Result<bool> {
    match read_stored_head(target).await? {
        None => Ok(false),
        Some(known) if known.head.pending.is_some() => Ok(true),
        Some(known) => {
            let is_refused = !is_published(Some(&known)) && !has_main(target, &known).await?;
            if is_refused && target.content.handle().check_writable().is_ok() {
                // A SKILL.md of an undone publish hides the skills inside.
                Box::pin(restore_skill(target, &known)).await?;
            }
            Ok(is_refused)
        }
    }
}

/// Keeps the digests of a head whose plain files are in place.
fn record_manifest(target: &SkillTarget, head: &SkillHead) -> Result<()> {
    let (Some(fingerprint), Some(digest)) = (head.fingerprint(), &head.digest) else { return Ok(()) };
    let unpacked = head.files.iter().map(|one| one.file.size).sum();
    let archive = Archive { key: target.space.version(&target.skill, digest)?, kind: ArchiveKind::Version, unpacked };
    if let Some(manifest) = Manifest::of_head(head, archive) {
        target.content.manifests().keep(&target.folder, &fingerprint, manifest);
    }
    Ok(())
}

/// The SHA-256 of each file of the published version, by path, if `digest` is that version.
///
/// # Errors
/// The store's.
async fn published_digests(target: &SkillTarget, digest: &str) -> Result<HashMap<String, String>> {
    let head = read_head(target).await?.map(|stored| stored.head).filter(|head| head.digest.as_deref() == Some(digest));
    let files = head.map(|head| head.files).unwrap_or_default();
    Ok(files.into_iter().map(|one| (one.file.path, one.file.sha256)).collect())
}

/// The head of a skill in a listing. Plain files can show a publish that is not final or was undone, so that is settled first.
async fn listed_head(target: &SkillTarget) -> Result<Option<StoredHead>, ReadError> {
    let (head, now) = (read_head(target).await?, target.content.clock().now());
    let is_misleading =
        |head: &SkillHead| head.pending.is_some() || head.is_being_undone() || head.has_late_changes(now);
    if !head.as_ref().is_some_and(|known| is_misleading(&known.head))
        || target.content.handle().check_writable().is_err()
    {
        return Ok(head);
    }
    match settled_head(target).await {
        Ok(_) => read_head(target).await,
        // Late files cost no other skill its place in the listing.
        Err(error) if head.as_ref().is_some_and(|known| known.head.materialised && known.head.pending.is_none()) => {
            tracing::warn!(skill = %target.skill, cause = %error.chain(), "late changes of a skill stay");
            Ok(head)
        }
        Err(error) => Err(error.into()),
    }
}

/// The remembered part of the head in this version. If the process has none, it reads the head that is there now.
pub(crate) async fn known_head(target: &SkillTarget, etag: &ETag, size: u64) -> Result<Arc<KnownHead>> {
    let known = &target.content.heads().heads;
    let key = target.space.head(&target.skill)?;
    let name = (key.clone(), etag.clone());
    if let Some(head) = known.get(&name) {
        return Ok(head);
    }
    let _room = target.reserve(2 * size).await?;
    let (head, etag) = match listed_head(target).await {
        Ok(None) => return Ok(Arc::default()),
        Ok(Some(stored)) => {
            // A head with changes that may be late is looked at again by a service that can undo them.
            let is_final = stored.head.late.is_none() || target.content.handle().check_writable().is_err();
            let etag = stored.etag().filter(|_| is_final).cloned();
            // Until a change has reached the plain files, these are still of the version published before.
            let is_published = is_published(Some(&stored)) || !stored.head.materialised;
            let fingerprint = stored.head.fingerprint();
            record_manifest(target, &stored.head)?;
            let card = head_card(target, &stored.head).await?;
            (KnownHead { is_published, fingerprint, digest: stored.head.digest, card }, etag)
        }
        // A head that cannot be read affects no other skill.
        Err(ReadError::Damaged(_)) => (KnownHead { is_published: true, ..KnownHead::default() }, Some(etag.clone())),
        Err(error) => return Err(error.into()),
    };
    let head = Arc::new(head);
    if let Some(etag) = etag {
        known.insert((key, etag), head.clone());
    }
    Ok(head)
}
