//! The input that a host sends, in the shape of Claude's hooks.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use skillmount_base::{
    error::{Code, Error, Result},
    json,
    limits::JSON_BODY_BYTES,
};

/// The input of a hook, in the shape of Claude's. The service ignores other members, because each event has its own and hosts add
/// more. It reads a member only with the events that have the member. Other events may have anything under the same name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct HookInput {
    /// The event: `SessionStart`, `UserPromptSubmit`, `PreToolUse` or `SubagentStart`. Any other is answered by `{}`.
    pub hook_event_name: String,
    /// Of `SessionStart`: why it begins, a text. After `resume` and `fork` the listing is not given again. After `compact` and `clear`
    /// a model has the instructions of loaded skills no more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<Value>,
    /// Of `UserPromptSubmit`: what the person said, a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Value>,
    /// Of `PreToolUse`: the name of the tool that is about to run, a text. `Bash`, `Task` and `Agent` are looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<Value>,
    /// Of `PreToolUse`: what the tool is called with, an object.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_input: Option<Value>,
    /// Of `SubagentStart`: the type of the sub-agent, a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_type: Option<Value>,
}

/// The reason why a session of a host starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionSource {
    /// The conversation is new, or the host gives no reason.
    New,
    /// The conversation goes on, with everything that the model has read.
    Resumed,
    /// The host dropped what the model had read, by a compaction or `/clear`.
    Emptied,
}

/// The moment at which the host calls the hook, with the members that matter then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookEvent<'input> {
    /// A conversation begins, goes on after a pause, or was cut short.
    SessionStart(SessionSource),
    /// A person says something.
    UserPromptSubmit {
        /// The message of the person.
        prompt: &'input str,
    },
    /// A shell command is about to run.
    Bash {
        /// The command.
        command: &'input str,
    },
    /// A sub-agent is about to be called.
    Task {
        /// Its type; empty if none is named.
        agent_type: &'input str,
        /// Its task, in a few words.
        description: &'input str,
        /// Its instructions.
        prompt: &'input str,
    },
    /// A sub-agent begins.
    SubagentStart {
        /// Its type.
        agent_type: &'input str,
    },
    /// Anything else.
    Other,
}

