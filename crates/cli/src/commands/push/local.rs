//! A skill's folder on this machine as the source of a push.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    app::App,
    client::sync::{PushSource, SyncBase, VersionMemory},
    error::{Code, Error, Result},
    findings::read,
    folder::{LocalSkill, remember, remembered},
    limits::UPLOAD_FILE_BYTES,
    path::SkillPath,
    screen::plain,
    wire::LintedSkill,
};

/// A skill of the folder, or a folder that is almost a skill, with its findings.
pub(super) struct Candidate {
    pub(super) local: Option<LocalSkill>,
    pub(super) judged: LintedSkill,
}

/// The path at which a push without `--into` publishes the skill of a folder: the path of the skill that the folder comes
/// from, if its end is the path of the folder. So a folder that was pulled or pushed by itself keeps its category. A folder
/// with another name, or in another category, is another skill.
pub(super) fn path_without_category(local: &LocalSkill) -> SkillPath {
    // A memory that cannot be read names no skill here. The push reads it again, and is refused for it.
    let known = remembered(&local.folder()).ok().flatten();
    let before = known.as_ref().and_then(SyncBase::skill);
    let is_end = |path: &&SkillPath| {
        path.as_str().strip_suffix(local.skill.as_str()).is_some_and(|category| category.ends_with('/'))
    };
    before.filter(is_end).unwrap_or(&local.skill).clone()
}

/// Checks that no two folders are the same skill.
///
/// # Errors
/// `invalid_request`, with both folders.
pub(super) fn check_distinct(skills: &[LocalSkill]) -> Result<()> {
    let mut folders = BTreeMap::new();
    for local in skills {
        if let Some(other) = folders.insert(&local.skill, local.folder()) {
            let [one, two] = [other, local.folder()].map(|folder| folder.display().to_string());
            return Err(invalid!("{one} and {two} are both the skill {}: push one of them by itself", local.skill));
        }
    }
    Ok(())
}

/// The folder of a skill that is pushed.
pub(super) struct PushedFolder<'run> {
    pub(super) app: &'run App,
    pub(super) local: &'run LocalSkill,
}

impl VersionMemory for PushedFolder<'_> {
    fn remembered(&self) -> Result<Option<SyncBase>> {
        remembered(&self.local.folder())
    }

    /// A failed write of the memory does not stop the push; then the next push of a change asks for a pull first.
    fn remember(&mut self, version: &SyncBase) -> Result<()> {
        if let Err(why) = remember(&self.local.folder(), version, self.app.clock.random()) {
            let skill = plain(self.local.skill.as_str());
            self.app
                .out
                .note(format_args!("{skill} is published, and its folder does not know that: {}", why.message()));
        }
        Ok(())
    }
}

impl PushSource for PushedFolder<'_> {
    fn paths(&self) -> Vec<String> {
        self.local.files.iter().map(|file| file.relative.clone()).collect()
    }

    fn read(&self, path: &str) -> Result<Bytes> {
        let found = self.local.files.binary_search_by(|file| file.relative.as_str().cmp(path)).ok();
        let file = found
            .and_then(|at| self.local.files.get(at))
            .ok_or_else(|| invalid!("{path} is no file of {}; push again", self.local.skill))?;
        let bytes = read(&file.path)?;
        if bytes.len() > UPLOAD_FILE_BYTES {
            let message =
                format!("{} is over {} MiB, the most a file may have", file.path.display(), UPLOAD_FILE_BYTES >> 20);
            return Err(Error::new(Code::FileTooLarge, message));
        }
        Ok(bytes.into())
    }
}
