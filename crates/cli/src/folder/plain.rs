//! A folder of skills that is taken for a store.
//!
//! A store keeps the skills of each user below `USER/skills`. If a folder holds skills itself, a store in this folder
//! would find none, and each command would show nothing. Such a folder is refused before it is opened, so nothing is
//! written into it.

use std::{fs, path::Path};

use crate::{error::Result, local_path::LocalPath, path::Id};

/// The folder that only a used store has. A user's files lie as deep as a skill in a category, so this folder
/// marks a store.
const OF_A_STORE: &str = ".skillmount-store";

/// The address of the folder of skills `folder`.
pub(crate) fn address_of(folder: &Path) -> String {
    format!("skills:{}", folder.display())
}

/// Refuses `folder` as a store if it holds skills itself.
///
/// # Errors
/// `invalid_request`, with the number of skills and what to do with them.
pub(crate) fn refuse_plain(folder: &LocalPath) -> Result<()> {
    let levels = if folder.join(OF_A_STORE).exists() { 1 } else { 2 };
    let skills = if is_skill(folder) { 1 } else { skills_in(folder, levels) };
    if skills == 0 {
        return Ok(());
    }
    let (shown, skills) =
        (folder.display(), if skills == 1 { "a skill".to_owned() } else { format!("{skills} skills") });
    Err(invalid!(
        "{shown} holds {skills} itself, and a store keeps them below {shown}/USER/skills: `skillmount serve {shown}` serves \
         them where they are, `skillmount push {shown}` without this --store copies them into your own store, `skillmount lint {shown}` checks them where they are, and another \
         --store makes a new one"
    ))
}

/// Whether `folder` is a store: it was used as one, or has the folder of `user`.
pub(crate) fn is_store(folder: &LocalPath, user: &Id) -> bool {
    folder.join(OF_A_STORE).is_dir() || folder.join(user.as_str()).is_dir()
}

/// How many skills lie in folders of `folder`, as deep as `levels`. A folder that cannot be read counts as empty; the
/// store reports it.
fn skills_in(folder: &Path, levels: usize) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path());
    let count = |folder: &Path| {
        if is_skill(folder) {
            return 1;
        }
        // The folder of a user, which is what makes a store.
        let is_of_user = ["skills", ".skillmount"].iter().any(|own| folder.join(own).is_dir());
        if is_of_user || levels == 1 { 0 } else { skills_in(folder, levels - 1) }
    };
    folders.map(|folder| count(&folder)).sum()
}

fn is_skill(folder: &Path) -> bool {
    folder.join("SKILL.md").is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(files: &[&str]) -> Option<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        refuse_plain(&folder.path().into()).err().map(|error| error.message().to_owned())
    }

    #[test]
    fn a_folder_of_skills_is_refused_with_their_number_and_a_store_is_not() {
        for (files, counted) in [
            (["SKILL.md", "a/SKILL.md"].as_slice(), "holds a skill itself"),
            (&["a/SKILL.md", "b/SKILL.md", "c/x"], "holds 2 skills itself"),
            (&["category/a/SKILL.md"], "holds a skill itself"),
            (&["a/SKILL.md", ".skillmount-store/locks/00"], "holds a skill itself"),
        ] {
            let message = refusal(files).unwrap();
            assert!(message.contains(counted) && message.contains("`skillmount push "), "{message}");
        }
        for files in [
            ["me/skills/a/SKILL.md", "me/threads/cli/a.md"].as_slice(),
            &["me/skills/SKILL.md"],
            &["me/.skillmount/sessions/cli.json", "me/workspace/SKILL.md"],
            &["me/threads/cli/SKILL.md"],
            &["me/workspace/SKILL.md", ".skillmount-store/locks/00"],
            &["readme.md"],
            &[],
        ] {
            assert_eq!(refusal(files), None, "{files:?}");
        }
        assert!(refuse_plain(&Path::new("/nowhere/at/all").into()).is_ok());
    }
}
