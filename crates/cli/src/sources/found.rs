//! The contents of a source, checked as a publish checks them.

use std::{collections::BTreeMap, path::PathBuf};

use bytes::Bytes;
use jiff::Timestamp;

use crate::{
    blocking::blocking,
    error::{Code, Error, Result},
    findings::read,
    folder::{Extent, scan},
    limits::FETCHED_BYTES,
    path::SkillPath,
    skill::{Diagnostic, Provenance, SkillUpload, VersionArchive},
};

/// A skill of a source.
#[derive(Clone, Debug)]
pub(crate) struct SourceSkill {
    /// Where it belongs.
    pub(crate) skill: SkillPath,
    /// Its files, by their paths below its folder.
    pub(crate) files: Vec<(String, Bytes)>,
}

/// The contents of a source.
#[derive(Debug, Default)]
pub(crate) struct SourceContents {
    /// The revision, such as a commit or the digest of an index.
    pub(crate) revision: String,
    /// The origin that versions of its skills record.
    pub(crate) provenance: String,
    /// The skills, in order of their paths.
    pub(crate) skills: Vec<SourceSkill>,
    /// Skills that stay behind, with their faults.
    pub(crate) refused: BTreeMap<String, Vec<Diagnostic>>,
    /// The skipped entries, each with the reason.
    pub(crate) passed_over: Vec<String>,
    /// The bytes of all files so far.
    pub(super) size: u64,
}

impl SourceContents {
    /// Takes a skill in, if it stands the checks of a publish. Blocks.
    ///
    /// # Errors
    /// `too_expensive` if the source has more than one command takes; `internal`.
    pub(super) fn take(&mut self, skill: SkillPath, upload: SkillUpload, now: Timestamp) -> Result<()> {
        let from = Provenance { at: now, by: None, source: None };
        match upload.finish(&skill, &from) {
            Ok(checked) => {
                self.size += checked.package.version.size();
                if self.size > FETCHED_BYTES {
                    let message = format!("the source has more than {} MiB of skills", FETCHED_BYTES >> 20);
                    return Err(Error::new(Code::TooExpensive, message));
                }
                let files = VersionArchive::open(checked.package.zip).and_then(|mut archive| archive.files());
                self.skills.push(SourceSkill { skill, files: files.map_err(Error::internal)? });
            }
            Err(findings) => drop(self.refused.insert(skill.to_string(), findings)),
        }
        Ok(())
    }

    /// The same in order.
    ///
    /// # Errors
    /// `invalid_request` if there is no skill at all.
    pub(super) fn done(mut self, shown: &str) -> Result<Self> {
        if self.skills.is_empty() && self.refused.is_empty() {
            let message = format!("{shown} has no skill that can be added; a skill is a folder with a SKILL.md");
            return Err(Error::new(
                Code::InvalidRequest,
                [message].into_iter().chain(self.passed_over).collect::<Vec<_>>().join("; "),
            ));
        }
        self.skills.sort_by(|one, two| one.skill.cmp(&two.skill));
        Ok(self)
    }
}

/// The path of the skill `name` in the category `into`.
///
/// # Errors
/// `invalid_path` if it is none.
pub(super) fn placed(into: Option<&str>, name: &str) -> Result<SkillPath> {
    match into.map(|into| into.trim_matches('/')).filter(|into| !into.is_empty()) {
        Some(into) => SkillPath::parse(&format!("{into}/{name}")),
        None => SkillPath::parse(name),
    }
}

/// The skills of a folder, as `push` finds them.
pub(super) async fn of_folder(
    folder: PathBuf,
    shown: String,
    into: Option<String>,
    now: Timestamp,
) -> Result<SourceContents> {
    blocking(move || {
        let scanned = scan(&folder.into(), into.as_deref(), Extent::NotIgnored)?;
        let mut fetched =
            SourceContents { revision: String::new(), provenance: shown.clone(), ..SourceContents::default() };
        for local in scanned.skills {
            let mut upload = SkillUpload::default();
            for file in &local.files {
                upload.add(&file.relative, &read(&file.path)?.into());
            }
            fetched.passed_over.extend(local.skipped.iter().map(|skipped| format!("{}: {skipped}", local.skill)));
            fetched.take(local.skill, upload, now)?;
        }
        for none in scanned.no_skills {
            fetched.refused.insert(none.at, vec![none.finding]);
        }
        fetched.done(&shown)
    })
    .await
}
