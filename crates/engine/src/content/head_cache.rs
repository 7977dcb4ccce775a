//! The heads that a process remembers for listings of skills.

use std::{collections::HashMap, sync::Arc};

use jiff::Timestamp;
use moka::sync::Cache;

use crate::{
    budget::weight,
    limits::HEAD_CACHE_BYTES,
    path::{ETag, ObjectKey, UserSpace},
    skill::Fingerprint,
};

/// The memory of heads.
#[derive(Debug)]
pub(crate) struct HeadCache {
    /// The listings of heads, by their folder.
    pub(crate) listings: Cache<String, Arc<HeadListing>>,
    pub(crate) heads: Cache<(ObjectKey, ETag), Arc<KnownHead>>,
}

/// The heads of one owner.
#[derive(Debug)]
pub(crate) struct HeadListing {
    /// When the store was asked.
    pub(crate) as_of: Timestamp,
    /// Version and size of each head, by the name of its skill.
    pub(crate) heads: HashMap<String, (ETag, u64)>,
}

/// The part of a head that a listing needs.
#[derive(Debug, Default)]
pub(crate) struct KnownHead {
    /// Whether a version is published.
    pub(crate) is_published: bool,
    /// The digest of the published version.
    pub(crate) digest: Option<String>,
    /// The folder that has its files.
    pub(crate) fingerprint: Option<Fingerprint>,
    /// The times, the name and the version numbers, if a version is published.
    pub(crate) card: Option<HeadCard>,
}

/// A version of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberedVersion {
    /// Its number.
    pub number: u64,
    /// Its digest.
    pub digest: String,
}

/// The times, the name for people and the version numbers in a head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadCard {
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    pub(crate) display_name: Option<String>,
    /// The version that is published.
    pub(crate) current: NumberedVersion,
    /// The number of the newest version.
    pub(crate) latest: u64,
}

impl Default for HeadCache {
    fn default() -> Self {
        let of_listing = |folder: &String, listing: &Arc<HeadListing>| {
            let names = listing.heads.iter().map(|(name, (etag, _))| weight::text(name) + weight::text(etag.as_str()));
            let slots = weight::list(listing.heads.len(), size_of::<(String, ETag, u64)>());
            weight::counted(weight::SLOT + weight::text(folder) + names.sum::<usize>() + slots)
        };
        let of_head = |(key, etag): &(ObjectKey, ETag), head: &Arc<KnownHead>| {
            let name = weight::text(key.as_str()) + weight::text(etag.as_str());
            let fingerprint = head.fingerprint.as_ref().map_or(0, |one| weight::text(one.as_str()));
            let digest = head.digest.as_deref().map_or(0, weight::text);
            let card = head.card.as_ref().map_or(0, |card| {
                weight::text(&card.current.digest) + card.display_name.as_deref().map_or(0, weight::text)
            });
            weight::counted(weight::SLOT + name + fingerprint + digest + card + size_of::<KnownHead>())
        };
        Self {
            listings: Cache::builder().max_capacity(HEAD_CACHE_BYTES).weigher(of_listing).build(),
            heads: Cache::builder().max_capacity(HEAD_CACHE_BYTES).weigher(of_head).build(),
        }
    }
}

impl HeadCache {
    /// Lists the heads of an owner again when they are next asked for.
    pub(crate) fn forget_listing(&self, space: &UserSpace) {
        if let Ok(folder) = space.heads() {
            self.listings.invalidate(folder.as_str());
        }
    }
}
