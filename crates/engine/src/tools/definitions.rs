//! The definitions of the tools that a model may use now.
//!
//! A pure function of catalog, session and policy, as the prompt is, so that the same tools are the same bytes. A tool
//! that the session may not use is left out: a model cannot miss what it does not see.

use serde_json::{Value, json};

use super::tool::Tool;
use crate::{
    catalog::{CatalogEntry, CatalogView},
    context::SessionState,
    error::Result,
    handle::SessionBackend,
    limits::{TOOL_ENUM_BYTES, TOOL_ENUM_SKILLS},
    session::Session,
    skill::shown::one_line,
    skills::with_drafts,
    wire::{DefinitionShape, EffectivePolicy, Operation, PromptMode, ToolRule},
};

/// Bytes of the quotes and the comma of a name in a list.
const JSON_QUOTES: usize = 3;

/// A tool as it is described to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolDefinition {
    /// Which tool.
    pub tool: Tool,
    /// The description for a model: effect and use.
    pub description: String,
    /// The JSON Schema of its input.
    pub input_schema: Value,
}

/// All that the tools of a session depend on.
#[derive(Clone, Copy, Debug)]
pub struct Toolbox<'a> {
    /// The user's skills.
    pub view: &'a CatalogView,
    /// The session: which skills are loaded.
    pub session: &'a Session,
    /// The effective policy of the session.
    pub policy: &'a EffectivePolicy,
}

/// The tools of the session behind `backend`, as they are now.
///
/// # Errors
/// The store's.
pub async fn for_session(backend: &SessionBackend) -> Result<Vec<ToolDefinition>> {
    let (SessionState { session, policy, .. }, view) = tokio::try_join!(backend.state(), backend.catalog(false))?;
    let view = with_drafts(&view, &session);
    Ok(definitions(&Toolbox { view: &view, session: &session, policy: &policy }))
}

/// The tools the session may use now, in an order that never changes.
#[must_use]
pub fn definitions(toolbox: &Toolbox<'_>) -> Vec<ToolDefinition> {
    let open = Tool::all().filter(|tool| tool.is_open_to(toolbox.policy) && toolbox.is_due(*tool));
    open.map(|tool| toolbox.define(tool)).collect()
}

/// Whether a session of this policy begins with the search for skills alone: so it is in the mode `discover`, where
/// nothing stands between it and the first skill.
fn tools_grow(policy: &EffectivePolicy) -> bool {
    let is_free = |operation| policy.tool(operation) == ToolRule::Auto;
    policy.session().prompt_mode == PromptMode::Discover
        && is_free(Operation::DiscoverSkills)
        && is_free(Operation::LoadSkill)
}

impl ToolDefinition {
    /// The JSON Schema of its reply as a document, in one document.
    #[must_use]
    pub fn output_schema(&self) -> Value {
        self.tool.output_schema()
    }

    /// The definition in one of the shapes.
    #[must_use]
    pub fn in_shape(&self, shape: DefinitionShape) -> Value {
        let Self { tool, description, input_schema } = self;
        let name = tool.name();
        match shape {
            DefinitionShape::Anthropic => {
                json!({ "name": name, "description": description, "input_schema": input_schema })
            }
            DefinitionShape::Openai => json!({
                "type": "function",
                "function": { "name": name, "description": description, "parameters": input_schema },
            }),
            DefinitionShape::Mcp => json!({
                "name": name,
                "description": description,
                "inputSchema": input_schema,
                "annotations": {
                    "readOnlyHint": !tool.changes_files(),
                    "destructiveHint": tool.operation().is_destructive(),
                    "idempotentHint": tool.operation().is_idempotent(),
                    "openWorldHint": false,
                },
            }),
        }
    }
}

