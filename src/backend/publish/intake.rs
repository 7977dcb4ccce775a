//! Skills on their way in: taken apart and checked by a worker, then published.

use bytes::Bytes;

use super::change::{Changed, Condition};
use crate::{
    backend::{EffectsNote, Service, text::binary_type},
    error::{Code, Error, Result},
    limits::{SKILL_FILE_BYTES, SOURCE_BYTES, UPLOAD_FILE_BYTES, VERSION_RATIO},
    path::{Id, LayerOwner, SkillPath},
    skill::{
        CheckedSkill, Diagnostic, MAIN, Provenance, Quality, Severity, SkillUpload, VersionArchive, compose,
        is_version_digest, names,
    },
    wire::{PublishReply, PublishRequest, SkillState},
};

/// Who publishes, from where, and on what condition.
#[derive(Clone, Debug, Default)]
pub struct PublishOptions {
    /// Who publishes, as far as that is known. The version keeps it.
    pub by: Option<String>,
    /// Where the version comes from, in any words. The version keeps it.
    pub source: Option<String>,
    /// What must be there now, published or as a draft.
    pub condition: Condition,
    /// Where the change is noted, for whoever keeps account of it.
    pub note: EffectsNote,
}

/// A skill as it was sent.
#[derive(Clone, Debug)]
pub enum UploadedSkill {
    /// What its SKILL.md says, and the text of its other files.
    Text(Box<PublishRequest>),
    /// A zip archive of its folder.
    Archive(Bytes),
    /// Path and bytes of each file.
    Files(Vec<(String, Bytes)>),
}

impl UploadedSkill {
    /// How many bytes it takes while it is checked and published: as it came, packed again, and its largest file.
    pub(super) fn window(&self) -> u64 {
        let largest = UPLOAD_FILE_BYTES as u64;
        match self {
            Self::Text(request) => {
                3 * (request.body.len() + request.files.values().map(String::len).sum::<usize>()) as u64
            }
            Self::Archive(zip) => 2 * zip.len() as u64 + (zip.len() as u64 * VERSION_RATIO).min(largest),
            Self::Files(files) => 2 * files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() + (1 << 10),
        }
    }
}

impl Service {
    /// Publishes `uploaded` as the new version of the owner's skill.
    ///
    /// # Errors
    /// `invalid_skill` with `findings`: nothing was stored. `version_conflict` with `current` if the skill has another version;
    /// `already_exists` if no skill may lie there; `file_too_large` if what lies there cannot be kept as a version; `read_only`;
    /// the store's, with the outcome.
    pub async fn publish_skill(
        &self,
        owner: impl Into<LayerOwner>,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        self.publish(&owner.into(), skill, uploaded, options).await.map_err(Error::of_change)
    }

    async fn publish(
        &self,
        owner: &LayerOwner,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        options: PublishOptions,
    ) -> Result<PublishReply> {
        let (from, condition, note) = self.provenance(options)?;
        let place = self.place(owner, skill)?.noting(note, owner);
        let _room = place.enter(uploaded.window()).await?;
        let CheckedSkill { package, findings, quality } = self.take_in(owner, skill, uploaded, &from).await?;
        let changed = place.change_with_draft(Some(&package), &from, condition).await?;
        self.show_change(owner).await;
        Ok(reply(skill, package.version.digest(), changed, findings, quality))
    }

    /// Takes a skill apart and checks it whole.
    ///
    /// # Errors
    /// `invalid_skill` with `findings`.
    pub(super) async fn take_in(
        &self,
        owner: &LayerOwner,
        skill: &SkillPath,
        uploaded: UploadedSkill,
        from: &Provenance,
    ) -> Result<CheckedSkill> {
        let errand = self.workers().errand(&owner.to_string(), uploaded.window());
        let (path, provenance) = (skill.clone(), from.clone());
        let checked = errand.run(move |_| check(uploaded, &path, &provenance)).await?;
        checked.map_err(|findings| invalid(skill, &findings))
    }

    /// The path of a skill that was sent without one: what its SKILL.md calls it, or else the folder around its files.
    ///
    /// # Errors
    /// `invalid_skill` if neither is a name; `invalid_request` for a skill as text.
    pub async fn path_of(&self, user: &Id, uploaded: UploadedSkill) -> Result<SkillPath> {
        let errand = self.workers().errand(user.as_str(), uploaded.window());
        let names = errand.run(move |_| names_of(uploaded)).await?;
        let path = |name: &String| SkillPath::parse(name).ok().filter(|path| path.category().is_empty());
        names.iter().find_map(path).ok_or_else(|| {
            let message = "the skill has no name: its files lie in one folder with a SKILL.md whose frontmatter has `name`, such as \
                           meeting-minutes";
            Error::new(Code::InvalidSkill, message)
        })
    }

