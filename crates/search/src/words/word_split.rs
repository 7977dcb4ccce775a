//! Cuts text into words. A word has one spelling, independent of case, accents and width.
//!
//! Scripts without spaces between words (Chinese, Japanese, Thai and similar ones) are cut into overlapping pairs of
//! characters, so that a question matches words in a longer run without a dictionary. So is Korean, whose particles and endings
//! are written together with their word. An Arabic word has no article.

use std::{borrow::Cow, vec};

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use skillmount_base::limits::SEARCH_WORD_BYTES;

/// `text` in lower case, with compatibility forms resolved, without the accents of Latin, Greek and Cyrillic letters, the
/// vowel signs of Arabic, which are hardly ever written, and invisible characters. The marks of other scripts stay, because
/// there they are part of the letter.
pub(super) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    // Such a character goes together with accents alone, and these are left out. So what lies between is folded by itself.
    while !rest.is_empty() {
        let (simple, tail) = rest.split_at(while_all(rest, |_| true, is_simple));
        let (other, tail) = tail.split_at(tail.find(is_simple).unwrap_or(tail.len()));
        let from = folded.len();
        folded.push_str(simple);
        if let Some(simple) = folded.get_mut(from..) {
            simple.make_ascii_lowercase();
        }
        folded.extend(folded_letters(other));
        rest = tail;
    }
    Cow::Owned(folded)
}

fn folded_letters(text: &str) -> impl Iterator<Item = char> {
    let bare = text.nfkd().filter(|c| !is_accent(*c) && !is_invisible(*c));
    bare.nfc().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c })
}

/// The English contractions behind an apostrophe.
const TAILS: [&str; 7] = ["s", "t", "d", "m", "ll", "re", "ve"];

/// The words of folded text, in order. A word over the limit is data and is left out.
pub(super) fn words(folded: &str) -> impl Iterator<Item = &str> {
    placed(folded).map(|(_, word)| word)
}

/// The words of folded text, in order, each with the text between the previous word and this one.
pub(super) fn placed(folded: &str) -> impl Iterator<Item = (&str, &str)> {
    Words::new(folded).filter(|(_, word)| word.len() <= SEARCH_WORD_BYTES)
}

/// The words of a text with the text before each, long words too.
pub(super) struct Words<'text> {
    folded: &'text str,
    rest: &'text str,
    /// The rest of a run that has parts.
    parts: vec::IntoIter<&'text str>,
}

impl<'text> Words<'text> {
    pub(super) fn new(folded: &'text str) -> Self {
        Self { folded, rest: folded, parts: Vec::new().into_iter() }
    }

    /// Where the run of the last word ends in the text; `None` if the run has more words.
    pub(super) fn run_end(&self) -> Option<usize> {
        self.parts.as_slice().is_empty().then(|| self.folded.len() - self.rest.len())
    }
}

impl<'text> Iterator for Words<'text> {
    type Item = (&'text str, &'text str);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(part) = self.parts.next() {
                return Some(("", bare(part)));
            }
            let is_inside = self.rest.len() < self.folded.len();
            let gap_end = while_all(self.rest, |byte| !byte.is_ascii_alphanumeric(), |c| !is_word_character(c));
            let (gap, tail) = self.rest.split_at(gap_end);
            let (run, after) = tail.split_at(while_all(tail, |byte| byte.is_ascii_alphanumeric(), is_word_character));
            self.rest = after;
            // The part behind the apostrophe in `don't` and `Porter's` has no meaning of its own. That in `l'IA` has.
            let is_tail = is_inside && matches!(gap, "'" | "’") && TAILS.contains(&run);
            match run {
                "" => return None,
                _ if is_tail => {}
                _ if run.is_ascii() => return Some((gap, run)),
                _ if run.chars().any(is_unspaced) => self.parts = parts(run).into_iter(),
                _ => return Some((gap, bare(run))),
            }
        }
    }
}

/// The length of the beginning of `text` whose characters are all wanted: by their bytes, if they are ASCII. Most are, and the words
/// of thousands of skills take as long as it takes to look at each character.
fn while_all(text: &str, is_ascii_wanted: impl Fn(u8) -> bool, is_wanted: impl Fn(char) -> bool) -> usize {
    let mut end = 0;
    while let Some(byte) = text.as_bytes().get(end) {
        let length = if byte.is_ascii() {
            usize::from(is_ascii_wanted(*byte))
        } else {
            let other = text.get(end..).and_then(|rest| rest.chars().next());
            other.filter(|other| is_wanted(*other)).map_or(0, char::len_utf8)
        };
        if length == 0 {
            break;
        }
        end += length;
    }
    end
}

/// How a script separates words. A word has one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spacing {
    /// There are spaces between words.
    Spaced,
    /// There are none, or, in Korean, endings are written together with words. So a word is a pair of characters.
    Unspaced,
}

impl Spacing {
    pub(super) const ALL: [Self; 2] = [Self::Spaced, Self::Unspaced];

    /// The spacing of the script that a word is written in.
    pub(super) fn from_word(word: &str) -> Self {
        // Most words are of ASCII.
        let first = if word.is_ascii() { None } else { word.chars().next() };
        if first.is_some_and(is_unspaced) { Self::Unspaced } else { Self::Spaced }
    }
}

