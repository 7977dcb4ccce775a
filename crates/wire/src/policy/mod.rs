//! The rights of a session. Two policies hold at once, the user's and the session's; the stricter answer holds.

mod ask_rules;
mod children;
mod limited;
mod preload;
mod readers;
mod restrict;
pub mod stored_policy;
mod unknown_rules;
mod unmatched;
mod user_check;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

use crate::Operation;
use skillmount_base::{
    error::{Code, Error, Result},
    limits::{POLICY_RULES, QUOTED_CHARS},
    path::{SkillPath, distance},
};
use skillmount_skill::Frontmatter;

pub use children::ChildRights;
pub use preload::Preload;
pub use unknown_rules::UnknownRules;
pub use user_check::check_user_policy;

/// The name of the rule for everything that no other rule names.
const REST: &str = "*";

/// Whether agents may change the files of loaded skills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillsAccess {
    /// Everything below `/skills` is read-only.
    #[default]
    Read,
    /// Files of loaded skills of the user's own layer can be written.
    Write,
}

/// Which skills `/skills` shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = SkillVisibility)]
pub enum Visibility {
    /// The skills this session loaded.
    #[default]
    Loaded,
    /// Every permitted skill, flat and read-only, for frameworks that insist on scanning.
    All,
}

/// What the prompt contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum), value(rename_all = "snake_case"))]
pub enum PromptMode {
    /// The listing until a skill is loaded, then the current skill's instructions.
    #[default]
    TwoState,
    /// Always the listing.
    Listing,
    /// The listing and the current skill's instructions.
    Combined,
    /// A short pointer to `discover_skills`.
    Discover,
}

/// The name of the tool that loads a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub enum LoadTool {
    /// `load_skill`.
    #[default]
    #[serde(rename = "load_skill")]
    LoadSkill,
    /// `Skill`, the name in Claude's agents.
    Skill,
}

impl LoadTool {
    /// The name that a model calls.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoadSkill => "load_skill",
            Self::Skill => "Skill",
        }
    }
}

/// What happens when a tool is called. A later level is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolRule {
    /// The tool runs.
    #[default]
    Auto,
    /// A person approves the call first.
    Ask,
    /// The tool never runs, and models are not offered it.
    Blocked,
}

/// What happens when a skill is loaded. A later level is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillRule {
    /// The skill loads.
    #[default]
    AutoApprove,
    /// A person approves each load. On the wire this level is `enabled`.
    #[serde(rename = "enabled")]
    AskFirst,
    /// The skill is switched off: no listing shows it and nothing loads it.
    Disabled,
    /// The skill is forbidden. It behaves as a disabled one; the two names record why.
    Blocked,
}

impl SkillRule {
    /// Whether listings may show the skill.
    #[must_use]
    pub const fn is_visible(self) -> bool {
        match self {
            Self::AutoApprove | Self::AskFirst => true,
            Self::Disabled | Self::Blocked => false,
        }
    }
}

/// Who decides about calls that a person approves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApproveBy {
    /// A caller with a key of scope `control`.
    Control,
    /// The person at the host, who is asked over the agent's own connection.
    Host,
}

/// What a session, or every session of a user, may do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Whether agents may change files of loaded skills.
    pub skills_access: SkillsAccess,
    /// Which skills `/skills` shows.
    pub visibility: Visibility,
    /// Whether surfaces that show the catalog by name may be used.
    pub catalog_reads: bool,
    /// Whether nothing may be changed.
    pub plan_mode: bool,
    /// What the prompt contains. A session's own: a user's policy that sets it is refused.
    pub prompt_mode: PromptMode,
    /// The name of the tool that loads a skill. A session's own: a user's policy that sets it is refused.
    pub load_tool: LoadTool,
    /// Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`. A rule for `write` also holds
    /// for everything else that changes files, and one for `read` for downloads. If several rules hold, the strictest
    /// counts. If absent, `*` is `auto`. No `*` stands for `create_skill`: without a rule of its own it is `ask`.
    pub tools: BTreeMap<String, ToolRule>,
    /// Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
    /// If absent, `*` is `auto_approve`.
    pub skills: BTreeMap<String, SkillRule>,
    /// Skills to load when the session begins; `auto` for skills that at least 30 % of the user's conversations used. A session's
    /// own: a user's policy that sets it is refused.
    pub preload: Preload,
    /// Rights of the sessions that begin from this one. Absent if it is the default, so that earlier versions read the policy.
    #[serde(skip_serializing_if = "ChildRights::is_default")]
    #[schema(required = false)]
    pub children: ChildRights,
    /// Skills that hooks hand down to sub-agents, by the type of the sub-agent; `*` for every type that is not named.
    /// Each is a skill path, `escrituras/*` or `*`. The user's and the session's add up.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(required = false)]
    pub agents: BTreeMap<String, Vec<String>>,
    /// Who decides about calls that ask; if absent, `control`. The user's policy alone gives them to the `host`, and a
    /// session's takes them back. Then any holder of the agent's key can answer for the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approve_by: Option<ApproveBy>,
    /// The rules of a newer version, if the policy was stored. A request has none.
    #[serde(skip)]
    pub unknown: UnknownRules,
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            skills_access: SkillsAccess::default(),
            visibility: Visibility::default(),
            catalog_reads: true,
            plan_mode: false,
            prompt_mode: PromptMode::default(),
            load_tool: LoadTool::default(),
            tools: BTreeMap::from([("*".to_owned(), ToolRule::Auto)]),
            skills: BTreeMap::from([("*".to_owned(), SkillRule::AutoApprove)]),
            preload: Preload::default(),
            children: ChildRights::default(),
            agents: BTreeMap::new(),
            approve_by: None,
            unknown: UnknownRules::default(),
        }
    }
}

