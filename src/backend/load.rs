//! Loading and unloading skills: the gate of `/skills`.
//!
//! A load pins what `lookup` found, and makes it the session's current skill.

use std::sync::Arc;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::{
    Invoker, LoadSkillReply, LoadSkillRequest, LoadStatus, SkillBackend, SkillFile, SkillParameter, UnloadSkillReply,
    UnloadSkillRequest, UnloadStatus, lookup::Fetched, service::permit, tree::skill_mount,
};
use crate::{
    catalog::Layer,
    error::{Code, Error, Result},
    limits::{ARGUMENT_BYTES, LOADED_SKILLS, NOTE_FLUSH, SKILL_FILE_BYTES},
    path::{MountName, SkillPath},
    session::{Both, Change, LoadedSkill, Operation, Session, SkillRule},
    skill::{Document, FilledParameter, Snapshot, SnapshotFile, read_document, render, shown::one_line},
};

/// The operation, as the policy knows it.
const LOAD: Operation = Operation::LoadSkill;
/// Skills of a session that is being made that are fetched at once.
const PARALLEL_PRELOADS: usize = 8;

/// A skill as it was noted in a session.
pub(super) struct Mounted {
    status: LoadStatus,
    loaded: LoadedSkill,
    /// Whether it was never loaded there before.
    is_first: bool,
    /// Whether the session is another than before.
    is_change: bool,
}

impl SkillBackend {
    pub(super) async fn load_and_render(&self, request: LoadSkillRequest) -> Result<LoadSkillReply> {
        let (status, loaded, document, snapshot) = self.load(&request, Some(request.invoker)).await?;
        let mount = skill_mount(&loaded.mount)?;
        let rendered = render(&document, request.arguments.as_deref(), mount.as_str());
        let file = |file: &SnapshotFile| Ok(SkillFile { path: mount.join(&file.path)?.to_string(), size: file.size });
        Ok(LoadSkillReply {
            status,
            skill: loaded.skill.to_string(),
            mount: mount.to_string(),
            files: snapshot.files().iter().map(file).collect::<Result<_>>()?,
            name: loaded.name,
            description: loaded.description,
            digest: loaded.digest,
            body: rendered.text,
            parameters: rendered.parameters.into_iter().map(SkillParameter::from).collect(),
        })
    }

    /// Counts this session among those that used the skill, without anybody waiting for it.
    fn count_use(&self, skill: &SkillPath) {
        if self.shared.sessions.note_use(self.user(), skill) {
            let this = self.clone();
            tokio::spawn(async move {
                tokio::time::sleep(NOTE_FLUSH).await;
                if let Err(error) = this.shared.sessions.flush_uses(this.user()).await {
                    tracing::warn!(user = %this.user(), error = %error.chain(), "uses of skills were not counted");
                }
            });
        }
    }

    /// Loads the skill that was asked for, if its author lets `invoker` call it, and makes it the current one.
    pub(super) async fn load(
        &self,
        request: &LoadSkillRequest,
        invoker: Option<Invoker>,
    ) -> Result<(LoadStatus, LoadedSkill, Document, Arc<Snapshot>)> {
        // A long message that begins with a slash is a command only if it names a skill, which is not known yet.
        if invoker != Some(Invoker::Person) {
            check_arguments(request)?;
        }
        let (session, policy) = self.allowed(Operation::LoadSkill).await?;
        self.shared.sessions.check_writable()?;
        let alias = request.mount_as.as_deref().map(MountName::parse).transpose()?;
        let find = self.look_up(&request.skill, &session, &policy);
        let (fetched, ()) = tokio::join!(find, self.shared.sessions.prepare(&session));
        let fetched = fetched?;
        check_arguments(request)?;
        check_invoker(&fetched, invoker)?;
        check_approval(&fetched, &policy)?;
        let (status, loaded, is_first) = self.mount(&fetched, &policy, alias, request.arguments.as_deref()).await?;
        // What a policy preloads nobody has chosen.
        if is_first && invoker.is_some() {
            self.count_use(&loaded.skill);
        }
        Ok((status, loaded, fetched.document, fetched.snapshot))
    }

