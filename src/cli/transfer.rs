//! What push and pull share: the words for a change, how a plan prints, and fetching one object whole.

use std::fmt;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;

use super::{app::App, output::progress_is_seen};
use crate::{
    error::Result,
    path::ObjectKey,
    skill::shown::one_line,
    store::{GetOptions, Object, SharedStore, StoreError},
};

/// Files moved at once: enough to hide the round trips, few enough to hold in memory.
pub(super) const PARALLEL: usize = 8;

/// What becomes of one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It was not there.
    Created,
    /// It was there with other content.
    Updated,
    /// It is taken away.
    Deleted,
    /// It is the same on both sides.
    Unchanged,
    /// It is only on the receiving side and stays there.
    Kept,
}

impl Change {
    /// Whether there is something to do.
    pub(super) fn is_change(self) -> bool {
        matches!(self, Self::Created | Self::Updated | Self::Deleted)
    }
}

/// The files of a plan by what becomes of them.
#[derive(Debug, Default, Serialize)]
pub(super) struct Changes {
    created: Vec<String>,
    updated: Vec<String>,
    deleted: Vec<String>,
    unchanged: usize,
    kept: Vec<String>,
}

impl<'name> FromIterator<(&'name str, Change)> for Changes {
    fn from_iter<I: IntoIterator<Item = (&'name str, Change)>>(files: I) -> Self {
        let mut changes = Self::default();
        for (name, change) in files {
            let list = match change {
                Change::Created => &mut changes.created,
                Change::Updated => &mut changes.updated,
                Change::Deleted => &mut changes.deleted,
                Change::Kept => &mut changes.kept,
                Change::Unchanged => {
                    changes.unchanged += 1;
                    continue;
                }
            };
            list.push(name.to_owned());
        }
        changes
    }
}

impl Changes {
    /// One line for each file that changes, or that one might have expected to.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        let marked = |mark: char, names: &'_ [String]| -> Vec<String> {
            names.iter().map(|name| format!("  {mark} {}", one_line(name).plain())).collect()
        };
        [marked('+', &self.created), marked('~', &self.updated), marked('-', &self.deleted), marked('?', &self.kept)]
            .into_iter()
            .flatten()
    }
}

impl fmt::Display for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.created.len(), "new"),
            (self.updated.len(), "changed"),
            (self.deleted.len(), "deleted"),
            (self.unchanged, "unchanged"),
            (self.kept.len(), "only on the other side"),
        ];
        let parts: Vec<_> =
            counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
        f.write_str(if parts.is_empty() { "nothing to do" } else { "" })?;
        f.write_str(&parts.join(", "))
    }
}

/// The head line of what became of one skill.
pub(super) fn summary(skill: &str, changes: &Changes, dry_run: bool) -> String {
    format!("{}: {changes}{}", one_line(skill).plain(), if dry_run { " (dry run: nothing was changed)" } else { "" })
}

/// A bar on stderr if that is a terminal, else nothing.
pub(super) fn progress(app: &App, files: usize, name: &str) -> ProgressBar {
    let target = if progress_is_seen(&app.out) { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    // A style that does not parse would only cost the look of the bar.
    if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}") {
        bar.set_style(style);
    }
    bar.with_message(name.to_owned())
}

/// The whole object; `None` if it is gone.
pub(super) async fn fetch(store: &SharedStore, key: &ObjectKey) -> Result<Option<Object>> {
    match store.get(key, GetOptions::default()).await {
        Ok(object) => Ok(Some(object)),
        Err(StoreError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_prints_its_counts_and_its_files() {
        let changes: Changes =
            [("a", Change::Created), ("b", Change::Unchanged), ("c", Change::Kept)].into_iter().collect();
        assert_eq!(summary("s", &changes, false), "s: 1 new, 1 unchanged, 1 only on the other side");
        assert_eq!(changes.lines().collect::<Vec<_>>(), ["  + a", "  ? c"]);
        assert_eq!(summary("s", &Changes::default(), true), "s: nothing to do (dry run: nothing was changed)");
    }
}
