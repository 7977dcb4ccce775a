//! The common output of push and pull: a plan and the closing line. The progress bar serves other commands too.

use std::time::Duration;

use indicatif::{DecimalBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::{counts::counted, output::Output, screen::plain, wire::FileChanges};

/// One line for each file that changes, and for each kept file.
pub(super) fn lines(changes: &FileChanges) -> impl Iterator<Item = String> {
    let marked = |mark: char, names: &'_ [String]| -> Vec<String> {
        names.iter().map(|name| format!("  {mark} {}", plain(name))).collect()
    };
    let FileChanges { created, updated, deleted, kept, .. } = changes;
    [marked('+', created), marked('~', updated), marked('-', deleted), marked('?', kept)].into_iter().flatten()
}

/// How many files of each kind there are.
fn counts(changes: &FileChanges) -> String {
    if changes.is_new() {
        return format!("new, {}", counted(changes.created.len(), "file"));
    }
    let counts = [
        (changes.created.len(), "new"),
        (changes.updated.len(), "changed"),
        (changes.deleted.len(), "deleted"),
        (changes.unchanged, "unchanged"),
        (changes.kept.len(), "kept as you have it"),
    ];
    let parts: Vec<_> =
        counts.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if parts.is_empty() { "nothing to do".to_owned() } else { parts.join(", ") }
}

/// The head line of one skill's outcome.
pub(super) fn summary(skill: &str, changes: &FileChanges) -> String {
    format!("{}: {}", plain(skill), counts(changes))
}

/// The size of a whole run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) skills: usize,
    /// Files that were looked at.
    pub(super) files: usize,
    /// Their bytes.
    pub(super) bytes: u64,
    /// Files that changed on the receiving side.
    pub(super) changed: usize,
    /// Skills that were left as they are.
    pub(super) refused: usize,
    pub(super) took: Duration,
}

/// The line that ends a run.
pub(super) fn closing(totals: &Totals, dry_run: bool) -> String {
    let Totals { skills, files, bytes, changed, refused, took } = totals;
    let (skills, files) = (counted(*skills, "skill"), counted(*files, "file"));
    let change = if dry_run { format!("{changed} would change (dry run)") } else { format!("{changed} changed") };
    let refused = if *refused == 0 { String::new() } else { format!("; {} refused", counted(*refused, "skill")) };
    format!("{skills}, {files}, {} in {:.1} s; {change}{refused}", DecimalBytes(*bytes), took.as_secs_f64())
}

/// One bar for the whole run over so many `things`, on stderr if that is a terminal, else nothing.
pub(super) fn progress(output: &Output, many: usize, things: &str) -> ProgressBar {
    let target = if output.progress_is_seen() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(many as u64), target);
    // A style that does not parse would only cost the look of the bar.
    if let Ok(style) =
        ProgressStyle::with_template(&format!("{{msg:!30}} {{wide_bar}} {{pos}}/{{len}} {things}, {{eta}} left"))
    {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FileChange;

    #[test]
    fn a_plan_prints_its_counts_and_its_files() {
        let files = [("a", FileChange::Created), ("b", FileChange::Unchanged), ("c", FileChange::Kept)];
        let changes: FileChanges = files.into_iter().collect();
        assert_eq!(summary("s", &changes), "s: 1 new, 1 unchanged, 1 kept as you have it");
        assert_eq!(lines(&changes).collect::<Vec<_>>(), ["  + a", "  ? c"]);
        let all_new: FileChanges = files.into_iter().take(1).collect();
        assert_eq!(summary("s", &all_new), "s: new, 1 file");
        assert_eq!(summary("s", &FileChanges::default()), "s: nothing to do");
    }

    #[test]
    fn the_closing_line_has_what_was_looked_at_and_what_changed() {
        let took = Duration::from_millis(3_040);
        let totals = Totals { skills: 130, files: 734, bytes: 9_100_000, took, ..Totals::default() };
        assert_eq!(closing(&totals, false), "130 skills, 734 files, 9.10 MB in 3.0 s; 0 changed");
        let totals = Totals { skills: 1, files: 1, bytes: 80, changed: 1, refused: 2, took };
        assert_eq!(
            closing(&totals, true),
            "1 skill, 1 file, 80 B in 3.0 s; 1 would change (dry run); 2 skills refused"
        );
    }
}
