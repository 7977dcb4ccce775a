//! From a `tool_use` block to a request of the backend.
//!
//! A model's input is text from outside: it is parsed into the request types before anything runs, and what does not
//! parse is answered with what was expected.

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use super::tool::Tool;
use crate::{
    backend::{
        DeleteRequest, DiscoverRequest, EditRequest, GlobRequest, GrepRequest, LoadSkillRequest, LsRequest,
        ReadRequest, UnloadSkillRequest, WriteRequest,
    },
    error::{Code, Error, Result},
    json,
    session::Both,
};

/// Characters of a name that is quoted back.
const QUOTED: usize = 100;

/// A call that parsed.
#[derive(Clone, Debug)]
pub(super) enum Call {
    Ls(LsRequest),
    Read(ReadRequest),
    Grep(GrepRequest),
    Glob(GlobRequest),
    Write(WriteRequest),
    Edit(EditRequest),
    Delete(DeleteRequest),
    Load(LoadSkillRequest),
    Unload(UnloadSkillRequest),
    Discover(DiscoverRequest),
}

/// The input of what loads a skill; who calls it is not the model's to say.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadInput {
    skill: String,
    mount_as: Option<String>,
    arguments: Option<String>,
}

/// The same under the names that Claude's agents know. `mount_as` is not among them, but errors speak of it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SkillInput {
    skill: String,
    mount_as: Option<String>,
    args: Option<String>,
}

impl Call {
    /// The call of the tool `name`, which must be one this policy has: what is merely not offered now can be called.
    ///
    /// # Errors
    /// `invalid_request`, with the tools there are, or with what this one takes.
    pub(super) fn parse(name: &str, input: Value, policy: &Both) -> Result<Self> {
        let known = Tool::ALL.into_iter().find(|tool| tool.name() == name);
        // A tool that the policy refuses is left to the backend, which says why.
        let known = known.filter(|tool| !matches!(tool, Tool::LoadSkill | Tool::Skill) || tool.is_open_to(policy));
        let tool = known.ok_or_else(|| unknown(name, policy))?;
        Ok(match tool {
            Tool::Ls => Self::Ls(request(tool, input)?),
            Tool::Read => Self::Read(request(tool, input)?),
            Tool::Grep => Self::Grep(request(tool, input)?),
            Tool::Glob => Self::Glob(request(tool, input)?),
            Tool::Write => Self::Write(request(tool, input)?),
            Tool::Edit => Self::Edit(request(tool, input)?),
            Tool::Delete => Self::Delete(request(tool, input)?),
            Tool::LoadSkill => {
                let LoadInput { skill, mount_as, arguments } = request(tool, input)?;
                Self::Load(LoadSkillRequest { mount_as, arguments, ..LoadSkillRequest::of(skill) })
            }
            Tool::Skill => {
                let SkillInput { skill, mount_as, args } = request(tool, input)?;
                Self::Load(LoadSkillRequest { mount_as, arguments: args, ..LoadSkillRequest::of(skill) })
            }
            Tool::UnloadSkill => Self::Unload(request(tool, input)?),
            Tool::DiscoverSkills => Self::Discover(request(tool, input)?),
        })
    }
}

/// Reads the input of one tool. A member that is null counts as absent, as many models write it.
fn request<T: DeserializeOwned>(tool: Tool, input: Value) -> Result<T> {
    let wrong = |what: String| {
        let message = format!("wrong input for {}: {what}. It takes {}", tool.name(), tool.expected());
        Error::new(Code::InvalidRequest, message)
    };
    // An array would be taken for the members in their order.
    let Value::Object(members) = input else { return Err(wrong("it must be an object".to_owned())) };
    let given = members.into_iter().filter(|(_, value)| !value.is_null()).collect();
    json::from_value(Value::Object(given)).map_err(|error| wrong(in_words(&error)))
}

/// What is wrong, in JSON's words and not in those of the types here.
fn in_words(error: &serde_json::Error) -> String {
    ["u64", "usize", "u32"]
        .iter()
        .fold(error.to_string(), |text, number| text.replace(&format!("expected {number}"), "expected a whole number"))
}

fn unknown(name: &str, policy: &Both) -> Error {
    let name: String = name.chars().take(QUOTED).collect();
    let tools: Vec<_> = Tool::ALL.into_iter().filter(|tool| tool.is_open_to(policy)).map(Tool::name).collect();
    Error::new(Code::InvalidRequest, format!("there is no tool {name:?}; the tools are {}", tools.join(", ")))
}
