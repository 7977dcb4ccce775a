//! Finding skills for a task; finding one does not load it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Operation, Request, Touch};
use crate::{limits::SEARCH_RESULTS, path::Layer};

/// Find skills for a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscoverRequest {
    /// What the task is about: a sentence or a few words.
    pub query: String,
    /// Only this category and those below it.
    #[serde(default)]
    pub category: Option<String>,
    /// Only this level, in whatever case.
    #[serde(default)]
    pub level: Option<String>,
    /// 10 by default.
    #[serde(default = "default_results")]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: usize,
}

impl DiscoverRequest {
    /// Finds the ten best skills for this task.
    #[must_use]
    pub fn new(query: impl Into<String>) -> Self {
        Self { query: query.into(), category: None, level: None, limit: SEARCH_RESULTS }
    }
}

impl Request for DiscoverRequest {
    const OPERATION: Operation = Operation::DiscoverSkills;
    const FOR_MODELS: &'static str = "Search the skills there are. Finding one does not load it.";
    type Reply = DiscoverReply;

    fn touches(&self) -> Vec<Touch<'_>> {
        Vec::new()
    }

    fn subject(&self) -> String {
        self.query.clone()
    }
}

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiscoveredSkill {
    /// What `load_skill` takes.
    pub skill: String,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// The part of `skill` before the last slash; empty at the top.
    pub category: String,
    /// Whose folder it lies in.
    pub layer: Layer,
    /// How much of the question it answers, from 0 to 1.
    pub score: f32,
}

/// The skills that answer a question, best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DiscoverReply {
    /// The best of them.
    pub skills: Vec<DiscoveredSkill>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
    /// What was found and what to do next, in a sentence or two.
    pub message: String,
}

fn default_results() -> usize {
    SEARCH_RESULTS
}
