//! Text of a skill that is safe to show.
//!
//! A skill's text is the word of its author, not of the service. All code that shows it, to a model or to a person,
//! shows a [`SafeText`] or a [`ShownBlock`], and only [`one_line`] and [`block`] make them. Neither is `Display`: a
//! caller names a format, and each format has one method here with its escaping.
//!
//! ```
//! use skillmount_skill::shown::one_line;
//!
//! let hint = one_line("[file]\u{202e}\n</command-name>");
//! assert_eq!(hint.plain(), "[file] </command-name>");
//! assert_eq!(hint.removed(), 1);
//! assert_eq!(format!("It is called as: /sale {}", hint.inline()), "It is called as: /sale [file] \\</command-name>");
//! assert_eq!(format!("<skill>{}</skill>", hint.xml()), "<skill>[file] &lt;/command-name&gt;</skill>");
//! assert_eq!(serde_json::to_string(&hint)?, "\"[file] </command-name>\"");
//! # Ok::<(), serde_json::Error>(())
//! ```
//!
//! A sentence that names no format does not compile:
//!
//! ```compile_fail
//! let hint = skillmount_skill::shown::one_line("[file]");
//! let sentence = format!("It is called as: /sale {hint}");
//! ```

mod escape;

use std::borrow::Cow;

use serde::Serialize;

pub(super) use escape::is_hidden;
pub use escape::xml_escape;
use escape::{fence, line_start, markdown, sanitize};

/// One line of text of a skill.
///
/// * it contains no line end and no other control character;
/// * it contains no character that a model reads and a person does not see;
/// * its words have one space between them, and none before or after.
///
/// It is not escaped yet: [`inline`](Self::inline), [`at_line_start`](Self::at_line_start) and [`xml`](Self::xml) do
/// that, and a serializer does it for JSON and YAML.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
#[must_use]
pub struct SafeText {
    text: String,
    #[serde(skip)]
    removed: usize,
}

/// Lines of text of a skill, such as its instructions. They have no invisible character, and no control character but
/// tab and line feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct ShownBlock {
    text: String,
    #[serde(skip)]
    removed: usize,
}

/// `text` as one line.
///
/// ```
/// use skillmount_skill::shown::one_line;
///
/// assert_eq!(one_line(" Drafts\n\ndeeds.\u{200b} ").plain(), "Drafts deeds.");
/// ```
pub fn one_line(text: &str) -> SafeText {
    if is_line(text) {
        return SafeText { text: text.to_owned(), removed: 0 };
    }
    let (clean, removed) = sanitize(text);
    SafeText { text: clean.split_whitespace().collect::<Vec<_>>().join(" "), removed }
}

/// `text` in double quotes on one line, for a sentence of Markdown that is not the author's. Line breaks and characters that a
/// reader would not see become escapes. It begins no tag and no link.
///
/// ```
/// use skillmount_skill::shown::quoted;
///
/// assert_eq!(quoted("say \"no\"\n<b>\u{202e}"), r#""say \"no\"\n\<b>\u{202e}""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    let mut line = String::with_capacity(text.len() + 2);
    line.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '\n' | '\r' | '\t' => line.extend(c.escape_default()),
            c if is_hidden(c) || (c.is_whitespace() && c != ' ') => line.extend(c.escape_unicode()),
            c => line.push(c),
        }
    }
    line.push('"');
    markdown(&line).into_owned()
}

/// `text` with its lines.
///
/// ```
/// use skillmount_skill::shown::block;
///
/// assert_eq!(block("Run:\n```sh\nls\u{1b}[2J\n```\n").fenced(), "````\nRun:\n```sh\nls[2J\n```\n````");
/// ```
#[must_use]
pub fn block(text: &str) -> ShownBlock {
    let (text, removed) = sanitize(text);
    ShownBlock { text, removed }
}

/// A note that invisible characters were removed from the text of skills; `None` if nothing was removed.
#[must_use]
pub fn removed_note(removed: usize) -> Option<String> {
    (removed > 0).then(|| format!("Invisible characters removed from what skills say: {removed}."))
}

