//! Cuts arguments into words, much as a shell does.
//!
//! People and models type them, and mean `it's` and `C:\dir` literally. So a quote groups words only if it is closed,
//! and an apostrophe in a word is a character. A backslash escapes a quote, a backslash or a blank. Before any other
//! character it stands for itself.

use std::{iter::Peekable, ops::Range, str::CharIndices};

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// The text, without the quotes that group it.
    pub text: String,
    /// Its range in the arguments, quotes included.
    pub span: Range<usize>,
}

/// The words of `raw`, in order.
pub(super) fn words(raw: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut chars = raw.char_indices().peekable();
    while let Some((start, _)) = next_start(&mut chars) {
        let mut text = String::new();
        let mut before = None;
        while let Some((at, c)) = chars.next_if(|(_, c)| !c.is_whitespace()) {
            let rest = raw.get(at + c.len_utf8()..).unwrap_or_default();
            let opens = c == '"' || (c == '\'' && !before.is_some_and(char::is_alphanumeric));
            match quoted(c, rest).filter(|_| opens) {
                Some((inside, length)) => {
                    text.push_str(&inside);
                    let end = at + c.len_utf8() + length;
                    while chars.next_if(|(at, _)| *at < end).is_some() {}
                }
                None if c == '\\' => {
                    let escaped = chars.next_if(|(_, c)| is_escaped(*c));
                    text.push(escaped.map_or(c, |(_, escaped)| escaped));
                }
                None => text.push(c),
            }
            before = Some(c);
        }
        let end = chars.peek().map_or(raw.len(), |(at, _)| *at);
        words.push(Word { text, span: start..end });
    }
    words
}

/// The first character of the next word, which is not consumed.
fn next_start(chars: &mut Peekable<CharIndices<'_>>) -> Option<(usize, char)> {
    while chars.next_if(|(_, c)| c.is_whitespace()).is_some() {}
    chars.peek().copied()
}

fn is_escaped(c: char) -> bool {
    matches!(c, '"' | '\'' | '\\') || c.is_whitespace()
}

/// The text between the quote `open` and its closing quote in `rest`, and the length of both in `rest`; `None` if no
/// quote closes it. In double quotes a backslash escapes them and itself.
fn quoted(open: char, rest: &str) -> Option<(String, usize)> {
    let mut inside = String::new();
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        match c {
            c if c == open => return Some((inside, at + c.len_utf8())),
            '\\' if open == '"' => {
                let escaped = chars.next_if(|(_, c)| matches!(c, '"' | '\\'));
                inside.push(escaped.map_or(c, |(_, escaped)| escaped));
            }
            c => inside.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(raw: &str) -> Vec<String> {
        words(raw).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_cut_as_in_a_shell() {
        assert_eq!(texts(r#"a "b \" c" 'd\ e'f g\ h '' x='y z'"#), ["a", "b \" c", r"d\ ef", "g h", "", "x=y z"]);
        assert_eq!(texts(" \t"), Vec::<String>::new());
        let raw = "é 'b c'  d";
        let spans: Vec<_> = words(raw).into_iter().map(|word| &raw[word.span]).collect();
        assert_eq!(spans, ["é", "'b c'", "d"]);
    }

    #[test]
    fn what_people_type_is_not_taken_for_shell() {
        for (raw, expected) in [
            ("it's a file", vec!["it's", "a", "file"]),
            ("it's Bob's file", vec!["it's", "Bob's", "file"]),
            (r"C:\dir\file.txt", vec![r"C:\dir\file.txt"]),
            (r#""C:\my dir\a" b"#, vec![r"C:\my dir\a", "b"]),
            (r"a\\b \'c\' d\", vec![r"a\b", "'c'", r"d\"]),
            ("\"open x", vec!["\"open", "x"]),
            ("'open x", vec!["'open", "x"]),
            ("5\" pipe", vec!["5\"", "pipe"]),
        ] {
            assert_eq!(texts(raw), expected, "{raw}");
        }
    }
}
