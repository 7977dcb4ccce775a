//! From the input of a hook to its output.
//!
//! A hook costs what a prompt costs: it looks at the session, the policies and the catalog, and notes once that the listing was
//! given.

use std::iter;

use super::{
    command::key_words,
    context::{Hint, HookAudience, inherited, matching, to_load_again},
};
use crate::{
    budget::WorkBudget,
    catalog::Searchable,
    context::{HookNote, SessionState},
    error::Result,
    handle::SessionBackend,
    limits::{HOOK_CONTEXT, HOOK_SKILLS},
    path::SkillPath,
    prompt::{self, TextRoom, host_listing},
    skills::{index_of_drafts, with_drafts},
    wire::{
        EffectivePolicy, Format, HookEvent, HookEventName, HookInput, HookOutput, Operation, PromptMode, PromptRequest,
        SessionSource, ToolRule,
    },
    words::{TriggerMatch, TriggerText},
};

/// Between the parts of a context.
const GAP: &str = "\n\n";
/// Steps for each byte of a text: most go into stemming its words.
const STEPS_PER_BYTE: u64 = 256;

/// The answer to a hook in the session behind `backend`.
///
/// * `SessionStart` gives the listing of skills, but not again to a conversation that is resumed. After `compact` and `clear` it
///   names the loaded skills first, and they count as not loaded until they are loaded again.
/// * `UserPromptSubmit` names the skills that the message calls for, and gives the listing once in a session.
/// * `PreToolUse` of `Bash` names the skills that the command calls for and that are not loaded.
/// * `PreToolUse` of `Task` and `SubagentStart` hand skills down to the sub-agent.
/// * Any other hook, and one with nothing to say, is answered by `{}`.
///
/// # Errors
/// `invalid_request` if the input lacks a member of its event; the store's.
pub async fn answer(backend: &SessionBackend, input: &HookInput) -> Result<HookOutput> {
    let (name, context) = match input.event()? {
        HookEvent::Other => return Ok(HookOutput::default()),
        HookEvent::SessionStart(source) => (HookEventName::SessionStart, at_start(backend, source).await?),
        HookEvent::UserPromptSubmit { prompt } => (HookEventName::UserPromptSubmit, on_message(backend, prompt).await?),
        HookEvent::Bash { command } => {
            let (hints, policy) = called_for(backend, TriggerText::new(command, key_words(command))).await?;
            (HookEventName::PreToolUse, matching("command", &hints, load_tool(&policy)))
        }
        HookEvent::Task { agent_type, description, prompt } => {
            let task = format!("{agent_type}\n{description}\n{prompt}");
            (HookEventName::PreToolUse, handed_down(backend, HookAudience::Caller, agent_type, &task).await?)
        }
        HookEvent::SubagentStart { agent_type } => {
            (HookEventName::SubagentStart, handed_down(backend, HookAudience::SubAgent, agent_type, agent_type).await?)
        }
    };
    Ok(HookOutput::with_context(name, context))
}

/// The context for a person's message: the skills that the message calls for, and the listing, unless this session was given
/// it.
async fn on_message(backend: &SessionBackend, message: &str) -> Result<Option<String>> {
    let (hints, policy) = called_for(backend, TriggerText::new(message, [])).await?;
    let reminder = matching("message", &hints, load_tool(&policy));
    let is_given = backend.session().await?.listing_given;
    let listing = if is_given { None } else { listing(backend, reminder.as_deref().unwrap_or_default()).await? };
    // Another call may give the listing at the same time.
    let listing = match listing {
        Some(listing) if note(backend, HookNote::ListingGiven).await => Some(listing),
        _ => None,
    };
    Ok(joined(reminder, listing))
}

/// The listing, unless the conversation is resumed and was given it. If the host dropped the instructions of loaded skills, those
/// skills come first.
async fn at_start(backend: &SessionBackend, source: SessionSource) -> Result<Option<String>> {
    if source == SessionSource::Resumed && backend.session().await?.listing_given {
        return Ok(None);
    }
    let reminder = if source == SessionSource::Emptied {
        note(backend, HookNote::InstructionsDropped).await;
        let SessionState { policy, .. } = backend.state().await?;
        to_load_again(&loaded_for_models(backend, &policy).await?, load_tool(&policy))
    } else {
        None
    };
    let listing = listing(backend, reminder.as_deref().unwrap_or_default()).await?;
    if listing.is_some() {
        note(backend, HookNote::ListingGiven).await;
    }
    Ok(joined(reminder, listing))
}

/// The parts of a context that there are.
fn joined(reminder: Option<String>, listing: Option<String>) -> Option<String> {
    let parts: Vec<_> = reminder.into_iter().chain(listing).collect();
    (!parts.is_empty()).then(|| parts.join(GAP))
}

