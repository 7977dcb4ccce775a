//! The hook that brings the session into each turn of an agent.

use std::sync::{Arc, OnceLock};

use rig_agent::{
    AgentHook, HookContext,
    agent::{DispatchAction, DispatchEvent, RunSettled},
    tool::server::ToolServerHandle,
};
use rig_core::{
    completion::CompletionRequest,
    effect::EffectKind,
    error::{ErrorKind, ErrorReport},
};

use crate::{session::SkillSession, session_tool::CallIds, system_prompt::add_instructions, tool_keys::ToolKeys};

/// Reads prompt and tools before each turn, and notes by which id the model made each call.
#[derive(Debug)]
pub(crate) struct SessionHook {
    pub(crate) session: SkillSession,
    pub(crate) ids: CallIds,
    /// Known once the agent is built.
    pub(crate) registration: Arc<OnceLock<Registration>>,
}

/// The session's tools in the registry of the agent.
pub(crate) struct Registration {
    pub(crate) keys: ToolKeys,
    pub(crate) registry: ToolServerHandle,
}

impl std::fmt::Debug for Registration {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Registration").field("keys", &self.keys).finish_non_exhaustive()
    }
}

impl AgentHook for SessionHook {
    fn name(&self) -> Option<String> {
        Some("skillmount".to_owned())
    }

    async fn on_dispatch(&self, context: &HookContext, event: DispatchEvent<'_>) -> DispatchAction {
        match event.kind {
            EffectKind::Completion { request, stream } => {
                self.ids.forget(context.run_id());
                match self.request(request).await {
                    Ok(request) => {
                        DispatchAction::patch(EffectKind::Completion { request: Arc::new(request), stream: *stream })
                    }
                    Err(report) => DispatchAction::deny(report),
                }
            }
            EffectKind::ToolCall { .. } => {
                if let Some(call) = event.call_id {
                    self.ids.insert(event.id, context.run_id(), call.to_string());
                }
                DispatchAction::proceed()
            }
            _ => DispatchAction::proceed(),
        }
    }

    async fn on_run_settled(&self, context: &HookContext, _: RunSettled<'_>) {
        self.ids.forget(context.run_id());
    }
}

impl SessionHook {
    /// `request` with the instructions of this turn. An error ends the run.
    async fn request(&self, request: &CompletionRequest) -> Result<CompletionRequest, ErrorReport> {
        if let Some(Registration { keys, registry }) = self.registration.get() {
            keys.check(registry).map_err(|clash| ErrorReport::new(ErrorKind::Request, clash.to_string()))?;
        }
        let instructions = self.session.instructions().await.map_err(|error| {
            let report = ErrorReport::new(ErrorKind::Other, format!("skillmount: {}", error.message()));
            ErrorReport { retryable: error.retryable(), code: Some(error.name().to_owned()), ..report }
        })?;
        let mut request = request.clone();
        add_instructions(&mut request, &instructions);
        Ok(request)
    }
}
