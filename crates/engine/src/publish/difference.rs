//! The difference of two versions of a skill: lines of texts, and names of all other files.

use crate::text::is_text;
use std::collections::BTreeMap;

use bytes::Bytes;

use crate::{
    content::{SkillTarget, archive_size, read_head, version_archive},
    context::Core,
    error::{Code, Error, Result},
    limits::{DIFF_BYTES, DIFF_COMPARED_BYTES, DIFF_FILE_BYTES, PAGE_ENTRIES},
    path::{LayerOwner, SkillPath},
    skill::{VersionArchive, VersionFile, is_version_digest, patch},
    wire::{ChangedFile, DiffRequest, FileDifference, VersionDiff},
};

/// The name of an absent file in a diff.
const NO_FILE: &str = "/dev/null";
/// The advice if the files take too many steps.
const TOO_MANY_FILES: &str = "the versions have too many bytes to compare; load both versions";

/// One of the two versions, open for reading.
struct Side {
    archive: VersionArchive,
    files: BTreeMap<String, VersionFile>,
}

/// The difference of two versions of the owner's skill: the two in `wanted`, or else the published version and the version
/// before.
///
/// # Errors
/// `skill_not_found` if nothing was ever published there; `version_not_found` if there is no such version;
/// `invalid_request` for an invalid digest; the store's.
pub(crate) async fn diff_versions(
    core: &Core,
    owner: &LayerOwner,
    skill: &SkillPath,
    wanted: &DiffRequest,
) -> Result<VersionDiff> {
    let is_digest = |digest: &Option<String>| digest.as_deref().is_none_or(is_version_digest);
    if !is_digest(&wanted.from) || !is_digest(&wanted.to) {
        return Err(Error::new(Code::InvalidRequest, "a version is named by `sha256:` and 64 hex digits"));
    }
    let place = core.content().place(owner, skill)?;
    let (from, to) = versions_to_compare(&place, wanted).await?;
    let (from_bytes, to_bytes) =
        (archive_size(&place, from.as_deref()).await?, archive_size(&place, to.as_deref()).await?);
    let bytes = from_bytes + to_bytes + 4 * DIFF_FILE_BYTES;
    let _room = place.reserve(bytes).await?;
    let before = read_side(&place, from.as_deref()).await?;
    let after = if from == to { None } else { Some(read_side(&place, to.as_deref()).await?) };
    let errand = core.capacity().job(&owner.to_string());
    errand
        .run(move |work| {
            let spend = |bytes| work.spend(bytes).map_err(|stop| stop.into_error(TOO_MANY_FILES));
            after.map_or_else(|| Ok(Difference::default()), |after| compare(before, after, spend))
        })
        .await
        .map(|found| found.document(from, to))
}

/// The versions to compare.
async fn versions_to_compare(target: &SkillTarget, wanted: &DiffRequest) -> Result<(Option<String>, Option<String>)> {
    if let (Some(from), Some(to)) = (&wanted.from, &wanted.to) {
        return Ok((Some(from.clone()), Some(to.clone())));
    }
    let Some(known) = read_head(target).await? else {
        let message = format!("{} has no versions: it was never published", target.skill);
        return Err(Error::new(Code::SkillNotFound, message));
    };
    Ok((wanted.from.clone().or(known.head.previous), wanted.to.clone().or(known.head.digest)))
}

/// A version, or nothing at all.
async fn read_side(target: &SkillTarget, digest: Option<&str>) -> Result<Option<Side>> {
    let Some(digest) = digest else { return Ok(None) };
    let mut archive = version_archive(target, digest).await?;
    let version = archive.version().map_err(Error::internal)?;
    let files = version.files().iter().map(|file| (file.path.clone(), file.clone())).collect();
    Ok(Some(Side { archive, files }))
}

/// The difference of two versions.
#[derive(Default)]
struct Difference {
    diff: String,
    files: Vec<ChangedFile>,
    total: usize,
    /// Bytes of the texts that were compared.
    compared: u64,
    /// Whether lines of a text are left out.
    is_cut: bool,
}

