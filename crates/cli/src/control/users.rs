//! Users as a whole, here or on a server.

use bytes::Bytes;
use serde::Serialize;

use super::{Control, next};
use crate::{
    client::RemoteExport,
    error::Result,
    path::Id,
    session::{TaggingReport, remove_idle_sessions, tag_sessions},
    users::Export,
    wire::{Deletion, User, UserList, UserListRequest},
};

/// The archive of a user, from a store or a server.
pub(crate) enum UserArchive {
    /// Made here.
    Local(Box<Export>),
    /// Made by a server.
    Remote(RemoteExport),
}

impl UserArchive {
    /// The next piece; `None` after the last.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>> {
        match self {
            Self::Local(archive) => archive.next().await,
            Self::Remote(archive) => archive.next().await,
        }
    }
}

/// The outcome of removing the idle sessions of all users.
#[derive(Debug, Default, Serialize)]
pub(crate) struct CollectedOfAll {
    /// How many users there are.
    pub(crate) users: u64,
    /// Sessions that were removed.
    pub(crate) removed: u64,
    /// Sessions that cannot be read and were not removed.
    pub(crate) damaged: Vec<DamagedOf>,
    /// Sessions that have the tag.
    pub(crate) tagged: u64,
    /// Why others have none, if so.
    pub(crate) untagged: Option<String>,
}

/// A session that cannot be read.
#[derive(Debug, Serialize)]
pub(crate) struct DamagedOf {
    pub(crate) user_id: Id,
    pub(crate) session_id: Id,
}

impl Control {
    /// Forgets the expired sessions of every user, and tags the remaining sessions.
    pub(crate) async fn collect_all_garbage(&self) -> Result<CollectedOfAll> {
        let mut all = CollectedOfAll::default();
        for User { user_id } in self.users().await?.users {
            let collected = match self {
                Self::Local { service, .. } => remove_idle_sessions(service.sessions(), &user_id).await?,
                Self::Remote(remote) => remote.collect_garbage_of(&user_id).await?,
            };
            let of_user = collected.damaged.into_iter();
            all.damaged
                .extend(of_user.map(|damaged| DamagedOf { user_id: user_id.clone(), session_id: damaged.session_id }));
            all.removed += collected.removed;
            all.users += 1;
            let TaggingReport { tagged, untagged } = match self {
                Self::Local { .. } if all.untagged.is_some() => continue,
                Self::Local { service, .. } => tag_sessions(service.sessions(), &user_id).await?,
                Self::Remote(_) => {
                    TaggingReport { tagged: collected.tagged.unwrap_or_default(), untagged: collected.untagged }
                }
            };
            all.tagged += tagged;
            all.untagged = all.untagged.or(untagged);
        }
        Ok(all)
    }

    /// Every user who has objects in the store.
    pub(crate) async fn users(&self) -> Result<UserList> {
        let (mut wanted, mut all) = (UserListRequest::default(), UserList::default());
        loop {
            let page = self.users_page(&wanted).await?;
            all.users.extend(page.users);
            match next(wanted.cursor.as_ref(), page.next_cursor)? {
                None => return Ok(all),
                cursor => wanted.cursor = cursor,
            }
        }
    }

    /// Whether a user has anything in the store.
    ///
    /// # Errors
    /// As [`users`](Self::users).
    pub(crate) async fn has_user(&self, user: &Id) -> Result<bool> {
        // Users are listed in the order of their folders, and the folder of an id comes after the id.
        let folder = |user: &Id| format!("{user}/");
        let mut wanted = UserListRequest { cursor: Some(user.to_string()), ..UserListRequest::default() };
        loop {
            let page = self.users_page(&wanted).await?;
            if page.users.iter().any(|known| known.user_id == *user) {
                return Ok(true);
            }
            let is_past = page.users.iter().any(|known| folder(&known.user_id) > folder(user));
            match next(wanted.cursor.as_ref(), page.next_cursor)? {
                Some(cursor) if !is_past => wanted.cursor = Some(cursor),
                _ => return Ok(false),
            }
        }
    }

    async fn users_page(&self, wanted: &UserListRequest) -> Result<UserList> {
        match self {
            Self::Local { service, .. } => service.users().list_users(wanted).await,
            Self::Remote(remote) => remote.list_users(wanted).await,
        }
    }

    /// The archive of everything that a user has.
    pub(crate) async fn export(&self, user: &Id) -> Result<UserArchive> {
        match self {
            Self::Local { service, .. } => Ok(UserArchive::Local(Box::new(service.users().export(user)?))),
            Self::Remote(remote) => Ok(UserArchive::Remote(remote.export(user).await?)),
        }
    }

    /// Deletes a user. On a store the first sweep is done when this returns; a server does its sweeps by itself.
    pub(crate) async fn delete_user(&self, user: &Id) -> Result<Deletion> {
        match self {
            Self::Local { service, .. } => {
                service.deletions().begin_deletion(user, None).await?;
                service.deletions().advance_deletion(user).await
            }
            Self::Remote(remote) => remote.delete_user(user).await,
        }
    }

    /// How far the deletion of a user is, or what the last one removed. On a store, the work that is due is done first.
    pub(crate) async fn deletion(&self, user: &Id) -> Result<Deletion> {
        match self {
            Self::Local { service, .. } => service.deletions().advance_deletion(user).await,
            Self::Remote(remote) => remote.deletion(user).await,
        }
    }
}
