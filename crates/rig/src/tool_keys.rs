//! The session's tools in the registry of an agent.

use rig_agent::tool::{RegisteredTool, server::ToolServerHandle};
use rig_core::effect::HandlerKey;

use crate::{
    session::SkillSession,
    session_tool::{CallIds, SessionTool},
    tools::Tool,
};

/// Tools of the developer that have names of the session's tools.
///
/// All names of the service count, whether or not the policy of the session offers the tool: the policy may change.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("skillmount has tools of these names too: {}; rename your own", .names.join(", "))]
pub struct NameClash {
    /// The names, in the order in which the service offers its tools.
    pub names: Vec<&'static str>,
}

/// The keys of the tools of one session in one registry.
#[derive(Clone, Debug)]
pub(crate) struct ToolKeys {
    owner: String,
}

impl ToolKeys {
    /// Keys that no other agent of the same handler table has, if `owner` is the agent's.
    pub(crate) fn new(owner: &str) -> Self {
        Self { owner: owner.to_owned() }
    }

    fn key(&self, tool: Tool) -> HandlerKey {
        HandlerKey::from(format!("{}/skillmount:{}", self.owner, tool.name()))
    }

    /// Puts every tool of the session into `registry`. Each request then has those of its moment.
    pub(crate) fn register(&self, registry: &ToolServerHandle, session: &SkillSession, ids: &CallIds) {
        for tool in Tool::all() {
            let handler = SessionTool::new(session.clone(), tool, self.key(tool), ids.clone());
            match RegisteredTool::from_handler(handler) {
                Ok(registered) => registry.add_registered_tool(registered),
                Err(report) => tracing::error!(tool = tool.name(), %report, "a tool could not be registered"),
            }
        }
    }

    /// Checks that no tool of `registry` has a name of the session's tools but they themselves.
    ///
    /// # Errors
    /// The names of the others.
    pub(crate) fn check(&self, registry: &ToolServerHandle) -> Result<(), NameClash> {
        let tools = registry.toolset();
        let is_other = |tool: &Tool| tools.get(tool.name()).is_some_and(|other| *other.key().raw() != self.key(*tool));
        let names: Vec<_> = Tool::all().filter(is_other).map(Tool::name).collect();
        if names.is_empty() { Ok(()) } else { Err(NameClash { names }) }
    }
}
