//! A tool of the session as a handler of rig.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use rig_core::{
    effect::{Answered, EffectId, EffectKind, FamilyDescriptor, HandlerDescriptor, HandlerKey, family},
    error::{ErrorKind, ErrorReport},
    id::RunId,
    serve::{Dispatch, Reply, Serve},
    tool::{ToolErrorKind, ToolExecutionError, ToolOutput, ToolResult},
};
use serde_json::json;

use crate::{
    door::ModelCall,
    error::{Error, Kind},
    session::SkillSession,
    tools::Tool,
};

/// The ids by which the model names its calls. A handler of rig gets the id of the dispatch alone, and a hook gets both.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallIds(Arc<Mutex<HashMap<EffectId, (RunId, String)>>>);

impl CallIds {
    pub(crate) fn insert(&self, dispatch: EffectId, run: RunId, call: String) {
        self.with(|ids| ids.insert(dispatch, (run, call)));
    }

    fn take(&self, dispatch: EffectId) -> Option<String> {
        self.with(|ids| ids.remove(&dispatch)).map(|(_, call)| call)
    }

    /// Forgets the calls of a run that were denied before they reached their tool.
    pub(crate) fn forget(&self, run: RunId) {
        self.with(|ids| ids.retain(|_, (theirs, _)| *theirs != run));
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<EffectId, (RunId, String)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// One tool of one session.
#[derive(Debug)]
pub(crate) struct SessionTool {
    session: SkillSession,
    tool: Tool,
    key: HandlerKey,
    ids: CallIds,
}

impl SessionTool {
    pub(crate) fn new(session: SkillSession, tool: Tool, key: HandlerKey, ids: CallIds) -> Self {
        Self { session, tool, key, ids }
    }

    async fn run(&self, arguments: &str, dispatch: EffectId) -> ToolResult {
        let id = self.ids.take(dispatch).unwrap_or_else(|| format!("dispatch-{}", dispatch.as_u64()));
        let input = match serde_json::from_str(arguments) {
            Ok(input) => input,
            Err(error) => {
                return ToolResult::failed(ToolExecutionError::invalid_args(format!(
                    "Error: the arguments are not JSON: {error}"
                )));
            }
        };
        match self.session.call(ModelCall { id: &id, tool: self.tool.name(), input: &input }).await {
            Ok(result) if result.is_error => ToolResult::failed(ToolExecutionError::other(result.content)),
            Ok(result) => ToolResult::success(ToolOutput::text(result.content)),
            Err(error) => ToolResult::failed(failure(error)),
        }
    }
}

impl Serve for SessionTool {
    type Family = family::Tool;

    fn descriptor(&self) -> HandlerDescriptor {
        // The hook puts description and schema of the moment into each request.
        let family = FamilyDescriptor::Tool {
            name: self.tool.name().to_owned(),
            description: String::new(),
            parameters: json!({ "type": "object" }),
            embedding: None,
        };
        HandlerDescriptor { key: self.key.clone(), family, layers: Vec::new() }
    }

    async fn serve(&self, kind: EffectKind, dispatch: Dispatch) -> Reply {
        let EffectKind::ToolCall { args, .. } = kind else {
            let message = format!("the tool {} serves calls of tools alone", self.tool.name());
            return Reply::Outcome(Err(ErrorReport::new(ErrorKind::HandlerUnavailable, message)));
        };
        let result = self.run(&args, dispatch.id()).await;
        Reply::Outcome(Ok(Answered::ToolResult { result }))
    }
}

/// The failure of a call that could not be made. Its words are for the model.
fn failure(error: Error) -> ToolExecutionError {
    let kind = match error.kind() {
        Kind::InvalidInput | Kind::Conflict | Kind::TooLarge => ToolErrorKind::InvalidArgs,
        Kind::Unauthenticated | Kind::Denied => ToolErrorKind::PermissionDenied,
        Kind::NotFound => ToolErrorKind::NotFound,
        Kind::TooMany => ToolErrorKind::RateLimited,
        Kind::Unavailable => ToolErrorKind::Network,
        Kind::Internal => ToolErrorKind::Other,
    };
    let failure = ToolExecutionError::new(kind, format!("Error: {}", error.message()));
    failure.with_code(error.name()).with_retryable(error.retryable()).with_source(error)
}
