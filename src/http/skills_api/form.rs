//! A skill as clients of the Skills APIs send it: a form with a part for each file, or with one archive.

use axum::{
    body::HttpBody as _,
    extract::{FromRequest as _, Multipart, Request},
};
use futures_util::TryStreamExt as _;

use crate::{
    backend::UploadedSkill,
    error::{Code, Error, Result},
    http::{
        part_name::{part_file_name, part_name},
        receive::{broken, over},
        spool::{Upload, Uploads},
    },
    limits::{DISPLAY_NAME_CHARS, SKILL_FILES, VERSION_ZIP_BYTES},
};

/// How an archive begins, with files in it and without.
const ARCHIVES: [&[u8]; 2] = [b"PK\x03\x04", b"PK\x05\x06"];
/// The longest value of a field that is no file: a name of the most characters.
const FIELD_BYTES: usize = 4 * DISPLAY_NAME_CHARS;

/// What such a form says.
pub(super) struct Form {
    pub(super) uploaded: UploadedSkill,
    /// What people call the skill.
    pub(super) display_name: Option<String>,
    /// Whether the version is to be published.
    pub(super) is_default: bool,
    /// Holds the memory of the files.
    pub(super) held: Vec<Upload>,
}

/// Reads the form that a request brings.
///
/// # Errors
/// `invalid_request` for what is no such form; `file_too_large` as for any publish.
pub(super) async fn receive(uploads: &Uploads, request: Request) -> Result<Form> {
    // No part is longer than all of them.
    let most = request.body().size_hint().exact();
    let mut parts = Multipart::from_request(request, &()).await.map_err(|_| {
        Error::new(Code::InvalidRequest, "a skill is sent as `multipart/form-data`: its files as `files[]`, or one zip")
    })?;
    let (mut files, mut held, mut left) = (Vec::new(), Vec::new(), VERSION_ZIP_BYTES);
    let (mut display_name, mut is_default) = (None, false);
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        if files.len() > SKILL_FILES {
            return Err(Error::new(Code::FileTooLarge, format!("a skill has at most {SKILL_FILES} files")));
        }
        let name = part_name(part.headers()).unwrap_or_default();
        let file = part_file_name(part.headers());
        let limit = if file.is_some() { left } else { FIELD_BYTES };
        let upload = uploads.receive(most, part.map_err(broken), limit).await?;
        match (name.as_str(), file) {
            ("files[]" | "files", Some(path)) => {
                left = left.checked_sub(upload.bytes.len()).ok_or_else(|| over(VERSION_ZIP_BYTES))?;
                files.push((path, upload.bytes.clone()));
                held.push(upload);
            }
            ("display_name", None) => display_name = named(&upload.bytes)?,
            ("default", None) => is_default = flag(&upload.bytes)?,
            _ => {
                let message = "the form has a part that it may not have: its files are called `files[]`, each with its path as \
                               filename, and beside them are `display_name` and `default`";
                return Err(Error::new(Code::InvalidRequest, message));
            }
        }
    }
    Ok(Form { uploaded: uploaded(files), display_name, is_default, held })
}

fn uploaded(mut files: Vec<(String, bytes::Bytes)>) -> UploadedSkill {
    match files.pop() {
        Some((_, zip)) if files.is_empty() && ARCHIVES.iter().any(|begin| zip.starts_with(begin)) => {
            UploadedSkill::Archive(zip)
        }
        last => {
            files.extend(last);
            UploadedSkill::Files(files)
        }
    }
}

fn named(bytes: &[u8]) -> Result<Option<String>> {
    let wrong = || {
        let message = format!("`display_name` is one line of at most {DISPLAY_NAME_CHARS} characters");
        Error::new(Code::InvalidRequest, message)
    };
    let name = std::str::from_utf8(bytes).map_err(|_| wrong())?.trim();
    if name.chars().count() > DISPLAY_NAME_CHARS || name.contains(char::is_control) {
        return Err(wrong());
    }
    Ok(Some(name.to_owned()).filter(|name| !name.is_empty()))
}

fn flag(bytes: &[u8]) -> Result<bool> {
    match bytes {
        b"true" => Ok(true),
        b"false" => Ok(false),
        _ => Err(Error::new(Code::InvalidRequest, "`default` is `true` or `false`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // S-LIMIT-1: Every limit stands in `src/limits/`, is taken at n and refused at n + 1.
    #[test]
    fn a_name_for_people_is_one_line_up_to_its_limit() {
        let longest = "ñ".repeat(DISPLAY_NAME_CHARS);
        assert_eq!(named(longest.as_bytes()).unwrap(), Some(longest.clone()));
        assert_eq!(named(b" Minutes ").unwrap().as_deref(), Some("Minutes"));
        assert_eq!(named(b"  ").unwrap(), None);
        for wrong in [format!("{longest}a").as_bytes(), b"a\nb", b"\xff"] {
            assert_eq!(named(wrong).unwrap_err().code(), Code::InvalidRequest);
        }
        assert!(flag(b"true").unwrap() && !flag(b"false").unwrap() && flag(b"1").is_err());
    }

    #[test]
    fn one_file_that_begins_as_an_archive_is_one() {
        let file = |bytes: &'static [u8]| ("a".to_owned(), bytes::Bytes::from_static(bytes));
        assert!(matches!(uploaded(vec![file(b"PK\x03\x04...")]), UploadedSkill::Archive(_)));
        assert!(matches!(uploaded(vec![file(b"---\n")]), UploadedSkill::Files(files) if files.len() == 1));
        let two = uploaded(vec![file(b"---\n"), file(b"PK\x03\x04")]);
        assert!(matches!(two, UploadedSkill::Files(files) if files.len() == 2));
    }
}
