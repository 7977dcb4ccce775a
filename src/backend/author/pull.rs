//! Stored skills on their way to their authors.

use bytes::Bytes;

use super::{
    fetch,
    stored::{StoredFile, StoredSkill},
};
use crate::{
    backend::Service,
    error::{Code, Error, Result},
    limits::UPLOAD_FILE_BYTES,
    wire::FileChange,
};

/// What a pull does with one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PulledFile {
    /// What becomes of the author's file.
    pub change: FileChange,
    /// What to put there; nothing if it is the same, or only the change is asked for.
    pub bytes: Option<Bytes>,
}

impl StoredSkill {
    /// Where a file of it lies below `skills/`, if it can be pulled.
    ///
    /// # Errors
    /// `invalid_request` if no path can name it, or if it is larger than an uploaded file may be.
    pub fn pullable(&self, file: &StoredFile) -> Result<String> {
        file.key()?;
        let place = self.place(file);
        if file.size > UPLOAD_FILE_BYTES as u64 {
            return Err(Error::new(Code::InvalidRequest, format!("{place} is over {} MiB", UPLOAD_FILE_BYTES >> 20)));
        }
        Ok(place)
    }
}

impl Service {
    /// Compares a file of `skill` with `here`, which its author has: by size first, by content only if the sizes are equal.
    /// With `dry_run` only the change is asked for.
    ///
    /// # Errors
    /// As [`StoredSkill::pullable`]; `edit_conflict` if it was deleted since it was listed; the store's.
    pub async fn pull_file(
        &self,
        skill: &StoredSkill,
        file: &StoredFile,
        here: Option<&[u8]>,
        dry_run: bool,
    ) -> Result<PulledFile> {
        let place = skill.pullable(file)?;
        let change = if here.is_some() { FileChange::Updated } else { FileChange::Created };
        let differs = here.is_none_or(|here| here.len() as u64 != file.size);
        if differs && dry_run {
            return Ok(PulledFile { change, bytes: None });
        }
        let Some(object) = fetch(self.store(), file.key()?).await? else {
            return Err(Error::new(
                Code::EditConflict,
                format!("{place} was deleted while it was being pulled; pull again"),
            ));
        };
        if here.is_some_and(|here| here == object.bytes) {
            return Ok(PulledFile { change: FileChange::Unchanged, bytes: None });
        }
        Ok(PulledFile { change, bytes: (!dry_run).then_some(object.bytes) })
    }
}
