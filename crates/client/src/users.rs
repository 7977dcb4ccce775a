//! Users as a whole, on a server.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{Response, Url};
use serde_json::{Map, Value};

use super::{RemoteBackend, json, problem};
use crate::{
    error::{Code, Error, Result},
    path::Id,
    session::{ExpiryReport, Policy},
    wire::{Deletion, Effect, UserList, UserListRequest},
};

/// An export takes as long as there is to send.
const EXPORT_TIMEOUT: Duration = Duration::from_hours(24);

/// The archive of a user, as a server sends it.
#[derive(Debug)]
pub struct RemoteExport {
    response: Response,
}

impl RemoteExport {
    /// The next piece; `None` after the last.
    ///
    /// # Errors
    /// `store_unavailable` if the archive breaks off.
    pub async fn next(&mut self) -> Result<Option<Bytes>> {
        self.response.chunk().await.map_err(|cause| problem::unreachable(cause, Effect::Reads))
    }
}

impl RemoteBackend {
    /// The user's policy, as far as the key may know it. A key of scope `agent` does not see rules that hide skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn user_policy(&self) -> Result<Policy> {
        let mut policy: Map<String, Value> = self.get(&self.user_url(["policy"])?, &()).await?;
        // The service adds this member; no policy has it.
        policy.remove("unknown_tools");
        serde_json::from_value(Value::Object(policy)).map_err(Error::internal)
    }

    /// A page of the users who have objects in the store.
    ///
    /// # Errors
    /// As [`session`](Self::session), here and below.
    pub async fn list_users(&self, wanted: &UserListRequest) -> Result<UserList> {
        self.get(&self.url(&["v1", "users"])?, wanted).await
    }

    /// The archive of everything that a user has.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn export(&self, user: &Id) -> Result<RemoteExport> {
        let request = self.client.get(self.url(&["v1", "users", user.as_str(), "export"])?).timeout(EXPORT_TIMEOUT);
        Ok(RemoteExport { response: self.send(request, Effect::Reads).await? })
    }

    /// Deletes a user with everything that it has.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn delete_user(&self, user: &Id) -> Result<Deletion> {
        let request = self.client.delete(self.url(&["v1", "users", user.as_str()])?);
        json(self.send(request, Effect::Writes).await?, Effect::Writes).await
    }

    /// Forgets the sessions of a user that have expired, and gives the others their tag.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn collect_garbage_of(&self, user: &Id) -> Result<ExpiryReport> {
        let request =
            self.client.post(self.url(&["v1", "users", user.as_str(), "session_gc"])?).query(&[("tag", true)]);
        json(self.send(request, Effect::Writes).await?, Effect::Writes).await
    }

    /// How far the deletion of a user is, or what the last one removed.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users); also `deletion_not_found`.
    pub async fn deletion(&self, user: &Id) -> Result<Deletion> {
        self.get(&self.url(&["v1", "deletions", user.as_str()])?, &()).await
    }

    fn url(&self, segments: &[&str]) -> Result<Url> {
        let mut url = self.base.clone();
        url.path_segments_mut()
            .map_err(|()| Error::new(Code::InvalidRequest, "the server's URL cannot have a path"))?
            .pop_if_empty()
            .extend(segments);
        Ok(url)
    }
}
