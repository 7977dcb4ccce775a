//! Skills on their way in: a worker takes them apart and checks them, and then they are published.

use super::{
    change::ChangeResult,
    draft_change::{change_with_draft, show_change},
    upload::UploadedSkill,
};
use crate::{
    context::{Caller, Core},
    error::{Code, Error, Result},
    limits::SOURCE_BYTES,
    observer::EffectsRecorder,
    path::{Id, LayerOwner, SkillPath},
    skill::{CheckedSkill, Diagnostic, Provenance, Quality, Severity, is_version_digest},
    wire::{Condition, PublishReply, SkillState},
};

/// The publisher, the source and the condition of a change.
#[derive(Clone, Debug, Default)]
pub struct PublishOptions {
    /// Who publishes, as far as that is known. The version keeps it.
    pub by: Option<String>,
    /// Where the version comes from, in any words. The version keeps it.
    pub source: Option<String>,
    /// The version or the draft that must be there now.
    pub condition: Condition,
    /// The recorder of the change, for an observer.
    pub note: EffectsRecorder,
}

impl PublishOptions {
    /// A change by `caller`, on no condition.
    #[must_use]
    pub fn from_caller(caller: &Caller) -> Self {
        Self { by: caller.key().map(str::to_owned), ..Self::default() }
    }
}

pub(crate) async fn publish(
    core: &Core,
    owner: &LayerOwner,
    skill: &SkillPath,
    uploaded: UploadedSkill,
    options: PublishOptions,
) -> Result<PublishReply> {
    let (from, condition, note) = provenance(core, options)?;
    let place = core.content().place(owner, skill)?.noting(note, owner);
    let _room = place.reserve(uploaded.window()).await?;
    let CheckedSkill { package, findings, quality } = check_upload(core, owner, skill, uploaded, &from).await?;
    let mut changed = change_with_draft(&place, Some(&package), &from, condition).await?;
    show_change(core, &place, owner, &mut changed).await;
    Ok(reply(skill, package.version.digest(), changed, findings, quality))
}

/// The path of a skill that was sent without a path: the name in SKILL.md, or else the folder around the files.
///
/// # Errors
/// `invalid_skill` if neither is a name.
pub(crate) async fn path_of(core: &Core, user: &Id, uploaded: UploadedSkill) -> Result<SkillPath> {
    let errand = core.workers().errand(user.as_str(), uploaded.window());
    let names = errand.run(move |_| uploaded.names()).await?;
    let path = |name: &String| SkillPath::parse(name).ok().filter(|path| path.category().is_empty());
    names.iter().find_map(path).ok_or_else(|| {
        let message = "the skill has no name: its files lie in one folder with a SKILL.md whose frontmatter has `name`, such as \
                       meeting-minutes";
        Error::new(Code::InvalidSkill, message)
    })
}

/// Takes a skill apart and checks it whole.
///
/// # Errors
/// `invalid_skill` with `findings`.
pub(crate) async fn check_upload(
    core: &Core,
    owner: &LayerOwner,
    skill: &SkillPath,
    uploaded: UploadedSkill,
    from: &Provenance,
) -> Result<CheckedSkill> {
    let errand = core.workers().errand(&owner.to_string(), uploaded.window());
    let (path, provenance) = (skill.clone(), from.clone());
    let checked = errand.run(move |_| uploaded.check(&path, &provenance)).await?;
    checked.map_err(|findings| invalid(skill, &findings))
}

/// The provenance that a version records, the condition, and the recorder of the change.
pub(crate) fn provenance(core: &Core, options: PublishOptions) -> Result<(Provenance, Condition, EffectsRecorder)> {
    core.check_writable()?;
    let PublishOptions { by, source, condition, note } = options;
    check_source(source.as_deref())?;
    if condition.digest().is_some_and(|only| !is_version_digest(only)) {
        let message = "If-Match names one version of the skill by its digest: `sha256:` and 64 hex digits";
        return Err(Error::new(Code::InvalidRequest, message));
    }
    Ok((Provenance { at: core.clock().now(), by, source }, condition, note))
}

pub(crate) fn reply(
    skill: &SkillPath,
    digest: &str,
    changed: ChangeResult,
    lint: Vec<Diagnostic>,
    quality: Quality,
) -> PublishReply {
    let ChangeResult { status, complete, kept, .. } = changed;
    let (skill, digest) = (skill.to_string(), digest.to_owned());
    PublishReply { status, skill, digest, state: SkillState::Published, complete, kept, lint, quality }
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

pub(crate) fn invalid(skill: &SkillPath, findings: &[Diagnostic]) -> Error {
    let first = findings.iter().find(|one| one.severity == Severity::Error);
    let first = first.map_or("it has faults", |one| one.message.as_str());
    let message = format!("{skill} is not a skill that can be published, and nothing was stored: {first}");
    Error::new(Code::InvalidSkill, message).with_detail("findings", serde_json::to_value(findings).unwrap_or_default())
}
