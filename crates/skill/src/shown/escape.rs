//! The escaping of each format. Text that needs none comes back byte for byte.

use std::{borrow::Cow, fmt::Write as _, iter::repeat_n};

/// `text` without characters that a model reads and a person does not see, and the number of characters removed.
///
/// Removed are bidirectional controls, tag characters (U+E0000 to U+E007F), invisible operators and fillers, the
/// variation selectors beyond U+E0100 that can hide bytes, and control characters other than tab and line feed. ZWJ,
/// ZWNJ and the common variation selectors stay, because emoji and several scripts need them.
pub(super) fn sanitize(text: &str) -> (String, usize) {
    if !text.contains(is_hidden) {
        return (text.to_owned(), 0);
    }
    let kept: String = text.chars().filter(|c| !is_hidden(*c)).collect();
    let removed = text.chars().count() - kept.chars().count();
    (kept, removed)
}

/// Whether `sanitize` removes a character.
pub(in super::super) fn is_hidden(c: char) -> bool {
    let invisible = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}');
    invisible || (c.is_control() && !matches!(c, '\n' | '\t'))
}

/// `text` for an XML attribute or element: markup is escaped, and U+FFFD replaces characters that XML 1.0 does not
/// allow.
#[must_use]
pub fn xml_escape(text: &str) -> Cow<'_, str> {
    if !text.contains(needs_escape) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // A reader would turn a bare carriage return into a line feed.
            '\r' => out.push_str("&#13;"),
            c if needs_escape(c) => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn needs_escape(c: char) -> bool {
    matches!(c, '&' | '<' | '>' | '"' | '\'' | '\0'..='\x08' | '\x0b'..='\x1f' | '\u{fffe}' | '\u{ffff}')
}

/// `text` within a paragraph of Markdown: it begins no tag and no link.
pub(super) fn markdown(text: &str) -> Cow<'_, str> {
    if !text.contains('<') && !text.contains("](") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut slashes = 0;
    let mut last = ' ';
    for c in text.chars() {
        if c == '<' || (c == '(' && last == ']') {
            // The author's last backslash would cancel ours.
            out.extend(repeat_n('\\', slashes + 1));
        }
        slashes = if c == '\\' { slashes + 1 } else { 0 };
        last = c;
        out.push(c);
    }
    Cow::Owned(out)
}

/// `text` at the beginning of a line: also begins no heading, quote or fence, and defines no link.
pub(super) fn line_start(text: &str) -> Cow<'_, str> {
    let text = markdown(text);
    if opens_block(&text) { Cow::Owned(format!("\\{text}")) } else { text }
}

fn opens_block(text: &str) -> bool {
    let is_heading = || {
        let rest = text.trim_start_matches('#');
        text.len() > rest.len() && (rest.is_empty() || rest.starts_with(' '))
    };
    ["```", "~~~", ">"].iter().any(|opening| text.starts_with(opening)) || is_heading() || may_be_label(text)
}

/// Whether a text begins like the definition of a link, if a colon or a bracket of other text follows it.
fn may_be_label(text: &str) -> bool {
    let mut escaped = false;
    let is_end = |c: char| {
        let ends = c == ']' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    };
    text.starts_with('[') && text.split_once(is_end).is_none_or(|(_, rest)| rest.is_empty() || rest.starts_with(':'))
}

/// `body` between two lines of backticks, with more of them than in any row inside, so that nothing in it closes the
/// fence.
pub(super) fn fence(body: &str) -> String {
    let longest = body.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest.max(2) + 1);
    let end = if body.is_empty() || body.ends_with('\n') { "" } else { "\n" };
    let mut out = String::with_capacity(body.len() + 2 * ticks.len() + 4);
    // Writing to a string cannot fail.
    let _ = write!(out, "{ticks}\n{body}{end}{ticks}");
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;

    #[test]
    fn hidden_characters_go_and_joiners_stay() {
        let tags: String = "ignore".chars().map(|c| char::from_u32(0xe0000 + u32::from(c)).unwrap()).collect();
        assert_eq!(
            sanitize(&format!("a{tags}b\u{202e}c\u{2066}\u{200b}\u{1b}[31m\u{feff}\u{85}")),
            ("abc[31m".into(), 12)
        );
        let family = "👨\u{200d}👩\u{200d}👧 می\u{200c}خواهم ❤\u{fe0f} é\tñ\n";
        assert_eq!(sanitize(family), (family.to_owned(), 0));
        for c in ['\u{e0000}', '\u{e007f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{200e}', '\u{61c}'] {
            assert!(is_hidden(c), "{c:?}");
        }
        assert!(!is_hidden('\u{200c}') && !is_hidden('\u{200d}'));
    }

    #[test]
    fn plain_text_is_not_copied_by_escaping() {
        assert!(matches!(xml_escape("plain ñ\n"), Cow::Borrowed(_)));
        assert_eq!(xml_escape("</skill>&\"'\u{1}"), "&lt;/skill&gt;&amp;&quot;&apos;\u{fffd}");
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(fence("a"), "```\na\n```");
        assert_eq!(fence("````\n`x`\n"), "`````\n````\n`x`\n`````");
        assert_eq!(fence(""), "```\n```");
    }

    proptest! {
        #[test]
        fn escaped_text_reads_back(text in any::<String>()) {
            let xml = format!("<d a=\"{0}\">{0}</d>", xml_escape(&text));
            let document = roxmltree::Document::parse(&xml).unwrap();
            let read = document.root_element().text().unwrap_or_default();
            let legal: String =
                text.chars().map(|c| if needs_escape(c) && !"&<>\"'\r".contains(c) { '\u{fffd}' } else { c }).collect();
            prop_assert_eq!(read, &legal);
        }

        // S-PROMPT-3: Text of a skill is data: the prompt escapes names and descriptions, and fences bodies so that
        // nothing in them closes the fence.
        #[test]
        fn nothing_closes_the_fence(body in "[`~\n a>#-]{0,60}") {
            let text = fence(&body);
            let events: Vec<_> = Parser::new(&text).collect();
            let is_block = matches!(events.first(), Some(Event::Start(Tag::CodeBlock(_))))
                && matches!(events.last(), Some(Event::End(TagEnd::CodeBlock)));
            let ends = events.iter().filter(|event| matches!(event, Event::End(_))).count();
            prop_assert!(is_block && ends == 1, "{:?}", events);
        }
    }
}
