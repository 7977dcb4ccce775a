//! A generated page: its text, and the comparison with its file.

use std::{env, fmt::Display, fmt::Write as _, fs};

use crate::support::sources::root;

/// Fails if the file `name` of the reference differs from `text`. With `INSTA_UPDATE=always` it writes the file.
pub(super) fn check(name: &str, text: &str) {
    let file = root().join("docs/book/reference").join(name);
    if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        fs::write(file, text).unwrap();
        return;
    }
    let known = fs::read_to_string(&file).unwrap_or_default();
    let ends = [&*known, text].map(|text| text.lines().map(str::to_owned).chain([String::new()]).collect::<Vec<_>>());
    let differs = (1..).zip(ends[0].iter().zip(&ends[1])).find(|(_, (known, text))| known != text);
    let (line, (old, new)) = differs.unwrap_or((0, (&ends[0][0], &ends[1][0])));
    assert!(known == text, "{name}, line {line}: `make reference` replaces\n  {old}\nby\n  {new}");
}

/// A table of Markdown with these columns.
pub(super) fn table<const N: usize>(columns: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&columns.map(str::to_owned));
    writeln!(text, "|{}", "---|".repeat(N)).unwrap();
    for row in rows {
        text.push_str(&line(&row.map(|cell| self::cell(&cell))));
    }
    text
}

/// A text as a cell of a table: one line, without bars that would end the cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// `value` as code.
pub(super) fn code(value: impl Display) -> String {
    format!("`{value}`")
}
