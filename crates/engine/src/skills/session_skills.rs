//! The skills of one session, beside its operations.

use super::load_skill::{load_skill_if_known, render_loaded};
use crate::{
    catalog::{EncodingProgress, Searchable},
    context::{Context, SessionState},
    error::Result,
    session::LoadedSkill,
    wire::{LoadSkillReply, LoadSkillRequest},
};

/// The skills that one session has and finds.
#[derive(Clone, Debug)]
pub struct SessionSkills {
    context: Context,
}

impl SessionSkills {
    pub(crate) fn new(context: Context) -> Self {
        Self { context }
    }

    /// As `BackendProtocol::load_skill`, for a name that may be no skill's: `None` if no skill
    /// answers to it. The session as the load left it comes beside the reply.
    ///
    /// # Errors
    /// Those of `load_skill` for a skill that is there.
    pub async fn load_skill_if_known(
        &self,
        request: LoadSkillRequest,
    ) -> Result<Option<(LoadSkillReply, SessionState)>> {
        load_skill_if_known(&self.context, request).await
    }

    /// The instructions of a loaded skill, in the version and with the arguments it was loaded with; `None` if this caller does
    /// not see it, because a caller of another team loaded it.
    ///
    /// # Errors
    /// `skill_changed` if that version is gone; the store's.
    pub async fn render_loaded(&self, loaded: &LoadedSkill) -> Result<Option<String>> {
        render_loaded(&self.context, loaded).await
    }

    /// Makes the vectors that the skills of this session's caller lack, and waits for them, for
    /// [`VECTORS_AWAITED`](crate::limits::VECTORS_AWAITED) at most. A process that serves on needs no such call, because it makes
    /// the vectors behind its answers. `told` is called with how many skills of how many were encoded. A vector that cannot be
    /// made is logged, and searches are lexical.
    ///
    /// # Errors
    /// The store's.
    pub async fn encode_skills(&self, told: &EncodingProgress) -> Result<()> {
        self.context.core.catalogs().encode_skills(self.context.caller.audience().clone(), told).await
    }

    /// As `SessionBackend::catalog`, with its search index.
    ///
    /// # Errors
    /// The store's.
    pub async fn searchable_catalog(&self) -> Result<Searchable> {
        self.context.searchable_catalog().await
    }
}
