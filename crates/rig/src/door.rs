//! The two ways to a session: in this process, and over HTTP.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    client::RemoteBackend,
    error::{Code, Error, Result},
    handle::SessionBackend,
    prompt, tools,
    wire::{
        ApprovalList, DecideApproval, DefinitionShape, PromptMode, PromptRequest, ToolCallsRequest, ToolListRequest,
        ToolResult, TurnReply,
    },
};

/// A way to one session. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) enum Door {
    /// A service in this process.
    InProcess(Box<SessionBackend>),
    /// A service elsewhere.
    Remote(Arc<RemoteBackend>),
}

/// A tool that the session may use now, as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OfferedTool {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The JSON Schema of the input.
    pub(crate) input_schema: Value,
}

/// A call as the model wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ModelCall<'a> {
    /// The id of the framework.
    pub(crate) id: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) input: &'a Value,
}

impl Door {
    /// The prompt as it is now.
    pub(crate) async fn prompt(&self, wanted: &PromptRequest) -> Result<String> {
        let rendering = match self {
            Self::InProcess(backend) => prompt::for_session(backend, wanted).await?,
            Self::Remote(backend) => backend.prompt(wanted).await?,
        };
        Ok(rendering.prompt)
    }

    /// The tools as they are now.
    pub(crate) async fn tools(&self, mode: Option<PromptMode>) -> Result<Vec<OfferedTool>> {
        let format = DefinitionShape::Anthropic;
        let tools = match self {
            Self::InProcess(backend) => {
                let tools = tools::for_session(&backend.as_ref().clone().in_mode(mode)).await?;
                tools.iter().map(|tool| tool.in_shape(format)).collect()
            }
            Self::Remote(backend) => backend.tools(&ToolListRequest { format, mode }).await?.tools,
        };
        tools.into_iter().map(offered).collect()
    }

    /// Runs one call. A call that failed is a result too.
    pub(crate) async fn call(&self, call: ModelCall<'_>, mode: Option<PromptMode>) -> Result<ToolResult> {
        let ModelCall { id, tool, input } = call;
        let content = vec![json!({ "type": "tool_use", "id": id, "name": tool, "input": input })];
        let turn = ToolCallsRequest { content, mode, ..ToolCallsRequest::default() };
        let reply = match self {
            Self::InProcess(backend) => tools::run_turn(&backend.as_ref().clone().in_mode(mode), turn, true).await?,
            Self::Remote(backend) => backend.tool_calls(&turn, true).await?,
        };
        match reply {
            TurnReply::Results(results) => results.content.into_iter().next(),
            TurnReply::Messages(_) => None,
        }
        .ok_or_else(unknown_reply)
    }

    /// The calls that wait for a person.
    pub(crate) async fn waiting_calls(&self) -> Result<ApprovalList> {
        match self {
            Self::InProcess(backend) => backend.approvals().waiting_calls().await,
            Self::Remote(backend) => backend.waiting_calls().await,
        }
    }

    /// Decides about a call that waits.
    pub(crate) async fn decide(&self, id: &str, decision: DecideApproval) -> Result<()> {
        match self {
            Self::InProcess(backend) => backend.approvals().decide_approval(id, decision).await.map(drop),
            Self::Remote(backend) => backend.decide_approval(id, &decision).await.map(drop),
        }
    }
}

fn offered(mut tool: Value) -> Result<OfferedTool> {
    let text = |tool: &Value, member| tool.get(member).and_then(Value::as_str).map(str::to_owned);
    let (name, description) = (text(&tool, "name"), text(&tool, "description"));
    let input_schema = tool.get_mut("input_schema").map(Value::take);
    match (name, description, input_schema) {
        (Some(name), Some(description), Some(input_schema)) if !name.is_empty() => {
            Ok(OfferedTool { name, description, input_schema })
        }
        _ => Err(unknown_reply()),
    }
}

fn unknown_reply() -> Error {
    let message = "the reply of the service is not one that this version knows; use service and crate of one version";
    Error::new(Code::InvalidRequest, message)
}
