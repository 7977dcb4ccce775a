//! What a session may do. Two policies hold at once, the user's and the session's; the stricter wins everywhere.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    catalog::CatalogEntry,
    error::{Code, Error, Result},
    path::{SkillPath, distance},
    wire::Operation,
};

/// What stands for whatever no other rule names.
const REST: &str = "*";
/// Rules a policy may hold, of each sort.
const RULES: usize = 1000;
/// Characters of a name that is quoted back.
const QUOTED: usize = 100;

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
pub enum Visibility {
    /// Those this session loaded.
    #[default]
    Loaded,
    /// Every permitted skill, flat and read-only, for frameworks that insist on scanning.
    All,
}

/// What the prompt holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum), value(rename_all = "snake_case"))]
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

/// What the tool that loads a skill is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub enum LoadTool {
    /// `load_skill`.
    #[default]
    #[serde(rename = "load_skill")]
    LoadSkill,
    /// `Skill`, as Claude's agents know it.
    Skill,
}

impl LoadTool {
    /// What a model calls it by.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoadSkill => "load_skill",
            Self::Skill => "Skill",
        }
    }
}

/// What happens when a tool is called; later is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolRule {
    /// It runs.
    #[default]
    Auto,
    /// A person approves it first.
    Ask,
    /// It never runs, and is not offered.
    Blocked,
}

/// What happens when a skill is loaded; later is stricter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillRule {
    /// It loads.
    #[default]
    AutoApprove,
    /// A person approves it each time.
    Enabled,
    /// Switched off: in no listing, cannot be loaded.
    Disabled,
    /// Forbidden: in no listing, cannot be loaded.
    Blocked,
}

impl SkillRule {
    /// Whether the skill may be seen in listings at all.
    #[must_use]
    pub fn is_visible(self) -> bool {
        self < Self::Disabled
    }
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
    /// Reading only.
    pub plan_mode: bool,
    /// What the prompt holds.
    pub prompt_mode: PromptMode,
    /// What the tool that loads a skill is called.
    pub load_tool: LoadTool,
    /// Rules by tool name; `*` for the rest. A rule for `Skill` is one for `load_skill`, one for `write` also holds for
    /// whatever else changes files, and one for `read` for downloads: of several that hold, the strictest.
    pub tools: BTreeMap<String, ToolRule>,
    /// Rules by skill path; `escrituras/*` for a folder and all below it, `*` for the rest. The longest match decides.
    pub skills: BTreeMap<String, SkillRule>,
    /// Skills to load when the session begins.
    #[schema(value_type = Vec<String>)]
    pub preload: Vec<SkillPath>,
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
            preload: Vec::new(),
        }
    }
}

impl Policy {
    /// The policy that forbids nothing: what holds for a user who has none.
    #[must_use]
    pub fn unrestricted() -> Self {
        Self { skills_access: SkillsAccess::Write, ..Self::default() }
    }

    /// Checks what the types cannot: patterns that could never match, and how many rules there are.
    ///
    /// # Errors
    /// `invalid_request`, naming the pattern or tool.
    pub fn check(&self) -> Result<()> {
        if self.tools.len() > RULES || self.skills.len() > RULES || self.preload.len() > RULES {
            return Err(Error::new(Code::InvalidRequest, format!("a policy holds at most {RULES} rules of each sort")));
        }
        if let Some(unknown) = self.unknown_tools().next() {
            return Err(no_such_tool(unknown));
        }
        let fine = |pattern: &str| {
            pattern == "*"
                || SkillPath::parse(pattern.strip_suffix("/*").unwrap_or(pattern))
                    .is_ok_and(|path| !path.as_str().contains('*'))
        };
        match self.skills.keys().find(|pattern| !fine(pattern)) {
            None => Ok(()),
            Some(pattern) => Err(Error::new(
                Code::InvalidRequest,
                format!("{pattern:?} is not a skill pattern: use a skill path, a folder like escrituras/*, or *"),
            )),
        }
    }

    /// The tools it has rules for that this version does not know. They are refused when a policy is set; in one that was
    /// set by another version they are kept, and change nothing.
    pub fn unknown_tools(&self) -> impl Iterator<Item = &str> {
        let is_known = |name: &str| name == REST || Operation::names().any(|known| known == name);
        self.tools.keys().map(String::as_str).filter(move |name| !is_known(name))
    }

