//! Loading and unloading skills: the gate of `/skills`.
//!
//! A load asks for the listing and for SKILL.md at once, one round trip, and pins what it found. The listing is asked
//! for every time, because it is what sees a change; the content behind it usually is in memory.

use std::sync::Arc;

use futures_util::future::join_all;

use super::{
    Invoker, LoadSkillReply, LoadSkillRequest, LoadStatus, SkillBackend, SkillFile, SkillParameter, UnloadSkillReply,
    UnloadSkillRequest, UnloadStatus, service::Tool, tree::skill_mount,
};
use crate::{
    catalog::{CatalogEntry, CatalogView, Layer},
    error::{Code, Error, Result},
    limits::{ARGUMENT_BYTES, LOADED_SKILLS, NOTE_FLUSH, SKILL_FILE_BYTES, SKILL_FILES},
    path::{MountName, SkillPath, UserSpace},
    session::{Both, Change, LoadedSkill, Session, SkillRule},
    skill::{Document, FilledParameter, Severity, Snapshot, SnapshotFile, read_document, render},
    store::{GetOptions, StoreError, StoreExt},
};

/// Names suggested for a skill that was not found.
const SUGGESTIONS: usize = 3;

/// A skill as it is in the store now.
struct Fetched {
    skill: SkillPath,
    layer: Layer,
    document: Document,
    snapshot: Arc<Snapshot>,
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
        let (session, policy) = self.allowed(Tool::reading("load_skill")).await?;
        self.shared.sessions.check_writable()?;
        let alias = request.mount_as.as_deref().map(MountName::parse).transpose()?;
        let find = self.find(&request.skill, &session, &policy);
        let (fetched, ()) = tokio::join!(find, self.shared.sessions.prepare(&session));
        let fetched = fetched?;
        check_arguments(request)?;
        check_invoker(&fetched, invoker)?;
        if policy.skill(&fetched.skill) == SkillRule::Enabled {
            let message = format!("loading {} needs a person's approval in this session; ask for it", fetched.skill);
            return Err(Error::new(Code::ApprovalRequired, message));
        }
        let (status, loaded, is_first) = self.mount(&fetched, alias, request.arguments.as_deref()).await?;
        // What a policy preloads nobody has chosen.
        if is_first && invoker.is_some() {
            self.count_use(&loaded.skill);
        }
        Ok((status, loaded, fetched.document, fetched.snapshot))
    }

    /// The skill that answers to `name`: a skill path, a mount name or a frontmatter name, in that order.
    async fn find(&self, name: &str, session: &Session, policy: &Both) -> Result<Fetched> {
        if let Ok(path) = SkillPath::parse(name)
            && policy.skill(&path).is_visible()
            && let Some(fetched) = self.fetch_skill(&path).await?
        {
            return Ok(fetched);
        }
        if let Some(loaded) = session.mounted(name)
            && policy.skill(&loaded.skill).is_visible()
            && let Some(fetched) = self.fetch_skill(&loaded.skill).await?
        {
            return Ok(fetched);
        }
        let mut view = self.catalog(false).await?;
        let mut answering = answering(&view, policy, name);
        if answering.is_empty() {
            view = self.catalog(true).await?;
            answering = self::answering(&view, policy, name);
        }
        match answering.as_slice() {
            [] => Err(unknown(name, &view, policy)),
            [entry] => match self.fetch_skill(&entry.skill).await? {
                Some(fetched) => Ok(fetched),
                None => Err(unknown(name, &view, policy)),
            },
            several => Err(ambiguous(name, several)),
        }
    }

    /// The skill that lies at `path` in the nearest layer that has it, or nothing. All layers are asked at once.
    async fn fetch_skill(&self, path: &SkillPath) -> Result<Option<Fetched>> {
        let layers = self.shared.catalogs.layers(&self.audience)?;
        let fetched = layers.iter().map(|(layer, space)| self.fetch_from(*layer, space, path));
        let mut unusable = None;
        for fetched in join_all(fetched).await {
            match fetched {
                Ok(None) => {}
                // The catalog leaves such a skill out and shows the one behind it; so does a load.
                Err(error) if error.code() == Code::SkillNotFound => unusable = unusable.or(Some(error)),
                found => return found,
            }
        }
        unusable.map_or(Ok(None), Err)
    }

    /// The skill that lies at `path` in one layer, or nothing. Listing and SKILL.md are asked for at once.
    async fn fetch_from(&self, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<Option<Fetched>> {
        let prefix = space.skill(path)?;
        let key = prefix.key("SKILL.md")?;
        let whole = GetOptions::range(0..SKILL_FILE_BYTES + 1);
        let (listed, text, inside) = tokio::join!(
            self.shared.store.list_all(&prefix, SKILL_FILES),
            self.shared.store.get(&key, whole),
            self.lies_inside_another(layer, space, path),
        );
        let text = match text {
            Err(StoreError::NotFound) => return Ok(None),
            text => text?,
        };
        if inside? {
            return Ok(None);
        }
        let (entries, truncated) = listed?;
        if truncated || !text.is_whole() {
            let message = format!(
                "skill {path} is too large: up to {SKILL_FILES} files, and {SKILL_FILE_BYTES} bytes of SKILL.md"
            );
            return Err(Error::new(Code::FileTooLarge, message));
        }
        let files = entries.into_iter().filter_map(|entry| {
            let key = prefix.admit(&entry.key)?;
            let path = prefix.relative(key.as_str())?.to_owned();
            // The listing and the GET are two moments; the text that is returned is the one that is pinned.
            let etag = if path == "SKILL.md" { text.meta.etag.clone() } else { entry.etag };
            let size = if path == "SKILL.md" { text.meta.size } else { entry.size };
            Some(SnapshotFile { path, size, etag, modified_at: entry.modified_at })
        });
        let snapshot = Snapshot::new(files.collect());
        let snapshot = match snapshot.file("SKILL.md") {
            Some(_) => snapshot,
            None => snapshot.with(
                "SKILL.md",
                Some(SnapshotFile {
                    path: "SKILL.md".to_owned(),
                    size: text.meta.size,
                    etag: text.meta.etag.clone(),
                    modified_at: text.meta.modified_at,
                }),
            ),
        };
        let (document, diagnostics) = read_document(&text.bytes, path.folder());
        let document = document.ok_or_else(|| {
            let why = diagnostics.iter().find(|finding| finding.severity == Severity::Error);
            let why = why.map_or("it cannot be read", |finding| finding.message.as_str());
            Error::new(Code::SkillNotFound, format!("skill {path} cannot be loaded: {why}"))
        })?;
        Ok(Some(Fetched { skill: path.clone(), layer, document, snapshot: Arc::new(snapshot) }))
    }

    /// Whether a folder above `path` is a skill, so that this is a part of it and not one of its own. The catalog knows,
    /// where it is in memory; otherwise each folder above is asked for.
    async fn lies_inside_another(&self, layer: Layer, space: &UserSpace, path: &SkillPath) -> Result<bool> {
        if let Some(view) = self.shared.catalogs.known(self.audience.clone(), layer).await
            && view.entry(path).is_some()
        {
            return Ok(false);
        }
        let asked = path.ancestors().map(|above| {
            let key = space.skill(&above).and_then(|prefix| prefix.key("SKILL.md"));
            async move {
                match self.shared.store.head(&key?).await {
                    Ok(_) => Ok(true),
                    Err(StoreError::NotFound) => Ok(false),
                    Err(error) => Err(Error::from(error)),
                }
            }
        });
        let found = futures_util::future::try_join_all(asked).await?;
        Ok(found.contains(&true))
    }

    /// Notes the skill in the session; the flag says whether it was never loaded there before.
    async fn mount(
        &self,
        fetched: &Fetched,
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
                return Err(mount_conflict(&fetched.skill, other));
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
        let (session, _) = self.allowed(Tool::reading("unload_skill")).await?;
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
            Ok(Change::Save(Some(found.skill)))
        });
        match update.await?.1.flatten() {
            Some(skill) => Ok(UnloadSkillReply { status: UnloadStatus::Unloaded, skill: skill.to_string() }),
            None => Ok(UnloadSkillReply { status: UnloadStatus::NotLoaded, skill: name }),
        }
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

