//! A clerk who works with the skills of a user, on a running service. `docs/book/how-to/rig.md` shows it.
//!
//! ```text
//! skillmount --store file:demo-store --user anna push crates/cli/fixtures/store/demo/skills
//! skillmount --store file:demo-store serve
//! cargo run -p skillmount-rig --ignore-rust-version --example clerk -- http://127.0.0.1:8787
//! ```
//!
//! The model is a scripted one. Put in its place any model of rig, such as `OpenAI::from_env()?.completion(openai::GPT_5_2)`.

#![expect(clippy::print_stdout, reason = "it is what the program is for")]

use std::{env, error::Error};

use rig_agent::AgentBuilder;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;
use skillmount_base::path::Id;
use skillmount_client::RemoteBackend;
use skillmount_rig::SkillSession;
use skillmount_wire::{DecideApproval, Decision, WaitingCall};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8787".to_owned());
    let backend =
        RemoteBackend::new(&address, Id::parse("anna")?, Id::parse("chat-7")?, env::var("SKILLMOUNT_API_KEY").ok())?;
    let session = SkillSession::remote(backend).approver(ask);
    let model = MockCompletionModel::from_turns([
        MockTurn::tool_call("call-1", "discover_skills", json!({ "query": "contrato de arrendamiento" })),
        MockTurn::tool_call(
            "call-2",
            "write",
            json!({ "file_path": "/workspace/note.md", "content": "found", "overwrite": true }),
        ),
        MockTurn::text("There is a skill for it."),
    ]);
    let agent = session.agent(AgentBuilder::new(model).preamble("You are a clerk."))?;
    let reply = agent.prompt("Which skill drafts a lease?").max_turns(20).await?;
    println!("{reply}");
    Ok(())
}

/// Stands for a person. Calls that a policy asks about come here.
async fn ask(call: WaitingCall) -> DecideApproval {
    println!("{} {} ({} s left)", call.tool, call.input, call.seconds_left);
    DecideApproval::new(Decision::Allow)
}
