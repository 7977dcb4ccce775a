//! The text of a reply, cut at the end of a line if it grows too long.

/// The text of an empty listing.
pub(super) const NO_FILES: &str = "No files found";

/// The first line of a page, if only its beginning fits, ends with this.
const CUT: &str = "…\n";

/// The text of a reply, and how many of its lines it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextPage {
    /// The lines that are shown.
    pub(super) body: String,
    /// The shown lines, their total and the way to go on; empty if the text is whole.
    pub(super) note: String,
    /// How many lines are shown, counted from the first.
    pub(super) shown: usize,
    /// How many lines there are.
    pub(super) total: usize,
    /// Bytes that are shown of the last line, if only a part of it is shown.
    pub(super) cut: Option<usize>,
}

/// The extent of a page, for its note.
#[derive(Clone, Copy, Debug)]
pub(super) struct PageExtent {
    /// How many lines are shown.
    pub(super) lines: usize,
    /// Whether only a part of the last one is shown.
    pub(super) cut_in_line: bool,
}

impl TextPage {
    /// A text without lines that could be omitted.
    pub(super) fn whole(text: impl Into<String>) -> Self {
        Self { body: text.into(), note: String::new(), shown: 0, total: 0, cut: None }
    }

    /// As many of `lines` as fit into `room` bytes. Each line has its line end. `omitted` says whether something is missing
    /// from the lines already. Then, or if lines do not fit, `note` describes the page.
    ///
    /// A line that does not fit is omitted. Only one of the first `least` lines is cut instead, so that something is always
    /// shown.
    pub(super) fn new(
        lines: &[String],
        least: usize,
        room: usize,
        omitted: bool,
        note: impl Fn(PageExtent) -> String,
    ) -> Self {
        let total = lines.len();
        let bytes = lines.iter().map(String::len).sum::<usize>().saturating_sub(1);
        if !omitted && bytes <= room {
            let body = lines.concat();
            let body = body.strip_suffix('\n').map(str::to_owned).unwrap_or(body);
            return Self { shown: total, total, ..Self::whole(body) };
        }
        // A note is longest with the most lines, and says more if lines are omitted or cut.
        let notes = [total, total.saturating_sub(1)]
            .into_iter()
            .flat_map(|lines| [false, true].map(|cut_in_line| note(PageExtent { lines, cut_in_line }).len()));
        let room = room.saturating_sub(2 * notes.max().unwrap_or(0) + 1);
        let (mut body, mut shown, mut cut) = (String::new(), 0, None);
        for line in lines {
            let left = room.saturating_sub(body.len());
            if line.len() <= left {
                body.push_str(line);
                shown += 1;
                continue;
            }
            if shown < least {
                let end = line.floor_char_boundary(left.saturating_sub(CUT.len()));
                body = body + line.get(..end).unwrap_or_default() + CUT;
                (shown, cut) = (shown + 1, Some(end));
            }
            break;
        }
        let note = note(PageExtent { lines: shown, cut_in_line: cut.is_some() });
        Self { body, note, shown, total, cut }
    }

    /// One line each, as many as fit, or `empty`. `omitted` says what the store or the search omitted, and `more` how to see
    /// what does not fit.
    pub(super) fn list(lines: Vec<String>, least: usize, room: usize, list: ListNotes<'_>) -> Self {
        let ListNotes { empty, omitted, more } = list;
        let total = lines.len();
        let lines = if lines.is_empty() { vec![empty.to_owned()] } else { lines };
        let lines: Vec<_> = lines.into_iter().map(|line| line + "\n").collect();
        let note = |shown: PageExtent| {
            let is_cut = shown.lines < lines.len() || shown.cut_in_line;
            let cut = is_cut.then(|| format!("lines 1-{} of {total}; {more}", shown.lines));
            format!("[{}]", cut.as_deref().into_iter().chain(omitted).collect::<Vec<_>>().join("; "))
        };
        let page = Self::new(&lines, least, room, omitted.is_some(), note);
        Self { shown: page.shown.min(total), total, ..page }
    }

