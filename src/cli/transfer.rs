//! What push and pull share: how a plan prints, and the bar that shows how far it is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::{app::App, output::progress_is_seen};
use crate::{skill::shown::one_line, wire::FileChanges};

/// One line for each file that changes, or that one might have expected to.
pub(super) fn lines(changes: &FileChanges) -> impl Iterator<Item = String> {
    let marked = |mark: char, names: &'_ [String]| -> Vec<String> {
        names.iter().map(|name| format!("  {mark} {}", one_line(name).plain())).collect()
    };
    let FileChanges { created, updated, deleted, kept, .. } = changes;
    [marked('+', created), marked('~', updated), marked('-', deleted), marked('?', kept)].into_iter().flatten()
}

/// How many files of each kind there are.
fn counts(changes: &FileChanges) -> String {
    let counts = [
        (changes.created.len(), "new"),
        (changes.updated.len(), "changed"),
        (changes.deleted.len(), "deleted"),
        (changes.unchanged, "unchanged"),
        (changes.kept.len(), "only on the other side"),
    ];
    let parts: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") }
}

/// The head line of what became of one skill.
pub(super) fn summary(skill: &str, changes: &FileChanges, dry_run: bool) -> String {
    let dry = if dry_run { " (dry run: nothing was changed)" } else { "" };
    format!("{}: {}{dry}", one_line(skill).plain(), counts(changes))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FileChange;

    #[test]
    fn a_plan_prints_its_counts_and_its_files() {
        let files = [("a", FileChange::Created), ("b", FileChange::Unchanged), ("c", FileChange::Kept)];
        let changes: FileChanges = files.into_iter().collect();
        assert_eq!(summary("s", &changes, false), "s: 1 new, 1 unchanged, 1 only on the other side");
        assert_eq!(lines(&changes).collect::<Vec<_>>(), ["  + a", "  ? c"]);
        assert_eq!(summary("s", &FileChanges::default(), true), "s: nothing to do (dry run: nothing was changed)");
    }
}
