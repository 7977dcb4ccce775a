//! Loading a skill, after which `/skills` has it.
//!
//! A load pins what `lookup` found, and makes it the session's current skill.

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    feedback::train,
    lookup::{LiveSkill, LookupError, look_up, look_up_version},
};
use crate::{
    content::{ArchivedFile, FileRef, FileVersion, fetch_whole},
    context::{
        CallInput, Context, OperationSpan, PendingAdmission, SessionState, check_preload, may_see, permit, record_skill,
    },
    error::{Code, Error, Result},
    files::{Files, archive_of, record_load, skill_mount},
    json::UnknownMembers,
    limits::{ARGUMENT_BYTES, LOADED_SKILLS, NOTE_FLUSH, SKILL_FILE_BYTES},
    observer::SkillUse,
    path::{Layer, MountName, SkillPath},
    session::{Change, LoadedSkill, SearchRecord, Session, prefetch_ranks},
    skill::{SnapshotFile, read_document, render, shown::one_line},
    wire::{
        EffectivePolicy, Invoker, LoadSkillReply, LoadSkillRequest, LoadStatus, Operation, Preload, Request as _,
        SkillFile, SkillParameter,
    },
};

/// Skills of a session that is being made that are fetched at once.
const PARALLEL_PRELOADS: usize = 8;

/// A skill as it was noted in a session.
pub(crate) struct LoadResult {
    status: LoadStatus,
    loaded: LoadedSkill,
    /// Whether it was never loaded there before.
    is_first: bool,
    /// The newest question that found the skill, if the session never loaded it before.
    question: Option<String>,
    /// Whether the session is another than before.
    is_change: bool,
}

pub(crate) async fn load_skill(_: &Files, span: &OperationSpan, request: LoadSkillRequest) -> Result<LoadSkillReply> {
    let (loaded, _) = load_requested(span, &request).await?;
    reply_to(&request, loaded)
}

/// The reply to a load.
fn reply_to(request: &LoadSkillRequest, (mounted, fetched): (LoadResult, LiveSkill)) -> Result<LoadSkillReply> {
    let LoadResult { status, loaded, .. } = mounted;
    let LiveSkill { document, snapshot, .. } = fetched;
    let mount = skill_mount(&loaded.mount)?;
    let rendered = render(&document, request.arguments.as_deref(), mount.as_str());
    let body = request.body.then(|| lines_after(rendered.text, request.offset)).transpose()?;
    let file = |file: &SnapshotFile| Ok(SkillFile { path: mount.join(&file.path)?.to_string(), size: file.size });
    Ok(LoadSkillReply {
        status,
        skill: loaded.skill.to_string(),
        mount: mount.to_string(),
        files: snapshot.files().iter().map(file).collect::<Result<_>>()?,
        name: loaded.name,
        description: loaded.description,
        digest: loaded.digest,
        version: loaded.version,
        body,
        body_offset: request.offset,
        next_offset: None,
        parameters: rendered.parameters.into_iter().map(SkillParameter::from).collect(),
    })
}

/// The instructions without their first `offset` lines.
///
/// # Errors
/// `invalid_request` if they have no line behind these.
fn lines_after(text: String, offset: u64) -> Result<String> {
    if offset == 0 {
        return Ok(text);
    }
    let lines: Vec<_> = text.split_inclusive('\n').collect();
    let rest = usize::try_from(offset).ok().and_then(|offset| lines.get(offset..)).filter(|rest| !rest.is_empty());
    rest.map(<[&str]>::concat).ok_or_else(|| {
        let message =
            format!("the instructions have {} lines: choose an offset below that, or leave it out", lines.len());
        Error::new(Code::InvalidRequest, message)
    })
}

/// As `BackendProtocol::load_skill`, for a name that may be no skill's: `None` if no skill
/// answers to it. The session as the load left it comes beside the reply.
///
/// # Errors
/// Those of `load_skill` for a skill that is there.
pub(crate) async fn load_skill_if_known(
    context: &Context,
    request: LoadSkillRequest,
) -> Result<Option<(LoadSkillReply, SessionState)>> {
    let span = context.begin(Operation::LoadSkill, || request.skill.clone(), || request.outline());
    let loaded = match load_requested(&span, &request).await {
        Ok((loaded, state)) => reply_to(&request, loaded).map(|reply| Some((reply, state))).map_err(Error::of_change),
        Err(LookupError::UnknownName(_)) => Ok(None),
        Err(error) => Err(Error::from(error).of_change()),
    };
    span.ended(loaded).await
}

