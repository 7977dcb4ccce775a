//! The files of an archive packed again, as they are or with another SKILL.md.

use crate::text::is_text;
use bytes::Bytes;

use super::check_upload::invalid;
use crate::{
    content::SkillTarget,
    error::{Code, Error, Result},
    limits::{SKILL_FINDINGS, UPLOAD_FILE_BYTES, VERSION_RATIO, VERSION_ZIP_BYTES},
    path::{LayerOwner, SkillPath},
    skill::{
        CheckedSkill, Diagnostic, MAIN, Packer, Provenance, SkillUpload, VersionArchive, content_findings,
        hidden_in_file, lint, name_finding, quality, rewrite,
    },
};

/// The changes of a SKILL.md.
#[derive(Clone, Debug, Default)]
pub(crate) struct TextChange {
    pub(crate) description: Option<String>,
    pub(crate) body: Option<String>,
}

impl TextChange {
    /// The memory that the change takes, as it came and in SKILL.md.
    pub(crate) fn bytes(&self) -> u64 {
        let length = |text: &Option<String>| text.as_ref().map_or(0, String::len) as u64;
        2 * (length(&self.description) + length(&self.body))
    }

    fn is_none(&self) -> bool {
        self.description.is_none() && self.body.is_none()
    }
}

/// The memory for packing the files of an archive of `zip` bytes again: both archives, and the largest file.
pub(crate) fn bytes_to_repack(zip: u64) -> u64 {
    2 * zip + zip.saturating_mul(VERSION_RATIO).min(UPLOAD_FILE_BYTES as u64)
}

/// The skill in `archive` as it is, with the findings of lint.
pub(crate) async fn repack_whole(
    target: &SkillTarget,
    owner: &LayerOwner,
    archive: VersionArchive,
    from: &Provenance,
) -> Result<CheckedSkill> {
    repack_rewritten(target, owner, archive, TextChange::default(), from).await
}

/// The skill in `archive` with `change`. The changed skill is checked like an upload.
///
/// # Errors
/// `invalid_skill` with `findings`; `invalid_request` for a SKILL.md that cannot be changed in place.
pub(crate) async fn repack_rewritten(
    target: &SkillTarget,
    owner: &LayerOwner,
    archive: VersionArchive,
    change: TextChange,
    from: &Provenance,
) -> Result<CheckedSkill> {
    let errand = target.content.workers().errand(&owner.to_string(), VERSION_ZIP_BYTES as u64);
    let (skill, from) = (target.skill.clone(), from.clone());
    errand.run(move |_| repack(archive, &change, &skill, &from)).await
}

fn repack(
    mut archive: VersionArchive,
    change: &TextChange,
    skill: &SkillPath,
    from: &Provenance,
) -> Result<CheckedSkill> {
    let version = archive.version().map_err(Error::internal)?;
    let mut files = Vec::new();
    for file in version.files() {
        let bytes = archive.read(&file.path, file.size).map_err(Error::internal)?.unwrap_or_default();
        files.push((file.path.clone(), bytes));
    }
    if change.is_none() {
        let mut packer = Packer::default();
        for (path, bytes) in &files {
            packer.add(path, bytes).map_err(|why| Error::internal(why.message))?;
        }
        let package = packer.finish(skill, from).map_err(|why| Error::internal(why.message))?;
        let paths: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
        let mut findings = lint(&package.main, skill.folder(), Some(&paths));
        let secrets = files.iter().filter_map(|(path, bytes)| secret_in(path, bytes));
        let secrets: Vec<_> = secrets.take(SKILL_FINDINGS).collect();
        if !secrets.is_empty() {
            // Another tool put the secret there, and the folder was kept as it was. A publish must not show it to agents.
            return Err(invalid(skill, &secrets));
        }
        let texts = files.iter().filter(|(path, bytes)| path != MAIN && is_text(bytes));
        let hidden = texts.filter_map(|(path, bytes)| Some(hidden_in_file(bytes)?.in_file(path)));
        findings.extend(hidden.take(SKILL_FINDINGS));
        let quality = quality(&package.main, skill.folder(), &paths, package.version.size(), &findings);
        return Ok(CheckedSkill { package, findings, quality });
    }
    let mut upload = SkillUpload::default();
    for (path, bytes) in &files {
        if path == MAIN { upload.add(path, &changed(bytes, change, skill)?) } else { upload.add(path, bytes) }
    }
    upload.finish(skill, from).map_err(|findings| invalid(skill, &findings))
}

/// The first secret of a file, found by its name or in its text.
fn secret_in(path: &str, bytes: &Bytes) -> Option<Diagnostic> {
    let in_text = || {
        let found = if is_text(bytes) { content_findings(bytes) } else { Vec::new() };
        found.into_iter().find(Diagnostic::is_of_secret).map(|found| found.in_file(path))
    };
    name_finding(path).filter(Diagnostic::is_of_secret).or_else(in_text)
}

fn changed(main: &Bytes, change: &TextChange, skill: &SkillPath) -> Result<Bytes> {
    let TextChange { description, body } = change;
    let text = std::str::from_utf8(main).ok();
    let text = text.and_then(|text| rewrite(text, skill.folder(), description.as_deref(), body.as_deref()));
    text.map(Bytes::from).ok_or_else(|| {
        let message = format!(
            "the frontmatter of {skill} is written in a way that cannot be changed in place: publish the whole SKILL.md"
        );
        Error::new(Code::InvalidRequest, message)
    })
}