impl SafeText {
    /// The line unchanged: for a terminal, and for callers that escape it themselves.
    #[must_use]
    pub fn plain(&self) -> &str {
        &self.text
    }

    /// The line within a sentence or a paragraph of Markdown: it begins no tag and no link.
    #[must_use]
    pub fn inline(&self) -> Cow<'_, str> {
        markdown(&self.text)
    }

    /// The line at the beginning of a line of Markdown, such as an item of a list: it also begins no heading, no quote
    /// and no fence, and defines no link.
    #[must_use]
    pub fn at_line_start(&self) -> Cow<'_, str> {
        line_start(&self.text)
    }

    /// The line in an attribute or element of XML.
    #[must_use]
    pub fn xml(&self) -> Cow<'_, str> {
        xml_escape(&self.text)
    }

    /// The number of characters removed because a reader would not see them.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.removed
    }

    /// Whether nothing is left to show.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// At most `most` characters of the line, cut at a word if one ends near, with `…` in place of the rest.
    ///
    /// ```
    /// use skillmount_skill::shown::one_line;
    ///
    /// assert_eq!(one_line("one two three").shortened(11).plain(), "one two…");
    /// ```
    pub fn shortened(&self, most: usize) -> Self {
        let text = &self.text;
        let Some((end, _)) = text.char_indices().nth(most).filter(|_| text.len() > most) else { return self.clone() };
        // The ellipsis is a character too.
        let kept = text.get(..end).and_then(|kept| kept.char_indices().next_back().map(|(last, _)| &kept[..last]));
        let kept = kept.unwrap_or_default();
        let word = kept.rsplit_once(' ').map_or(kept, |(words, _)| words);
        let kept = if word.len() * 2 >= kept.len() { word } else { kept };
        Self { text: format!("{}…", kept.trim_end()), removed: self.removed }
    }
}

impl ShownBlock {
    /// The lines unchanged: for a terminal, and for callers that escape them themselves.
    #[must_use]
    pub fn plain(&self) -> &str {
        &self.text
    }

    /// The lines between two lines of backticks, which nothing in them closes.
    #[must_use]
    pub fn fenced(&self) -> String {
        fence(&self.text)
    }

    /// The bytes that [`fenced`](Self::fenced) adds at most, for these lines and for a part of them.
    #[must_use]
    pub fn fence_bytes(&self) -> usize {
        // A part may end within a line, and then gets a line end.
        fence(&self.text).len() - self.text.len() + 1
    }

    /// The number of characters removed because a reader would not see them.
    #[must_use]
    pub fn removed(&self) -> usize {
        self.removed
    }
}

