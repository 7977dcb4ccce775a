//! Sessions of skillmount for agents of [rig](https://docs.rs/rig-agent): the session's tools, and before each turn the prompt that
//! lists the user's skills or has the instructions of the loaded one.
//!
//! A [`SkillSession`] is one session of one user, in this process or on a service elsewhere. [`SkillSession::agent`] joins it to an
//! agent under construction. The developer's own tools, preamble and hooks stay as they are.
//!
//! ```
//! use std::sync::Arc;
//!
//! use rig_agent::AgentBuilder;
//! use rig_core::test_utils::{MockCompletionModel, MockTurn};
//! use serde_json::json;
//! use skillmount_base::{clock::SystemClock, path::Id};
//! use skillmount_engine::handle::{Service, ServiceOptions};
//! use skillmount_rig::SkillSession;
//! use skillmount_store::MemoryStore;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Arc::new(MemoryStore::new());
//! let skill = "---\nname: minutes\ndescription: Writes the minutes of a meeting.\n---\nBegin with who was there.\n";
//! store.put_raw("anna/skills/minutes/SKILL.md", skill);
//! let service = Service::new(store, ServiceOptions::default(), Arc::new(SystemClock::new()));
//! let session = SkillSession::in_process(service.session(Id::parse("anna")?, Id::parse("chat-7")?));
//!
//! // Any model of rig; this one is scripted.
//! let model = MockCompletionModel::from_turns([
//!     MockTurn::tool_call("call-1", "load_skill", json!({ "skill": "minutes" })),
//!     MockTurn::text("Present: Anna."),
//! ]);
//! let agent = session.agent(AgentBuilder::new(model.clone()).preamble("You are a clerk."))?;
//! let reply = agent.prompt("Write the minutes.").max_turns(20).await?;
//!
//! assert_eq!(reply.output(), "Present: Anna.");
//! let requests = model.requests();
//! let system = |turn: usize| format!("{:?}", requests[turn].chat_history[0]);
//! assert!(system(0).contains("You are a clerk.") && system(0).contains("Writes the minutes of a meeting."));
//! assert!(system(1).contains("Begin with who was there."));
//! # Ok(())
//! # }
//! ```
//!
//! An application that depends on `skillmount` finds the same types there, as `skillmount::handle::Service` and
//! `skillmount::client::RemoteBackend`.

// Each module has one name in all crates, so a path says what is imported and not where that is built.
use skillmount_base::error;
use skillmount_client as client;
use skillmount_engine::{handle, prompt, tools};
use skillmount_wire as wire;

mod agent;
mod approver;
mod door;
mod hook;
mod session;
mod session_tool;
mod system_prompt;
mod tool_keys;

pub use self::{approver::Approver, session::SkillSession, tool_keys::NameClash};