/// The visible skills whose folder is called `name`, or else those whose frontmatter says so.
fn answering(view: &CatalogView, policy: &Both, name: &str) -> Vec<Arc<CatalogEntry>> {
    let visible = || view.entries.iter().filter(|entry| policy.skill(&entry.skill).is_visible());
    let by_folder: Vec<_> = visible().filter(|entry| entry.skill.folder() == name).cloned().collect();
    if by_folder.is_empty() { visible().filter(|entry| entry.name() == name).cloned().collect() } else { by_folder }
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

fn mount_conflict(skill: &SkillPath, other: &LoadedSkill) -> Error {
    let message = format!(
        "/skills/{} is taken by {}; load {skill} with another name in mount_as, or unload the other first",
        other.mount, other.skill
    );
    Error::new(Code::MountConflict, message)
}

fn ambiguous(name: &str, several: &[Arc<CatalogEntry>]) -> Error {
    let candidates: Vec<&str> = several.iter().map(|entry| entry.skill.as_str()).collect();
    let message =
        format!("several skills are called {name:?}; load one of these by its path: {}", candidates.join(", "));
    Error::new(Code::AmbiguousSkill, message).with_detail("candidates", candidates)
}

fn unknown(name: &str, view: &CatalogView, policy: &Both) -> Error {
    let mut near: Vec<(usize, &str)> = view
        .entries
        .iter()
        .filter(|entry| policy.skill(&entry.skill).is_visible())
        .map(|entry| {
            let names = [entry.skill.as_str(), entry.skill.folder(), entry.name()];
            (
                names.iter().map(|known| super::nearest::distance(name, known)).min().unwrap_or(usize::MAX),
                entry.skill.as_str(),
            )
        })
        .collect();
    near.sort_unstable();
    let suggestions: Vec<&str> = near.iter().take(SUGGESTIONS).map(|(_, skill)| *skill).collect();
    let shown: String = name.chars().take(100).collect();
    let message = if suggestions.is_empty() {
        format!("there is no skill {shown:?}, and none other either")
    } else {
        format!("there is no skill {shown:?}; the nearest are: {}", suggestions.join(", "))
    };
    Error::new(Code::SkillNotFound, message).with_detail("suggestions", suggestions)
}