impl Policy {
    /// The policy that forbids nothing. It holds for a user without a policy.
    #[must_use]
    pub fn unrestricted() -> Self {
        Self { skills_access: SkillsAccess::Write, children: ChildRights::ALL, ..Self::default() }
    }

    /// Checks what the types cannot: patterns that could never match, and the number of rules.
    ///
    /// # Errors
    /// `invalid_request`, naming the pattern or tool.
    pub fn check(&self) -> Result<()> {
        let handed_down = self.agents.len().max(self.agents.values().map(Vec::len).sum());
        let counts = [self.tools.len(), self.skills.len(), self.preload.named().len(), handed_down];
        if counts.iter().any(|count| *count > POLICY_RULES) {
            let message = format!("a policy holds at most {POLICY_RULES} rules of each sort");
            return Err(Error::new(Code::InvalidRequest, message));
        }
        if let Some(unknown) = self.unknown_tools().next() {
            return Err(no_such_tool(unknown));
        }
        let fine = |pattern: &str| {
            pattern == REST
                || SkillPath::parse(folder_of(pattern).unwrap_or(pattern))
                    .is_ok_and(|path| !path.as_str().contains('*'))
        };
        match self.skills.keys().chain(self.agents.values().flatten()).find(|pattern| !fine(pattern)) {
            None => Ok(()),
            Some(pattern) => Err(Error::new(
                Code::InvalidRequest,
                format!("{pattern:?} is not a skill pattern: use a skill path, a folder like escrituras/*, or *"),
            )),
        }
    }

    /// The tools in its rules that this version does not know. A policy that is set may not have any. A stored policy
    /// that another version wrote keeps them, and they have no effect.
    pub fn unknown_tools(&self) -> impl Iterator<Item = &str> {
        let is_known = |name: &str| name == REST || Operation::names().any(|known| known == name);
        self.tools.keys().map(String::as_str).filter(move |name| !is_known(name))
    }

    /// The rule for an operation: its own under any of its names, or else the rule for the rest. It is never laxer than
    /// the rule of the operation of which this one is a form.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> ToolRule {
        let named = |operation: Operation| operation.own_names().filter_map(|name| self.tools.get(name)).max().copied();
        let own = named(operation).or_else(|| self.tools.get(REST).copied()).unwrap_or_default();
        own.max(operation.under().and_then(named).unwrap_or_default())
    }

    /// The rule for a skill: the rule of the longest pattern that matches the skill or a folder around it. It is never
    /// laxer than the rule of a skill around it.
    #[must_use]
    pub fn skill(&self, skill: &SkillPath) -> SkillRule {
        self.folder(skill.as_str())
    }

    /// The rule for a folder below `skills/`, even if it cannot be a skill.
    #[must_use]
    pub fn folder(&self, path: &str) -> SkillRule {
        let above = || path.rmatch_indices('/').filter_map(|(at, _)| path.get(..at));
        let own = self.skills.get(path).copied();
        let inherited = above().find_map(|folder| self.skills.get(&format!("{folder}/*")).copied());
        let rest = self.skills.get(REST).copied();
        let rule = own.or(inherited).or(rest).unwrap_or_default();
        let enclosing = above().filter_map(|folder| self.skills.get(folder).copied()).max();
        rule.max(enclosing.unwrap_or_default())
    }

    /// Whether hooks hand `skill` down to sub-agents of the type `agent`.
    #[must_use]
    pub fn hands_down(&self, agent: &str, skill: &SkillPath) -> bool {
        let named = self.agents.get(agent).or_else(|| self.agents.get(REST));
        let covers = |pattern: &String| match folder_of(pattern) {
            _ if pattern == REST => true,
            Some(folder) => skill.is_in(folder),
            None => skill.as_str() == pattern,
        };
        named.into_iter().flatten().any(covers)
    }

    /// The policy in effect for a session with the policy `self`: for each question the stricter answer of `self` and
    /// `user`. Preferences (`prompt_mode`, `load_tool`, `preload`) are those of `self`, and `agents` are those of both.
    #[must_use]
    pub fn under(&self, user: &Self) -> EffectivePolicy {
        EffectivePolicy { session: self.clone(), user: user.clone(), limit: None }
    }
}

