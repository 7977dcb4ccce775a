//! Listing: pages of a walk.

use std::{path::PathBuf, sync::Arc};

use super::{
    disk::Disk,
    layout::{OWN, PathState},
    listings::{PageEnd, WalkQuery},
    walk::Walk,
};
use crate::{ListOptions, ListPage, StoreResult, rules::cut};
use skillmount_base::path::KeyPrefix;

pub(super) fn list(disk: &Disk, prefix: &KeyPrefix, options: &ListOptions) -> StoreResult<ListPage> {
    let question = WalkQuery { prefix: prefix.clone(), delimiter: options.delimiter };
    let place = options.page.as_ref().map(PageEnd::from_token).transpose()?;
    let waiting = place.as_ref().and_then(|place| disk.listings.take(&question, place));
    let after = place.as_ref().map(|place| place.ended.clone()).or_else(|| options.start_after.clone());
    let Some(mut walk) =
        waiting.map(Ok).or_else(|| begin_walk(disk, &question, after.clone()).transpose()).transpose()?
    else {
        return Ok(ListPage::default());
    };
    let number = place.map_or_else(|| disk.listings.begin(), |place| place.number);
    let (mut listed, rest) = cut(prefix, options, after.as_deref(), walk.by_ref());
    if let Some(failure) = walk.failure {
        return Err(failure);
    }
    if let Some(rest) = rest {
        walk.put_back = Some(rest.first);
        listed.next = Some(disk.listings.keep(number, question, rest.ended, walk));
    }
    Ok(listed)
}

/// A walk that has read the folder of the listing, if there is one.
pub(super) fn begin_walk(disk: &Disk, question: &WalkQuery, after: Option<String>) -> StoreResult<Option<Walk>> {
    let Some(top) = folder(disk, &question.prefix)? else { return Ok(None) };
    let prefix = question.prefix.as_str().to_owned();
    Ok(Some(Walk::begin(top, prefix, after, question.delimiter, Arc::clone(&disk.folders_read))))
}

/// The folder of the keys below `prefix`, if there is one to list.
fn folder(disk: &Disk, prefix: &KeyPrefix) -> StoreResult<Option<PathBuf>> {
    let folder = prefix.as_str().trim_end_matches('/');
    if folder.is_empty() {
        return Ok(Some(disk.layout.root().to_owned()));
    }
    if folder.split('/').next() == Some(OWN) {
        return Ok(None);
    }
    match disk.layout.look(folder)? {
        PathState::Folder => disk.layout.path(folder).map(Some),
        PathState::File(_) | PathState::Nothing | PathState::BelowFile(_) | PathState::Blocked(_) => Ok(None),
    }
}
