//! The documents of figures of use.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which records count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UsageRequest {
    /// Count operations that ended then or later. Absent: count all records of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[param(value_type = Option<String>, format = DateTime)]
    pub since: Option<Timestamp>,
}

/// How a user's conversations find and use skills. A figure is null if there is nothing to make it from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Sessions in which an agent called an operation.
    pub conversations: u64,
    /// The share of conversations that searched for skills.
    pub discovery_rate: Option<f64>,
    /// The share of searches after which the conversation loaded a skill before it searched again.
    pub discovery_success: Option<f64>,
    /// The mean number of calls from such a search to the load. The load counts too.
    pub discovery_to_use_turns: Option<f64>,
    /// The share of approvals among the decisions of persons about waiting calls. A call without a decision does not count.
    pub approval_rate: Option<f64>,
    /// The share of calls that succeeded. A call that was told to ask for an approval is none yet.
    pub completion_rate: Option<f64>,
    /// The mean number of tokens that loading on demand saved a conversation: the present instructions of all skills of the user,
    /// less the skills that the conversation used. A token is four bytes.
    pub context_saved_tokens: Option<u64>,
    /// Searches.
    pub searches: u64,
    /// Searches that found nothing.
    pub unanswered: u64,
    /// The skills that conversations used, the most used first.
    pub skills: Vec<SkillUsage>,
    /// The skills that at least 30 % of conversations chose: an agent loaded them or read a file of them, or a policy named them.
    pub default_candidates: Vec<String>,
    /// Whether there are more records than are looked at: the earliest batches are left out, and conversations and skills over the limits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// How often a skill is used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillUsage {
    /// Its path.
    pub skill: String,
    /// How often it was loaded: by calls, loads of a loaded skill included, and by conversations that began with it.
    pub loads: u64,
    /// In how many conversations.
    pub conversations: u64,
    /// The share of conversations that used it.
    pub rate: f64,
    /// When it was loaded last.
    #[schema(value_type = String, format = DateTime)]
    pub last_used: Timestamp,
}
