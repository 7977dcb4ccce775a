//! The answer of a hook, in the shape of Claude's hooks.

use serde::{Deserialize, Serialize};
use skillmount_base::{error::Error, limits::HOOK_REASON_CHARS};
use skillmount_skill::shown::one_line;

/// The output of a hook, in the shape of Claude's. It is `{}` if there is nothing to say.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HookOutput {
    /// The text for the model.
    #[serde(rename = "hookSpecificOutput", default, skip_serializing_if = "Option::is_none")]
    pub hook_specific_output: Option<HookSpecificOutput>,
    /// The text for the person. Only the command line has one: why there is no context.
    #[serde(rename = "systemMessage", default, skip_serializing_if = "Option::is_none")]
    pub system_message: Option<String>,
}

/// The text of a hook for the model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HookSpecificOutput {
    /// The event that was answered.
    #[serde(rename = "hookEventName")]
    pub hook_event_name: HookEventName,
    /// The text that the host adds to the context.
    #[serde(rename = "additionalContext")]
    pub additional_context: String,
}

/// The events that a hook has something to say at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub enum HookEventName {
    /// A conversation begins.
    SessionStart,
    /// A person says something.
    UserPromptSubmit,
    /// A tool is about to run.
    PreToolUse,
    /// A sub-agent begins.
    SubagentStart,
}

impl HookOutput {
    /// The output that adds `context`, if there is any.
    #[must_use]
    pub fn with_context(hook_event_name: HookEventName, context: Option<String>) -> Self {
        let specific = |additional_context| HookSpecificOutput { hook_event_name, additional_context };
        Self { hook_specific_output: context.map(specific), system_message: None }
    }

    /// The output of a hook that failed, for a host that runs a command. The person reads why, in at most
    /// [`HOOK_REASON_CHARS`] characters; nothing is stopped.
    #[must_use]
    pub fn failed(error: &Error) -> Self {
        let why = one_line(error.message()).shortened(HOOK_REASON_CHARS);
        let message = format!("skillmount has no skills to offer here: {}", why.inline());
        Self { hook_specific_output: None, system_message: Some(message) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillmount_base::error::Code;

    #[test]
    fn outputs_are_the_json_of_claude_and_nothing_is_an_empty_object() {
        let json = |output: &HookOutput| serde_json::to_string(output).unwrap();
        assert_eq!(json(&HookOutput::default()), "{}");
        assert_eq!(json(&HookOutput::with_context(HookEventName::PreToolUse, None)), "{}");
        assert_eq!(
            json(&HookOutput::with_context(HookEventName::SessionStart, Some("a\nb".to_owned()))),
            r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a\nb"}}"#
        );
        assert_eq!(
            json(&HookOutput::failed(&Error::new(Code::StoreUnavailable, "the store is\ndown"))),
            r#"{"systemMessage":"skillmount has no skills to offer here: the store is down"}"#
        );
    }
}