    /// The lines that are shown.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The shown lines, their total and the way to go on; empty if the text is whole.
    #[must_use]
    pub fn note(&self) -> &str {
        &self.note
    }

    /// Whether a line, or a part of one, does not fit.
    pub(super) fn is_cut(&self) -> bool {
        self.shown < self.total || self.cut.is_some()
    }

    /// The note without its brackets, as a member of a reply.
    pub(super) fn bare_note(&self) -> String {
        self.note.trim_matches(['[', ']']).to_owned()
    }

    /// The text. It begins and ends with the note, because hosts cut long texts in the middle.
    pub(super) fn text(self) -> String {
        let Self { body, note, .. } = self;
        if note.is_empty() { body } else { format!("{note}\n{body}{note}") }
    }
}

/// The sentences of a list beside its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListNotes<'a> {
    /// The text of a list without lines.
    pub(super) empty: &'a str,
    /// The omissions of the store or of the search.
    pub(super) omitted: Option<&'a str>,
    /// How to see the lines that do not fit.
    pub(super) more: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(room: usize, lines: &[&str]) -> TextPage {
        let lines: Vec<_> = lines.iter().map(|line| (*line).to_owned()).collect();
        TextPage::new(&lines, 1, room, false, |shown| format!("[{}]", shown.lines))
    }

    #[test]
    fn what_fits_exactly_is_whole_and_one_byte_more_is_cut_at_the_line() {
        let whole = page(11, &["abcdef\n", "hijk\n"]);
        assert_eq!((whole.clone().text().as_str(), whole.shown, whole.is_cut()), ("abcdef\nhijk", 2, false));
        let cut = page(17, &["abcdef\n", "hijklmnopqr\n"]);
        assert_eq!((cut.clone().text().as_str(), cut.shown, cut.is_cut()), ("[1]\nabcdef\n[1]", 1, true));
        let least = page(14, &["abcdef\n", "hijklmnopqr\n"]);
        assert_eq!(least.text(), cut.text());
        assert!(page(13, &["abcdef\n", "hijklmnopqr\n"]).cut.is_some());
    }

    #[test]
    fn a_first_line_that_is_too_long_is_cut_between_characters() {
        let cut = page(14, &["aéééééé\n", "b\n"]);
        assert_eq!((cut.clone().text().as_str(), cut.shown, cut.cut), ("[1]\naé…\n[1]", 1, Some(3)));
        assert_eq!(page(0, &["ab\n"]).text(), "[1]\n…\n[1]");
    }

    #[test]
    fn no_page_is_longer_than_its_room() {
        let lines: Vec<_> = (0..200).map(|line| format!("{line} {}", "é".repeat(line))).collect();
        let notes = ListNotes { empty: "", omitted: None, more: "more" };
        for room in (60..5000).step_by(7) {
            let text = TextPage::list(lines.clone(), 1, room, notes).text();
            assert!(text.len() <= room, "{room}: {}", text.len());
        }
    }

    #[test]
    fn what_the_store_omits_is_said_at_both_ends_of_a_list_that_fits() {
        let stopped = ListNotes { empty: "none", omitted: Some("the search stopped"), more: "more" };
        let page = TextPage::list(vec!["a".to_owned()], 1, 100, stopped);
        assert_eq!(page.text(), "[the search stopped]\na\n[the search stopped]");
        assert_eq!(TextPage::list(Vec::new(), 1, 100, ListNotes { omitted: None, ..stopped }).text(), "none");
    }

    #[test]
    fn of_the_first_lines_one_that_is_too_long_is_cut() {
        let lines = vec!["a.md:".to_owned(), "x".repeat(100)];
        let notes = ListNotes { empty: "", omitted: None, more: "m" };
        let page = TextPage::list(lines, 2, 60, notes);
        assert_eq!((page.shown, page.cut), (2, Some(11)));
        assert_eq!(page.text(), format!("[lines 1-2 of 2; m]\na.md:\n{}…\n[lines 1-2 of 2; m]", "x".repeat(11)));
    }
}
