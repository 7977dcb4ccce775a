//! The skills that a person may call, as prompts: hosts offer them in the menu behind `/`.

use std::sync::Arc;

use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::{
    backend::SkillBackend,
    catalog::CatalogEntry,
    error::{Code, Error, Result},
    skill::shown::one_line,
    tools::{ToolOptions, run_message},
};

/// The one argument of each prompt: hosts that fill in several ask for each apart.
pub(super) const ARGUMENTS: &str = "arguments";

/// A prompt for each skill of the session that a person may call, named by its path.
///
/// # Errors
/// The store's.
pub(super) async fn list(backend: &SkillBackend) -> Result<Vec<Prompt>> {
    let prompt = |entry: &Arc<CatalogEntry>| {
        let hint = entry.frontmatter.argument_hint.as_deref().unwrap_or("What the skill is to be used on");
        let argument =
            PromptArgument::new(ARGUMENTS).with_description(one_line(hint).plain().to_owned()).with_required(false);
        let about = one_line(entry.description()).plain().to_owned();
        Prompt::new(entry.skill.as_str(), Some(about), Some(vec![argument]))
    };
    Ok(callable(backend).await?.iter().map(prompt).collect())
}

/// The parameters of the skill that the prompt is, in their order.
///
/// # Errors
/// `skill_not_found` for a prompt that is no skill; the store's.
pub(super) async fn parameters(backend: &SkillBackend, prompt: &str) -> Result<Vec<String>> {
    let skills = callable(backend).await?;
    let skill = skills.iter().find(|entry| entry.skill.as_str() == prompt).ok_or_else(|| unknown(prompt))?;
    Ok(skill.frontmatter.parameters.iter().map(|parameter| parameter.name.clone()).collect())
}

async fn callable(backend: &SkillBackend) -> Result<Vec<Arc<CatalogEntry>>> {
    let (state, view) = tokio::try_join!(backend.state(), backend.catalog(false))?;
    let is_callable =
        |entry: &&Arc<CatalogEntry>| entry.frontmatter.user_invocable && state.policy.skill(&entry.skill).is_visible();
    Ok(view.entries.iter().filter(is_callable).cloned().collect())
}

fn unknown(prompt: &str) -> Error {
    Error::new(Code::SkillNotFound, format!("no skill answers to {prompt:?}; prompts/list has those that do"))
}

/// Loads the skill that the prompt is, as a person who types `/skill arguments` does.
///
/// # Errors
/// `skill_not_found` for a prompt that is no skill; those of a load.
pub(super) async fn get(backend: &SkillBackend, wanted: GetPromptRequestParams) -> Result<GetPromptResult> {
    let arguments = wanted.arguments.unwrap_or_default();
    let given = arguments.get(ARGUMENTS).and_then(Value::as_str).unwrap_or_default();
    let typed = format!("/{} {given}", wanted.name);
    let reply = run_message(backend, typed.trim_end(), ToolOptions::default()).await?;
    if reply.command.is_none() {
        return Err(unknown(&wanted.name));
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, reply.text)]))
}
