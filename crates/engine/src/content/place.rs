//! Where a skill may lie: in no other skill, and around none.
//!
//! A change under way has files in the folders of other paths for a moment: a publish writes SKILL.md last, a deletion removes it
//! first, and an undone publish leaves files. Such a file belongs to no other tool, and is no reason to refuse another skill. So the
//! change is settled first.

use std::collections::BTreeSet;

use futures_util::future::try_join_all;

use super::{
    folder::{PlainFiles, is_published},
    heads::{StoredHead, read_stored_head},
    materialise::is_late_file,
    pending::skills_inside,
    settle::{restore_late_changes, restore_skill, settled_head},
    target::SkillTarget,
};
use crate::{
    error::{Code, Error, Result},
    path::{ETag, SkillPath},
    skill::{HeadState, MAIN},
    store::StoreError,
};

/// The files of a listed folder without the files of changes under way and of undone publishes, at this path, around it and inside.
/// `None` if the folder changed since: list it again. Late changes are undone first.
///
/// # Errors
/// As [`settled_head`].
pub(crate) async fn settled_files(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    folder: PlainFiles,
) -> Result<Option<PlainFiles>> {
    if restore_late_changes(target, head, &folder).await? {
        return Ok(None);
    }
    let mut folder = without_late_files(target, "", head, folder).await?;
    while let Some(inside) = skill_inside(head, &folder).map(str::to_owned) {
        let Ok(path) = SkillPath::parse(&format!("{}/{inside}", target.skill)) else { break };
        let inner = target.content.place_in(target.space.clone(), &path)?;
        let Some(known) = Box::pin(settled_head(&inner)).await? else { break };
        if is_published(Some(&known)) {
            break;
        }
        let main = format!("{inside}/{MAIN}");
        let listed = folder.get(&main).cloned();
        folder = without_late_files(&inner, &format!("{inside}/"), Some(&known), folder).await?;
        if folder.contains_key(&main) {
            // Another tool's file stays. A file of the undone publish is gone by now.
            if main_of(&inner).await? == listed {
                break;
            }
            return Ok(None);
        }
    }
    if skill_inside(head, &folder).is_some() {
        return Ok(Some(folder));
    }
    let Some(folder) = without_files_of_outer_skills(target, head, folder).await? else { return Ok(None) };
    without_files_of_inner_skills(target, head, folder).await
}

/// Omits the files of changes at outer paths. `None` if such a change was under way: list the folder again.
async fn without_files_of_outer_skills(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    mut folder: PlainFiles,
) -> Result<Option<PlainFiles>> {
    // Around a published skill no other skill begins.
    if is_published(head) || folder.is_empty() {
        return Ok(Some(folder));
    }
    for above in target.skill.ancestors() {
        let outer = target.content.place_in(target.space.clone(), &above)?;
        let Some(known) = read_stored_head(&outer).await? else { continue };
        if !known.head.is_settled(target.content.clock().now()) {
            Box::pin(settled_head(&outer)).await?;
            return Ok(None);
        }
        let below = format!(
            "{}/",
            target.skill.as_str().strip_prefix(above.as_str()).unwrap_or_default().trim_start_matches('/')
        );
        for (path, sha256) in known.head.expected_late_files() {
            let Some(listed) = path.strip_prefix(&below) else { continue };
            if folder.contains_key(listed) && is_late_file(&outer, &known, path, sha256).await? {
                folder.remove(listed);
            }
        }
    }
    Ok(Some(folder))
}

/// Omits the files of changes at inner paths whose SKILL.md is absent. `None` if such a change was under way, or has ended since: list
/// the folder again.
async fn without_files_of_inner_skills(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    mut folder: PlainFiles,
) -> Result<Option<PlainFiles>> {
    let foreign = folder.keys().filter(|path| !is_own(head, path));
    let folders: BTreeSet<String> = foreign
        .flat_map(|path| path.match_indices('/').filter_map(|(at, _)| path.get(..at)))
        .map(str::to_owned)
        .collect();
    if folders.is_empty() {
        return Ok(Some(folder));
    }
    for (inside, inner) in skills_inside(target).await? {
        if !folders.contains(&inside) {
            continue;
        }
        let Some(known) = read_stored_head(&inner).await? else { continue };
        if !known.head.is_settled(target.content.clock().now()) {
            Box::pin(settled_head(&inner)).await?;
            return Ok(None);
        }
        if known.head.state == HeadState::Published {
            // Its SKILL.md came after the listing, or another tool removed it. A SKILL.md that was listed is a file of this folder too.
            if !folder.contains_key(&format!("{inside}/{MAIN}")) && main_of(&inner).await?.is_some() {
                return Ok(None);
            }
            continue;
        }
        folder = without_late_files(&inner, &format!("{inside}/"), Some(&known), folder).await?;
    }
    Ok(Some(folder))
}

/// Whether files in folders of a folder are not those of its head, so a change at a path inside may have left them.
pub(super) fn has_files_inside(head: &StoredHead, folder: &PlainFiles) -> bool {
    folder.keys().any(|path| path.contains('/') && !is_own(Some(head), path))
}