impl HookInput {
    /// The input that is `bytes`, at most [`JSON_BODY_BYTES`] of JSON.
    ///
    /// # Errors
    /// `invalid_request` if they are no input of a hook; `too_expensive` if they hold too many values.
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        if bytes.len() > JSON_BODY_BYTES {
            let message = format!("the input of the hook has {} bytes and may have {JSON_BODY_BYTES}", bytes.len());
            return Err(Error::new(Code::FileTooLarge, message));
        }
        json::from_request(bytes)
    }

    /// The moment that it is about.
    ///
    /// # Errors
    /// `invalid_request` if a member that the event has is missing or is something else.
    pub fn event(&self) -> Result<HookEvent<'_>> {
        let event = match self.hook_event_name.as_str() {
            "SessionStart" => HookEvent::SessionStart(match self.source.as_ref().and_then(Value::as_str) {
                Some("compact" | "clear") => SessionSource::Emptied,
                Some("resume" | "fork") => SessionSource::Resumed,
                _ => SessionSource::New,
            }),
            "UserPromptSubmit" => HookEvent::UserPromptSubmit { prompt: self.text("prompt", self.prompt.as_ref())? },
            "PreToolUse" => self.tool_use()?,
            "SubagentStart" => {
                HookEvent::SubagentStart { agent_type: self.text("agent_type", self.agent_type.as_ref())? }
            }
            _ => HookEvent::Other,
        };
        Ok(event)
    }

    fn tool_use(&self) -> Result<HookEvent<'_>> {
        let tool = self.text("tool_name", self.tool_name.as_ref())?;
        let input = self.member("tool_input", "an object", self.tool_input.as_ref().and_then(Value::as_object))?;
        // A tool of that name may be another one, so an input of another shape is nothing to speak of.
        let text = |name: &str| input.get(name).and_then(Value::as_str).unwrap_or_default();
        Ok(match tool {
            "Bash" => HookEvent::Bash { command: text("command") },
            "Task" | "Agent" => HookEvent::Task {
                agent_type: text("subagent_type"),
                description: text("description"),
                prompt: text("prompt"),
            },
            _ => HookEvent::Other,
        })
    }

    fn text<'input>(&self, name: &str, member: Option<&'input Value>) -> Result<&'input str> {
        self.member(name, "a text", member.and_then(Value::as_str))
    }

    fn member<T>(&self, name: &str, what: &str, member: Option<T>) -> Result<T> {
        member.ok_or_else(|| {
            let event = &self.hook_event_name;
            let message = format!("the input of a hook for {event} has a member `{name}`, {what}; send it");
            Error::new(Code::InvalidRequest, message)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(input: &Value) -> Result<HookInput> {
        HookInput::parse(input.to_string().as_bytes())
    }

    /// Inputs with every member that Claude sends.
    fn claude(event: &str, own: &Value) -> Value {
        let mut input = json!({
            "session_id": "0f9c", "transcript_path": "/home/ana/.claude/t.jsonl", "cwd": "/home/ana", "prompt_id": null,
            "permission_mode": "default", "effort": {"level": "high"}, "hook_event_name": event,
        });
        let own = own.as_object().unwrap().clone();
        input.as_object_mut().unwrap().extend(own);
        input
    }

    // S-HOOK-1: A hook takes the JSON of Claude's hooks, and members that it does not know.
    #[test]
    fn the_inputs_of_claude_are_read_with_members_that_nobody_knows() {
        let task = json!({"description": "d", "prompt": "p", "subagent_type": "s", "model": "m"});
        for (event, own, expected) in [
            ("SessionStart", json!({"source": "startup", "model": "m"}), HookEvent::SessionStart(SessionSource::New)),
            ("SessionStart", json!({"source": "resume"}), HookEvent::SessionStart(SessionSource::Resumed)),
            ("SessionStart", json!({"source": "fork"}), HookEvent::SessionStart(SessionSource::Resumed)),
            ("SessionStart", json!({"source": "new"}), HookEvent::SessionStart(SessionSource::New)),
            ("SessionStart", json!({}), HookEvent::SessionStart(SessionSource::New)),
            ("SessionStart", json!({"source": 1}), HookEvent::SessionStart(SessionSource::New)),
            ("SessionStart", json!({"source": "compact"}), HookEvent::SessionStart(SessionSource::Emptied)),
            ("SessionStart", json!({"source": "clear"}), HookEvent::SessionStart(SessionSource::Emptied)),
            ("UserPromptSubmit", json!({"prompt": "hi"}), HookEvent::UserPromptSubmit { prompt: "hi" }),
            (
                "PreToolUse",
                json!({"tool_name": "Bash", "tool_use_id": "t", "tool_input": {"command": "ls", "timeout": 1}}),
                HookEvent::Bash { command: "ls" },
            ),
            (
                "PreToolUse",
                json!({"tool_name": "Task", "tool_use_id": "t", "tool_input": task, "agent_id": "a"}),
                HookEvent::Task { agent_type: "s", description: "d", prompt: "p" },
            ),
            (
                "PreToolUse",
                json!({"tool_name": "Agent", "tool_input": {"prompt": "p"}}),
                HookEvent::Task { agent_type: "", description: "", prompt: "p" },
            ),
            ("PreToolUse", json!({"tool_name": "Read", "tool_input": {"file_path": "/a"}}), HookEvent::Other),
            ("PreToolUse", json!({"tool_name": "Bash", "tool_input": {"command": 1}}), HookEvent::Bash { command: "" }),
            (
                "SubagentStart",
                json!({"agent_id": "a", "agent_type": "Explore"}),
                HookEvent::SubagentStart { agent_type: "Explore" },
            ),
            ("Stop", json!({"stop_hook_active": false}), HookEvent::Other),
            ("NotThereYet", json!({"anything": [1, {"a": null}]}), HookEvent::Other),
        ] {
            let input = parse(&claude(event, &own)).unwrap();
            assert_eq!(input.event().unwrap(), expected, "{event} {own}");
        }
    }

    #[test]
    fn what_is_no_hook_is_refused() {
        for text in
            ["", "{", "[]", "[\"Stop\"]", "1", "null", "{}", "{\"hook_event_name\": 1}", "{\"event\": \"Stop\"}"]
        {
            assert_eq!(HookInput::parse(text.as_bytes()).unwrap_err().code(), Code::InvalidRequest, "{text}");
        }
        for (event, own, member) in [
            ("UserPromptSubmit", json!({}), "prompt"),
            ("UserPromptSubmit", json!({"prompt": null}), "prompt"),
            ("PreToolUse", json!({"tool_input": {}}), "tool_name"),
            ("PreToolUse", json!({"tool_name": "Bash"}), "tool_input"),
            ("SubagentStart", json!({}), "agent_type"),
            ("UserPromptSubmit", json!({"prompt": ["hi"]}), "prompt"),
            ("UserPromptSubmit", json!({"prompt": {"text": "hi"}}), "prompt"),
            ("PreToolUse", json!({"tool_name": 1, "tool_input": {}}), "tool_name"),
            ("PreToolUse", json!({"tool_name": "Bash", "tool_input": ["ls"]}), "tool_input"),
            ("PreToolUse", json!({"tool_name": "Bash", "tool_input": "ls"}), "tool_input"),
            ("SubagentStart", json!({"agent_type": 1}), "agent_type"),
        ] {
            let error = parse(&claude(event, &own)).unwrap().event().unwrap_err();
            assert_eq!(error.code(), Code::InvalidRequest);
            assert!(error.message().contains(&format!("`{member}`")), "{error}");
        }
        for own in [json!({"prompt": ["hi"]}), json!({"tool_input": ["ls"]}), json!({"agent_type": 1})] {
            let refused = parse(&claude("UserPromptSubmit", &own)).and_then(|input| input.event().map(|_| ()));
            assert_eq!(refused.unwrap_err().code(), Code::InvalidRequest, "{own}");
        }
    }

    // S-HOOK-1: A hook takes the JSON of Claude's hooks, and members that it does not know.
    #[test]
    fn members_of_an_unknown_event_may_be_anything() {
        for odd in [json!(1), json!(["a"]), json!({"a": "b"}), json!("text"), json!(true), json!(null)] {
            let own = json!({
                "prompt": odd, "tool_name": odd, "tool_input": odd, "agent_type": odd, "session_id": odd, "cwd": odd,
            });
            for event in ["Notification", "PostToolUse", "NotThereYet", ""] {
                assert_eq!(parse(&claude(event, &own)).unwrap().event().unwrap(), HookEvent::Other, "{event} {odd}");
            }
            // A known event ignores the members of other events.
            let own = json!({"prompt": "hi", "tool_name": odd, "agent_type": odd, "session_id": odd});
            let input = parse(&claude("UserPromptSubmit", &own)).unwrap();
            assert_eq!(input.event().unwrap(), HookEvent::UserPromptSubmit { prompt: "hi" }, "{odd}");
        }
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[test]
    fn an_input_is_taken_at_its_limit_and_refused_beyond_it() {
        let of_bytes = |bytes: usize| {
            let frame = r#"{"hook_event_name":"UserPromptSubmit","prompt":""}"#;
            frame.replace("\"\"", &format!("\"{}\"", "x".repeat(bytes - frame.len())))
        };
        assert!(HookInput::parse(of_bytes(JSON_BODY_BYTES).as_bytes()).is_ok());
        let over = HookInput::parse(of_bytes(JSON_BODY_BYTES + 1).as_bytes()).unwrap_err();
        assert_eq!(over.code(), Code::FileTooLarge);
        let deep = format!(
            r#"{{"hook_event_name": "PreToolUse", "tool_input": {{"a": {}{}}}}}"#,
            "[".repeat(1000),
            "]".repeat(1000)
        );
        assert_eq!(HookInput::parse(deep.as_bytes()).unwrap_err().code(), Code::TooExpensive);
    }
}