impl Difference {
    fn document(self, from: Option<String>, to: Option<String>) -> VersionDiff {
        let is_listed = self.total == self.files.len();
        let truncation_reason = match (self.is_cut, is_listed) {
            (false, true) => None,
            (false, false) => Some(format!("only the first {PAGE_ENTRIES} files are listed: load both versions")),
            (true, _) => Some(format!(
                "texts over {} MiB are left out, and a diff ends after {} KiB, or {} MiB of compared texts: load both versions to \
                 see the rest",
                DIFF_FILE_BYTES >> 20,
                DIFF_BYTES >> 10,
                DIFF_COMPARED_BYTES >> 20
            )),
        };
        let Self { diff, files, total, .. } = self;
        VersionDiff { from, to, diff, files, total, truncated: truncation_reason.is_some(), truncation_reason }
    }
}

/// The difference of two versions. `spend` counts the bytes of each file before it is read.
fn compare(mut before: Option<Side>, mut after: Option<Side>, spend: impl Fn(u64) -> Result<()>) -> Result<Difference> {
    let mut all: BTreeMap<String, [Option<VersionFile>; 2]> = BTreeMap::new();
    for (at, side) in [&before, &after].into_iter().enumerate() {
        for (path, file) in side.iter().flat_map(|side| &side.files) {
            if let Some(slot) = all.entry(path.clone()).or_default().get_mut(at) {
                *slot = Some(file.clone());
            }
        }
    }
    let mut found = Difference::default();
    for (path, [old, new]) in all {
        if old == new {
            continue;
        }
        found.total += 1;
        if found.files.len() == PAGE_ENTRIES {
            continue;
        }
        let bytes = [&old, &new].into_iter().flatten().map(|file| file.size).sum::<u64>();
        spend(bytes)?;
        let texts = [(&mut before, &old), (&mut after, &new)].map(|(side, file)| content(side, file.as_ref()));
        let binary = texts.iter().any(|text| matches!(text, DiffSide::Binary));
        let mut shown = false;
        if let ([DiffSide::Text(one), DiffSide::Text(two)], false) = (&texts, binary)
            && found.compared + bytes <= DIFF_COMPARED_BYTES
        {
            found.compared += bytes;
            let named = |file: &Option<VersionFile>, side| {
                file.as_ref().map_or(NO_FILE.to_owned(), |_| format!("{side}/{path}"))
            };
            let lines = patch(&named(&old, "a"), &named(&new, "b"), one, two);
            shown = found.diff.len() + lines.len() <= DIFF_BYTES;
            if shown {
                found.diff.push_str(&lines);
            }
        }
        found.is_cut |= !binary && !shown;
        let change = match (&old, &new) {
            (None, _) => FileDifference::Added,
            (_, None) => FileDifference::Removed,
            _ => FileDifference::Modified,
        };
        let size = |file: Option<VersionFile>| file.map(|file| file.size);
        let (size_before, size_after) = (size(old), size(new));
        found.files.push(ChangedFile { path, change, binary, shown, size_before, size_after });
    }
    Ok(found)
}

/// The content of a file on one side.
enum DiffSide {
    /// Its text; empty if there is no such file.
    Text(String),
    /// It is no text.
    Binary,
    /// It is too long to compare.
    Long,
}

fn content(side: &mut Option<Side>, file: Option<&VersionFile>) -> DiffSide {
    let (Some(side), Some(file)) = (side, file) else { return DiffSide::Text(String::new()) };
    if file.size > DIFF_FILE_BYTES {
        // To see whether a long file is binary, the file would have to be unpacked whole.
        return DiffSide::Long;
    }
    let bytes: Option<Bytes> = side.archive.read(&file.path, file.size).ok().flatten();
    match bytes {
        Some(bytes) if is_text(&bytes) => DiffSide::Text(String::from_utf8_lossy(&bytes).into_owned()),
        Some(_) => DiffSide::Binary,
        None => DiffSide::Long,
    }
}
