//! The skills that a person may call, as prompts: hosts offer them in the menu behind `/`.

use std::{cmp::Reverse, sync::Arc};

use rmcp::{
    ErrorData,
    model::{
        GetPromptRequestParams, GetPromptResult, JsonObject, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
        Role,
    },
};
use serde_json::Value;

use super::{
    refusal::{McpResult, refusal},
    skills::{SkillResourcePage, cursor_behind_first, page_of},
};
use crate::{
    catalog::CatalogEntry,
    error::{Code, Error, Result},
    handle::SessionBackend,
    limits::MCP_PAGE_SKILLS,
    skill::{Parameter, shown::one_line},
    tools::{ToolOptions, run_message},
    wire::{Operation, ToolRule},
};

/// The argument of each prompt in which everything is typed as behind a command. The declared parameters of a skill are arguments
/// beside it.
pub(super) const ARGUMENTS: &str = "arguments";

/// A page of the prompts: one for each skill of the session that a person may call, named by its path. The first page has the
/// skills used most, because some hosts read no other. The pages behind it have the rest in byte order.
pub(super) async fn list(backend: &SessionBackend, cursor: Option<&str>) -> McpResult<ListPromptsResult> {
    let (mut skills, session) =
        tokio::try_join!(callable(backend), backend.ranked_state()).map_err(|error| refusal(&error))?;
    let ranks = &session.session.ranks;
    skills.sort_by_cached_key(|entry| {
        (Reverse(ranks.get(&entry.skill).copied().unwrap_or_default()), entry.skill.clone())
    });
    let mut rest = skills.split_off(skills.len().min(MCP_PAGE_SKILLS));
    rest.sort_by(|one, other| one.skill.cmp(&other.skill));
    let behind_first = cursor_behind_first(backend);
    let page = match cursor {
        None => SkillResourcePage { next: (!rest.is_empty()).then_some(behind_first), entries: skills },
        Some(cursor) if cursor == behind_first => page_of(backend, &rest, None)?,
        Some(cursor) => page_of(backend, &rest, Some(cursor))?,
    };
    let mut result = ListPromptsResult::with_all_items(page.entries.iter().map(|entry| prompt(entry)).collect());
    result.next_cursor = page.next;
    Ok(result)
}

fn prompt(entry: &CatalogEntry) -> Prompt {
    let argument = |name: &str, about: &str, required: bool| {
        let argument = PromptArgument::new(name).with_required(required);
        if about.is_empty() { argument } else { argument.with_description(one_line(about).plain().to_owned()) }
    };
    let hint = entry.frontmatter.argument_hint.as_deref().unwrap_or("What the skill is to be used on");
    // A host that fills them in by their order has the parameters first, as a command has. Some hosts can fill in one required
    // argument alone, and the load names the others that are missing.
    let is_needed = |one: &Parameter| one.required && one.default.is_none();
    let first_needed = named(entry).find(|one| is_needed(one)).map(|one| one.name.as_str());
    let declared =
        named(entry).map(|one| argument(&one.name, &one.description, Some(one.name.as_str()) == first_needed));
    let arguments = declared.chain([argument(ARGUMENTS, hint, false)]).collect();
    let about = one_line(entry.description()).plain().to_owned();
    Prompt::new(entry.skill.as_str(), Some(about), Some(arguments))
}

/// The parameters that are arguments of their own: those whose name a word of a command can give, and that is not the name of the
/// argument that all prompts have.
fn named(entry: &CatalogEntry) -> impl Iterator<Item = &Parameter> {
    let is_word = |name: &str| {
        !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '=' | '"' | '\'' | '\\'))
    };
    entry.frontmatter.parameters.iter().filter(move |one| one.name != ARGUMENTS && is_word(&one.name))
}

/// The skill that the prompt is.
///
/// # Errors
/// `skill_not_found` for a prompt that is no skill; the store's.
pub(super) async fn skill_of(backend: &SessionBackend, prompt: &str) -> Result<Arc<CatalogEntry>> {
    let skills = callable(backend).await?;
    skills.into_iter().find(|entry| entry.skill.as_str() == prompt).ok_or_else(|| unknown(prompt))
}

/// The skills that a person may call. There are none if the session cannot load skills.
async fn callable(backend: &SessionBackend) -> Result<Vec<Arc<CatalogEntry>>> {
    let (state, view) = tokio::try_join!(backend.state(), backend.catalog(false))?;
    if state.policy.tool(Operation::LoadSkill) == ToolRule::Blocked {
        return Ok(Vec::new());
    }
    let is_callable =
        |entry: &&Arc<CatalogEntry>| entry.frontmatter.user_invocable && state.policy.skill(&entry.skill).is_visible();
    Ok(view.entries.iter().filter(is_callable).cloned().collect())
}

fn unknown(prompt: &str) -> Error {
    Error::new(Code::SkillNotFound, format!("no skill answers to {prompt:?}; prompts/list names every skill that does"))
}

/// An error about a prompt as the protocol has it: an unknown prompt is a wrong parameter.
pub(super) fn refused(error: &Error) -> ErrorData {
    match error.code() {
        Code::SkillNotFound => ErrorData::invalid_params(error.message().to_owned(), refusal(error).data),
        _ => refusal(error),
    }
}

/// Loads the skill that the prompt is, as a person who types `/skill arguments` does.
///
/// # Errors
/// `skill_not_found` for a prompt that is no skill; `invalid_request` for an argument that is unknown or no text; those
/// of a load.
pub(super) async fn get(backend: &SessionBackend, wanted: &GetPromptRequestParams) -> Result<GetPromptResult> {
    let skill = skill_of(backend, &wanted.name).await?;
    let given = typed(&skill, &wanted.arguments.clone().unwrap_or_default())?;
    let typed = format!("/{} {given}", wanted.name);
    let reply = run_message(backend, typed.trim_end(), ToolOptions::default()).await?;
    if reply.command.is_none() {
        return Err(unknown(&wanted.name));
    }
    Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, reply.text)]))
}

/// The text that a person would type behind the command to give these arguments.
fn typed(skill: &CatalogEntry, given: &JsonObject) -> Result<String> {
    let wrong = |name: &str, why: &str| {
        let has: Vec<&str> = named(skill).map(|one| one.name.as_str()).chain([ARGUMENTS]).collect();
        invalid!("the argument {name:?} {why}: the prompt {} takes text as {}", skill.skill, has.join(", "))
    };
    for (name, value) in given {
        if name != ARGUMENTS && !named(skill).any(|one| one.name == *name) {
            return Err(wrong(name, "is not one"));
        }
        if !value.is_string() {
            return Err(wrong(name, "is no text"));
        }
    }
    let text = |name: &str| given.get(name).and_then(Value::as_str);
    let pairs = named(skill).filter_map(|one| Some(format!("{}={}", one.name, word(text(&one.name)?))));
    let words: Vec<String> = text(ARGUMENTS).map(str::to_owned).into_iter().chain(pairs).collect();
    Ok(words.join(" ").trim().to_owned())
}

/// A text as one word of a command.
fn word(text: &str) -> String {
    let is_plain = !text.contains(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'));
    if is_plain { text.to_owned() } else { format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")) }
}
