//! Loading and unloading skills: the gate of `/skills`.
//!
//! A load pins what `lookup` found, and makes it the session's current skill.

use std::sync::Arc;

use super::{
    Invoker, LoadSkillReply, LoadSkillRequest, LoadStatus, SkillBackend, SkillFile, SkillParameter, UnloadSkillReply,
    UnloadSkillRequest, UnloadStatus, lookup::Fetched, tree::skill_mount,
};
use crate::{
    catalog::Layer,
    error::{Code, Error, Result},
    limits::{ARGUMENT_BYTES, LOADED_SKILLS, NOTE_FLUSH, SKILL_FILE_BYTES},
    path::{MountName, SkillPath},
    session::{Both, Change, LoadedSkill, Operation, Session, SkillRule},
    skill::{Document, FilledParameter, Snapshot, SnapshotFile, read_document, render},
};

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
        if policy.skill(&fetched.skill) == SkillRule::Enabled {
            let message = format!("loading {} needs a person's approval in this session; ask for it", fetched.skill);
            return Err(Error::new(Code::ApprovalRequired, message));
        }
        let (status, loaded, is_first) = self.mount(&fetched, &policy, alias, request.arguments.as_deref()).await?;
        // What a policy preloads nobody has chosen.
        if is_first && invoker.is_some() {
            self.count_use(&loaded.skill);
        }
        Ok((status, loaded, fetched.document, fetched.snapshot))
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
        let now = self.shared.clock.now();
        let team = self.audience.team.clone().filter(|_| fetched.layer == Layer::Team);
        let update = self.shared.sessions.update(self.user(), &self.session, |session| {
            // Of an attempt that lost a race nothing counts.
            is_first = false;
            let before = session.loaded(&fetched.skill).cloned();
            let mount = alias.clone().or_else(|| before.as_ref().map(|loaded| loaded.mount.clone()));
            let mount = mount.unwrap_or_else(|| fetched.skill.mount_name());
            if let Some(other) = session.mounted(mount.as_str()).filter(|other| other.skill != fetched.skill) {
                return Err(mount_conflict(&fetched.skill, other, self.may_name(other, policy)?));
            }
            let status = match &before {
                None => LoadStatus::Loaded,
                Some(before) if before.digest == fetched.snapshot.digest() => LoadStatus::AlreadyLoaded,
                Some(_) => LoadStatus::Reloaded,
            };
            let unchanged = before.as_ref().filter(|before| {
                status == LoadStatus::AlreadyLoaded
                    && before.mount == mount
                    && (before.layer, &before.team) == (fetched.layer, &team)
                    && before.arguments.as_deref() == arguments
            });
            if let (Some(before), true) = (unchanged, session.current_skill.as_ref() == Some(&fetched.skill)) {
                return Ok(Change::None((status, before.clone())));
            }
            let loaded = LoadedSkill {
                skill: fetched.skill.clone(),
                layer: fetched.layer,
                team: team.clone(),
                mount,
                name: fetched.document.frontmatter.name.as_deref().unwrap_or_else(|| fetched.skill.folder()).to_owned(),
                description: fetched.document.frontmatter.description.clone(),
                digest: fetched.snapshot.digest().to_owned(),
                arguments: arguments.map(str::to_owned),
                loaded_at: unchanged.map_or(now, |before| before.loaded_at),
                snapshot: Some(fetched.snapshot.clone()),
            };
            replace(session, loaded.clone())?;
            is_first = session.note_use(&fetched.skill);
            session.current_skill = Some(fetched.skill.clone());
            Ok(Change::Save((status, loaded)))
        });
        let (_, said) = update.await?;
        let (status, loaded) = said.ok_or_else(|| Error::internal("a load left no answer"))?;
        Ok((status, loaded, is_first))
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
    let (skill, says) = (&fetched.skill, &fetched.document.frontmatter);
    let message = match invoker {
        Some(Invoker::Model) if says.disable_model_invocation => {
            format!("only a person can call the skill {skill}: ask the user to type /{}", skill.folder())
        }
        Some(Invoker::Person) if !says.user_invocable => {
            format!("the skill {skill} cannot be called with /: say what you need, and the agent loads it when it fits")
        }
        _ => return Ok(()),
    };
    Err(Error::new(Code::ToolBlocked, message))
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
    let name = if may_name { other.skill.as_str() } else { "another skill" };
    let message = format!(
        "/skills/{} is taken by {name}; load {skill} with another name in mount_as, or unload the other first",
        other.mount
    );
    Error::new(Code::MountConflict, message)
}
