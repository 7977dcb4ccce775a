//! The findings of lint on skills, for authors who lint skills or push them.

use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

use super::stored::{StoredSkill, stored_skills};
use crate::{
    budget::WorkBudget,
    catalog::why_unreadable,
    context::Core,
    error::Result,
    limits::{PAGE_ENTRIES, PARALLEL_TRANSFERS, SKILL_FILE_BYTES},
    path::{Id, SkillPath},
    skill::{Diagnostic, FindingCode, MAIN, content_findings, hidden_in_file, lint, name_finding},
    store::{GetOptions, StoreError},
    text::is_text,
    wire::{LintFinding, LintList, LintListRequest, LintedSkill, Policy},
};

/// The findings on a SKILL.md with these bytes, shown as `file`, of a skill with these files, and on the names of the
/// files. [`lint_content`] judges what the others hold.
#[must_use]
pub fn lint_skill(skill: &SkillPath, file: String, bytes: &[u8], files: &[&str]) -> LintedSkill {
    linted(skill, file, lint(bytes, skill.folder(), Some(files)), files)
}

/// The findings on the content of a file other than SKILL.md: secrets in its text, marks of a merge, and hidden characters. `path` is the path of the file below the folder of the skill.
#[must_use]
pub fn lint_content(path: &str, bytes: &[u8]) -> Vec<LintFinding> {
    if !is_text(bytes) {
        return Vec::new();
    }
    let found = content_findings(bytes).into_iter().chain(hidden_in_file(bytes));
    found.map(|diagnostic| LintFinding::new(path, diagnostic)).collect()
}

fn linted(skill: &SkillPath, file: String, of_main: Vec<Diagnostic>, files: &[&str]) -> LintedSkill {
    let of_main = of_main.into_iter().map(|diagnostic| LintFinding::new(MAIN, diagnostic));
    let named = files.iter().filter_map(|path| Some(((*path).to_owned(), name_finding(path)?)));
    let named = named.map(|(path, diagnostic)| LintFinding::new(path, diagnostic));
    let findings = of_main.chain(named).collect();
    LintedSkill { skill: skill.to_string(), file, mended: Vec::new(), findings, fixable: 0, quality: None }
}

/// A page of the findings on the user's own skills. Omits skills that `policy`, the user's, hides.
///
/// # Errors
/// `skill_not_found` or `ambiguous_skill` if one is asked for by name; the store's.
pub(crate) async fn lint_skills(core: &Core, user: &Id, policy: &Policy, wanted: &LintListRequest) -> Result<LintList> {
    let mut stored = stored_skills(core, user).await?;
    stored.skills.retain(|one| policy.skill(&one.skill).is_visible());
    let mut chosen = stored.choose(wanted.skill.as_slice())?;
    let follows = |one: &&StoredSkill| wanted.cursor.as_deref().is_none_or(|cursor| one.skill.as_str() > cursor);
    chosen.retain(follows);
    let limit = wanted.limit.unwrap_or(PAGE_ENTRIES).clamp(1, PAGE_ENTRIES);
    let has_more = chosen.len() > limit;
    let page: Vec<_> = chosen.into_iter().take(limit).map(|one| lint_stored(core, user, one)).collect();
    let skills: Vec<LintedSkill> = stream::iter(page).buffered(PARALLEL_TRANSFERS).try_collect().await?;
    let next_cursor = skills.last().filter(|_| has_more).map(|last| last.skill.clone());
    Ok(LintList { skills, next_cursor, is_cut: stored.is_cut })
}

/// The findings on a stored skill: on its SKILL.md and on the names of its files, whose contents are not read. A
/// SKILL.md that the store refuses to give is a finding as well.
///
/// # Errors
/// The store's.
async fn lint_stored(core: &Core, user: &Id, skill: &StoredSkill) -> Result<LintedSkill> {
    let file = format!("{}/{MAIN}", skill.skill);
    let files: Vec<_> = skill.files.iter().map(|file| file.path.as_str()).collect();
    let read = match skill.main() {
        Some(main) => core.store().get(main.key()?, GetOptions::range(0..SKILL_FILE_BYTES)).await,
        None => Err(StoreError::NotFound),
    };
    let bytes = match read {
        Ok(object) => object.bytes,
        Err(StoreError::NotFound | StoreError::RangeNotSatisfiable) => Bytes::new(),
        // The listing has the file, so the store denies this file alone.
        Err(error @ StoreError::Denied(_)) => {
            let message = format!("it cannot be read: {}", why_unreadable(&error));
            let found = Diagnostic::new(FindingCode::Unreadable, message);
            return Ok(linted(&skill.skill, file, vec![found], &files));
        }
        Err(error) => return Err(error.into()),
    };
    let size = skill.files.iter().map(|file| file.size).sum();
    let (path, files) = (skill.skill.clone(), skill.files.iter().map(|file| file.path.clone()).collect::<Vec<_>>());
    let errand = core.workers().errand(user.as_str(), bytes.len() as u64);
    let judge = move |_: &WorkBudget| {
        let files: Vec<_> = files.iter().map(String::as_str).collect();
        Ok(lint_skill(&path, file, &bytes, &files).with_quality(&bytes, path.folder(), &files, size))
    };
    errand.run(judge).await
}
