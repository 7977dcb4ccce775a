//! The tag of session objects. With this tag, one rule of the bucket expires the sessions of every user.
//!
//! Each write of a session carries it. Sessions that were written without, by an earlier version or while the bucket refused
//! tags, are given it afterwards.

use futures_util::{StreamExt as _, stream};

use super::{Sessions, list::parse_entry, session_tags::session_tags};
use crate::{
    error::{Error, Result},
    limits::PARALLEL_GETS,
    path::{Id, ObjectKey},
    store::{ListOptions, StoreError},
};

/// The result of tagging the sessions of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaggingReport {
    /// Sessions that have the tag now.
    pub tagged: u64,
    /// Why others have none, if so: the store keeps no tags, or does not let them be set.
    pub untagged: Option<String>,
}

/// Gives the tag to every session of a user, damaged ones included. Their content, version and age stay.
///
/// # Errors
/// The store's. A store that keeps no tags, or refuses them, is no error.
pub async fn tag_sessions(sessions: &Sessions, user: &Id) -> Result<TaggingReport> {
    sessions.check_writable()?;
    let mut tagged = TaggingReport::default();
    if !sessions.store.store().capabilities().tags {
        tagged.untagged = Some("this store keeps no tags".to_owned());
        return Ok(tagged);
    }
    let prefix = sessions.store.namespace().user(user)?.sessions()?;
    let mut page = None;
    loop {
        let listed =
            sessions.store.store().list(&prefix, ListOptions { page: page.clone(), ..ListOptions::default() }).await?;
        let keys =
            listed.objects.iter().filter_map(|entry| parse_entry(sessions, user, entry)).map(|(_, key)| key).collect();
        tag_objects(sessions, keys, &mut tagged).await?;
        page = listed.next_after(page.as_ref())?;
        if page.is_none() || tagged.untagged.is_some() {
            return Ok(tagged);
        }
    }
}

async fn tag_objects(sessions: &Sessions, keys: Vec<ObjectKey>, tagged: &mut TaggingReport) -> Result<()> {
    let tags = stream::iter(keys).map(|key| async move { sessions.store.store().tag(&key, session_tags()).await });
    let mut outcomes = tags.buffer_unordered(PARALLEL_GETS);
    while let Some(outcome) = outcomes.next().await {
        match outcome {
            Ok(()) => tagged.tagged += 1,
            Err(StoreError::NotFound) => {}
            Err(refusal @ (StoreError::Denied(_) | StoreError::Unsupported(_))) => {
                tagged.untagged = Some(Error::from(refusal).chain());
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