/// Whether a path of the folder is that of a file in the head.
fn is_own(head: Option<&StoredHead>, path: &str) -> bool {
    head.is_some_and(|known| known.head.file(path).is_some())
}

/// The files of `folder` without those below `prefix` that the call of a head before `head` wrote after another process had
/// settled that head. The call removes them.
async fn without_late_files(
    target: &SkillTarget,
    prefix: &str,
    head: Option<&StoredHead>,
    mut folder: PlainFiles,
) -> Result<PlainFiles> {
    let Some(known) = head else { return Ok(folder) };
    for (path, sha256) in known.head.expected_late_files() {
        let listed = format!("{prefix}{path}");
        if folder.contains_key(&listed) && is_late_file(target, known, path, sha256).await? {
            folder.remove(&listed);
        }
    }
    Ok(folder)
}

/// Why no skill may lie here: in another skill, or around one. A published skill with its SKILL.md may.
///
/// # Errors
/// As [`settled_head`].
pub(crate) async fn place_conflict(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    folder: &PlainFiles,
) -> Result<Option<Error>> {
    if is_published(head) && folder.contains_key(MAIN) {
        return Ok(None);
    }
    let inside = if folder.contains_key(MAIN) { None } else { skill_inside(head, folder) };
    let taken = match (skill_around(target).await?, inside) {
        (None, None) => return Ok(None),
        (Some(around), _) => format!("{} lies inside the skill {around}", target.skill),
        (None, Some(inside)) => format!("{} is a folder of skills, such as {inside}", target.skill),
    };
    Ok(Some(Error::new(Code::AlreadyExists, format!("{taken}: publish under another path"))))
}

/// The files of a folder that belong to the skill. A folder without SKILL.md has none, and neither has a folder inside a
/// skill. If another tool replaced the SKILL.md of a published skill with skills below the folder, the files in the head
/// belong to the skill.
///
/// # Errors
/// The store's.
pub(crate) async fn own_files(
    target: &SkillTarget,
    head: Option<&StoredHead>,
    mut folder: PlainFiles,
) -> Result<PlainFiles> {
    let has_main = folder.contains_key(MAIN);
    match head.filter(|known| is_published(Some(known))) {
        Some(_) if has_main => {}
        Some(known) if skill_inside(head, &folder).is_some() => {
            folder.retain(|path, _| known.head.file(path).is_some());
        }
        Some(_) => {}
        None if has_main && skill_around(target).await?.is_none() => {}
        None => folder.clear(),
    }
    Ok(folder)
}

/// The skill in whose folder this one lies.
async fn skill_around(target: &SkillTarget) -> Result<Option<SkillPath>> {
    let above = target.skill.ancestors().map(|above| async move {
        let outer = target.content.place_in(target.space.clone(), &above)?;
        Ok::<_, Error>(main_of(&outer).await?.map(|_| outer))
    });
    for outer in try_join_all(above).await?.into_iter().flatten() {
        if is_skill(&outer).await? {
            return Ok(Some(outer.skill));
        }
    }
    Ok(None)
}

/// Whether the SKILL.md of a folder is that of a skill, and not of an undone publish. One of an undone publish is removed.
async fn is_skill(outer: &SkillTarget) -> Result<bool> {
    let Some(known) = Box::pin(settled_head(outer)).await? else { return Ok(true) };
    if is_published(Some(&known)) {
        return Ok(true);
    }
    let has_main = has_main(outer, &known).await?;
    if !has_main {
        // The catalog would take it for the skill, and omit skills inside.
        Box::pin(restore_skill(outer, &known)).await?;
    }
    Ok(has_main)
}

/// Whether a SKILL.md lies beside `head`, which publishes nothing, and is not that of an undone publish.
///
/// # Errors
/// The store's.
pub(super) async fn has_main(target: &SkillTarget, head: &StoredHead) -> Result<bool> {
    Ok(!has_late_main(target, head).await? && main_of(target).await?.is_some())
}

/// Whether the SKILL.md is the write of an undone publish, which its call removes.
///
/// # Errors
/// The store's.
pub(super) async fn has_late_main(target: &SkillTarget, head: &StoredHead) -> Result<bool> {
    match head.head.expected_late_files().find(|(path, _)| *path == MAIN) {
        Some((path, sha256)) if !is_published(Some(head)) => is_late_file(target, head, path, sha256).await,
        _ => Ok(false),
    }
}

/// The version of the SKILL.md in a folder.
async fn main_of(target: &SkillTarget) -> Result<Option<ETag>> {
    match target.content.store().head(&target.folder.key(MAIN)?).await {
        Ok(meta) => Ok(Some(meta.etag)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The path of another skill below a folder. A SKILL.md in the head is a file of the skill itself.
fn skill_inside<'folder>(head: Option<&StoredHead>, folder: &'folder PlainFiles) -> Option<&'folder str> {
    folder.keys().filter(|path| !is_own(head, path)).find_map(|path| path.strip_suffix("/SKILL.md"))
}
