//! A skill as clients of the Skills APIs send it: a form with a part for each file, or with one archive.

use axum::extract::{Request, multipart::Field};

use crate::{
    error::Result,
    http::body::{SkillParts, SpoolPermit, Uploads, broken, over, part_file_name, part_name, parts_of},
    limits::DISPLAY_NAME_CHARS,
    publish::UploadedSkill,
};

/// The longest value of a field that is no file: a name of the most characters.
const FIELD_BYTES: usize = 4 * DISPLAY_NAME_CHARS;

/// The content of such a form.
pub(super) struct SkillForm {
    pub(super) uploaded: UploadedSkill,
    /// The name of the skill for people.
    pub(super) display_name: Option<String>,
    /// Whether the version is to be published.
    pub(super) is_default: bool,
    /// Holds the memory of the files, or their space on the disk.
    pub(super) held: SpoolPermit,
}

/// Reads the form that a request brings.
///
/// # Errors
/// `invalid_request` if the body is no such form; `file_too_large` as for any publish.
pub(super) async fn receive(uploads: &Uploads, request: Request) -> Result<SkillForm> {
    let not_a_form = "a skill is sent as `multipart/form-data`: its files as `files[]`, or one zip";
    let (mut parts, announced) = parts_of(request, not_a_form).await?;
    let mut files = SkillParts::begin(uploads, announced).await;
    let (mut display_name, mut is_default) = (None, false);
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part_name(part.headers()).unwrap_or_default();
        match (name.as_str(), part_file_name(part.headers())) {
            ("files[]" | "files", Some(path)) => files = files.add(path, part).await?,
            ("display_name", None) => display_name = named(&field(part).await?)?,
            ("default", None) => is_default = flag(&field(part).await?)?,
            _ => {
                let message = "the form has a part that it may not have: its files are called `files[]`, each with its path as \
                               filename, and beside them are `display_name` and `default`";
                return Err(invalid!("{message}"));
            }
        }
    }
    let (uploaded, held) = files.files_or_archive().await?;
    Ok(SkillForm { uploaded, display_name, is_default, held })
}

/// The value of a field that is no file.
async fn field(mut part: Field<'_>) -> Result<Vec<u8>> {
    let mut value = Vec::new();
    while let Some(piece) = part.chunk().await.map_err(broken)? {
        if value.len() + piece.len() > FIELD_BYTES {
            return Err(over(FIELD_BYTES));
        }
        value.extend_from_slice(&piece);
    }
    Ok(value)
}

fn named(bytes: &[u8]) -> Result<Option<String>> {
    let wrong = || invalid!("`display_name` is one line of at most {DISPLAY_NAME_CHARS} characters");
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
        _ => Err(invalid!("`default` is `true` or `false`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    // S-LIMIT-1: Every limit stands in `crates/base/src/limits/`; the service takes n and refuses n + 1.
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
}
