//! Calls that a person approves. A host on this machine has a person in front of it, who is asked there. A host over HTTP answers
//! with the agent's own key, which decides nothing unless the user's policy says that hosts do.

use rmcp::model::{
    CallToolRequestParams, CancelledNotificationParam, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, ElicitationSchema, GetPromptRequestParams, InputRequest, InputRequests, InputRequiredResult,
    InputResponses, ProtocolVersion, RequestId, ServerRequest,
};
use rmcp::{Peer, RoleServer, service::PeerRequestOptions};
use serde_json::{Value, json};

use super::refusal::McpContext;
use crate::{
    error::{Code, Error, Result},
    handle::SessionBackend,
    limits::APPROVAL_MESSAGE_CHARS,
    skill::shown::one_line,
    wire::{ApproveBy, DecideApproval, Decision, WaitingCall},
};

/// The member in which the answer has the decision, and the name of the question.
const DECISION: &str = "decision";
const ONCE: &str = "allow";
const ALWAYS: &str = "allow until the conversation ends";
const DENY: &str = "deny";

/// The member in which the answer may have a text for the model.
const MESSAGE: &str = "message";

/// The approval that an error says a call waits for.
pub(super) fn waits_for(error: &Error) -> Option<&str> {
    let id = error.details().get("approval_id").and_then(Value::as_str);
    id.filter(|_| error.code() == Code::ApprovalRequired)
}

/// A request of a host that a person approves.
pub(super) struct PendingRequest<'a> {
    /// The person's answer, if the host comes back with an answer.
    responses: Option<&'a InputResponses>,
}

/// The result of asking.
pub(super) enum ElicitationResult {
    /// A person decided: the request is run again.
    Decided,
    /// The host is to ask, and to come back.
    Returns(InputRequiredResult),
    /// No person was asked or gave an answer: the request waits.
    Waits,
}

impl<'a> PendingRequest<'a> {
    /// The call of a tool.
    pub(super) fn of_call(call: &'a CallToolRequestParams) -> Self {
        Self { responses: call.input_responses.as_ref() }
    }

    /// A prompt, whose skill is loaded.
    pub(super) fn of_prompt(wanted: &'a GetPromptRequestParams) -> Self {
        Self { responses: wanted.input_responses.as_ref() }
    }

    /// Has the host ask its person about this request, for which `approval` waits. A host on this machine has a person.
    /// For any other host the policy says whether it may decide. Before protocol version 2026-07-28 a host is asked
    /// while its request waits, which is impossible over HTTP. From that version on the host asks between two requests,
    /// and the second has the answer.
    ///
    /// # Errors
    /// As [`SessionBackend::state`]; those of the decision.
    pub(super) async fn ask(
        &self,
        backend: &SessionBackend,
        context: &McpContext,
        approval: &str,
        has_person: bool,
    ) -> Result<ElicitationResult> {
        let version = context.protocol_version();
        let returns = version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
        if !(has_person || returns && is_of_host(backend).await?) {
            return Ok(ElicitationResult::Waits);
        }
        if let Some(responses) = self.responses.filter(|_| returns) {
            let answer = responses.get(DECISION).map(|answer| serde_json::from_value(answer.clone()));
            return match answer {
                Some(Ok(answer)) => settle(backend, approval, &answer).await,
                _ => Ok(ElicitationResult::Waits),
            };
        }
        let can_ask = context.client_capabilities().and_then(|can| can.elicitation);
        if !can_ask.is_some_and(|can| can.form.is_some() || can.url.is_none()) {
            return Ok(ElicitationResult::Waits);
        }
        let waiting = backend.approvals().waiting_calls().await?.approvals;
        let Some(call) = waiting.iter().find(|call| call.approval_id == approval) else {
            // Another caller decided meanwhile.
            return Ok(ElicitationResult::Decided);
        };
        if !returns {
            let Some(answer) = OpenQuestion::put(context, form(call)?).await else {
                return Ok(ElicitationResult::Waits);
            };
            return settle(backend, approval, &answer).await;
        }
        let asked = InputRequest::Elicitation(ElicitRequest::new(form(call)?));
        let asked = InputRequests::from([(DECISION.to_owned(), asked)]);
        Ok(ElicitationResult::Returns(InputRequiredResult::from_input_requests(asked)))
    }
}

