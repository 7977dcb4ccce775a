//! The files of a skill that come as parts of a form. There may be ten thousand, so all go into the same spool, one after
//! another.

use std::ops::Range;

use axum::extract::multipart::Field;
use futures_util::TryStreamExt as _;

use super::spool::IncomingUpload;
use crate::{
    error::{Code, Error, Result},
    http::{SpoolPermit, Uploads, broken, over},
    limits::{SKILL_FILES, VERSION_UNPACKED_BYTES, VERSION_ZIP_BYTES},
    publish::UploadedSkill,
};

/// How an archive begins, with files in it and without.
const ARCHIVES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// The bytes of that.
const BEGIN_BYTES: usize = 4;

/// Files that arrive.
pub(crate) struct SkillParts<'u> {
    arriving: IncomingUpload<'u>,
    files: Vec<(String, Range<u64>)>,
    /// How the first file begins.
    begin: Vec<u8>,
}

impl<'u> SkillParts<'u> {
    /// Begins to receive the files of a body of `announced` bytes. The parts together are no longer than the body.
    pub(crate) async fn begin(uploads: &'u Uploads, announced: Option<u64>) -> Self {
        Self { arriving: uploads.begin(announced, parts_bytes(), 1).await, files: Vec::new(), begin: Vec::new() }
    }

    /// Takes one file in.
    ///
    /// # Errors
    /// `file_too_large` for a file or a byte too many; those of [`Uploads::receive`].
    pub(crate) async fn add(mut self, path: String, part: Field<'_>) -> Result<Self> {
        if self.files.len() == SKILL_FILES {
            return Err(Error::new(Code::FileTooLarge, format!("a skill has at most {SKILL_FILES} files")));
        }
        let start = self.arriving.seen() as u64;
        let mut part = part.map_err(broken);
        while let Some(piece) = part.try_next().await? {
            if self.files.is_empty() {
                self.begin.extend(piece.iter().take(BEGIN_BYTES - self.begin.len()));
            }
            self.arriving = self.arriving.add(piece).await.map_err(too_large)?;
        }
        let end = self.arriving.seen() as u64;
        self.files.push((path, start..end));
        Ok(self)
    }

    /// All files.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub(crate) async fn files(self) -> Result<(UploadedSkill, SpoolPermit)> {
        let (bytes, held) = self.arriving.waiting().await.map_err(too_large)?;
        Ok((UploadedSkill::Parts(bytes, self.files), held))
    }

    /// All files, or the archive that the only one of them is.
    ///
    /// # Errors
    /// As [`add`](Self::add).
    pub(crate) async fn files_or_archive(self) -> Result<(UploadedSkill, SpoolPermit)> {
        if self.files.len() != 1 || !ARCHIVES.contains(&self.begin.as_slice()) {
            return self.files().await;
        }
        if self.arriving.seen() > VERSION_ZIP_BYTES {
            return Err(over(VERSION_ZIP_BYTES));
        }
        let upload = self.arriving.in_memory().await?;
        Ok((UploadedSkill::Archive(upload.bytes), upload.held.into()))
    }
}

/// The most bytes of all parts together, as of an unpacked version.
fn parts_bytes() -> usize {
    usize::try_from(VERSION_UNPACKED_BYTES).unwrap_or(usize::MAX)
}

fn too_large(error: Error) -> Error {
    if error.code() != Code::FileTooLarge {
        return error;
    }
    let message =
        format!("a skill has at most {} MiB unpacked, and these parts have more", VERSION_UNPACKED_BYTES >> 20);
    Error::new(Code::FileTooLarge, message).with_detail("limit", VERSION_UNPACKED_BYTES)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::{
        body::Body,
        extract::{DefaultBodyLimit, FromRequest as _, Multipart, Request},
    };

    use super::*;
    use crate::{
        budget::Memory,
        http::{
            body::Spool,
            door::{Admission, ShareOwner},
        },
        limits::{CONNECTIONS, MEMORY_PATIENCE},
    };

    /// The upload that a form with these files becomes.
    async fn taken(files: &[&[u8]]) -> Result<UploadedSkill> {
        let mut body = Vec::new();
        for (number, bytes) in files.iter().enumerate() {
            body.extend(format!("--b\r\ncontent-disposition: form-data; name=\"{number}\"\r\n\r\n").into_bytes());
            body.extend_from_slice(bytes);
            body.extend(b"\r\n");
        }
        body.extend(b"--b--\r\n");
        let request = Request::builder().header("content-type", "multipart/form-data; boundary=b");
        let mut request = request.body(Body::from(body)).unwrap();
        DefaultBodyLimit::disable().apply(&mut request);
        let mut parts = Multipart::from_request(request, &()).await.unwrap();
        let admission = Arc::new(Admission::new(&Memory::new(160 << 20, MEMORY_PATIENCE), CONNECTIONS));
        let uploads = Uploads::new(admission, Arc::new(Spool::new(None)), ShareOwner { user: "u1".into(), key: None });
        let mut taken = SkillParts::begin(&uploads, None).await;
        while let Some(part) = parts.next_field().await.unwrap() {
            taken = taken.add("a".to_owned(), part).await?;
        }
        Ok(taken.files_or_archive().await?.0)
    }

    #[tokio::test]
    async fn one_file_that_begins_as_an_archive_is_one() {
        for begin in ARCHIVES {
            let zip = [begin, b"..."].concat();
            assert!(matches!(taken(&[&zip]).await.unwrap(), UploadedSkill::Archive(bytes) if bytes == zip));
        }
        for files in [&[&b"---\n"[..]][..], &[b"---\n", b"PK\x03\x04"], &[b"PK\x03\x04", b"x"], &[b"PK"], &[b""], &[]] {
            let UploadedSkill::Parts(_, places) = taken(files).await.unwrap() else { panic!("{files:?}") };
            let mut end = 0;
            let lengths = places.iter().map(|(_, place)| {
                assert_eq!(std::mem::replace(&mut end, place.end), place.start, "one after another");
                place.end - place.start
            });
            assert_eq!(lengths.collect::<Vec<_>>(), files.iter().map(|one| one.len() as u64).collect::<Vec<_>>());
        }
    }

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
    #[tokio::test]
    async fn an_archive_in_a_form_has_the_limit_of_any_other() {
        let mut zip = vec![0; VERSION_ZIP_BYTES];
        zip[..4].copy_from_slice(ARCHIVES[0]);
        assert!(taken(&[&zip]).await.is_ok());
        zip.push(0);
        assert_eq!(taken(&[&zip]).await.unwrap_err().code(), Code::FileTooLarge);
    }
}