/// Whether a word is a single sign of Han or Hangul. Such a sign may stand for a longer word that begins with it.
pub(super) fn is_sign(word: &str) -> bool {
    let mut signs = word.chars();
    matches!((signs.next(), signs.next()), (Some(sign), None) if is_han(sign) || is_hangul(sign))
}

/// A word without the Arabic article. Short words may begin with its letters.
fn bare(word: &str) -> &str {
    word.strip_prefix("ال").filter(|rest| rest.chars().count() >= 3).unwrap_or(word)
}

/// The parts of a run that has a script without spaces.
fn parts(run: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = run;
    while let Some(first) = rest.chars().next() {
        let unspaced = is_unspaced(first);
        let until = rest.find(|c| is_unspaced(c) != unspaced).unwrap_or(rest.len());
        let (part, after) = rest.split_at(until);
        if unspaced {
            found.extend(pairs(part));
        } else {
            found.push(part);
        }
        rest = after;
    }
    found
}

fn pairs(run: &str) -> Vec<&str> {
    let ends: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    match ends.len() {
        0..=2 => vec![run],
        _ => ends.windows(3).filter_map(|ends| run.get(*ends.first()?..*ends.last()?)).collect(),
    }
}

fn is_word_character(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric();
    }
    if is_simple(c) { is_unspaced(c) } else { c.is_alphanumeric() || is_combining_mark(c) }
}

/// Whether a character stays as it is but for the case of ASCII. There are others; these are common.
fn is_simple(c: char) -> bool {
    c.is_ascii()
        || matches!(c, '–' | '—' | '‘'..='‟' | '•' | '←'..='↓' | '\u{2500}'..='\u{257f}' | '✅' | '\u{4e00}'..='\u{9fff}')
}

/// Accents, and of Arabic the vowel signs, the hamza above and below a letter, and the stroke that widens a word.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{640}' | '\u{64b}'..='\u{655}' | '\u{670}')
}

/// Soft hyphen, zero-width characters, byte order mark.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Thai, Lao, Myanmar, Khmer, kana, Han, Hangul.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3040}'..='\u{30ff}')
        || is_han(c)
        || is_hangul(c)
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3005}' | '\u{3007}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{ac00}'..='\u{d7fb}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        words(&fold(text)).map(str::to_owned).collect()
    }

    #[test]
    fn case_accents_and_compatibility_forms_are_folded() {
        assert_eq!(split("Auditoría AÑO Ångström ﬁle Ⅳ"), ["auditoria", "ano", "angstrom", "file", "iv"]);
        assert_eq!(split("ΟΔΟΣ οδός Йод"), ["οδοσ", "οδοσ", "иод"]);
        assert_eq!(split("cafe\u{301} zero\u{200b}width"), ["cafe", "zerowidth"]);
    }

    proptest::proptest! {
        #[test]
        fn a_text_is_folded_as_its_letters_are(text in "[a-cA-C\u{301}\u{308}\u{338}\u{20d2}\u{e9}\u{c5}\u{fb01}\u{bd}\u{3a3}\u{3c2}\u{4e0d}\u{3131}\u{ac00}\u{11a8}\u{200b}' ]{0,24}") {
            proptest::prop_assert_eq!(fold(&text).into_owned(), folded_letters(&text).collect::<String>());
        }
    }

    #[test]
    fn punctuation_parts_words_and_the_tail_of_an_apostrophe_is_dropped() {
        assert_eq!(
            split("CI/CD: Porter's `h5ad`, don’t; l'avocat"),
            ["ci", "cd", "porter", "h5ad", "don", "l", "avocat"]
        );
        assert_eq!(split("l’IA et l'UE, we've, they’re"), ["l", "ia", "et", "l", "ue", "we", "they"]);
        assert_eq!(split("  --- '' \u{1f600} "), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_become_pairs_and_other_scripts_stay_whole() {
        assert_eq!(split("不動産売買 PDF"), ["不動", "動産", "産売", "売買", "pdf"]);
        assert_eq!(split("GPU計算 書"), ["gpu", "計算", "書"]);
        assert_eq!(split("人々〇"), ["人々", "々〇"]);
        assert_eq!(split("보고서 작성"), ["보고", "고서", "작성"]);
        assert_eq!(split("예산을"), split("\u{110b}\u{1168}\u{1109}\u{1161}\u{11ab}\u{110b}\u{1173}\u{11af}"));
        assert_eq!(split("हिन्दी"), ["हिन्दी"]);
        assert_eq!(split("ガ"), ["ガ"]);
    }

    #[test]
    fn arabic_words_have_neither_vowel_signs_nor_an_article() {
        assert_eq!(split("العَقْد الــعقود أحمد"), ["عقد", "عقود", "احمد"]);
        assert_eq!(split("الم الله"), ["الم", "الله"], "what is that short is the word itself");
    }

    #[test]
    fn a_sign_is_one_character_of_han_or_hangul() {
        for (word, expected) in [("合", true), ("계", true), ("合同", false), ("a", false), ("の", false), ("", false)]
        {
            assert_eq!(is_sign(word), expected, "{word}");
        }
    }

    #[test]
    fn words_are_taken_at_the_limit_and_left_out_beyond_it() {
        assert_eq!(split(&"a".repeat(SEARCH_WORD_BYTES)).len(), 1);
        assert_eq!(split(&"a".repeat(SEARCH_WORD_BYTES + 1)).len(), 0);
    }
}
