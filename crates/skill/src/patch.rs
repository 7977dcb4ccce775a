//! The lines that differ between two texts, in the form that `patch` reads.

use std::time::Duration;

use similar::TextDiff;

/// The time after which a difference is no longer sought to be the smallest one.
const PATIENCE: Duration = Duration::from_millis(200);

/// The unified diff of a text, named `from` and `to` in its head; empty if nothing differs. A line ends at `\n` alone, as it
/// does for `patch`.
#[must_use]
pub fn patch(from: &str, to: &str, before: &str, after: &str) -> String {
    let [before, after] = [before, after].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let diff = TextDiff::configure().newline_terminated(true).timeout(PATIENCE).diff_slices(&before, &after);
    diff.unified_diff().header(from, to).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_lines_that_differ_and_says_where_no_line_ends() {
        let (before, after) = ("---\r\nname: a\r\n---\none\rtwo", "---\nname: a\n---\none\rtwo");
        let expected = concat!(
            "--- a/SKILL.md\n+++ b/SKILL.md\n@@ -1,4 +1,4 @@\n",
            "----\r\n-name: a\r\n ---\n+name: a\n+---\n one\rtwo\n",
            "\\ No newline at end of file\n",
        );
        assert_eq!(patch("a/SKILL.md", "b/SKILL.md", before, after), expected);
        assert_eq!(patch("a", "b", before, before), "");
    }

    #[test]
    fn two_long_texts_without_a_common_line_are_compared_in_time() {
        let lines = |letter: &str| {
            let lines: Vec<_> = (0..100_000).map(|number| format!("{letter}{number}")).collect();
            lines.join("\n")
        };
        let found = patch("a", "b", &lines("a"), &lines("b"));
        // Without a limit of time this would take minutes.
        assert_eq!(found.lines().filter(|line| line.starts_with("-a")).count(), 100_000);
    }
}