impl Toolbox<'_> {
    /// Whether the tool is of use yet. If tools grow, the tool that loads a skill is offered once a skill was found,
    /// and the rest once a skill is loaded.
    fn is_due(&self, tool: Tool) -> bool {
        let has_loaded = !self.session.used.is_empty() || !self.session.loaded_skills.is_empty();
        match tool.operation() {
            Operation::DiscoverSkills | Operation::LoadSkill | Operation::UnloadSkill if !self.has_skills() => false,
            _ if !self.has_skills() => true,
            _ if !tools_grow(self.policy) || has_loaded => true,
            Operation::DiscoverSkills => true,
            Operation::LoadSkill => self.session.has_found,
            _ => false,
        }
    }

    /// Whether there is any skill to load or to unload.
    fn has_skills(&self) -> bool {
        !self.session.loaded_skills.is_empty() || self.loadable().next().is_some()
    }

    /// The skills a model may load.
    fn loadable(&self) -> impl Iterator<Item = &CatalogEntry> {
        self.view.entries.iter().map(AsRef::as_ref).filter(|entry| self.policy.offers(&entry.skill, &entry.frontmatter))
    }

    fn define(&self, tool: Tool) -> ToolDefinition {
        let mut input_schema = tool.input_schema();
        if let (Operation::LoadSkill, Some(skills)) = (tool.operation(), self.names())
            && let Some(skill) = input_schema.pointer_mut("/properties/skill")
        {
            *skill = json!({ "type": "string", "enum": skills });
        }
        ToolDefinition { tool, description: self.describe(tool), input_schema }
    }

    /// The skills a model may load, if they are few enough to list and the mode lists skills. A name that
    /// holds invisible characters is left out: as text it would be another name.
    fn names(&self) -> Option<Vec<&str>> {
        if self.policy.session().prompt_mode == PromptMode::Discover {
            return None;
        }
        let names = self.loadable().map(|entry| entry.skill.as_str()).filter(|skill| one_line(skill).removed() == 0);
        let names: Vec<_> = names.take(TOOL_ENUM_SKILLS + 1).collect();
        let bytes: usize = names.iter().map(|name| name.len() + JSON_QUOTES).sum();
        (!names.is_empty() && names.len() <= TOOL_ENUM_SKILLS && bytes <= TOOL_ENUM_BYTES).then_some(names)
    }

    /// The tool's description, and which loaded skills expect it. This note only informs the model; it grants nothing.
    fn describe(&self, tool: Tool) -> String {
        let expects = |skill: &&crate::session::LoadedSkill| {
            let tools = self.view.entry(&skill.skill).map(|entry| entry.frontmatter.allowed_tools.as_slice());
            tools.unwrap_or_default().iter().any(|name| is_called(tool, name))
        };
        let skills = self.session.loaded_skills.iter().filter(expects).map(|skill| one_line(skill.skill.as_str()));
        let skills: Vec<_> = skills.map(|skill| skill.inline().into_owned()).collect();
        // A prompt in the mode `discover` begins with the rule. A host may have no other text than this one.
        let rule = match (self.policy.session().prompt_mode, tool.operation()) {
            (PromptMode::Discover, _) => None,
            (_, Operation::DiscoverSkills) => search_rule(self.policy),
            (_, Operation::LoadSkill) => load_rule(self.policy),
            _ => None,
        };
        let expected = (!skills.is_empty()).then(|| format!("Expected by {}.", skills.join(", ")));
        let sentences = [Some(tool.description().to_owned()), rule, expected];
        sentences.into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// When to search for a skill; `None` if the session may not.
pub(super) fn search_rule(policy: &EffectivePolicy) -> Option<String> {
    (policy.tool(Operation::DiscoverSkills) != ToolRule::Blocked).then(|| {
        "Before you answer a request that a skill may match, call discover_skills with what the request is about."
            .to_owned()
    })
}

/// When to load a skill; `None` if the session may not.
pub(super) fn load_rule(policy: &EffectivePolicy) -> Option<String> {
    (policy.tool(Operation::LoadSkill) != ToolRule::Blocked).then(|| {
        let load = policy.session().load_tool.name();
        format!("Call {load} with the location of the skill that fits, then follow its instructions.")
    })
}

/// Whether an author who writes `name` in `allowed-tools` means this tool: `Read`, `read_file`, `Edit(/workspace/*)`.
fn is_called(tool: Tool, name: &str) -> bool {
    let name = name.split('(').next().unwrap_or_default().trim().to_lowercase();
    name.strip_suffix("_file").unwrap_or(&name) == tool.name().to_lowercase()
}
