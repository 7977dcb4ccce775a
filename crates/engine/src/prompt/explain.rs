//! Why each skill is in a prompt, shortened, or out of it.

use super::{
    items::{Current, Detail, Item},
    request::PromptInput,
    tokens,
    write::Writer,
};
use crate::{
    catalog::CatalogEntry,
    limits::PROMPT_EXPLAINED_SKILLS,
    path::SkillPath,
    skill::{Severity, shown::one_line},
    wire::{Operation, PromptExplanation, PromptMode, PromptRequest, PromptSkill, PromptSkillStatus, ToolRule},
};

/// A rendered prompt and the choices that led to it.
pub(super) struct RenderResult<'a> {
    pub(super) writer: Writer,
    pub(super) mode: PromptMode,
    pub(super) max_tokens: usize,
    /// Of the whole prompt.
    pub(super) tokens: usize,
    /// The listed skills; empty if there is no listing.
    pub(super) items: &'a [Item],
    /// How much is shown of each of them.
    pub(super) details: &'a [Detail],
    pub(super) current: Option<&'a Current>,
}

/// Explains the prompt that came of `scene`. `visible` are the skills that it could have named. Skills that the policy
/// hides are not named here either.
pub(super) fn explain(
    scene: &PromptInput<'_>,
    request: &PromptRequest,
    visible: &[&CatalogEntry],
    outcome: &RenderResult<'_>,
) -> PromptExplanation {
    let listed = visible.iter().zip(outcome.items.iter().zip(outcome.details));
    let mut skills: Vec<_> = listed.map(|(entry, (item, detail))| outcome.listed(entry, item, *detail)).collect();
    if outcome.items.is_empty() {
        skills.extend(visible.iter().map(|entry| outcome.unlisted(scene, entry)));
    }
    let may_be_named = |entry: &CatalogEntry| scene.policy.skill(&entry.skill).is_visible();
    let is_out = |entry: &&CatalogEntry| visible.binary_search_by(|one| one.skill.cmp(&entry.skill)).is_err();
    let entries = scene.view.entries.iter().map(|entry| &**entry);
    let others = entries.filter(|entry| may_be_named(entry)).filter(is_out);
    skills.extend(others.map(|entry| out(scene, &entry.skill, why_not_offered(scene, request, entry))));
    skills.extend(unreadable(scene));
    outcome.put_instructions(scene, &mut skills);
    let named: usize = skills.iter().map(|skill| skill.tokens).sum();
    skills.sort_by(|one, two| (one.status, &one.skill).cmp(&(two.status, &two.skill)));
    let more = skills.len().saturating_sub(PROMPT_EXPLAINED_SKILLS);
    skills.truncate(PROMPT_EXPLAINED_SKILLS);
    PromptExplanation { skills, more, frame_tokens: outcome.tokens.saturating_sub(named) }
}

impl RenderResult<'_> {
    /// A skill of the listing, or a skill without room in the listing.
    fn listed(&self, entry: &CatalogEntry, item: &Item, detail: Detail) -> PromptSkill {
        let budget = self.max_tokens;
        let (status, reason) = match item.shown_at(detail) {
            Detail::WHOLE => (PromptSkillStatus::Whole, "It fits.".to_owned()),
            Detail::Full(chars) => {
                let all = item.description.plain().chars().count();
                let reason =
                    format!("{budget} tokens leave room for {chars} of the {all} characters of its description.");
                (PromptSkillStatus::Shortened, reason)
            }
            Detail::Name => (
                PromptSkillStatus::Name,
                format!("{budget} tokens leave room for its name; skills used more come first."),
            ),
            Detail::Hidden => {
                (PromptSkillStatus::Out, format!("{budget} tokens leave no room for it; skills used more come first."))
            }
        };
        let tokens = tokens::count(&self.writer.line(item, detail));
        PromptSkill { skill: entry.skill.to_string(), status, tokens, uses: item.rank, reason }
    }

    /// A skill that could be listed, in a prompt without a listing.
    fn unlisted(&self, scene: &PromptInput<'_>, entry: &CatalogEntry) -> PromptSkill {
        let reason = match self.current {
            Some(_) if self.mode == PromptMode::TwoState => {
                "In the mode two_state the instructions of the current skill stand in place of the listing."
            }
            _ => "In the mode discover nothing is listed: discover_skills finds it.",
        };
        out(scene, &entry.skill, reason.to_owned())
    }

    /// Adds the current skill, whose instructions are in the prompt. Its entry in the listing, if any, is counted with
    /// it.
    fn put_instructions(&self, scene: &PromptInput<'_>, skills: &mut Vec<PromptSkill>) {
        let (Some(shown), Some(current)) = (self.current, scene.current) else { return };
        let instructions = tokens::count(&shown.body.fenced());
        let at = skills.iter().position(|one| one.skill == current.skill.as_str());
        let listed = at.map_or(0, |at| skills.remove(at).tokens);
        let reason = match listed {
            0 => "It is the current skill.".to_owned(),
            _ => format!("It is the current skill; {listed} of its tokens are those of its line in the listing."),
        };
        let (status, tokens) = (PromptSkillStatus::Instructions, instructions + listed);
        skills.push(PromptSkill { status, tokens, ..out(scene, &current.skill, reason) });
    }
}

/// A skill of which nothing is in the prompt.
fn out(scene: &PromptInput<'_>, skill: &SkillPath, reason: String) -> PromptSkill {
    let uses = scene.session.ranks.get(skill).copied().unwrap_or_default();
    PromptSkill { skill: skill.to_string(), status: PromptSkillStatus::Out, tokens: 0, uses, reason }
}

/// Why a skill could not be named that the policy lets be seen.
fn why_not_offered(scene: &PromptInput<'_>, request: &PromptRequest, entry: &CatalogEntry) -> String {
    if scene.policy.tool(Operation::LoadSkill) == ToolRule::Blocked {
        return "The policy blocks load_skill in this session.".to_owned();
    }
    match request.category.as_deref().filter(|category| !entry.skill.is_in(category)) {
        Some(category) => format!("It does not lie in the category {}.", one_line(category).plain()),
        None => "Its frontmatter has `disable-model-invocation`: only people may call for it.".to_owned(),
    }
}

/// The skills that are left out of the catalog because they cannot be read.
fn unreadable<'a>(scene: &PromptInput<'a>) -> impl Iterator<Item = PromptSkill> + use<'a> {
    let scene = *scene;
    let errors = scene.view.diagnostics.iter().filter(|found| found.diagnostic.severity == Severity::Error);
    let mut before = None;
    errors.filter_map(move |found| {
        let skill = SkillPath::parse(&found.skill).ok()?;
        let is_seen = scene.policy.skill(&skill).is_visible() && scene.view.entry(&skill).is_none();
        // The first error of a skill is the reason why the catalog leaves it out.
        if !is_seen || before.replace(skill.clone()).as_ref() == Some(&skill) {
            return None;
        }
        Some(out(&scene, &skill, format!("It is left out: {}", one_line(&found.diagnostic.message).plain())))
    })
}
