//! A skill as it was sent, in each of its forms, and what it takes to check it whole.

use std::{io, ops::Range};

use bytes::Bytes;

use super::{
    textual::{self, Textual},
    waiting::SpooledBody,
};
use crate::{
    backend::text::is_text,
    error::{Code, Error, Outcome, Result},
    limits::{SKILL_FILE_BYTES, UPLOAD_FILE_BYTES, VERSION_RATIO, VERSION_ZIP_BYTES},
    path::SkillPath,
    skill::{CheckedSkill, Diagnostic, MAIN, Provenance, SkillUpload, VersionArchive, names},
    wire::PublishRequest,
};

/// A skill as it was sent.
#[derive(Clone, Debug)]
pub enum UploadedSkill {
    /// What its SKILL.md says, and the text of its other files.
    Text(Box<PublishRequest>),
    /// A [`PublishRequest`] as JSON.
    Json(SpooledBody),
    /// A zip archive of its folder.
    Archive(Bytes),
    /// Path and bytes of each file.
    Files(Vec<(String, Bytes)>),
    /// Files one after another, and the path and the place of each.
    Parts(SpooledBody, Vec<(String, Range<u64>)>),
}

impl UploadedSkill {
    /// How many bytes of memory it takes while it is checked and published: as it came if it is in memory, packed again, and its
    /// largest file.
    pub(super) fn window(&self) -> u64 {
        let (largest, zip) = (UPLOAD_FILE_BYTES as u64, VERSION_ZIP_BYTES as u64);
        match self {
            Self::Text(request) => {
                3 * (request.body.len() + request.files.values().map(String::len).sum::<usize>()) as u64
            }
            // A text is there twice: as the parser has read it, and as the file that it is.
            Self::Json(json) => 2 * json.len().min(largest) + json.len().min(zip),
            Self::Archive(zip) => 2 * zip.len() as u64 + (zip.len() as u64 * VERSION_RATIO).min(largest),
            Self::Files(files) => 2 * files.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>() + (1 << 10),
            Self::Parts(bytes, _) => bytes.len().min(largest) + bytes.len().min(zip) + (1 << 10),
        }
    }

    /// The names that a skill without a path may have, best first.
    ///
    /// # Errors
    /// `invalid_request` for a skill as text; `invalid_skill` for an archive that cannot be read.
    pub(super) fn names(self) -> Result<Vec<String>> {
        match self {
            Self::Text(_) | Self::Json(_) => {
                Err(Error::new(Code::InvalidRequest, "a skill as text is published at a path"))
            }
            Self::Files(files) => {
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                Ok(names(&paths, |path| files.iter().find(|(one, _)| one == path).map(|(_, bytes)| bytes.clone())))
            }
            Self::Parts(bytes, files) => {
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                let main = |path: &str| {
                    let (_, place) = files.iter().find(|(one, _)| one == path)?;
                    bytes.read(shortened(place, SKILL_FILE_BYTES)).ok()
                };
                Ok(names(&paths, main))
            }
            Self::Archive(zip) => {
                let refused = |why| Error::new(Code::InvalidSkill, format!("nothing was stored: the archive {why}"));
                let mut archive = VersionArchive::open(zip).map_err(refused)?;
                let paths = archive.paths().map_err(refused)?;
                let paths: Vec<_> = paths.iter().map(String::as_str).collect();
                Ok(names(&paths, |path| archive.read(path, SKILL_FILE_BYTES).ok().flatten()))
            }
        }
    }

    /// Takes it apart, checks it whole and packs it as a version of `skill`. The inner result is what was found.
    ///
    /// # Errors
    /// `invalid_request`, `too_expensive` or `file_too_large` for JSON that is no skill as text; `store_unavailable` if it cannot be
    /// read from where it waits.
    pub(super) fn check(self, skill: &SkillPath, from: &Provenance) -> Result<Result<CheckedSkill, Vec<Diagnostic>>> {
        let upload = match self {
            Self::Text(request) => taken_in(*request, skill)?,
            Self::Json(json) => {
                let Textual { description, body, files, frontmatter } = textual::read(&json)?;
                let mut upload = files.taken_in()?;
                let main = textual::main_file(skill.folder(), &description, frontmatter, &body)?;
                upload.add(MAIN, &main);
                upload
            }
            Self::Archive(zip) => {
                let mut upload = SkillUpload::new(is_text);
                upload.add_archive(zip);
                upload
            }
            Self::Files(files) => {
                let mut upload = SkillUpload::new(is_text);
                upload.add_files(&files);
                upload
            }
            Self::Parts(bytes, files) => {
                let mut upload = SkillUpload::new(is_text);
                let paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
                let read = |index: usize| {
                    let place = files.get(index).map(|(_, place)| place.clone()).unwrap_or_default();
                    // One byte more than a file may have, so that it is refused.
                    bytes.read(shortened(&place, UPLOAD_FILE_BYTES as u64 + 1))
                };
                upload.add_each(&paths, read).map_err(unreadable)?;
                upload
            }
        };
        Ok(upload.finish(skill, from))
    }
}

fn taken_in(request: PublishRequest, skill: &SkillPath) -> Result<SkillUpload> {
    let PublishRequest { description, body, files, frontmatter } = request;
    if files.contains_key(MAIN) {
        return Err(textual::main_among_files());
    }
    let mut upload = SkillUpload::new(is_text);
    upload.add(MAIN, &textual::main_file(skill.folder(), &description, frontmatter, &body)?);
    for (path, text) in files {
        upload.add(&path, &Bytes::from(text));
    }
    Ok(upload)
}

/// The first `most` bytes of a place.
fn shortened(place: &Range<u64>, most: u64) -> Range<u64> {
    place.start..place.end.min(place.start.saturating_add(most))
}

fn unreadable(cause: io::Error) -> Error {
    let message = "the upload could not be read again from the disk on which it waited; try again";
    Error::new(Code::StoreUnavailable, message).with_outcome(Outcome::NotApplied).with_source(cause)
}
