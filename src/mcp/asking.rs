//! Calls that a person approves. A host on this machine has a person in front of it, who is asked there. A host over HTTP answers
//! with the agent's own key, which decides nothing unless the user's policy says that hosts do.

use rmcp::{
    Peer, RoleServer,
    model::{
        CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema,
        InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
    },
    service::{ElicitationMode, RequestContext},
};
use serde_json::{Value, json};

use crate::{
    backend::SkillBackend,
    error::{Code, Error, Result},
    session::{ApproveBy, DecideApproval, Decision},
    skill::shown::one_line,
};

/// The member in which the answer has the decision, and the name of the question.
const DECISION: &str = "decision";
const ONCE: &str = "allow";
const ALWAYS: &str = "allow until the conversation ends";
const DENY: &str = "deny";

/// Characters of a call's input that the question quotes.
const QUOTED: usize = 1000;

/// The approval that an error says a call waits for.
pub(super) fn waits_for(error: &Error) -> Option<&str> {
    let id = error.details().get("approval_id").and_then(Value::as_str);
    id.filter(|_| error.code() == Code::ApprovalRequired)
}

/// Has a host on this machine ask its person about a call that waits. Returns whether it was decided.
///
/// # Errors
/// Those of the decision.
pub(super) async fn decide(
    backend: &SkillBackend,
    peer: &Peer<RoleServer>,
    call: &CallToolRequestParams,
    approval: &str,
) -> Result<bool> {
    if !peer.supported_elicitation_modes().contains(&ElicitationMode::Form) {
        return Ok(false);
    }
    let Ok(answer) = peer.create_elicitation(asked(call)?).await else { return Ok(false) };
    settle(backend, approval, &answer).await
}

/// What a host over HTTP is to ask its person about a call that waits, if the policy leaves it to the host, and the host can. It
/// asks between two requests: the second is the call again, with the answer.
///
/// # Errors
/// As [`SkillBackend::state`].
pub(super) async fn to_ask(
    backend: &SkillBackend,
    context: &RequestContext<RoleServer>,
    call: &CallToolRequestParams,
) -> Result<Option<InputRequiredResult>> {
    let can_ask = context.client_capabilities().and_then(|can| can.elicitation);
    let can_ask = can_ask.is_some_and(|can| can.form.is_some() || can.url.is_none());
    let returns =
        context.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if !can_ask || !returns || !is_of_host(backend).await? {
        return Ok(None);
    }
    let asked = InputRequest::Elicitation(ElicitRequest::new(asked(call)?));
    Ok(Some(InputRequiredResult::from_input_requests(InputRequests::from([(DECISION.to_owned(), asked)]))))
}

/// Decides about a call that waits as the person at a host over HTTP has answered, if there is an answer and the policy leaves it
/// to the host. Returns whether it was decided.
///
/// # Errors
/// Those of the decision.
pub(super) async fn answered(backend: &SkillBackend, call: &CallToolRequestParams, approval: &str) -> Result<bool> {
    let answer = call.input_responses.as_ref().and_then(|answers| answers.get(DECISION));
    let Some(Ok(answer)) = answer.map(|answer| serde_json::from_value(answer.clone())) else { return Ok(false) };
    Ok(is_of_host(backend).await? && settle(backend, approval, &answer).await?)
}

async fn is_of_host(backend: &SkillBackend) -> Result<bool> {
    Ok(backend.state().await?.policy.approve_by() == ApproveBy::Host)
}

async fn settle(backend: &SkillBackend, approval: &str, answer: &ElicitResult) -> Result<bool> {
    let said = answer.content.as_ref().and_then(|content| content.get(DECISION)).and_then(Value::as_str);
    let (decision, remember) = match (&answer.action, said) {
        (ElicitationAction::Accept, Some(ONCE)) => (Decision::Allow, false),
        (ElicitationAction::Accept, Some(ALWAYS)) => (Decision::Allow, true),
        (ElicitationAction::Accept, Some(DENY)) | (ElicitationAction::Decline, _) => (Decision::Deny, false),
        _ => return Ok(false),
    };
    match backend.decide_approval(approval, DecideApproval { decision, remember }).await {
        Ok(_) => Ok(true),
        // Somebody else decided meanwhile.
        Err(error) if error.code() == Code::ApprovalNotFound => Ok(true),
        Err(error) => Err(error),
    }
}

fn asked(call: &CallToolRequestParams) -> Result<ElicitRequestParams> {
    Ok(ElicitRequestParams::FormElicitationParams { meta: None, message: question(call), requested_schema: schema()? })
}

fn question(call: &CallToolRequestParams) -> String {
    let input = Value::Object(call.arguments.clone().unwrap_or_default()).to_string();
    let mut quoted: String = input.chars().take(QUOTED).collect();
    if quoted.len() < input.len() {
        quoted.push('…');
    }
    format!("The agent wants to call {} with {}", call.name, one_line(&quoted).plain())
}

fn schema() -> Result<ElicitationSchema> {
    let decision = json!({ "type": "string", "title": "Decision", "enum": [ONCE, ALWAYS, DENY] });
    let schema = json!({ "type": "object", "properties": { DECISION: decision }, "required": [DECISION] });
    serde_json::from_value(schema).map_err(Error::internal)
}
