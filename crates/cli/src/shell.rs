//! Commands that a person copies into a shell.

use std::path::Path;

use crate::{folder::LocalSkill, screen::plain};

/// A word as a POSIX shell takes it for one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@%+,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path as an argument: one word that no command takes for a flag, without control characters of a terminal.
pub(super) fn quoted_path(path: &Path) -> String {
    let shown = plain(&path.display().to_string());
    if shown.starts_with('-') { quoted(&format!("./{shown}")) } else { quoted(&shown) }
}

/// The arguments for a push of this folder alone, so that the skill keeps its path.
pub(super) fn push_arguments(local: &LocalSkill) -> String {
    let folder = quoted_path(local.folder().typed());
    match local.skill.as_str().rsplit_once('/') {
        Some((category, _)) => format!("{folder} --into {}", quoted(category)),
        None => folder,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_stays_one_word_in_a_shell() {
        for (word, shown) in
            [("mcp", "mcp"), ("file:/a b", "'file:/a b'"), ("", "''"), ("it's $HOME", r"'it'\''s $HOME'")]
        {
            assert_eq!(quoted(word), shown);
        }
    }

    #[test]
    fn a_path_is_no_flag_and_drives_no_terminal() {
        for (path, shown) in
            [("a/b", "a/b"), ("my skills/b", "'my skills/b'"), ("-x", "./-x"), ("a\u{1b}[2Jb", "'a[2Jb'")]
        {
            assert_eq!(quoted_path(Path::new(path)), shown);
        }
    }
}
