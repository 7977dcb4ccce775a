//! Writing a skill: a draft, which the session notes and a person publishes.
//!
//! The draft is in the store before the session notes it. If the second part fails, the same call once more finds the
//! draft and does the rest.

use std::sync::Arc;

use serde_json::Map;

use super::with_drafts::with_drafts;
use crate::{
    catalog::CatalogView,
    context::{Admission, CallInput, Context, OperationSpan, record_file},
    error::{Code, Error, Result},
    files::Files,
    json::UnknownMembers,
    limits::{CREATED_BODY_CHARS, CREATED_DESCRIPTION_CHARS, SESSION_DRAFTS},
    path::SkillPath,
    publish::{DraftAsked, Publisher, taken},
    session::{Change, Session, SessionDraft},
    wire::{CreateSkillReply, CreateSkillRequest, EffectivePolicy, PublishRequest, SkillState},
};

pub(crate) async fn create_skill(
    _: &Files,
    span: &OperationSpan,
    request: CreateSkillRequest,
) -> Result<CreateSkillReply> {
    check_length("description", &request.description, CREATED_DESCRIPTION_CHARS)?;
    check_length("body", &request.body, CREATED_BODY_CHARS)?;
    let skill = SkillPath::parse(&request.name)?;
    let (context, pending) = (span.context(), span.check().await?);
    let publisher = Publisher::new(Arc::clone(&context.core));
    let asked = asked_by(context, skill, &request);
    let is_repeated = pending.asks() && publisher.is_made(context.user(), &asked).await?;
    let input = CallInput::from_request(&request);
    let admission = pending.repeated(is_repeated).admit(input).await?;
    check_room(admission.session(), &asked.skill)?;
    check_free(&admission, &asked.skill).await?;
    let (draft, checked) = publisher.create_draft(context.user(), asked).await?;
    record_file(context, &draft.skill, None, Some(draft.digest.clone()), None);
    let note = SessionDraft {
        skill: draft.skill.clone(),
        name: draft.name,
        description: draft.description,
        digest: draft.digest.clone(),
        made_at: draft.made_at,
        unknown: UnknownMembers::default(),
    };
    let update = context.change(|session| {
        check_room(session, &note.skill)?;
        Ok(if session.record_draft(note.clone()) { Change::Save(()) } else { Change::None(()) })
    });
    update.await?;
    Ok(CreateSkillReply {
        skill: draft.skill.to_string(),
        digest: draft.digest,
        state: SkillState::Draft,
        lint: checked.findings,
    })
}

/// The draft that the session of this call asks for.
fn asked_by(context: &Context, skill: SkillPath, request: &CreateSkillRequest) -> DraftAsked {
    let body = request.template.map_or_else(|| request.body.clone(), |template| template.around(&request.body));
    let (description, files) = (request.description.clone(), std::collections::BTreeMap::new());
    let text = PublishRequest { description, body, files, frontmatter: Map::new() };
    DraftAsked { session: context.session.clone(), skill, by: context.caller.key().map(str::to_owned), text }
}

/// Checks that no visible skill has the name, and that the name hides no rule. The write of the draft checks the store at this
/// path.
async fn check_free(admission: &Admission<'_>, skill: &SkillPath) -> Result<()> {
    let (session, policy) = (admission.session(), admission.policy());
    // The same answer whether there is such a skill or not.
    if !policy.rule(skill).is_visible() {
        return Err(taken(skill));
    }
    // The catalog in memory may have a skill that another server deleted since.
    for fresh in [false, true] {
        let view = with_drafts(&admission.context().catalog(fresh).await?, session);
        match skill_with_name(&view, session, policy, skill) {
            None => return Ok(()),
            Some(other) if fresh => {
                let message =
                    format!("there is a skill of this name, {other}: load that, or give this one another name");
                return Err(Error::new(Code::AlreadyExists, message));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The visible skill that has the name of `skill`. The session's own draft is none.
fn skill_with_name(
    view: &CatalogView,
    session: &Session,
    policy: &EffectivePolicy,
    skill: &SkillPath,
) -> Option<SkillPath> {
    let is_same = |name: &str| name == skill.folder();
    let mut others = view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    let own = session.draft(skill).map(|draft| &draft.skill);
    let other = others.find(|entry| {
        Some(&entry.skill) != own && (entry.skill == *skill || is_same(entry.name()) || is_same(entry.skill.folder()))
    });
    other.map(|entry| entry.skill.clone())
}

fn check_length(what: &str, text: &str, least: usize) -> Result<()> {
    match text.trim().chars().count() {
        chars if chars >= least => Ok(()),
        chars => {
            let message = format!(
                "`{what}` has {chars} characters and needs {least}: a skill says when to use it and what to do in words that \
                 stand alone"
            );
            Err(Error::new(Code::InvalidRequest, message))
        }
    }
}

/// Keeps the prompt of a session from filling with drafts.
fn check_room(session: &Session, skill: &SkillPath) -> Result<()> {
    if session.drafts.len() < SESSION_DRAFTS || session.draft(skill).is_some() {
        return Ok(());
    }
    let message = format!("this session made {SESSION_DRAFTS} drafts, which is the most: go on without another");
    Err(Error::new(Code::RateLimited, message))
}
