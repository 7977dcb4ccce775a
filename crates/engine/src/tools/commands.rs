//! Slash commands: `/name arguments`, by which a person calls a skill.
//!
//! Much else begins with a slash. A message that names no skill goes through unchanged.

use std::{fmt::Write as _, num::NonZeroUsize};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::options::{ToolOptions, instructions_place};
use crate::{
    context::SessionState,
    error::Result,
    handle::SessionBackend,
    limits::KEY_BYTES,
    path::SkillPath,
    skill::shown::{SafeText, one_line, xml_escape},
    wire::{
        Invoker, LoadSkillReply, LoadSkillRequest, LoadedSummary, PromptMode, Reply as _, SkillParameter, TextFormat,
    },
};

/// What a person says to the agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRequest {
    /// The text as it was typed.
    pub text: String,
    /// The mode the prompt is asked for in, if it is not the policy's: the instructions of a loaded skill are in the result or
    /// in the prompt, never in both.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<PromptMode>,
    /// How long one result may be, in tokens of four bytes; 25,000 if absent.
    #[schema(value_type = Option<usize>, minimum = 1)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_tokens: Option<NonZeroUsize>,
}

/// What became of a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageReply {
    /// The slash command it was; null if it was none.
    pub command: Option<SlashCommand>,
    /// The text for the model; of a message that is no command, the very text.
    pub text: String,
    /// The skill that is loaded because of it.
    pub loaded: Option<LoadedSummary>,
}

/// A slash command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = SlashCommand)]
pub struct SlashCommand {
    /// The skill it names: as it was typed, or, once loaded, its path.
    pub skill: String,
    /// What was typed after it.
    pub arguments: Option<String>,
}

impl SlashCommand {
    /// The command that `text` may be: a slash at the very beginning, the name of a skill in any form a load takes, white
    /// space, arguments. A path below a mount is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let typed = text.strip_prefix('/')?;
        let (name, arguments) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let is_path = ["workspace/", "ticket/", "skills/"].iter().any(|mount| name.starts_with(mount));
        if name.is_empty() || name.len() > KEY_BYTES || is_path {
            return None;
        }
        let arguments = Some(arguments.trim()).filter(|arguments| !arguments.is_empty());
        Some(Self { skill: name.to_owned(), arguments: arguments.map(str::to_owned) })
    }
}

/// Runs the command that `text` is, by loading its skill; any other text comes back as it is.
///
/// # Errors
/// Those of `load_skill`, except for a name that no skill has; `tool_blocked` if `user-invocable` is false.
pub async fn run_message(backend: &SessionBackend, text: &str, options: ToolOptions) -> Result<MessageReply> {
    let unchanged = || MessageReply { command: None, text: text.to_owned(), loaded: None };
    let Some(typed) = SlashCommand::parse(text) else { return Ok(unchanged()) };
    let request = LoadSkillRequest {
        arguments: typed.arguments.clone(),
        invoker: Invoker::Person,
        ..LoadSkillRequest::new(&typed.skill)
    };
    let loaded = Box::pin(backend.skills().load_skill_if_known(request)).await?;
    let Some((reply, SessionState { session, policy, .. })) = loaded else { return Ok(unchanged()) };
    let skill = SkillPath::parse(&reply.skill)?;
    let view = backend.catalog(false).await?;
    let hint = view.entry(&skill).and_then(|entry| entry.frontmatter.argument_hint.as_deref().map(one_line));
    let loaded = reply.text(TextFormat { room: options.result_bytes, instructions: instructions_place(&policy) })?;
    Ok(MessageReply {
        text: announced(&typed, &reply, hint.as_ref()) + &loaded,
        command: Some(SlashCommand { skill: reply.skill, ..typed }),
        loaded: session.loaded(&skill).map(LoadedSummary::from),
    })
}

/// The frame that shows a model that the skill is loaded already. If arguments may be missing, it also has the hint of
/// the skill's author.
fn announced(typed: &SlashCommand, reply: &LoadSkillReply, hint: Option<&SafeText>) -> String {
    let name = one_line(&typed.skill);
    let mut frame = format!("<command-name>/{}</command-name>\n", name.xml());
    if let Some(arguments) = &typed.arguments {
        // Writing to a string cannot fail. The words are the person's own.
        let _ = writeln!(frame, "<command-args>{}</command-args>", xml_escape(arguments));
    }
    let wanting = typed.arguments.is_none() || reply.parameters.iter().any(SkillParameter::is_missing);
    if let Some(hint) = hint.filter(|_| wanting) {
        let _ = writeln!(frame, "It is called as: /{} {}", name.inline(), hint.inline());
    }
    frame
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_a_slash_a_name_and_arguments() {
        let command = |text| SlashCommand::parse(text).map(|found| (found.skill, found.arguments));
        assert_eq!(command("/venta"), Some(("venta".to_owned(), None)));
        assert_eq!(
            command("/escrituras/venta \n Ana  y Luis "),
            Some(("escrituras/venta".to_owned(), Some("Ana  y Luis".to_owned())))
        );
        for text in ["", "/", "/ x", "venta", " /venta", "/workspace/x", "/ticket/a b", "/skills/venta/SKILL.md"] {
            assert_eq!(command(text), None, "{text:?}");
        }
        assert!(SlashCommand::parse(&format!("/{}", "x".repeat(KEY_BYTES))).is_some());
        assert!(SlashCommand::parse(&format!("/{}", "x".repeat(KEY_BYTES + 1))).is_none());
    }
}