/// The instructions of a loaded skill, in the version and with the arguments it was loaded with; `None` if this caller does
/// not see it, because a caller of another team loaded it.
///
/// # Errors
/// `skill_changed` if that version is gone; the store's.
pub(crate) async fn render_loaded(context: &Context, loaded: &LoadedSkill) -> Result<Option<String>> {
    let snapshot = context.core.sessions().snapshot(context.user(), loaded).await?;
    let mount = skill_mount(&loaded.mount)?;
    let path = mount.join("SKILL.md")?;
    let (Some(home), Some(pinned)) = (context.home(loaded)?, snapshot.file("SKILL.md")) else { return Ok(None) };
    let file = FileRef {
        key: home.skill(&loaded.skill)?.key("SKILL.md")?,
        version: FileVersion::Pinned(pinned.etag.clone()),
        size: Some(pinned.size),
        archived: archive_of(loaded, &snapshot, &home)?
            .map(|archive| ArchivedFile { archive, path: "SKILL.md".to_owned() }),
        path,
    };
    let (_, bytes) = fetch_whole(context.core.content(), &file, SKILL_FILE_BYTES).await?;
    let (document, _) = read_document(&bytes, loaded.skill.folder());
    let rendered = document.map(|document| render(&document, loaded.arguments.as_deref(), mount.as_str()).text);
    Ok(Some(rendered.unwrap_or_default()))
}

/// Counts a use of the skill. The caller does not wait for the write.
fn count_use(context: &Context, skill: &SkillPath) {
    if context.core.sessions().usage().record(context.user(), skill) {
        let this = context.clone();
        tokio::spawn(async move {
            tokio::time::sleep(NOTE_FLUSH).await;
            if let Err(error) = this.core.sessions().usage().flush(this.user()).await {
                tracing::warn!(user = %this.user(), error = %error.chain(), "uses of skills were not counted");
            }
        });
    }
}

/// Loads the requested skill and makes it the current one, if the author of the skill lets the invoker call it.
async fn load_requested(
    span: &OperationSpan,
    request: &LoadSkillRequest,
) -> Result<((LoadResult, LiveSkill), SessionState), LookupError> {
    // A long message that begins with a slash is a command only if it names a skill, which is not known yet.
    if request.invoker != Invoker::Person {
        check_arguments(request)?;
    }
    let context = span.context();
    let pending = span.check().await?;
    let alias = request.mount_as.as_deref().map(MountName::parse).transpose()?;
    let (fetched, ()) = tokio::join!(
        find_requested(context, request, &pending),
        prefetch_ranks(context.core.sessions(), pending.session())
    );
    let fetched = match fetched {
        Err(LookupError::UnknownName(unknown)) => find_again(context, request, &pending, unknown).await?,
        fetched => fetched?,
    };
    check_arguments(request)?;
    check_invoker(&fetched, request.invoker)?;
    let admission =
        pending.loading(&fetched.skill, fetched.snapshot.digest()).admit(CallInput::from_request(request)).await?;
    let policy = admission.policy();
    let (session, mounted) = mount(context, &fetched, policy, alias, request.arguments.as_deref()).await?;
    record_skill(context, || skill_use(&mounted));
    record_load(context, &mounted.loaded, &fetched.snapshot).await;
    if mounted.is_first {
        count_use(context, &mounted.loaded.skill);
    }
    if let Some(question) = &mounted.question {
        train(context, &mounted.loaded.skill, question);
    }
    Ok(((mounted, fetched), SessionState { session, ..admission.state().clone() }))
}

async fn find_requested(
    context: &Context,
    request: &LoadSkillRequest,
    pending: &PendingAdmission<'_>,
) -> Result<LiveSkill, LookupError> {
    let (session, policy) = (pending.session(), pending.policy());
    match &request.digest {
        None => look_up(context, &request.skill, session, policy).await,
        Some(digest) => look_up_version(context, &request.skill, digest, session, policy).await,
    }
}

