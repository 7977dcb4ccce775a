//! Calls that a person approves: a host on this machine has a person in front of it, who is asked there.

use rmcp::{
    Peer, RoleServer,
    model::{CallToolRequestParams, ElicitRequestParams, ElicitationAction, ElicitationSchema},
    service::ElicitationMode,
};
use serde_json::{Value, json};

use crate::{
    backend::SkillBackend,
    error::{Code, Error, Result},
    session::{DecideApproval, Decision},
    skill::shown::one_line,
};

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

/// Has the host ask its person about a call that waits. Returns whether it was decided.
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
    let asked =
        ElicitRequestParams::FormElicitationParams { meta: None, message: question(call), requested_schema: schema()? };
    let Ok(answer) = peer.create_elicitation(asked).await else { return Ok(false) };
    let said = answer.content.as_ref().and_then(|content| content.get("decision")).and_then(Value::as_str);
    let (decision, remember) = match (answer.action, said) {
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
    let schema = json!({ "type": "object", "properties": { "decision": decision }, "required": ["decision"] });
    serde_json::from_value(schema).map_err(Error::internal)
}