fn form(call: &WaitingCall) -> Result<ElicitRequestParams> {
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message: question(call), requested_schema: schema()? })
}

/// The question for the person: tool, input, the time left, and for a load the skill and its version.
fn question(call: &WaitingCall) -> String {
    let WaitingCall { tool, input, input_cut, skill, digest, allowed_digest, seconds_left, .. } = call;
    let input = one_line(&input.to_string()).plain().to_owned();
    let part = if *input_cut { " (long texts are cut)" } else { "" };
    let load = skill.as_ref().map(|skill| {
        let version = digest.as_ref().map(|digest| format!(", version {digest}")).unwrap_or_default();
        let changed =
            allowed_digest.as_ref().map(|allowed| format!(" It has changed since you allowed version {allowed}."));
        format!(" This loads the skill {}{version}.{}", one_line(skill.as_str()).plain(), changed.unwrap_or_default())
    });
    let load = load.unwrap_or_default();
    format!("The agent wants to call {tool} with {input}{part}.{load} The call waits for {seconds_left} seconds more.")
}

/// A question without an answer of the host. If its call ends before the answer, the server cancels the question.
struct OpenQuestion {
    peer: Peer<RoleServer>,
    id: Option<RequestId>,
}

impl OpenQuestion {
    /// The answer of the host; `None` if there is none.
    async fn put(context: &McpContext, form: ElicitRequestParams) -> Option<ElicitResult> {
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(form));
        let asked = context.peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok()?;
        let mut question = Self { peer: context.peer.clone(), id: Some(asked.id.clone()) };
        let answer = asked.await_response().await;
        question.id = None;
        match answer.ok()? {
            ClientResult::ElicitResult(answer) => Some(answer),
            _ => None,
        }
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        tokio::spawn(async move {
            let cancelled = CancelledNotificationParam::new(Some(id), Some("the call was cancelled".to_owned()));
            // A host that is gone has closed the question.
            let _ = peer.notify_cancelled(cancelled).await;
        });
    }
}

async fn is_of_host(backend: &SessionBackend) -> Result<bool> {
    Ok(backend.state().await?.policy.approve_by() == ApproveBy::Host)
}

async fn settle(backend: &SessionBackend, approval: &str, answer: &ElicitResult) -> Result<ElicitationResult> {
    let said = answer.content.as_ref().and_then(|content| content.get(DECISION)).and_then(Value::as_str);
    let (decision, remember) = match (&answer.action, said) {
        (ElicitationAction::Accept, Some(ONCE)) => (Decision::Allow, false),
        (ElicitationAction::Accept, Some(ALWAYS)) => (Decision::Allow, true),
        (ElicitationAction::Accept, Some(DENY)) | (ElicitationAction::Decline, _) => (Decision::Deny, false),
        _ => return Ok(ElicitationResult::Waits),
    };
    let message = (decision == Decision::Deny).then(|| message_of(answer)).flatten();
    match backend.approvals().decide_approval(approval, DecideApproval { decision, remember, message }).await {
        Ok(_) => Ok(ElicitationResult::Decided),
        // Another caller decided meanwhile.
        Err(error) if error.code() == Code::ApprovalNotFound => Ok(ElicitationResult::Decided),
        Err(error) => Err(error),
    }
}

/// The text for the model, as much of it as a denial takes: a host may not check the length.
fn message_of(answer: &ElicitResult) -> Option<String> {
    let text = answer.content.as_ref()?.get(MESSAGE)?.as_str()?;
    Some(text.chars().take(APPROVAL_MESSAGE_CHARS).collect())
}

fn schema() -> Result<ElicitationSchema> {
    let decision = json!({ "type": "string", "title": "Decision", "enum": [ONCE, ALWAYS, DENY] });
    let message = json!({
        "type": "string", "title": "With deny: a text for the agent", "maxLength": APPROVAL_MESSAGE_CHARS,
    });
    let properties = json!({ DECISION: decision, MESSAGE: message });
    let schema = json!({ "type": "object", "properties": properties, "required": [DECISION] });
    serde_json::from_value(schema).map_err(Error::internal)
}
