//! Rows of cells in columns.
//!
//! Names are never cut, because people copy them: after a cell wider than its column, the rest of its row stands on the
//! next line of a screen. Only the last column gives way, if it holds no names.

use anstyle::Style;

use super::{columns, cut};

/// A column is as wide as its widest cell, but no wider than this.
const MOST_COLUMNS: usize = 40;
/// Between two columns.
const GAP: usize = 2;
/// Fewer columns than these show nothing of the last cell.
const LEAST_SHOWN: usize = 8;

/// One cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cell {
    text: String,
    style: Style,
    is_number: bool,
}

impl Cell {
    /// A number, which stands at the right of its column.
    pub(crate) fn number(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_number: true, ..Self::default() }
    }

    /// The heading of the column of this cell.
    pub(crate) fn heading(&self, text: &str) -> Self {
        Self { text: text.to_owned(), style: Style::new().bold(), is_number: self.is_number }
    }

    /// The same cell in this style.
    pub(crate) fn styled(self, style: Style) -> Self {
        Self { style, ..self }
    }

    /// Its text with blanks up to `width` columns.
    fn padded(&self, width: usize) -> String {
        let (Self { text, style, .. }, blanks) = (self, " ".repeat(width.saturating_sub(columns(&self.text))));
        if self.is_number {
            format!("{blanks}{style}{text}{style:#}")
        } else {
            format!("{style}{text}{style:#}{blanks}")
        }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// Rows with the same number of cells.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<Cell>>,
    last: LastColumn,
}

/// How the last column ends at the edge of the screen.
#[derive(Clone, Copy, Debug)]
pub(crate) enum LastColumn {
    /// It is cut: the whole text can be read elsewhere.
    Cut,
    /// It goes on below.
    Wrapped,
    /// Nothing: it holds names.
    Whole,
}

impl Table {
    /// A table of these rows.
    pub(crate) fn new<const N: usize>(last: LastColumn, rows: impl IntoIterator<Item = [Cell; N]>) -> Self {
        Self { rows: rows.into_iter().map(Vec::from).collect(), last }
    }

    /// Its lines on a screen of this width, or whole ones.
    pub(crate) fn lines(&self, width: Option<usize>) -> Vec<String> {
        let most = width.map_or(MOST_COLUMNS, |width| MOST_COLUMNS.min(width * 2 / 5));
        let widths: Vec<usize> = (0..self.rows.first().map_or(0, Vec::len))
            .map(|at| {
                let cells = self.rows.iter().filter_map(|row| row.get(at));
                cells.map(|cell| columns(&cell.text)).filter(|width| *width <= most).max().unwrap_or_default()
            })
            .collect();
        self.rows.iter().flat_map(|row| self.lines_of(row, &widths, width)).collect()
    }

    fn lines_of(&self, row: &[Cell], widths: &[usize], width: Option<usize>) -> Vec<String> {
        let Some((last, names)) = row.split_last() else { return Vec::new() };
        let (mut lines, mut line, mut used) = (Vec::new(), String::new(), 0);
        for (cell, most) in names.iter().zip(widths) {
            line.push_str(&cell.padded(*most));
            line.push_str(&" ".repeat(GAP));
            let is_wide = columns(&cell.text) > *most;
            if is_wide && width.is_some() {
                // A screen shows columns, and a file one line for each row.
                lines.push(line.trim_end().to_owned());
                line = " ".repeat(used + most + GAP);
            }
            used += most + GAP;
        }
        let left = width.map_or(usize::MAX, |width| width.saturating_sub(used));
        let texts = match self.last {
            LastColumn::Cut => vec![shown(&last.text, left)],
            LastColumn::Wrapped => wrapped(&last.text, left.max(LEAST_SHOWN)),
            LastColumn::Whole => vec![last.text.clone()],
        };
        let mut texts = texts.into_iter().map(|text| Cell { text, ..last.clone() }.padded(0));
        let first = line + &texts.next().unwrap_or_default();
        lines.extend(Some(first.trim_end().to_owned()).filter(|line| !line.is_empty()));
        lines.extend(texts.map(|text| " ".repeat(used) + &text));
        lines
    }
}

/// The part of the last cell that fits into the columns left for it.
fn shown(text: &str, left: usize) -> String {
    if columns(text) > left && left < LEAST_SHOWN { String::new() } else { cut(text, left) }
}

/// The words of a text in lines of at most `most` columns. A longer word has a line of its own.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        if !line.is_empty() && columns(&line) + 1 + columns(word) > most {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use anstyle::AnsiColor;

    use super::*;

    fn table(rows: &[[&str; 2]], last: LastColumn) -> Table {
        Table::new(last, rows.iter().map(|row| row.map(Cell::from)))
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_in_wide_characters_too() {
        let rows = [["A", "B"], ["ñandú", "-"], ["合同", "long"]];
        assert_eq!(table(&rows, LastColumn::Cut).lines(None), ["A      B", "ñandú  -", "合同   long"]);
    }

    #[test]
    fn the_last_column_is_cut_and_a_name_never_is() {
        let long = "a-name-that-is-much-longer-than-its-column";
        let rows = [["name", "what it is for, at length"], [long, "what it is for"]];
        let lines = table(&rows, LastColumn::Cut).lines(Some(20));
        assert_eq!(lines, ["name  what it is fo…", long, "      what it is for"]);
        assert_eq!(table(&rows, LastColumn::Cut).lines(None)[1], format!("{long}  what it is for"));
        assert_eq!(table(&[["5", long]], LastColumn::Whole).lines(Some(20)), [format!("5  {long}")]);
    }

    #[test]
    fn a_heading_stands_over_its_column() {
        let row = [Cell::number("0.50"), Cell::from("minutes")];
        let headings = [row[0].heading("SCORE"), row[1].heading("SKILL")];
        let lines = Table::new(LastColumn::Cut, [headings, row]).lines(Some(80));
        assert_eq!(anstream::adapter::strip_str(&lines.join("\n")).to_string(), "SCORE  SKILL\n 0.50  minutes");
    }

    #[test]
    fn a_column_that_is_needed_whole_goes_on_below() {
        let rows = [["ok", "one two three four"], ["fail", ""]];
        let lines = table(&rows, LastColumn::Wrapped).lines(Some(16));
        assert_eq!(lines, ["ok    one two", "      three four", "fail"]);
    }

    #[test]
    fn numbers_stand_at_the_right_and_styles_take_no_columns() {
        let red = AnsiColor::Red.on_default();
        let rows = [
            [Cell::number("5"), Cell::from("a").styled(red), "x".into()],
            [Cell::number("100"), "bcd".into(), "y".into()],
        ];
        let lines = Table::new(LastColumn::Cut, rows).lines(Some(80));
        assert_eq!(lines[0], "  5  \u{1b}[31ma\u{1b}[0m    x");
        assert_eq!(lines[1], "100  bcd  y");
    }
}
