//! Rules that are the same for every store: conditions of a get and a put, the range of a get, pages of a listing.
//!
//! For a store that decides these itself, such as one over files or a database. It must call a check and act on it
//! without letting another change of the object in between: under its lock, or inside its transaction.

use std::ops::Range;

use super::{GetOptions, ListEntry, ListOptions, ListPage, PageToken, PutCondition, StoreError, StoreResult};
use skillmount_base::path::{ETag, KeyPrefix};

/// Entries of a page if the caller gives no number, and the most there can be, as on S3.
const PAGE: usize = 1000;

/// Ends every token of [`page`], so that the token of another store is refused. No key contains it.
const TOKEN_END: char = '\0';

/// Checks the conditions of a get for the version `etag`, which is there now.
///
/// # Errors
/// `PreconditionFailed` if `if_match` names another version; `NotModified` if `if_none_match` names this one.
///
/// ```
/// use skillmount_base::path::ETag;
/// use skillmount_store::{GetOptions, StoreError, rules::check_get};
///
/// let one_version = GetOptions::pinned(ETag::new("v7"));
/// assert!(check_get(&one_version, &ETag::new("v7")).is_ok());
/// assert!(matches!(check_get(&one_version, &ETag::new("v8")), Err(StoreError::PreconditionFailed)));
/// ```
pub fn check_get(options: &GetOptions, etag: &ETag) -> StoreResult<()> {
    if options.if_match.as_ref().is_some_and(|wanted| wanted != etag) {
        return Err(StoreError::PreconditionFailed);
    }
    if options.if_none_match.as_ref() == Some(etag) {
        return Err(StoreError::NotModified);
    }
    Ok(())
}

/// Checks the condition of a put for the version that is there now, if there is one.
///
/// # Errors
/// `PreconditionFailed` if the condition does not hold; `NotFound` for `IfMatch` on an object that is gone.
///
/// ```
/// use skillmount_base::path::ETag;
/// use skillmount_store::{PutCondition, StoreError, rules::check_put};
///
/// let current = ETag::new("v7");
/// assert!(check_put(&PutCondition::IfMatch(current.clone()), Some(&current)).is_ok());
/// let create = check_put(&PutCondition::IfAbsent, Some(&current));
/// assert!(matches!(create, Err(StoreError::PreconditionFailed)));
/// ```
pub fn check_put(condition: &PutCondition, current: Option<&ETag>) -> StoreResult<()> {
    match (condition, current) {
        (PutCondition::Always, _) | (PutCondition::IfAbsent, None) => Ok(()),
        (PutCondition::IfMatch(_), None) => Err(StoreError::NotFound),
        (PutCondition::IfMatch(wanted), Some(current)) if wanted == current => Ok(()),
        (PutCondition::IfAbsent | PutCondition::IfMatch(_), Some(_)) => Err(StoreError::PreconditionFailed),
    }
}

/// Returns the part of `range` that an object of `size` bytes has; all of the object if there is no range.
///
/// # Errors
/// `RangeNotSatisfiable` if the range starts at the end or after it. `0..n` of an empty object is no bytes.
///
/// ```
/// use skillmount_store::{StoreError, rules::clip};
///
/// assert_eq!(clip(Some(8..99), 10)?, 8..10);
/// assert_eq!(clip(None, 10)?, 0..10);
/// assert!(matches!(clip(Some(10..99), 10), Err(StoreError::RangeNotSatisfiable)));
/// # Ok::<(), StoreError>(())
/// ```
pub fn clip(range: Option<Range<u64>>, size: u64) -> StoreResult<Range<u64>> {
    match range {
        None => Ok(0..size),
        Some(range) if range.start == 0 || range.start < size => {
            Ok(range.start..range.end.clamp(range.start, size.max(range.start)))
        }
        Some(_) => Err(StoreError::RangeNotSatisfiable),
    }
}

/// Cuts one page out of `sorted`: the objects below `prefix`, in byte order of their keys. `sorted` may begin with objects
/// that earlier pages had.
///
/// # Errors
/// `Unsupported` for a page token that this function did not make.
///
/// ```
/// use skillmount_base::path::{ETag, KeyPrefix};
/// use skillmount_store::{ListEntry, ListOptions, StoreError, rules::page};
///
/// let entry = |key: &str| ListEntry {
///     key: key.to_owned(),
///     size: 4,
///     etag: ETag::new("v1"),
///     modified_at: Default::default(),
/// };
/// let sorted = || ["a", "b/c", "b/d", "e"].into_iter().map(entry);
/// let mut options = ListOptions::default();
/// (options.delimiter, options.max_entries) = (true, Some(2));
///
/// let first = page(&KeyPrefix::all(), &options, sorted())?;
/// assert_eq!((first.objects[0].key.as_str(), first.folders), ("a", vec!["b/".to_owned()]));
/// options.page = first.next;
/// let second = page(&KeyPrefix::all(), &options, sorted())?;
/// assert_eq!((second.objects[0].key.as_str(), second.next), ("e", None));
/// # Ok::<(), StoreError>(())
/// ```
pub fn page(
    prefix: &KeyPrefix,
    options: &ListOptions,
    sorted: impl Iterator<Item = ListEntry>,
) -> StoreResult<ListPage> {
    let after = match &options.page {
        Some(PageToken(token)) => Some(token.strip_suffix(TOKEN_END).ok_or_else(foreign_token)?),
        None => options.start_after.as_deref(),
    };
    let (page, rest) = cut(prefix, options, after, sorted);
    Ok(ListPage { next: rest.map(|rest| PageToken(format!("{}{TOKEN_END}", rest.ended))), ..page })
}

/// The end of a page, from which the next page continues.
#[derive(Debug)]
pub(super) struct Rest {
    /// The last key of the page, or the last folder followed by U+10FFFF, so that nothing inside that folder comes
    /// again.
    pub(super) ended: String,
    /// The first sorted entry without room on the page.
    pub(super) first: ListEntry,
}

/// Cuts one page out of the entries of `sorted` whose keys come after `after`. The page has no token.
pub(super) fn cut(
    prefix: &KeyPrefix,
    options: &ListOptions,
    after: Option<&str>,
    sorted: impl Iterator<Item = ListEntry>,
) -> (ListPage, Option<Rest>) {
    let most = options.max_entries.unwrap_or(PAGE).clamp(1, PAGE);
    let mut page = ListPage::default();
    let mut ended = String::new();
    for entry in sorted.filter(|entry| after.is_none_or(|after| entry.key.as_str() > after)) {
        let folder = options.delimiter.then(|| folder_of(prefix, &entry.key)).flatten();
        if folder.is_some() && page.folders.last() == folder.as_ref() {
            continue;
        }
        if page.objects.len() + page.folders.len() == most {
            return (page, Some(Rest { ended, first: entry }));
        }
        if let Some(folder) = folder {
            ended = format!("{folder}\u{10ffff}");
            page.folders.push(folder);
        } else {
            ended.clone_from(&entry.key);
            page.objects.push(entry);
        }
    }
    (page, None)
}

/// The refusal of a page token that another store gave.
pub(super) fn foreign_token() -> StoreError {
    StoreError::Unsupported("a page token that another store gave".to_owned())
}

fn folder_of(prefix: &KeyPrefix, key: &str) -> Option<String> {
    let relative = prefix.relative(key)?;
    let (name, _) = relative.split_once('/')?;
    Some(format!("{prefix}{name}/"))
}
