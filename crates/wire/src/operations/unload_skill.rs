//! Hiding a loaded skill again.

use serde::{Deserialize, Serialize};
use skillmount_base::error::Result;
use skillmount_skill::shown::one_line;
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage};

/// Hide a skill again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct UnloadSkillRequest {
    /// A skill path, a mount name or a frontmatter name.
    pub skill: String,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UnloadSkillReply {
    /// What happened.
    pub status: UnloadStatus,
    /// The skill path, or the name as it was given where no such skill is loaded.
    pub skill: String,
}

impl UnloadSkillRequest {
    /// Hides the loaded skill that answers to this name.
    #[must_use]
    pub fn new(skill: impl Into<String>) -> Self {
        Self { skill: skill.into() }
    }
}

impl Request for UnloadSkillRequest {
    const OPERATION: Operation = Operation::UnloadSkill;
    const FOR_MODELS: &'static str = "Hide a loaded skill that is done with.";
    type Reply = UnloadSkillReply;

    fn outline(&self) -> CallOutline {
        let Self { skill } = self;
        CallOutline::default().skill("skill", skill)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Session]
    }

    fn subject(&self) -> String {
        self.skill.clone()
    }
}

/// What an unload did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum UnloadStatus {
    /// It is hidden now.
    Unloaded,
    /// It was not loaded.
    NotLoaded,
}

impl Reply for UnloadSkillReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        let skill = one_line(&self.skill);
        let skill = skill.inline();
        Ok(TextPage::whole(match self.status {
            UnloadStatus::Unloaded => format!("Unloaded skill {skill}; its files are no longer below /skills"),
            UnloadStatus::NotLoaded => format!("Skill {skill} is not loaded"),
        }))
    }
}