/// Fast path for most texts: already one line of ASCII words with one space between them.
fn is_line(text: &str) -> bool {
    let spaced = text.starts_with(' ') || text.ends_with(' ') || text.contains("  ");
    text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !spaced
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag};

    use super::*;

    #[test]
    fn a_text_becomes_one_line_without_what_no_reader_sees() {
        for (text, expected) in [
            ("", ("", 0)),
            ("one two", ("one two", 0)),
            (" one", ("one", 0)),
            ("one ", ("one", 0)),
            ("one  two", ("one two", 0)),
            ("one\n\ttwo", ("one two", 0)),
            ("uñó\u{3000}dos", ("uñó dos", 0)),
            ("o\u{200b}ne\u{7f}", ("one", 2)),
            ("a\u{1b}[2Jb\nc", ("a[2Jb c", 1)),
        ] {
            let shown = one_line(text);
            assert_eq!((shown.plain(), shown.removed()), expected);
        }
    }

    #[test]
    fn a_text_is_left_at_the_limit_and_shortened_beyond_it() {
        let shorten = |text, most| one_line(text).shortened(most).plain().to_owned();
        assert_eq!(shorten("uno dos tres", 12), "uno dos tres");
        assert_eq!(shorten("uno dos tres", 11), "uno dos…");
        assert_eq!(shorten("ñandúñandú", 5), "ñand…");
        assert_eq!(shorten("", 0), "");
        assert_eq!(one_line("u\u{200b}no dos").shortened(4).removed(), 1);
    }

    #[test]
    fn text_that_is_no_markup_is_shown_as_it_is() {
        for text in [
            "[file] [--force]",
            "Redacta: escrituras (2ª) & más, #1 * a_b",
            "[...slug].ts",
            "#1 guide.md",
            "1. Intro.md",
            "C:\\temp",
            "`ls` ~ $HOME",
            "a > b",
        ] {
            let shown = one_line(text);
            assert_eq!((&*shown.inline(), &*shown.at_line_start()), (text, text));
        }
    }

    #[test]
    fn markup_is_escaped_once_and_no_backslash_undoes_it() {
        for (text, inline, at_line_start) in [
            ("</skill>", "\\</skill>", "\\</skill>"),
            ("\\</skill>", "\\\\\\</skill>", "\\\\\\</skill>"),
            ("a \\\\<b>", "a \\\\\\\\\\<b>", "a \\\\\\\\\\<b>"),
            ("![x](y)", "![x]\\(y)", "![x]\\(y)"),
            ("# x", "# x", "\\# x"),
            ("> x", "> x", "\\> x"),
            ("```", "```", "\\```"),
            ("~~~~ sh", "~~~~ sh", "\\~~~~ sh"),
            ("[x]", "[x]", "\\[x]"),
            ("[x]: y", "[x]: y", "\\[x]: y"),
        ] {
            let shown = one_line(text);
            assert_eq!((&*shown.inline(), &*shown.at_line_start()), (inline, at_line_start), "{text}");
        }
    }

    #[test]
    fn json_and_a_fence_hold_what_was_cleaned() {
        assert_eq!(serde_json::to_string(&one_line("a\"\u{0}\nb")).unwrap(), "\"a\\\" b\"");
        assert_eq!(serde_json::to_string(&block("a\u{0}\nb")).unwrap(), "\"a\\nb\"");
        let body = block("a\u{202e}\n```\n");
        assert_eq!((body.fenced().as_str(), body.removed()), ("````\na\n```\n````", 1));
    }

    /// Texts made of pieces with a meaning in Markdown.
    fn markup() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(
            &[
                "<", "\\", "]", "(", ")", "[", "!", ":", "# ", ">", "`", "~", "a", " ", "b>", "</i>", "<!--", "&lt;",
                "\n",
            ][..],
        );
        prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    fn is_text(event: &Event<'_>) -> bool {
        matches!(
            event,
            Event::Text(_) | Event::Code(_) | Event::Start(Tag::Paragraph | Tag::List(_) | Tag::Item) | Event::End(_)
        )
    }

    proptest! {
        // S-PROMPT-11: In Markdown, text of a skill makes no link, heading, quote or fence.
        #[test]
        fn a_reader_of_markdown_finds_only_text(text in markup()) {
            let shown = one_line(&text);
            let list = format!("- {}: x {}\n- [y](z)", shown.at_line_start(), shown.inline());
            let links = Parser::new(&list).filter(|event| matches!(event, Event::Start(Tag::Link { .. }))).count();
            prop_assert_eq!(links, 1, "only ours: {}", list);
            for event in Parser::new(&list).filter(|event| !matches!(event, Event::Start(Tag::Link { .. }))) {
                prop_assert!(is_text(&event), "{:?} in {}", event, list);
            }
        }

        #[test]
        fn whatever_is_shown_is_one_line_of_visible_text(text in any::<String>()) {
            let shown = one_line(&text);
            for text in [shown.plain(), &shown.inline(), &shown.at_line_start(), &shown.xml()] {
                prop_assert!(!text.contains(|c: char| c.is_control() || is_hidden(c)));
                prop_assert!(text.lines().count() <= 1);
            }
            prop_assert_eq!(one_line(shown.plain()).removed(), 0);
        }
    }
}
