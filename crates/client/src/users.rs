//! Users as a whole, on a server.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Map, Value};

use crate::{
    RemoteBackend,
    error::{Error, Result},
    path::Id,
    problem,
    wire::{Deletion, Effect, ExpiryReport, Policy, UserList, UserListRequest},
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
        self.response.chunk().await.map_err(|cause| problem::unreachable(cause, Effect::Reads, None))
    }
}

impl RemoteBackend {
    /// The user's policy, as far as the key may know it. A key of scope `agent` does not see rules that name skills.
    ///
    /// # Errors
    /// As [`session`](Self::session).
    pub async fn user_policy(&self) -> Result<Policy> {
        let mut policy: Map<String, Value> = self.connection.read(self.of_user(Method::GET, ["policy"])?).await?;
        // The service adds these members; no policy has them.
        policy.remove("unknown_tools");
        policy.remove("unmatched_rules");
        serde_json::from_value(Value::Object(policy)).map_err(Error::internal)
    }

    /// A page of the users who have objects in the store.
    ///
    /// # Errors
    /// As [`session`](Self::session), here and below.
    pub async fn list_users(&self, wanted: &UserListRequest) -> Result<UserList> {
        self.connection.read(self.connection.request(Method::GET, ["v1", "users"])?.query(wanted)).await
    }

    /// The archive of everything that a user has.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn export(&self, user: &Id) -> Result<RemoteExport> {
        let request = of_any(self, Method::GET, user, Some("export"))?.timeout(EXPORT_TIMEOUT);
        Ok(RemoteExport { response: self.connection.send(request, Effect::Reads).await? })
    }

    /// Deletes a user with everything that it has.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn delete_user(&self, user: &Id) -> Result<Deletion> {
        self.connection.change(of_any(self, Method::DELETE, user, None)?).await
    }

    /// Forgets the sessions of a user that have expired, and gives the others their tag.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users).
    pub async fn collect_garbage_of(&self, user: &Id) -> Result<ExpiryReport> {
        self.connection.change(of_any(self, Method::POST, user, Some("session_gc"))?.query(&[("tag", true)])).await
    }

    /// How far the deletion of a user is, or what the last one removed.
    ///
    /// # Errors
    /// As [`list_users`](Self::list_users); also `deletion_not_found`.
    pub async fn deletion(&self, user: &Id) -> Result<Deletion> {
        self.connection.read(self.connection.request(Method::GET, ["v1", "deletions", user.as_str()])?).await
    }
}

/// A request about `user`, who may be another than the user of the session.
fn of_any(remote: &RemoteBackend, method: Method, user: &Id, of_it: Option<&str>) -> Result<RequestBuilder> {
    remote.connection.request(method, ["v1", "users", user.as_str()].into_iter().chain(of_it))
}
