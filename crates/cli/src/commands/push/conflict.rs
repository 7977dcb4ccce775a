//! A skill that two authors changed, for the author who pushes: the changes on both sides, and how to join them.

use bytes::Bytes;
use serde::Serialize;

use crate::{
    client::sync::{ConflictFile, PushConflict, text_of},
    error::Result,
    folder::LocalSkill,
    output::Output,
    screen::plain,
    shell::{push_arguments, quoted, quoted_path},
    skill::{patch, shown::block},
};

/// Two versions that neither comes from the other.
#[derive(Debug, Serialize)]
pub(super) struct Conflict {
    /// The version that the folder comes from; null if it does not say.
    base: Option<String>,
    /// The version that is there; null if the skill is gone.
    theirs: Option<String>,
    files: Vec<Difference>,
    /// Its folder, as an argument of a command.
    #[serde(skip)]
    folder: String,
    /// The arguments with which `push` puts the folder at the path that the skill had.
    #[serde(skip)]
    push: String,
    /// The flags that choose the store, with a space before each.
    #[serde(skip)]
    place: String,
}

/// The changes of a file on either side.
#[derive(Debug, Serialize)]
struct Difference {
    path: String,
    /// The other author's change, as a patch; null if there is none, or if the common version is unknown.
    theirs: Option<String>,
    /// The change here; the difference from theirs if the common version is unknown.
    mine: Option<String>,
}

impl Conflict {
    /// A conflict of the skill in this folder. `place` has the flags that choose the store, with a space before each.
    pub(super) fn from_conflict(conflict: PushConflict, local: &LocalSkill, place: String) -> Self {
        let PushConflict { base, theirs, files } = conflict;
        let is_known = base.is_some();
        let files = files.iter().map(|file| Difference::from_file(file, is_known)).collect();
        Self { base, theirs, files, folder: quoted_path(local.folder().typed()), push: push_arguments(local), place }
    }

    /// Whether the skill is gone.
    pub(super) fn is_deleted(&self) -> bool {
        self.theirs.is_none()
    }

    /// The lines of it.
    pub(super) fn print(&self, out: &Output, skill: &str) -> Result<()> {
        let name = plain(skill);
        match (&self.base, &self.theirs) {
            (_, None) => out.line(format_args!("{name}: not pushed, it was deleted or moved meanwhile"))?,
            (None, Some(_)) => {
                out.line(format_args!(
                    "{name}: not pushed, the store has another that this folder does not come from"
                ))?;
            }
            (Some(base), Some(theirs)) => {
                out.line(format_args!("{name}: not pushed, another author published it since you had it"))?;
                out.line(format_args!("  your folder comes from {base}"))?;
                out.line(format_args!("  now it is              {theirs}"))?;
            }
        }
        for file in &self.files {
            let path = plain(&file.path);
            for (whose, patch) in [("they changed", &file.theirs), ("you changed", &file.mine)] {
                if let Some(patch) = patch {
                    out.line(format_args!("  {path}, what {whose}:"))?;
                    for line in block(patch).plain().lines() {
                        out.line(format_args!("    {line}"))?;
                    }
                }
            }
        }
        let Self { folder, push, place, .. } = self;
        if self.is_deleted() {
            out.line("  `skillmount skills list` shows it if it was moved: pull it from there")?;
            return out.line(format_args!(
                "  else delete {folder} too, or put it back: `skillmount push {push} --force{place}`"
            ));
        }
        let name = quoted(&name);
        out.line(format_args!(
            "  to join both: `skillmount pull {name} {folder} --merge{place}`, look at it, and push again"
        ))
    }
}

impl Difference {
    fn from_file(file: &ConflictFile, is_known: bool) -> Self {
        let ConflictFile { path, base, mine, theirs } = file;
        let (their_patch, my_patch) = if is_known {
            (
                changes((path, "theirs"), base.as_ref(), theirs.as_ref()),
                changes((path, "mine"), base.as_ref(), mine.as_ref()),
            )
        } else {
            (None, changes((path, "mine"), theirs.as_ref(), mine.as_ref()))
        };
        Self { path: path.clone(), theirs: their_patch, mine: my_patch }
    }
}

/// The change from `before` to `after`, for the side `whose`; `None` if they are equal.
fn changes((path, whose): (&str, &str), before: Option<&Bytes>, after: Option<&Bytes>) -> Option<String> {
    if before == after {
        return None;
    }
    let Some(after) = after else { return Some("deleted\n".to_owned()) };
    let before_text = before.map_or(Some(""), |before| text_of(before));
    let Some((before_text, after_text)) = before_text.zip(text_of(after)) else {
        return Some("bytes that are no text\n".to_owned());
    };
    if before.is_none() {
        return Some(format!("new, {} lines\n", after_text.lines().count()));
    }
    Some(patch(path, &format!("{path} ({whose})"), before_text, after_text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_of_what_both_began_from_if_that_is_known() {
        let [base, mine, theirs] = ["a\nb\n", "a\nM\n", "T\nb\n"].map(|text| Some(Bytes::from_static(text.as_bytes())));
        let file = ConflictFile { path: "x".to_owned(), base, mine, theirs };
        let known = Difference::from_file(&file, true);
        assert_eq!(known.theirs.unwrap(), "--- x\n+++ x (theirs)\n@@ -1,2 +1,2 @@\n-a\n+T\n b\n");
        assert_eq!(known.mine.unwrap(), "--- x\n+++ x (mine)\n@@ -1,2 +1,2 @@\n a\n-b\n+M\n");
        let unknown = Difference::from_file(&file, false);
        assert_eq!((unknown.theirs, unknown.mine.unwrap().contains("-T")), (None, true));
        for bytes in [b"\xff".as_slice(), b"\0one\n"] {
            let binary = Some(Bytes::copy_from_slice(bytes));
            for before in [None, file.base.as_ref()] {
                assert_eq!(changes(("x", "mine"), before, binary.as_ref()).unwrap(), "bytes that are no text\n");
            }
            assert_eq!(changes(("x", "theirs"), binary.as_ref(), None).unwrap(), "deleted\n");
        }
    }
}
