//! Calls that wait for a person, and the decisions about them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use skillmount_base::path::SkillPath;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = DecideApprovalRequest)]
pub struct DecideApproval {
    /// What is decided.
    pub decision: Decision,
    /// Whether it holds for every call of this tool, or every load of this skill, in this session.
    #[serde(default)]
    pub remember: bool,
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
    /// When the call stops waiting. Made again after that, it is another one.
    #[schema(value_type = String, format = DateTime)]
    pub expires_at: Timestamp,
}