    /// What a version keeps of who publishes it now, the condition, and where the change is noted.
    pub(super) fn provenance(&self, options: PublishOptions) -> Result<(Provenance, Condition, EffectsNote)> {
        self.check_writable()?;
        let PublishOptions { by, source, condition, note } = options;
        check_source(source.as_deref())?;
        if condition.digest().is_some_and(|only| !is_version_digest(only)) {
            let message = "If-Match names one version of the skill by its digest: `sha256:` and 64 hex digits";
            return Err(Error::new(Code::InvalidRequest, message));
        }
        Ok((Provenance { at: self.shared.clock.now(), by, source }, condition, note))
    }

    /// Reads the owner's catalog again, so that a change of ours shows at once. If that fails, it shows as any other.
    pub(super) async fn show_change(&self, owner: &LayerOwner) {
        if let Err(error) = self.catalogs().look_again(owner).await {
            tracing::warn!(%owner, cause = %error.chain(), "a published skill shows later");
        }
    }
}

pub(super) fn reply(
    skill: &SkillPath,
    digest: &str,
    changed: Changed,
    lint: Vec<Diagnostic>,
    quality: Quality,
) -> PublishReply {
    let Changed { status, complete, kept, .. } = changed;
    let (skill, digest) = (skill.to_string(), digest.to_owned());
    PublishReply { status, skill, digest, state: SkillState::Published, complete, kept, lint, quality }
}

fn names_of(uploaded: UploadedSkill) -> Result<Vec<String>> {
    match uploaded {
        UploadedSkill::Text(_) => Err(Error::new(Code::InvalidRequest, "a skill as text is published at a path")),
        UploadedSkill::Files(files) => {
            let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
            Ok(names(&paths, |path| files.iter().find(|(one, _)| one == path).map(|(_, bytes)| bytes.clone())))
        }
        UploadedSkill::Archive(zip) => {
            let refused = |why| Error::new(Code::InvalidSkill, format!("nothing was stored: the archive {why}"));
            let mut archive = VersionArchive::open(zip).map_err(refused)?;
            let paths = archive.paths().map_err(refused)?;
            let paths: Vec<_> = paths.iter().map(String::as_str).collect();
            Ok(names(&paths, |path| archive.read(path, SKILL_FILE_BYTES).ok().flatten()))
        }
    }
}

fn check(
    uploaded: UploadedSkill,
    skill: &SkillPath,
    from: &Provenance,
) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
    // As lint does, whose findings are those of a push.
    let mut upload = SkillUpload::new(|bytes| binary_type(bytes).is_none());
    match uploaded {
        UploadedSkill::Text(request) => {
            for (path, bytes) in composed(*request, skill.folder())? {
                upload.add(&path, &bytes);
            }
        }
        UploadedSkill::Archive(zip) => upload.add_archive(zip),
        UploadedSkill::Files(files) => upload.add_files(&files),
    }
    Ok(upload.finish(skill, from))
}

/// The files of a skill that was sent as text.
fn composed(request: PublishRequest, folder: &str) -> Result<Vec<(String, Bytes)>> {
    let PublishRequest { description, body, files, mut frontmatter } = request;
    let wrong = |what: &str| Error::new(Code::InvalidRequest, format!("the JSON body is not valid: {what}"));
    let name = match frontmatter.shift_remove("name") {
        None => folder.to_owned(),
        Some(name) => name.as_str().map(str::to_owned).ok_or_else(|| wrong("`name` in `frontmatter` is no text"))?,
    };
    if frontmatter.contains_key("description") {
        return Err(wrong("`description` stands beside `frontmatter`, not in it"));
    }
    if files.contains_key(MAIN) {
        return Err(wrong("SKILL.md is made of `description`, `frontmatter` and `body`, and is not among `files`"));
    }
    let main = compose(&name, &description, &frontmatter, &body);
    let files = files.into_iter().map(|(path, text)| (path, Bytes::from(text)));
    Ok([(MAIN.to_owned(), Bytes::from(main))].into_iter().chain(files).collect())
}

fn check_source(source: Option<&str>) -> Result<()> {
    match source.map_or(0, str::len) {
        0..=SOURCE_BYTES => Ok(()),
        bytes => {
            let message = format!("`source` has {bytes} bytes and may have {SOURCE_BYTES}: shorten it");
            Err(Error::new(Code::InvalidRequest, message))
        }
    }
}

pub(super) fn invalid(skill: &SkillPath, findings: &[Diagnostic]) -> Error {
    let first = findings.iter().find(|one| one.severity == Severity::Error);
    let first = first.map_or("it has faults", |one| one.message.as_str());
    let message = format!("{skill} is not a skill that can be published, and nothing was stored: {first}");
    Error::new(Code::InvalidSkill, message).with_detail("findings", serde_json::to_value(findings).unwrap_or_default())
}
