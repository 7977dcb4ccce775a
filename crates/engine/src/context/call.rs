//! A call: a caller, a session and the options.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use super::{ahead::ReadAhead, caller::Caller, core::Core, progress::Progress, seen::SeenVersion};
use crate::{
    budget::Job,
    catalog::{CatalogView, Searchable},
    error::Result,
    limits::SEARCH_WINDOW_KIB,
    observer::EffectsRecorder,
    path::{Id, Layer, UserSpace},
    session::LoadedSkill,
    wire::{PromptMode, SessionVersion},
};

/// Options of a call beside its request.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallOptions {
    /// The answer comes from no session older than this version.
    pub(crate) at_least: SessionVersion,
    /// The prompt mode that the caller asks for. It overrides the policy's mode.
    pub(crate) mode: Option<PromptMode>,
    /// The id of the call that a model wrote.
    pub(crate) id: Option<Arc<str>>,
    /// The listener that receives how far a search is.
    pub(crate) progress: Option<watch::Sender<Progress>>,
}

/// A call of a caller in a session. It does not change while the call runs.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) core: Arc<Core>,
    pub(crate) caller: Arc<Caller>,
    pub(crate) session: Id,
    pub(crate) options: CallOptions,
    /// The contents that searches hold at once, in KiB. The calls of one handle share it, so a turn with many searches takes no
    /// more than one search.
    pub(crate) search_memory: Arc<Semaphore>,
    /// The recorder of the call's effects, if an observer keeps records.
    pub(crate) effects: Option<EffectsRecorder>,
    /// The state that was read before the call, if the call may take it.
    pub(crate) ahead: ReadAhead,
    /// The newest version of the session that the calls of this handle have seen.
    pub(crate) seen: SeenVersion,
}

impl Context {
    /// The calls of `caller` in `session`. Asks nothing of the store.
    pub(crate) fn new(core: Arc<Core>, caller: Arc<Caller>, session: Id) -> Self {
        Self {
            core,
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
    pub(crate) fn user(&self) -> &Id {
        self.caller.user()
    }

    /// The part of the bucket that is the user's.
    pub(crate) fn space(&self) -> Result<UserSpace> {
        self.core.namespace().user(self.user())
    }

    /// The long work of an operation for this user and key. It ends with the operation.
    pub(crate) fn errand(&self) -> Job {
        self.core.capacity().job(self.user().as_str()).for_key(self.caller.key())
    }

    /// The skills that the caller sees; asks the store again if that is old, and always with `fresh`.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn catalog(&self, fresh: bool) -> Result<Arc<CatalogView>> {
        self.core.catalogs().view(self.caller.audience().clone(), fresh).await
    }

    /// As [`catalog`](Self::catalog), with its search index.
    ///
    /// # Errors
    /// The store's.
    pub(crate) async fn searchable_catalog(&self) -> Result<Searchable> {
        self.core.catalogs().searchable(self.caller.audience().clone()).await
    }

    /// Where the skills of a layer lie; `None` if the caller does not see that layer.
    pub(crate) fn layer(&self, layer: Layer) -> Result<Option<UserSpace>> {
        let layers = self.core.catalogs().layers(self.caller.audience())?;
        Ok(layers.into_iter().find_map(|(seen, space)| (seen == layer).then_some(space)))
    }

    /// Where the layer of a loaded skill lies; `None` if the caller does not see that layer. A caller of another team does not.
    pub(crate) fn home(&self, loaded: &LoadedSkill) -> Result<Option<UserSpace>> {
        if self.is_in(loaded.layer, loaded.team.as_ref()) { self.layer(loaded.layer) } else { Ok(None) }
    }

    /// Whether the caller is in the team, if the layer is a team's.
    pub(crate) fn is_in(&self, layer: Layer, team: Option<&Id>) -> bool {
        layer != Layer::Team || team == self.caller.audience().team.as_ref()
    }

    /// Sends to the listener how far a search is.
    pub(crate) fn report_progress(&self, done: usize, total: usize) {
        if let Some(listener) = &self.options.progress {
            listener.send_replace(Progress { done, total });
        }
    }
}
