//! Writing a skill, which is a draft until a person publishes it.

use serde::{Deserialize, Serialize};
use skillmount_base::error::Result;
use skillmount_skill::{Diagnostic, SkillTemplate, shown::one_line};
use utoipa::ToSchema;

use super::{Access, CallOutline, Operation, Reply, Request, TextFormat, TextPage, left_out};
use crate::SkillState;

/// Write a skill as a draft.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateSkillRequest {
    /// Its name: lower-case letters, digits and single hyphens, after the folders that it lies in, if any:
    /// `writing/minutes`.
    pub name: String,
    /// What it is for and when to use it, in at least 20 characters.
    pub description: String,
    /// Its instructions in Markdown, in at least 40 characters.
    pub body: String,
    /// What kind of work it is for: puts the usual sections of such a skill around the instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<SkillTemplate>,
}

/// A skill that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CreateSkillReply {
    /// Where it will lie: what `load_skill` takes.
    pub skill: String,
    /// The digest of its files.
    pub digest: String,
    /// What becomes of it: a draft.
    pub state: SkillState,
    /// What its author should know.
    pub lint: Vec<Diagnostic>,
}

impl CreateSkillRequest {
    /// A skill of this name, description and body, without a template.
    #[must_use]
    pub fn new(name: impl Into<String>, description: impl Into<String>, body: impl Into<String>) -> Self {
        Self { name: name.into(), description: description.into(), body: body.into(), template: None }
    }
}

impl Request for CreateSkillRequest {
    const OPERATION: Operation = Operation::CreateSkill;
    const FOR_MODELS: &'static str = "Write a new skill, if the user asks for one: instructions for a kind of task that will come again. It is a draft for this session until a person publishes it.";
    type Reply = CreateSkillReply;

    fn outline(&self) -> CallOutline {
        let Self { name, description, body, template } = self;
        let texts = CallOutline::default().other("description", left_out(description)).other("body", left_out(body));
        texts.skill("name", name).other("template", template)
    }

    fn touches(&self) -> Vec<Access<'_>> {
        vec![Access::Session]
    }

    fn subject(&self) -> String {
        self.name.clone()
    }
}

impl Reply for CreateSkillReply {
    fn page(&self, _: TextFormat) -> Result<TextPage> {
        let Self { skill, lint, .. } = self;
        let mut lines = vec![format!(
            "Created {} as a draft: load_skill loads it in this session, and other sessions find it once a person has \
             published it.",
            one_line(skill).inline()
        )];
        lines.extend(lint.iter().map(|finding| format!("- {}", one_line(&finding.message).inline())));
        Ok(TextPage::whole(lines.join("\n")))
    }
}