    /// The skills that a session which is about to be made preloads, as they are now, and the policy it has. `draft` is what it
    /// begins with.
    ///
    /// # Errors
    /// What keeps the first of them from being loaded.
    pub(super) async fn find_preloads(&self, draft: &Session) -> Result<(Vec<Fetched>, Both)> {
        let user = self.shared.sessions.user_policy(self.user()).await?;
        let policy = draft.policy.stricter(&user);
        permit(&policy, LOAD)?;
        let found = draft.policy.preload.iter().map(|skill| self.look_up(skill.as_str(), draft, &policy));
        let found = stream::iter(found.collect::<Vec<_>>()).buffered(PARALLEL_PRELOADS);
        let found = found.and_then(async |skill| check_approval(&skill, &policy).map(|()| skill)).try_collect().await?;
        Ok((found, policy))
    }

    /// Notes the skill in the session; the flag says whether it was never loaded there before.
    async fn mount(
        &self,
        fetched: &Fetched,
        policy: &Both,
        alias: Option<MountName>,
        arguments: Option<&str>,
    ) -> Result<(LoadStatus, LoadedSkill, bool)> {
        let mut is_first = false;
        let update = self.shared.sessions.update(self.user(), &self.session, |session| {
            let mounted = self.mount_in(session, fetched, policy, alias.as_ref(), arguments)?;
            // Of an attempt that lost a race nothing counts.
            is_first = mounted.is_first;
            let said = (mounted.status, mounted.loaded);
            Ok(if mounted.is_change { Change::Save(said) } else { Change::None(said) })
        });
        let (_, said) = update.await?;
        let (status, loaded) = said.ok_or_else(|| Error::internal("a load left no answer"))?;
        Ok((status, loaded, is_first))
    }

    /// Notes the skill in `session`, a value, and makes it the current one.
    ///
    /// # Errors
    /// `mount_conflict`; `rate_limited` where too many are loaded.
    pub(super) fn mount_in(
        &self,
        session: &mut Session,
        fetched: &Fetched,
        policy: &Both,
        alias: Option<&MountName>,
        arguments: Option<&str>,
    ) -> Result<Mounted> {
        let team = self.audience.team.clone().filter(|_| fetched.layer == Layer::Team);
        let before = session.loaded(&fetched.skill).cloned();
        let mount = alias.cloned().or_else(|| before.as_ref().map(|loaded| loaded.mount.clone()));
        let mount = mount.unwrap_or_else(|| fetched.skill.mount_name());
        if let Some(other) = session.mounted(mount.as_str()).filter(|other| other.skill != fetched.skill) {
            return Err(mount_conflict(&fetched.skill, other, self.may_name(other, policy)?));
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
                && before.arguments.as_deref() == arguments
        });
        let is_current = session.current_skill.as_ref() == Some(&fetched.skill);
        if let (Some(loaded), true) = (&unchanged, is_current) {
            return Ok(Mounted { status, loaded: loaded.clone(), is_first: false, is_change: false });
        }
        let loaded = LoadedSkill {
            skill: fetched.skill.clone(),
            layer: fetched.layer,
            team,
            mount,
            name: fetched.document.frontmatter.name.as_deref().unwrap_or_else(|| fetched.skill.folder()).to_owned(),
            description: fetched.document.frontmatter.description.clone(),
            digest: fetched.snapshot.digest().to_owned(),
            arguments: arguments.map(str::to_owned),
            loaded_at: unchanged.map_or_else(|| self.shared.clock.now(), |before| before.loaded_at),
            snapshot: Some(fetched.snapshot.clone()),
        };
        replace(session, loaded.clone())?;
        let is_first = session.note_use(&fetched.skill);
        session.current_skill = Some(fetched.skill.clone());
        Ok(Mounted { status, loaded, is_first, is_change: true })
    }

    pub(super) async fn unload(&self, request: UnloadSkillRequest) -> Result<UnloadSkillReply> {
        let (session, policy) = self.allowed(Operation::UnloadSkill).await?;
        self.shared.sessions.check_writable()?;
        let name = request.skill;
        let answers = |loaded: &LoadedSkill| {
            loaded.skill.as_str() == name || loaded.mount.as_str() == name || loaded.name == name
        };
        if !session.loaded_skills.iter().any(answers) {
            return Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name });
        }
        let update = self.shared.sessions.update(self.user(), &self.session, |session| {
            let Some(found) = by_name(session, &name).cloned() else {
                return Ok(Change::None(None));
            };
            session.loaded_skills.retain(|loaded| loaded.skill != found.skill);
            if session.current_skill.as_ref() == Some(&found.skill) {
                session.current_skill = session.loaded_skills.last().map(|loaded| loaded.skill.clone());
            }
            Ok(Change::Save(Some(found)))
        });
        match update.await?.1.flatten() {
            Some(found) => {
                let skill = if self.may_name(&found, &policy)? { found.skill.to_string() } else { name };
                Ok(UnloadSkillReply { status: UnloadStatus::Unloaded, skill })
            }
            None => Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name }),
        }
    }

    /// Whether this caller may be told of a loaded skill: since it was loaded it may have been hidden, or the caller is of
    /// another team.
    fn may_name(&self, loaded: &LoadedSkill, policy: &Both) -> Result<bool> {
        Ok(policy.skill(&loaded.skill).is_visible() && self.home(loaded)?.is_some())
    }

    /// The instructions of a loaded skill, in the version and with the arguments it was loaded with.
    ///
    /// # Errors
    /// `skill_changed` where that version is gone; the store's.
    pub async fn loaded_body(&self, loaded: &LoadedSkill) -> Result<String> {
        let snapshot = self.shared.sessions.snapshot(self.user(), loaded).await?;
        let mount = skill_mount(&loaded.mount)?;
        let path = mount.join("SKILL.md")?;
        let home = self.home(loaded)?.ok_or_else(|| super::tree::missing(&path))?;
        let pinned = snapshot.file("SKILL.md").ok_or_else(|| super::tree::missing(&path))?;
        let file = super::tree::FileRef {
            key: home.skill(&loaded.skill)?.key("SKILL.md")?,
            pin: Some(pinned.etag.clone()),
            size: Some(pinned.size),
            path,
        };
        let (_, bytes) = self.fetch_whole(&file, SKILL_FILE_BYTES).await?;
        let (document, _) = read_document(&bytes, loaded.skill.folder());
        let rendered = document.map(|document| render(&document, loaded.arguments.as_deref(), mount.as_str()).text);
        Ok(rendered.unwrap_or_default())
    }
}

