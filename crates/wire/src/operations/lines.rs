//! Text that is cut at the end of a line when it grows too long.

/// The text of an empty listing.
pub(super) const NO_FILES: &str = "No files found";

/// Lines, as many as fit.
#[derive(Debug)]
pub(super) struct LinePage {
    text: String,
    room: usize,
    cut_in_line: bool,
}

impl LinePage {
    /// A page with room for this many bytes.
    pub(super) fn new(room: usize) -> Self {
        Self { text: String::new(), room, cut_in_line: false }
    }

    /// Adds a line with its line end, and says whether a next one may come. A line that does not fit is left out; but the
    /// first one is cut, so that something is always shown, and then counts as shown.
    pub(super) fn push(&mut self, line: &str) -> bool {
        if self.cut_in_line {
            return false;
        }
        if self.text.len() + line.len() <= self.room {
            self.text.push_str(line);
            return true;
        }
        if self.text.is_empty() {
            self.text.push_str(line.get(..line.floor_char_boundary(self.room)).unwrap_or_default());
            self.text.push_str("…\n");
            self.cut_in_line = true;
            return true;
        }
        false
    }

    /// Whether the first line is there in part only.
    pub(super) fn is_cut_in_line(&self) -> bool {
        self.cut_in_line
    }

    /// The page, with a last line that is always there; no line end behind it.
    pub(super) fn close(mut self, last: &str) -> String {
        self.text.push_str(last);
        if last.is_empty() {
            self.text.truncate(self.text.trim_end_matches('\n').len());
        }
        self.text
    }
}

/// One line each, as many as fit, or `empty`; `left_out` says what the backend left out, `more` how to see what did not fit.
pub(super) fn list(
    lines: impl IntoIterator<Item = String>,
    empty: &str,
    left_out: Option<&str>,
    room: usize,
    more: &str,
) -> String {
    let mut lines = lines.into_iter().peekable();
    let is_empty = lines.peek().is_none();
    let mut page = LinePage::new(room);
    let mut left = lines.skip_while(|line| page.push(&format!("{line}\n"))).count();
    left += usize::from(page.is_cut_in_line());
    let cut = (left > 0).then(|| format!("[lines that did not fit: {left}; {more}]"));
    let left_out = left_out.map(|what| format!("[{what}]"));
    let empty = is_empty.then(|| empty.to_owned());
    page.close(&[empty, left_out, cut].into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(room: usize, lines: &[&str]) -> (String, usize) {
        let mut page = LinePage::new(room);
        let fitted = lines.iter().take_while(|line| page.push(line)).count();
        (page.close("[end]"), fitted)
    }

    #[test]
    fn what_fits_exactly_is_whole_and_one_byte_more_is_cut_at_the_line() {
        assert_eq!(page(6, &["ab\n", "cd\n"]), ("ab\ncd\n[end]".to_owned(), 2));
        assert_eq!(page(5, &["ab\n", "cd\n"]), ("ab\n[end]".to_owned(), 1));
    }

    #[test]
    fn a_first_line_that_is_too_long_is_cut_between_characters() {
        assert_eq!(page(2, &["aéé\n", "b\n"]), ("a…\n[end]".to_owned(), 1));
        assert_eq!(page(0, &["a\n"]), ("…\n[end]".to_owned(), 1));
    }
}
