//! Loading a skill.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use skillmount_skill::FilledParameter;

use super::{Access, CallOutline, Operation, Request, left_out};

/// Load a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadSkillRequest {
    /// A skill path, a mount name or a frontmatter name, tried in that order.
    pub skill: String,
    /// Another name for its folder below `/skills`, if its own is taken.
    pub mount_as: Option<String>,
    /// Arguments for the parameters of its body: words, or `name=value`. 16 KiB at most.
    pub arguments: Option<String>,
    /// The digest of a published version to load in place of what the skill is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Whether the reply holds the instructions. A framework that puts them into its prompt needs them once.
    #[serde(default = "default_body")]
    pub body: bool,
    /// Who asks for it: some skills are for people to call, and some for models.
    #[serde(default)]
    pub invoker: Invoker,
}

/// One file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillFile {
    /// Its virtual path.
    pub path: String,
    /// Bytes.
    pub size: u64,
}

/// A parameter of a skill's body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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

impl From<FilledParameter> for SkillParameter {
    fn from(filled: FilledParameter) -> Self {
        let FilledParameter { name, description, required, value } = filled;
        Self { name, description: Some(description).filter(|text| !text.is_empty()), required, value }
    }
}

/// A skill that is loaded now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
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
    /// The digest of the published version that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its files.
    pub files: Vec<SkillFile>,
    /// Its instructions: SKILL.md without the frontmatter. Absent if the call wants none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The parameters of its body.
    pub parameters: Vec<SkillParameter>,
}

impl Request for LoadSkillRequest {
    const OPERATION: Operation = Operation::LoadSkill;
    const FOR_MODELS: &'static str = "Load a skill before you answer a request that it matches; then follow its instructions. Its files appear below /skills.";
    // Who calls is for the surface to say, as is where the instructions go, and a model has no use for an old version.
    const NOT_FOR_MODELS: &'static [&'static str] = &["invoker", "digest", "body"];
    type Reply = LoadSkillReply;

    fn outline(&self) -> CallOutline {
        let Self { skill, mount_as, arguments, digest, body, invoker } = self;
        let named = CallOutline::default().skill("skill", skill).skill("mount_as", mount_as);
        let given = named.other("arguments", arguments.as_deref().map(left_out)).other("digest", digest);
        given.other("body", body).other("invoker", invoker)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Session]
    }

    fn subject(&self) -> String {
        self.skill.clone()
    }
}

impl LoadSkillRequest {
    /// A plain load by a model of the skill that answers to this name.
    #[must_use]
    pub fn new(skill: impl Into<String>) -> Self {
        Self { skill: skill.into(), mount_as: None, arguments: None, digest: None, body: true, invoker: Invoker::Model }
    }
}

const fn default_body() -> bool {
    true
}

/// Who asks for a skill, where its author makes a difference between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillInvoker)]
pub enum Invoker {
    /// A model, by a tool: not where `disable-model-invocation` is set.
    #[default]
    Model,
    /// A person, by `/name`: not where `user-invocable` is false.
    Person,
}

/// What a load did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoadStatus {
    /// It was not loaded before.
    Loaded,
    /// It was loaded already, with these very files.
    AlreadyLoaded,
    /// It was loaded before; its files changed since and are the new ones now.
    Reloaded,
}