/// The requested skill, which is `unknown` to the session, if the store has a newer session with other drafts. Another replica
/// may have made a draft for the session.
async fn find_again(
    context: &Context,
    request: &LoadSkillRequest,
    pending: &PendingAdmission<'_>,
    unknown: Error,
) -> Result<LiveSkill, LookupError> {
    let now = pending.refresh().await?;
    if now.session().drafts == pending.session().drafts {
        return Err(LookupError::UnknownName(unknown));
    }
    find_requested(context, request, &now).await
}

/// The skills that a session which is about to be made preloads, as they are now, and the policy of the session. `draft` is the
/// session as it begins. Skills from the records are omitted if they cannot be loaded. If `is_inherited`, the list comes from a
/// parent, and hidden skills are omitted, because an error would name them.
///
/// # Errors
/// The error of the first skill named by the policy that cannot be loaded.
pub(crate) async fn find_preloads(
    context: &Context,
    draft: &Session,
    is_inherited: bool,
) -> Result<(Vec<LiveSkill>, EffectivePolicy)> {
    let user = context.core.sessions().user_policy(context.user()).await?;
    let policy = draft.policy_under(&user);
    let is_chosen = draft.policy.preload == Preload::Auto;
    match permit(&policy, Operation::LoadSkill) {
        Err(_) if is_chosen => return Ok((Vec::new(), policy)),
        permitted => permitted?,
    }
    let wanted = match (&draft.policy.preload, &context.core.observer()) {
        (Preload::Skills(skills), _) => skills.clone(),
        (Preload::Auto, Some(observer)) => observer.candidates(context.user()).await,
        (Preload::Auto, None) => Vec::new(),
    };
    let rules = &policy;
    let found = wanted.iter().map(|skill| async move {
        let found = match look_up(context, skill.as_str(), draft, rules).await {
            Err(LookupError::UnknownName(_)) if is_inherited => return Ok(None),
            found => found.map_err(Error::from),
        };
        match found.and_then(|found| check_preload(rules, &found.skill).map(|()| found)) {
            Err(_) if is_chosen => Ok(None),
            found => found.map(Some),
        }
    });
    let found = stream::iter(found.collect::<Vec<_>>()).buffered(PARALLEL_PRELOADS);
    let found: Vec<Option<LiveSkill>> = found.try_collect().await?;
    Ok((found.into_iter().flatten().collect(), policy))
}

/// Notes the skill in the session that is stored.
async fn mount(
    context: &Context,
    fetched: &LiveSkill,
    policy: &EffectivePolicy,
    alias: Option<MountName>,
    arguments: Option<&str>,
) -> Result<(Arc<Session>, LoadResult)> {
    let update = context.change(|session| {
        let mounted = mount_in(context, session, fetched, policy, alias.as_ref(), arguments)?;
        Ok(if mounted.is_change { Change::Save(mounted) } else { Change::None(mounted) })
    });
    let (session, mounted) = update.await?;
    let found = |past: &&SearchRecord| past.skills.contains(&mounted.loaded.skill);
    let question = session.discoveries.iter().rev().find(found).map(|past| past.query.clone());
    let mounted = LoadResult { question: question.filter(|_| mounted.is_first), ..mounted };
    Ok((session, mounted))
}

