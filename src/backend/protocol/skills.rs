//! What goes in and out where skills are found, loaded and hidden again.

use serde::{Deserialize, Serialize};

use crate::{catalog::Layer, limits::SEARCH_RESULTS};

wire! {
    /// Load a skill.
    #[serde(deny_unknown_fields)]
    pub struct LoadSkillRequest {
        /// A skill path, a mount name or a frontmatter name, tried in that order.
        pub skill: String,
        /// Another name for its folder below `/skills`.
        #[serde(default)]
        pub mount_as: Option<String>,
        /// Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.
        #[serde(default)]
        pub arguments: Option<String>,
        /// Who asks for it: some skills are for people to call, and some for models.
        #[serde(default)]
        pub invoker: Invoker,
    }

    /// One file of a skill.
    pub struct SkillFile {
        /// Its virtual path.
        pub path: String,
        /// Bytes.
        pub size: u64,
    }

    /// A parameter of a skill's body.
    pub struct SkillParameter {
        /// Its name.
        pub name: String,
        /// What to ask the user for, where its author says.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub description: Option<String>,
        /// Whether the skill cannot be followed without it.
        pub required: bool,
        /// The value it was given, or its default.
        pub value: Option<String>,
    }

    /// A skill that is loaded now.
    pub struct LoadSkillReply {
        /// What happened.
        pub status: LoadStatus,
        /// Where it lies.
        pub skill: String,
        /// Its folder: `/skills/compraventa`.
        pub mount: String,
        /// Its name.
        pub name: String,
        /// What it is for.
        pub description: String,
        /// The digest of the snapshot that is mounted.
        pub digest: String,
        /// Its files.
        pub files: Vec<SkillFile>,
        /// Its instructions: SKILL.md without the frontmatter.
        pub body: String,
        /// The parameters of its body.
        pub parameters: Vec<SkillParameter>,
    }

    /// Find skills for a task.
    #[serde(deny_unknown_fields)]
    pub struct DiscoverRequest {
        /// What the skills should be for: a sentence or a few words.
        pub query: String,
        /// Only skills in this category or below it.
        #[serde(default)]
        pub category: Option<String>,
        /// Only skills whose frontmatter names this level, in whatever case.
        #[serde(default)]
        pub level: Option<String>,
        /// How many to return at most, 1 to 100.
        #[serde(default = "default_results")]
        #[cfg_attr(feature = "server", schema(minimum = 1, maximum = 100))]
        pub limit: usize,
    }

    /// Hide a skill again.
    #[serde(deny_unknown_fields)]
    pub struct UnloadSkillRequest {
        /// A skill path, a mount name or a frontmatter name.
        pub skill: String,
    }

    /// What became of it.
    pub struct UnloadSkillReply {
        /// What happened.
        pub status: UnloadStatus,
        /// The skill path, or the name as it was given where no such skill is loaded.
        pub skill: String,
    }
}

/// A skill that answers a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
pub struct DiscoverReply {
    /// The best of them.
    pub skills: Vec<DiscoveredSkill>,
    /// How many there are, those beyond the limit included.
    pub total: usize,
    /// What was found and what to do next, in a sentence or two.
    pub message: String,
}

impl LoadSkillRequest {
    /// A plain load by a model of the skill that answers to this name.
    #[must_use]
    pub fn of(skill: impl Into<String>) -> Self {
        Self { skill: skill.into(), mount_as: None, arguments: None, invoker: Invoker::Model }
    }
}

/// Who asks for a skill, where its author makes a difference between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
pub enum Invoker {
    /// A model, by a tool: not where `disable-model-invocation` is set.
    #[default]
    Model,
    /// A person, by `/name`: not where `user-invocable` is false.
    Person,
}

/// What a load did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoadStatus {
    /// It was not loaded before.
    Loaded,
    /// It was loaded already, with these very files.
    AlreadyLoaded,
    /// It was loaded before; its files changed since and are the new ones now.
    Reloaded,
}

/// What an unload did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "server", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum UnloadStatus {
    /// It is hidden now.
    Unloaded,
    /// It was not loaded.
    NotLoaded,
}

fn default_results() -> usize {
    SEARCH_RESULTS
}
