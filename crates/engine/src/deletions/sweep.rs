//! One sweep: removes everything below a user's prefix, page by page.
//!
//! A store that keeps versions is asked to remove all of them for good, earlier ones included. If the store cannot or must
//! not do so, the objects are deleted one by one. The sweep then reports why versions may be left.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};

use crate::{
    error::{Code, Error, Outcome, Result},
    limits::PARALLEL_GETS,
    path::{KeyPrefix, MountTemplates, ObjectKind},
    store::{DeleteOptions, ListEntry, ListOptions, PageToken, PurgeReply, StoreError, StoreHandle},
    wire::{Sweep, count},
};

/// A sweep under way.
#[derive(Debug)]
pub(crate) struct Sweeper<'a> {
    store: &'a StoreHandle,
    templates: &'a MountTemplates,
    root: KeyPrefix,
    way: Way,
}

/// How the objects are removed.
#[derive(Debug)]
enum Way {
    /// With all their versions.
    Purge,
    /// One by one, from this page of the listing on.
    OneByOne(Option<PageToken>),
}

impl<'a> Sweeper<'a> {
    pub(crate) fn new(store: &'a StoreHandle, templates: &'a MountTemplates, root: KeyPrefix) -> Self {
        let has_versions = store.store().capabilities().versions;
        Self { store, templates, root, way: if has_versions { Way::Purge } else { Way::OneByOne(None) } }
    }

    /// Removes a page of objects and counts them in `sweep`. Nothing is removed after the uptime `until`. Returns whether
    /// there may be more.
    ///
    /// # Errors
    /// The store's. Objects that were removed before the error are counted.
    pub(crate) async fn page(&mut self, sweep: &mut Sweep, until: Duration) -> Result<bool> {
        match &self.way {
            Way::Purge => self.purge(sweep, until).await,
            Way::OneByOne(page) => {
                let page = page.clone();
                self.delete(sweep, page, until).await
            }
        }
    }

    async fn purge(&mut self, sweep: &mut Sweep, until: Duration) -> Result<bool> {
        self.check_time(until)?;
        let (purged, refusal) = match self.store.store().purge(&self.root).await {
            Ok(PurgeReply { removed, has_more, failed }) => (Some((removed, has_more)), failed),
            Err(refusal) => (None, Some(refusal)),
        };
        let (removed, has_more) = purged.unwrap_or_default();
        for version in &removed {
            if version.is_object {
                self.record(sweep, &version.key, version.size);
            } else {
                sweep.versions.add(version.size);
            }
        }
        match refusal {
            Some(why @ (StoreError::Unsupported(_) | StoreError::Denied(_))) if removed.is_empty() => {
                sweep.versions_left = Some(format!("the store did not remove versions: {}", Error::from(why).chain()));
                self.way = Way::OneByOne(None);
                Ok(true)
            }
            Some(failure) => Err(failure.into()),
            None if has_more && removed.is_empty() => {
                Err(StoreError::broken("the store has more versions and removes none").into())
            }
            None => Ok(has_more),
        }
    }

    async fn delete(&mut self, sweep: &mut Sweep, page: Option<PageToken>, until: Duration) -> Result<bool> {
        let listed = self.store.store().list(&self.root, ListOptions::default().with_page(page)).await?;
        let outcomes = stream::iter(listed.objects).map(|entry| self.delete_one(entry, until));
        let outcomes: Vec<_> = outcomes.buffer_unordered(PARALLEL_GETS).collect().await;
        let mut failure = None;
        for outcome in outcomes {
            match outcome {
                Ok((entry, true)) => self.record(sweep, &entry.key, entry.size),
                Ok((_, false)) => sweep.left += 1,
                Err(error) => failure = Some(error),
            }
        }
        if let Some(failure) = failure {
            return Err(failure);
        }
        let has_more = listed.next.is_some();
        self.way = Way::OneByOne(listed.next);
        Ok(has_more)
    }

    /// Deletes an object. Returns false if no call can name it.
    async fn delete_one(&self, entry: ListEntry, until: Duration) -> Result<(ListEntry, bool)> {
        let Some(key) = self.root.admit(&entry.key) else { return Ok((entry, false)) };
        self.check_time(until)?;
        self.store.store().delete(&key, DeleteOptions::default()).await?;
        Ok((entry, true))
    }

    fn record(&self, sweep: &mut Sweep, key: &str, size: u64) {
        let relative = self.root.relative(key).unwrap_or_default();
        sweep.total.add(size);
        count(&mut sweep.areas, ObjectKind::classify(relative, self.templates), size);
    }

    /// Checks that the sweep may go on. Another process may work on this deletion after `until`, and then the id may be
    /// in use again.
    fn check_time(&self, until: Duration) -> Result<()> {
        if self.store.clock().uptime() < until {
            return Ok(());
        }
        let message = "the sweep was held up for too long, and another process may go on with it";
        Err(Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::Partial))
    }
}
