//! Calls over HTTP that run now, so that a host can cancel a call by another request.
//!
//! A cancellation names a call by the number that the host chose. It works only in the session and on the replica that
//! receive it. Hosts can do without cancellations: a call also ends when its host leaves.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::model::RequestId;
use tokio::sync::Notify;

use crate::{handle::SessionBackend, path::Id};

/// The calls of every session that run. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningCalls(Arc<Mutex<Calls>>);

type Calls = HashMap<Name, Vec<Arc<Notify>>>;

/// The user, the session, and what the host calls the call.
type Name = (Id, Id, RequestId);

/// A call that runs; it counts as long as this lives.
#[derive(Debug)]
pub(super) struct RunningCall {
    all: RunningCalls,
    name: Name,
    end: Arc<Notify>,
}

impl RunningCalls {
    /// Notes a call of the session behind `backend`.
    pub(super) fn begin(&self, backend: &SessionBackend, id: &RequestId) -> RunningCall {
        let name = named(backend, id);
        let end = Arc::new(Notify::new());
        self.lock().entry(name.clone()).or_default().push(Arc::clone(&end));
        RunningCall { all: self.clone(), name, end }
    }

    /// Cancels a call of the session behind `backend`, if it runs here. Of several with one number none is cancelled, because
    /// they are of several hosts, and it is not known of which.
    pub(super) fn cancel(&self, backend: &SessionBackend, id: &RequestId) {
        if let Some([only]) = self.lock().get(&named(backend, id)).map(Vec::as_slice) {
            only.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn named(backend: &SessionBackend, id: &RequestId) -> Name {
    (backend.user().clone(), backend.session_id().clone(), id.clone())
}

impl RunningCall {
    /// Done when the call is cancelled.
    pub(super) async fn cancelled(&self) {
        self.end.notified().await;
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        let mut calls = self.all.lock();
        if let Some(same) = calls.get_mut(&self.name) {
            same.retain(|end| !Arc::ptr_eq(end, &self.end));
            if same.is_empty() {
                calls.remove(&self.name);
            }
        }
    }
}