/// Notes the skill in `session`, a value, and makes it the current one.
///
/// # Errors
/// `mount_conflict`; `rate_limited` if too many are loaded.
pub(crate) fn mount_in(
    context: &Context,
    session: &mut Session,
    fetched: &LiveSkill,
    policy: &EffectivePolicy,
    alias: Option<&MountName>,
    arguments: Option<&str>,
) -> Result<LoadResult> {
    let team = context.caller.audience().team.clone().filter(|_| fetched.layer == Layer::Team);
    let before = session.loaded(&fetched.skill).cloned();
    let mount = alias.cloned().or_else(|| before.as_ref().map(|loaded| loaded.mount.clone()));
    let mount = mount.unwrap_or_else(|| fetched.skill.mount_name());
    if let Some(other) = session.mounted(mount.as_str()).filter(|other| other.skill != fetched.skill) {
        return Err(mount_conflict(&fetched.skill, other, may_see(context, other, policy)));
    }
    let status = match &before {
        None => LoadStatus::Loaded,
        Some(before) if before.digest == fetched.snapshot.digest() => LoadStatus::AlreadyLoaded,
        Some(_) => LoadStatus::Reloaded,
    };
    let unchanged = before.filter(|before| {
        status == LoadStatus::AlreadyLoaded
            && before.mount == mount
            && (before.layer, &before.team) == (fetched.layer, &team)
            && (&before.version, &before.draft) == (&fetched.version, &fetched.draft)
            && before.arguments.as_deref() == arguments
    });
    let is_current = session.current_skill.as_ref() == Some(&fetched.skill);
    // The reply of this load has the instructions.
    let was_dropped = session.dropped_instructions.remove(&fetched.skill);
    if let (Some(loaded), true, false) = (&unchanged, is_current, was_dropped) {
        return Ok(LoadResult { status, loaded: loaded.clone(), is_first: false, question: None, is_change: false });
    }
    let loaded = LoadedSkill {
        skill: fetched.skill.clone(),
        layer: fetched.layer,
        team,
        mount,
        name: fetched.document.frontmatter.name.as_deref().unwrap_or_else(|| fetched.skill.folder()).to_owned(),
        description: fetched.document.frontmatter.description.clone(),
        digest: fetched.snapshot.digest().to_owned(),
        version: fetched.version.clone(),
        draft: fetched.draft.clone(),
        arguments: arguments.map(str::to_owned),
        loaded_at: unchanged.map_or_else(|| context.core.clock().now(), |before| before.loaded_at),
        snapshot: Some(fetched.snapshot.clone()),
        unknown: UnknownMembers::default(),
    };
    replace(session, loaded.clone())?;
    let is_first = session.record_use(&fetched.skill);
    session.current_skill = Some(fetched.skill.clone());
    Ok(LoadResult { status, loaded, is_first, question: None, is_change: true })
}

/// The report of the load to the observer.
fn skill_use(LoadResult { status, loaded, .. }: &LoadResult) -> SkillUse {
    let status = match status {
        LoadStatus::Loaded => "loaded",
        LoadStatus::AlreadyLoaded => "already_loaded",
        LoadStatus::Reloaded => "reloaded",
    };
    SkillUse::from_loaded(loaded, status)
}

/// Keeps what a session remembers of each loaded skill small.
fn check_arguments(request: &LoadSkillRequest) -> Result<()> {
    match request.arguments.as_deref().map_or(0, str::len) {
        0..=ARGUMENT_BYTES => Ok(()),
        bytes => {
            let message = format!(
                "the arguments of a skill have {bytes} bytes and may have {ARGUMENT_BYTES}: put long text into a file in \
                 /workspace and name it in the arguments"
            );
            Err(Error::new(Code::InvalidRequest, message))
        }
    }
}

/// Checks that the author of the skill lets this invoker call it.
fn check_invoker(fetched: &LiveSkill, invoker: Invoker) -> Result<()> {
    let says = &fetched.document.frontmatter;
    let (skill, folder) = (one_line(fetched.skill.as_str()), one_line(fetched.skill.folder()));
    let skill = skill.inline();
    let message = match invoker {
        Invoker::Model if says.disable_model_invocation => {
            format!("only a person can call the skill {skill}: ask the user to type /{}", folder.inline())
        }
        Invoker::Person if !says.user_invocable => {
            format!("the skill {skill} cannot be called with /: say what you need, and the agent loads it when it fits")
        }
        _ => return Ok(()),
    };
    Err(Error::new(Code::ToolBlocked, message))
}

fn replace(session: &mut Session, loaded: LoadedSkill) -> Result<()> {
    if let Some(old) = session.loaded_skills.iter_mut().find(|old| old.skill == loaded.skill) {
        *old = loaded;
        return Ok(());
    }
    if session.loaded_skills.len() == LOADED_SKILLS {
        let message =
            format!("{LOADED_SKILLS} skills are loaded, which is the most; unload one that is done with first");
        return Err(Error::new(Code::RateLimited, message));
    }
    session.loaded_skills.push(loaded);
    Ok(())
}

fn mount_conflict(skill: &SkillPath, other: &LoadedSkill, may_name: bool) -> Error {
    let name = one_line(if may_name { other.skill.as_str() } else { "another skill" });
    let (mount, skill) = (one_line(other.mount.as_str()), one_line(skill.as_str()));
    let message = format!(
        "/skills/{} is taken by {}; load {} with another name in mount_as, or unload the other first",
        mount.inline(),
        name.inline(),
        skill.inline()
    );
    Error::new(Code::MountConflict, message)
}
