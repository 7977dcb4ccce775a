//! Calls that wait for a person, and the decisions about them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use skillmount_base::{
    error::{Code, Error, Result},
    limits::APPROVAL_MESSAGE_CHARS,
    path::SkillPath,
};

/// What a person decides about a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ApprovalDecision)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum), value(rename_all = "snake_case"))]
pub enum Decision {
    /// The call runs when it is made again.
    Allow,
    /// The call is refused when it is made again.
    Deny,
}

/// A decision about a call that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DecideApprovalRequest)]
pub struct DecideApproval {
    /// What is decided.
    pub decision: Decision,
    /// Whether it holds for every call of this tool, or every load of this skill, in this session.
    #[serde(default)]
    pub remember: bool,
    /// With `deny`: a text for the model, at most 1,000 characters. The model receives it if it makes this call again within five
    /// minutes, also with `remember`. An empty text counts as none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1000)]
    pub message: Option<String>,
}

impl DecideApproval {
    /// The decision, for one call and without a text.
    #[must_use]
    pub const fn new(decision: Decision) -> Self {
        Self { decision, remember: false, message: None }
    }

    /// The text for the model, if there is one.
    ///
    /// # Errors
    /// `invalid_request` if a call is allowed with a text, or the text is longer than [`APPROVAL_MESSAGE_CHARS`].
    pub fn checked_message(&self) -> Result<Option<&str>> {
        let Some(message) = self.message.as_deref().filter(|message| !message.trim().is_empty()) else {
            return Ok(None);
        };
        if self.decision == Decision::Allow {
            let message = "`message` goes with the decision `deny` alone; leave it out to allow the call";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        let characters = message.chars().count();
        if characters > APPROVAL_MESSAGE_CHARS {
            let message = format!("`message` has {characters} characters and may have {APPROVAL_MESSAGE_CHARS}");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        Ok(Some(message))
    }
}

/// The calls of a session that wait for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalList {
    /// The oldest first.
    pub approvals: Vec<WaitingCall>,
}

/// A call that waits for a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitingCall {
    /// Its id.
    pub approval_id: String,
    /// The tool that was called.
    pub tool: String,
    /// The input of the call. Of a long one, long texts are cut.
    #[schema(value_type = Object)]
    pub input: Value,
    /// Whether `input` is only a part.
    pub input_cut: bool,
    /// The skill that is to be loaded, if the call loads one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub skill: Option<SkillPath>,
    /// The digest of the files of that skill. A load of other files is another call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// The digest of the files that a person allowed before, if the skill has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_digest: Option<String>,
    /// When the call stops waiting. Made again after that, it is another one.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
    /// The whole seconds until then.
    #[serde(default)]
    #[schema(required = true)]
    pub seconds_left: u64,
}
