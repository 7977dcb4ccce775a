//! The three phases of a skill, as an agent goes through them: a compact listing, the model's choice, the full content.

use serde_json::json;
use skillmount::{
    handle::SessionBackend,
    prompt::for_session as prompt_for,
    wire::{LoadTool, Policy, PromptMode, PromptRequest},
};

use super::{agent_with, notary, said};
use crate::support::world::{BackendExt, World};

const CONTENT: &str = "Run /skills/pdf/scripts/fill.py.";

async fn agent(world: &World) -> SessionBackend {
    let policy = Policy { prompt_mode: PromptMode::Listing, load_tool: LoadTool::Skill, ..Policy::default() };
    agent_with(world, policy).await
}

async fn prompt(agent: &SessionBackend) -> String {
    prompt_for(agent, &PromptRequest::default()).await.unwrap().prompt
}

#[tokio::test]
async fn the_full_skill_content_is_not_in_the_system_prompt() {
    let agent = agent(&notary().await).await;
    for _ in 0..2 {
        let prompt = prompt(&agent).await;
        assert!(prompt.contains("Works with PDF files.") && !prompt.contains("fill.py"), "{prompt}");
        // Nor when it is loaded: then it is in the result.
        said(&agent, "Skill", json!({ "skill": "pdf" })).await;
    }
}

#[tokio::test]
async fn the_prompt_tells_to_call_the_tool_that_is_offered_before_anything_else() {
    let agent = agent(&notary().await).await;
    let prompt = prompt(&agent).await;
    for told in ["call Skill", "before you answer", "never mention a skill without loading it", "already loaded"] {
        assert!(prompt.contains(told), "{told}: {prompt}");
    }
    assert!(super::names(&agent).await.contains(&"Skill".to_owned()));
}

#[tokio::test]
async fn the_full_skill_content_is_returned_as_the_tool_result() {
    let agent = agent(&notary().await).await;
    for name in ["pdf", "compraventa", "escrituras/compraventa"] {
        let text = said(&agent, "Skill", json!({ "skill": name })).await;
        let content = if name == "pdf" { CONTENT } else { "# Compraventa\nComparece" };
        assert!(text.contains(content), "{text}");
    }
}

#[tokio::test]
async fn the_system_prompt_stays_small_regardless_of_how_many_skills_exist() {
    let world = notary().await;
    let few = prompt(&agent(&world).await).await;
    for number in 0..200 {
        world.put_skill("demo", &format!("more/s{number}"), &"A long description. ".repeat(20), "").await;
    }
    let rendering = prompt_for(&agent(&world.replica()).await, &PromptRequest::default()).await.unwrap();
    assert!(rendering.tokens <= PromptRequest::default().max_tokens && rendering.prompt.len() > few.len());
    assert_eq!(rendering.total, 202);
}

#[tokio::test]
async fn only_the_content_of_the_skill_that_is_called_is_loaded() {
    let world = notary().await;
    let agent = agent(&world).await;
    said(&agent, "Skill", json!({ "skill": "pdf" })).await;
    assert_eq!(agent.names("/skills").await.unwrap(), ["/skills/pdf"]);
    let found = said(&agent, "grep", json!({ "pattern": "Comparece" })).await;
    assert_eq!(found, "No matches found");
}

#[tokio::test]
async fn a_skill_is_a_folder_with_a_skill_md_and_its_helper_scripts_can_be_read() {
    let agent = agent(&notary().await).await;
    let text = said(&agent, "Skill", json!({ "skill": "pdf" })).await;
    assert!(text.contains("Its files are in /skills/pdf:\n- SKILL.md\n- scripts/fill.py\n"), "{text}");
    let script = said(&agent, "read", json!({ "file_path": "/skills/pdf/scripts/fill.py" })).await;
    assert!(script.contains("print()"), "{script}");
}
