//! A session in an agent of rig.

use std::sync::{Arc, OnceLock};

use rig_agent::{Agent, AgentBuilder};

use crate::{
    hook::{Registration, SessionHook},
    session::SkillSession,
    session_tool::CallIds,
    tool_keys::{NameClash, ToolKeys},
};

impl SkillSession {
    /// Builds the agent of `builder` with this session. Asks nothing of the service.
    ///
    /// Before each turn the agent reads the prompt and the tools of the session again. The prompt comes after the preamble, and the
    /// developer's own tools, preamble and hooks stay. A run ends with an error if the first prompt cannot be read. After that the
    /// last prompt stays while the service is away.
    ///
    /// The number of turns is rig's to limit, and is one unless `max_turns` says more.
    ///
    /// # Errors
    /// [`NameClash`] if a tool of the builder, or of the registry that it shares, has a name of the session's tools. A tool that is
    /// added to the registry later with such a name ends the next turn with the same words.
    ///
    /// ```
    /// # use rig_agent::AgentBuilder;
    /// # use rig_core::test_utils::MockCompletionModel;
    /// # use skillmount_base::path::Id;
    /// # use skillmount_client::RemoteBackend;
    /// # use skillmount_rig::SkillSession;
    /// # let model = MockCompletionModel::text("done");
    /// let backend = RemoteBackend::new("http://127.0.0.1:8787", Id::parse("anna")?, Id::parse("chat-7")?, None)?;
    /// let agent = SkillSession::remote(backend).agent(AgentBuilder::new(model).preamble("You are a clerk."))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn agent(&self, builder: AgentBuilder) -> Result<Agent, NameClash> {
        let (ids, registration) = (CallIds::default(), Arc::new(OnceLock::new()));
        let hook = SessionHook { session: self.clone(), ids: ids.clone(), registration: Arc::clone(&registration) };
        let agent = builder.add_hook(hook).build();
        let (keys, registry) = (ToolKeys::new(agent.owner()), agent.tool_server_handle().clone());
        keys.check(&registry)?;
        keys.register(&registry, self, &ids);
        // The cell is new, so this is its only value.
        let _ = registration.set(Registration { keys, registry });
        Ok(agent)
    }
}
