//! One call of one caller in one session.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use super::{Caller, EffectsRecorder, Progress, ahead::ReadAhead, seen::SeenVersion};
use crate::{
    backend::shared::Shared,
    budget::Job,
    catalog::{CatalogView, Searchable},
    error::Result,
    limits::SEARCH_WINDOW_KIB,
    path::{Id, Layer, UserSpace},
    session::{LoadedSkill, PromptMode, SessionVersion},
};

/// What a call asks for beside its request.
#[derive(Clone, Debug, Default)]
pub(in crate::backend) struct CallOptions {
    /// The answer comes from no session older than this version.
    pub(in crate::backend) at_least: SessionVersion,
    /// The mode that the caller asks for its prompt in, if it names one. It counts in place of the policy's.
    pub(in crate::backend) mode: Option<PromptMode>,
    /// The id of the call that a model wrote.
    pub(in crate::backend) id: Option<Arc<str>>,
    /// The listener that receives how far a search is.
    pub(in crate::backend) progress: Option<watch::Sender<Progress>>,
}

/// One call of one caller in one session. It does not change while the call runs.
#[derive(Clone, Debug)]
pub(in crate::backend) struct Context {
    pub(in crate::backend) shared: Arc<Shared>,
    pub(in crate::backend) caller: Arc<Caller>,
    pub(in crate::backend) session: Id,
    pub(in crate::backend) options: CallOptions,
    /// The contents that searches hold at once, in KiB. The calls of one handle share it, so a turn with many searches takes no
    /// more than one search.
    pub(in crate::backend) search_memory: Arc<Semaphore>,
    /// Where the call records what it does, if an observer keeps records.
    pub(super) effects: Option<EffectsRecorder>,
    /// The state that was read before the call, if the call may take it.
    pub(super) ahead: ReadAhead,
    /// The newest version of the session that the calls of this handle have seen.
    pub(super) seen: SeenVersion,
}

impl Context {
    /// The calls of `caller` in `session`. Asks nothing of the store.
    pub(in crate::backend) fn new(shared: Arc<Shared>, caller: Arc<Caller>, session: Id) -> Self {
        Self {
            shared,
            caller,
            session,
            options: CallOptions::default(),
            search_memory: Arc::new(Semaphore::new(SEARCH_WINDOW_KIB as usize)),
            effects: None,
            ahead: ReadAhead::default(),
            seen: SeenVersion::default(),
        }
    }

    /// Whose session it is.
    pub(in crate::backend) fn user(&self) -> &Id {
        self.caller.user()
    }

    /// The part of the bucket that is the user's.
    pub(in crate::backend) fn space(&self) -> Result<UserSpace> {
        self.shared.namespace.user(self.user())
    }

    /// The long work of one operation for this user, which ends with it.
    pub(in crate::backend) fn errand(&self) -> Job {
        self.shared.workers.errand(self.user().as_str(), self.shared.steps)
    }

    /// The skills that the caller sees; asks the store again if that is old, and always with `fresh`.
    ///
    /// # Errors
    /// The store's.
    pub(in crate::backend) async fn catalog(&self, fresh: bool) -> Result<Arc<CatalogView>> {
        self.shared.catalogs.view(self.caller.audience().clone(), fresh).await
    }

    /// As [`catalog`](Self::catalog), with its search index.
    ///
    /// # Errors
    /// The store's.
    pub(in crate::backend) async fn searchable_catalog(&self) -> Result<Searchable> {
        self.shared.catalogs.searchable(self.caller.audience().clone()).await
    }

    /// Where the skills of a layer lie; `None` if the caller does not see that layer.
    pub(in crate::backend) fn layer(&self, layer: Layer) -> Result<Option<UserSpace>> {
        let layers = self.shared.catalogs.layers(self.caller.audience())?;
        Ok(layers.into_iter().find_map(|(seen, space)| (seen == layer).then_some(space)))
    }

    /// Where the layer of a loaded skill lies; `None` if the caller does not see that layer. A caller of another team does not.
    pub(in crate::backend) fn home(&self, loaded: &LoadedSkill) -> Result<Option<UserSpace>> {
        if self.is_in(loaded.layer, loaded.team.as_ref()) { self.layer(loaded.layer) } else { Ok(None) }
    }

    /// Whether the caller is in the team, if the layer is a team's.
    pub(in crate::backend) fn is_in(&self, layer: Layer, team: Option<&Id>) -> bool {
        layer != Layer::Team || team == self.caller.audience().team.as_ref()
    }

    /// Sends to the listener how far a search is.
    pub(in crate::backend) fn report_progress(&self, done: usize, total: usize) {
        if let Some(listener) = &self.options.progress {
            listener.send_replace(Progress { done, total });
        }
    }
}
