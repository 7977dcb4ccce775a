//! The forms in which a word can be looked up: the word itself, the parts of a glued word, and versions.
//!
//! `iOS17` is also `ios` and `17`, and `v7.23` is also `7.23`. In a skill, `iOS 17` is also `ios17`. So a question finds
//! each way of writing.

use skillmount_base::limits::SEARCH_WORD_BYTES;

use super::word_split::{Words, placed};

/// The most parts of a glued word. A word of more parts is an id.
const MOST_PARTS: usize = 4;

/// The kind of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FormKind<'text> {
    /// A word.
    Word,
    /// The letters or the digits of this word.
    PartOf(&'text str),
    /// Numbers with points between them.
    Version,
}

impl<'text> FormKind<'text> {
    /// The word of which the form is a part.
    pub(super) fn whole(self) -> Option<&'text str> {
        if let Self::PartOf(whole) = self { Some(whole) } else { None }
    }
}

/// A word of a text, or another form of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WordForm<'text> {
    pub(super) word: &'text str,
    pub(super) kind: FormKind<'text>,
}

/// The forms of the words of folded text, in order: each word before its other forms.
pub(super) fn forms(folded: &str) -> impl Iterator<Item = WordForm<'_>> {
    let mut words = Words::new(folded);
    let mut version_end = 0;
    let mut waiting = Vec::new();
    let all = std::iter::from_fn(move || {
        if let Some(form) = waiting.pop() {
            return Some(form);
        }
        let (_, word) = words.next()?;
        let is_numbered = word.as_bytes().iter().any(u8::is_ascii_digit);
        if is_numbered {
            if let Some(range) = words.run_end().and_then(|end| version(folded, word, end))
                && range.start >= version_end
            {
                version_end = range.end;
                waiting.extend(folded.get(range).map(|word| WordForm { word, kind: FormKind::Version }));
            }
            waiting.extend(
                parts(word).into_iter().rev().map(|part| WordForm { word: part, kind: FormKind::PartOf(word) }),
            );
        }
        Some(WordForm { word, kind: FormKind::Word })
    });
    all.filter(|form| form.word.len() <= SEARCH_WORD_BYTES)
}

/// Letters and digits with a space, a hyphen or an underscore between them, each pair glued.
pub(super) fn glued(folded: &str) -> impl Iterator<Item = String> {
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |word: &str| word.chars().all(char::is_alphabetic);
    let mut before = "";
    let pairs = placed(folded).filter_map(move |(gap, word)| {
        let first = std::mem::replace(&mut before, word);
        let is_pair = is_name(first) && is_number(word) && first.chars().nth(1).is_some()
            || is_number(first) && !first.is_empty() && is_name(word);
        (is_pair && matches!(gap, " " | "-" | "_")).then(|| format!("{first}{word}"))
    });
    pairs.filter(|pair| pair.len() <= SEARCH_WORD_BYTES)
}

/// The place of the version that begins with the last digits of `word`, which ends there in the text.
fn version(folded: &str, word: &str, end: usize) -> Option<std::ops::Range<usize>> {
    let digits = word.len() - word.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let rest = folded.get(end..)?;
    let mut length = 0;
    while let Some(number) = rest.get(length..).and_then(|rest| rest.strip_prefix('.')) {
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            break;
        }
        length += 1 + digits;
    }
    (digits > 0 && length > 0).then(|| end - digits..end + length)
}

/// The letters and the digits of a word that has both. A single letter, as in `v7`, is no part.
fn parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let has_digits = first.is_ascii_digit();
        let (part, after) = rest.split_at(rest.find(|c: char| c.is_ascii_digit() != has_digits).unwrap_or(rest.len()));
        parts.push(part);
        rest = after;
        if parts.len() > MOST_PARTS {
            return Vec::new();
        }
    }
    if parts.len() < 2 {
        return Vec::new();
    }
    parts.retain(|part| part.starts_with(|c: char| c.is_ascii_digit()) || part.chars().nth(1).is_some());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        forms(text).map(|form| form.word).collect()
    }

    #[test]
    fn glued_words_have_the_forms_of_their_parts_and_ids_have_none() {
        assert_eq!(all("ios17 gpt4o"), ["ios17", "ios", "17", "gpt4o", "gpt", "4"]);
        assert_eq!(all("версия7 h5ad"), ["версия7", "версия", "7", "h5ad", "5", "ad"]);
        assert_eq!(all("a3f9b2c1 2026 word"), ["a3f9b2c1", "2026", "word"]);
    }

    #[test]
    fn letters_and_digits_that_stand_together_have_a_glued_form() {
        let all = |text| glued(text).collect::<Vec<_>>();
        assert_eq!(all("for ios 17, python-3 (with 5 ghz)"), ["ios17", "python3", "with5", "5ghz"]);
        assert_eq!(all("ios, 17, a 5, 1 2, ios: 3 17"), Vec::<String>::new());
    }

    #[test]
    fn a_version_has_one_form_with_its_points_whatever_stands_before() {
        assert_eq!(all("to 7.23."), ["to", "7", "7.23", "23"]);
        assert_eq!(all("v1.2.3-beta"), ["v1", "1", "1.2.3", "2", "3", "beta"]);
        assert_eq!(all("3.11rc1 版7.2"), ["3", "3.11", "11rc1", "11", "rc", "1", "版", "7", "7.2", "2"]);
        assert_eq!(all("end 7. 23, 1..2 a.b"), ["end", "7", "23", "1", "2", "a", "b"]);
        let long = format!("{}.1", "1".repeat(SEARCH_WORD_BYTES));
        assert!(!all(&long).contains(&long.as_str()));
    }
}