/// The policy in effect in a session: for each question the stricter answer of the session's policy and the user's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EffectivePolicy {
    session: Policy,
    user: Policy,
    /// The only skills that there are for the session; `None` if the rules alone decide.
    limit: Option<Arc<BTreeSet<SkillPath>>>,
}

impl EffectivePolicy {
    /// Whether agents may change files of loaded skills.
    #[must_use]
    pub fn skills_access(&self) -> SkillsAccess {
        self.session.skills_access.min(self.user.skills_access)
    }

    /// Which skills `/skills` shows. The session's policy alone decides; the user's policy can still hide skills.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        self.session.visibility
    }

    /// Whether surfaces that show the catalog may be used.
    #[must_use]
    pub fn catalog_reads(&self) -> bool {
        self.session.catalog_reads && self.user.catalog_reads
    }

    /// Whether nothing may be changed: a policy says so, or has a member that this version does not know.
    #[must_use]
    pub fn plan_mode(&self) -> bool {
        self.session.plan_mode || self.user.plan_mode || !self.is_understood()
    }

    /// Whether this version knows every member of both policies.
    #[must_use]
    pub fn is_understood(&self) -> bool {
        !self.session.unknown.has_members() && !self.user.unknown.has_members()
    }

    /// The rights of sessions made from this one.
    #[must_use]
    pub fn children(&self) -> ChildRights {
        self.session.children.and(self.user.children)
    }

    /// Who decides about calls that ask: the host only if the user's policy says so and the session's does not say otherwise.
    #[must_use]
    pub fn approve_by(&self) -> ApproveBy {
        match (self.user.approve_by, self.session.approve_by) {
            (Some(ApproveBy::Host), None | Some(ApproveBy::Host)) => ApproveBy::Host,
            _ => ApproveBy::Control,
        }
    }

    /// Whether hooks hand `skill` down to sub-agents of the type `agent`.
    #[must_use]
    pub fn hands_down(&self, agent: &str, skill: &SkillPath) -> bool {
        self.session.hands_down(agent, skill) || self.user.hands_down(agent, skill)
    }

    /// The rule for an operation.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> ToolRule {
        let stricter = self.session.tool(operation).max(self.user.tool(operation));
        stricter.max(self.least_rule(operation))
    }

    /// The rule for a skill of the session. Every text about the session asks this function before it names a skill.
    #[must_use]
    pub fn skill(&self, skill: &SkillPath) -> SkillRule {
        self.rule(skill).max(self.limit_of(skill.as_str()))
    }

    /// The rule for a folder below `skills/`, even if it cannot be a skill.
    #[must_use]
    pub fn folder(&self, path: &str) -> SkillRule {
        self.session.folder(path).max(self.user.folder(path)).max(self.limit_of(path))
    }

    /// Whether there may be a skill that it hides.
    #[must_use]
    pub fn may_hide_skills(&self) -> bool {
        let mut rules = self.session.skills.values().chain(self.user.skills.values());
        self.limit.is_some() || rules.any(|rule| !rule.is_visible())
    }

    /// Whether models are offered a skill: no rule hides the skill, and its author does not reserve it for people.
    #[must_use]
    pub fn offers(&self, skill: &SkillPath, frontmatter: &Frontmatter) -> bool {
        self.skill(skill).is_visible() && !frontmatter.disable_model_invocation
    }

    /// The same policy with the prompt in `mode`, if the caller asks for one.
    #[must_use]
    pub fn in_mode(mut self, mode: Option<PromptMode>) -> Self {
        self.session.prompt_mode = mode.unwrap_or(self.session.prompt_mode);
        self
    }

    /// The session's own policy, for preferences.
    #[must_use]
    pub fn session(&self) -> &Policy {
        &self.session
    }
}

/// The folder of a pattern such as `escrituras/*`.
fn folder_of(pattern: &str) -> Option<&str> {
    pattern.strip_suffix("/*")
}

fn no_such_tool(name: &str) -> Error {
    let nearest = Operation::names().min_by_key(|known| distance(name, known)).unwrap_or_default();
    let shown: String = name.chars().take(QUOTED_CHARS).collect();
    let all = Operation::names().collect::<Vec<_>>().join(", ");
    let message =
        format!("there is no tool {shown:?}; the nearest is {nearest:?}, and all are: {all}, and * for the rest");
    Error::new(Code::InvalidRequest, message).with_detail("suggestions", vec![nearest])
}

#[cfg(test)]
mod tests;
