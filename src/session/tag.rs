//! The tag of session objects, by which one rule of the bucket expires those of every user.
//!
//! Each write of a session carries it. Sessions that were written without, by an earlier version or while the bucket refused
//! tags, are given it afterwards.

use futures_util::{StreamExt as _, stream};

use super::{Sessions, session_tags::session_tags};
use crate::{
    error::{Error, Result},
    limits::{LIST_OBJECTS, PARALLEL_GETS},
    path::Id,
    store::{StoreError, StoreExt as _},
};

/// What came of tagging the sessions of a user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tagged {
    /// Sessions that have the tag now.
    pub tagged: u64,
    /// Why others have none, if so: the store keeps no tags, or does not let them be set.
    pub untagged: Option<String>,
}

impl Sessions {
    /// Gives the tag to every session of a user, damaged ones included. Their content, version and age stay.
    ///
    /// # Errors
    /// The store's. A store that keeps no tags, or refuses them, is no error.
    pub async fn tag_all(&self, user: &Id) -> Result<Tagged> {
        self.check_writable()?;
        let mut tagged = Tagged::default();
        if !self.store.capabilities().tags {
            tagged.untagged = Some("this store keeps no tags".to_owned());
            return Ok(tagged);
        }
        let prefix = self.namespace.user(user)?.sessions()?;
        let (entries, _) = self.store.list_all(&prefix, LIST_OBJECTS).await?;
        let keys: Vec<_> = entries.iter().filter_map(|entry| self.named(user, entry)).map(|(_, key)| key).collect();
        let tags = stream::iter(keys).map(|key| async move { self.store.tag(&key, session_tags()).await });
        let mut outcomes = tags.buffer_unordered(PARALLEL_GETS);
        while let Some(outcome) = outcomes.next().await {
            match outcome {
                Ok(()) => tagged.tagged += 1,
                Err(StoreError::NotFound) => {}
                Err(refusal @ (StoreError::Denied(_) | StoreError::Unsupported(_))) => {
                    tagged.untagged = Some(Error::from(refusal).chain());
                    break;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(tagged)
    }
}