/// Makes a note in the session. Returns false if the session has it already. If the note fails, the caller still gets its
/// context: the listing is given again later, and dropped skills are not named again.
async fn note(backend: &SessionBackend, note: HookNote) -> bool {
    backend.record_hook(note).await.unwrap_or_else(|error| {
        tracing::warn!(user = %backend.user(), ?note, error = %error.chain(), "a session could not keep the note of a hook");
        true
    })
}

/// The skills that there are, in the room that a host leaves beside `reminder`; nothing if there are none.
async fn listing(backend: &SessionBackend, reminder: &str) -> Result<Option<String>> {
    let SessionState { policy, .. } = backend.state().await?;
    if policy.session().prompt_mode == PromptMode::Discover {
        let request =
            PromptRequest { mode: Some(PromptMode::Discover), format: Format::Markdown, ..PromptRequest::default() };
        let pointer = prompt::for_session(backend, &request).await?;
        return Ok((pointer.total > 0).then_some(pointer.prompt));
    }
    let room = TextRoom { characters: HOOK_CONTEXT, bytes: HOOK_CONTEXT }.beside(reminder).beside(GAP);
    let listing = host_listing(backend, room).await?;
    Ok((listing.total > 0).then_some(listing.text))
}

/// The skills that a text calls for and whose instructions the conversation does not have, and the policy of the session.
async fn called_for(backend: &SessionBackend, text: TriggerText) -> Result<(Vec<Hint>, EffectivePolicy)> {
    let skills = backend.skills();
    let (SessionState { session, policy, .. }, Searchable { view, index, .. }) =
        tokio::try_join!(backend.state(), skills.searchable_catalog())?;
    if !may_load(&policy) {
        return Ok((Vec::new(), policy));
    }
    let steps = STEPS_PER_BYTE * text.bytes() as u64;
    let job = move |work: &WorkBudget| {
        let all = with_drafts(&view, &session);
        let document = |skill: &SkillPath| {
            let entry = all.entry(skill)?;
            let is_new = !session.has_instructions(skill) && policy.offers(skill, &entry.frontmatter);
            is_new.then(|| entry.search_document())
        };
        // The index of the catalog has no drafts; those of a session are few.
        let drafts = index_of_drafts(&view, &all);
        let mut found = Vec::new();
        for index in iter::once(&*index).chain(&drafts) {
            let more = text
                .called_skills(index, document, HOOK_SKILLS, work)
                .map_err(|stop| stop.into_error("the text of the hook has too many words for a catalog this large"))?;
            found.extend(more);
        }
        let hint = |found: TriggerMatch| Some(Hint::of_entry(all.entry(&found.skill)?, &found.words));
        Ok((found.into_iter().filter_map(hint).take(HOOK_SKILLS).collect(), policy))
    };
    backend.errand().run_sized(steps, job).await
}

/// The skills of a sub-agent: loaded skills, skills that a policy names for its type, and skills called for by its
/// task.
async fn handed_down(
    backend: &SessionBackend,
    listener: HookAudience,
    agent_type: &str,
    task: &str,
) -> Result<Option<String>> {
    let (called, policy) = called_for(backend, TriggerText::new(task, [])).await?;
    let mut hints = loaded_for_models(backend, &policy).await?;
    if may_load(&policy) && policy.children().load {
        let named = named_for(backend, &policy, agent_type).await?;
        for hint in named.into_iter().chain(called) {
            if !hints.iter().any(|known| known.is_of(&hint)) {
                hints.push(hint);
            }
        }
    }
    Ok(inherited(listener, &hints, load_tool(&policy)))
}

/// The loaded skills that models may call. A person may have loaded a skill that is for people alone. Once the catalog
/// has lost a skill, the service does not know for whom its author meant it.
async fn loaded_for_models(backend: &SessionBackend, policy: &EffectivePolicy) -> Result<Vec<Hint>> {
    let (summary, SessionState { session, .. }, view) =
        tokio::try_join!(backend.summary(), backend.state(), backend.catalog(false))?;
    let all = with_drafts(&view, &session);
    let is_offered = |skill: &SkillPath| all.entry(skill).is_some_and(|entry| policy.offers(skill, &entry.frontmatter));
    let offered = summary.loaded_skills.iter().filter(|loaded| is_offered(&loaded.skill));
    Ok(offered.map(Hint::of_loaded).collect())
}

/// The skills that a policy names for sub-agents of this type.
async fn named_for(backend: &SessionBackend, policy: &EffectivePolicy, agent_type: &str) -> Result<Vec<Hint>> {
    let view = backend.catalog(false).await?;
    let entries = view
        .entries
        .iter()
        .filter(|entry| policy.hands_down(agent_type, &entry.skill) && policy.offers(&entry.skill, &entry.frontmatter));
    Ok(entries.map(|entry| Hint::of_entry(entry, &[])).collect())
}

/// Whether the session may load skills at all.
fn may_load(policy: &EffectivePolicy) -> bool {
    policy.tool(Operation::LoadSkill) != ToolRule::Blocked
}

fn load_tool(policy: &EffectivePolicy) -> &'static str {
    policy.session().load_tool.name()
}