    /// The rule for an operation: its own, by whichever of its names, or else that for the rest; and never laxer than that
    /// of the operation it is a way to do.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> ToolRule {
        let named = |operation: Operation| operation.own_names().filter_map(|name| self.tools.get(name)).max().copied();
        let own = named(operation).or_else(|| self.tools.get(REST).copied()).unwrap_or_default();
        own.max(operation.under().and_then(named).unwrap_or_default())
    }

    /// The rule for a skill: the longest pattern that matches it or a folder it lies in, and never laxer than the rule
    /// of a skill it would be a part of.
    #[must_use]
    pub fn skill(&self, skill: &SkillPath) -> SkillRule {
        self.folder(skill.as_str())
    }

    /// The same for a folder below `skills/`, be it one that can hold a skill or not.
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

    /// The same policy without the rules that name what it hides, to be shown to those it is hidden from.
    #[must_use]
    pub fn without_hidden(&self) -> Self {
        let mut shown = self.clone();
        shown.skills.retain(|pattern, rule| pattern == REST || rule.is_visible());
        shown.preload.retain(|skill| self.skill(skill).is_visible());
        shown
    }

    /// Both policies at once: for each question the stricter answer. Matters of taste (`prompt_mode`, `load_tool`,
    /// `preload`) are `self`'s, the session's.
    #[must_use]
    pub fn stricter(&self, user: &Self) -> Both {
        Both { session: self.clone(), user: user.clone() }
    }
}

/// A session's policy and its user's, held at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Both {
    session: Policy,
    user: Policy,
}

impl Both {
    /// Whether agents may change files of loaded skills.
    #[must_use]
    pub fn skills_access(&self) -> SkillsAccess {
        self.session.skills_access.min(self.user.skills_access)
    }

    /// Which skills `/skills` shows. Seeing all takes the session's word; the user's policy can only take it back by
    /// hiding skills.
    #[must_use]
    pub fn visibility(&self) -> Visibility {
        self.session.visibility
    }

    /// Whether surfaces that show the catalog may be used.
    #[must_use]
    pub fn catalog_reads(&self) -> bool {
        self.session.catalog_reads && self.user.catalog_reads
    }

    /// Reading only.
    #[must_use]
    pub fn plan_mode(&self) -> bool {
        self.session.plan_mode || self.user.plan_mode
    }

    /// The rule for an operation.
    #[must_use]
    pub fn tool(&self, operation: Operation) -> ToolRule {
        self.session.tool(operation).max(self.user.tool(operation))
    }

    /// The rule for a skill.
    #[must_use]
    pub fn skill(&self, skill: &SkillPath) -> SkillRule {
        self.session.skill(skill).max(self.user.skill(skill))
    }

    /// The same for a folder below `skills/`, be it one that can hold a skill or not.
    #[must_use]
    pub fn folder(&self, path: &str) -> SkillRule {
        self.session.folder(path).max(self.user.folder(path))
    }

    /// Whether a model may be told of a skill: it is not hidden, and its author does not keep it to people.
    #[must_use]
    pub fn offers(&self, entry: &CatalogEntry) -> bool {
        self.skill(&entry.skill).is_visible() && !entry.frontmatter.disable_model_invocation
    }

    /// The same for a caller that wants the prompt in this mode, where it names one.
    #[must_use]
    pub fn in_mode(mut self, mode: Option<PromptMode>) -> Self {
        self.session.prompt_mode = mode.unwrap_or(self.session.prompt_mode);
        self
    }

    /// The session's own policy, for matters of taste.
    #[must_use]
    pub fn session(&self) -> &Policy {
        &self.session
    }
}

fn no_such_tool(name: &str) -> Error {
    let nearest = Operation::names().min_by_key(|known| distance(name, known)).unwrap_or_default();
    let shown: String = name.chars().take(QUOTED).collect();
    let all = Operation::names().collect::<Vec<_>>().join(", ");
    let message =
        format!("there is no tool {shown:?}; the nearest is {nearest:?}, and all are: {all}, and * for the rest");
    Error::new(Code::InvalidRequest, message).with_detail("suggestions", vec![nearest])
}

#[cfg(test)]
mod tests;