impl From<FilledParameter> for SkillParameter {
    fn from(filled: FilledParameter) -> Self {
        let FilledParameter { name, description, required, value } = filled;
        Self { name, description: Some(description).filter(|text| !text.is_empty()), required, value }
    }
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

/// Keeps a skill to those its author meant it for.
fn check_invoker(fetched: &Fetched, invoker: Option<Invoker>) -> Result<()> {
    let says = &fetched.document.frontmatter;
    let (skill, folder) = (one_line(fetched.skill.as_str()), one_line(fetched.skill.folder()));
    let skill = skill.inline();
    let message = match invoker {
        Some(Invoker::Model) if says.disable_model_invocation => {
            format!("only a person can call the skill {skill}: ask the user to type /{}", folder.inline())
        }
        Some(Invoker::Person) if !says.user_invocable => {
            format!("the skill {skill} cannot be called with /: say what you need, and the agent loads it when it fits")
        }
        _ => return Ok(()),
    };
    Err(Error::new(Code::ToolBlocked, message))
}

/// Keeps a skill from being loaded unasked where a person has to approve it.
fn check_approval(fetched: &Fetched, policy: &Both) -> Result<()> {
    if policy.skill(&fetched.skill) != SkillRule::Enabled {
        return Ok(());
    }
    let skill = one_line(fetched.skill.as_str());
    let message = format!("loading {} needs a person's approval in this session; ask for it", skill.inline());
    Err(Error::new(Code::ApprovalRequired, message))
}

/// The loaded skill that answers to `name`, in the order of a load: path, mount, frontmatter name.
fn by_name<'session>(session: &'session Session, name: &str) -> Option<&'session LoadedSkill> {
    let loaded = &session.loaded_skills;
    let path = loaded.iter().find(|loaded| loaded.skill.as_str() == name);
    path.or_else(|| session.mounted(name)).or_else(|| loaded.iter().find(|loaded| loaded.name == name))
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
