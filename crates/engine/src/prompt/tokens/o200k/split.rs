//! The words of a text. Each word is tokenized by itself.
//!
//! They are the matches of this expression in a backtracking matcher: the first alternative that matches, as long as
//! possible. The expression is written out by hand, since compiling it takes longer than reading a prompt.
//!
//! ```text
//! [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! |[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//! |\p{N}{1,3}
//! | ?[^\s\p{L}\p{N}]+[\r\n/]*
//! |\s*[\r\n]+
//! |\s+(?!\S)
//! |\s+
//! ```

use unicode_general_category::{GeneralCategory, get_general_category};

/// The classes of characters that the expression distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// `\p{Lu}` and `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}` and `\p{Lo}`: letters that count as upper and as lower case.
    Caseless,
    /// `\p{M}`: counts as both cases too, but is no letter.
    Mark,
    /// `\p{N}`.
    Number,
    /// `[\r\n]`.
    LineEnd,
    /// The rest of `\s`.
    Space,
    Other,
}

use Class::{Caseless, LineEnd, Lower, Mark, Number, Other, Space, Upper};

impl Class {
    pub(super) fn from_char(character: char) -> Self {
        match character {
            'a'..='z' => Lower,
            'A'..='Z' => Upper,
            '0'..='9' => Number,
            '\r' | '\n' => LineEnd,
            _ if character.is_whitespace() => Space,
            _ if character.is_ascii() => Other,
            _ => match get_general_category(character) {
                GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter => Upper,
                GeneralCategory::LowercaseLetter => Lower,
                GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter => Caseless,
                GeneralCategory::NonspacingMark | GeneralCategory::SpacingMark | GeneralCategory::EnclosingMark => Mark,
                GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber => Number,
                _ => Other,
            },
        }
    }

    fn is_upper(self) -> bool {
        matches!(self, Upper | Caseless | Mark)
    }

    fn is_lower(self) -> bool {
        matches!(self, Lower | Caseless | Mark)
    }
}

/// The words of `text`, in order and without a gap.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (word, after) = rest.split_at_checked(first_word(rest)).filter(|(word, _)| !word.is_empty())?;
        rest = after;
        Some(word)
    })
}

/// The bytes of the first word of `text`: none of an empty text alone.
fn first_word(text: &str) -> usize {
    let number = || some(run(text, 3, |class| class == Number));
    letters(text).or_else(number).or_else(|| symbols(text)).unwrap_or_else(|| space(text))
}

/// The first two alternatives: an optional sign or space before letters, letters, and a contraction.
fn letters(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let sign = Some(first.len_utf8()).filter(|_| matches!(Class::from_char(first), Mark | Space | Other));
    [ends_low, ends_high].iter().find_map(|ending| {
        sign.into_iter().chain([0]).find_map(|start| {
            let (_, rest) = text.split_at_checked(start)?;
            let (_, after) = rest.split_at_checked(ending(rest)?)?;
            Some(text.len() - after.len() + contraction(after))
        })
    })
}

/// The longest upper case that leaves a letter of lower case behind it, with this lower case.
fn ends_low(text: &str) -> Option<usize> {
    let (mut end, mut low) = (0, None);
    for character in text.chars() {
        let class = Class::from_char(character);
        if class == Lower {
            let (_, rest) = text.split_at_checked(end)?;
            return Some(end + run(rest, usize::MAX, Class::is_lower));
        }
        if !class.is_upper() {
            break;
        }
        end += character.len_utf8();
        if class.is_lower() {
            low = Some(end);
        }
    }
    low
}

/// Upper case. Lower case behind it would have been found by [`ends_low`].
fn ends_high(text: &str) -> Option<usize> {
    some(run(text, usize::MAX, Class::is_upper))
}

/// The bytes of a contraction at the start of `text`, in either case. U+017F is a lower case of `S`.
fn contraction(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('\'') else { return 0 };
    let mut letters = rest.chars();
    let (first, second) = (letters.next().unwrap_or_default(), letters.next().unwrap_or_default());
    match (first.to_ascii_lowercase(), second.to_ascii_lowercase()) {
        ('s' | '\u{17f}' | 't' | 'm' | 'd', _) => 1 + first.len_utf8(),
        ('r' | 'v', 'e') | ('l', 'l') => 3,
        _ => 0,
    }
}

/// The fourth alternative: characters that are neither letter, number nor space, with the ends of lines behind them.
fn symbols(text: &str) -> Option<usize> {
    let after_space = text.strip_prefix(' ').unwrap_or(text);
    let symbols = some(run(after_space, usize::MAX, |class| matches!(class, Mark | Other)))?;
    let (_, after) = after_space.split_at_checked(symbols)?;
    Some(text.len() - after.trim_start_matches(['\r', '\n', '/']).len())
}

/// The last three alternatives: up to the last end of a line, or all but the last space, which belongs to the next
/// word.
fn space(text: &str) -> usize {
    let all = run(text, usize::MAX, |class| matches!(class, Space | LineEnd));
    let space = text.get(..all).unwrap_or_default();
    let line = space.rfind(['\r', '\n']).map(|end| end + 1);
    let but_last =
        || space.char_indices().next_back().map(|(last, _)| last).filter(|last| *last > 0 && all < text.len());
    line.or_else(but_last).unwrap_or(all)
}

/// The bytes of the characters at the start of `text` that are of such a class, `most` characters at most.
fn run(text: &str, most: usize, class: impl Fn(Class) -> bool) -> usize {
    text.chars().take(most).take_while(|character| class(Class::from_char(*character))).map(char::len_utf8).sum()
}

/// `bytes`, if there are any.
fn some(bytes: usize) -> Option<usize> {
    Some(bytes).filter(|bytes| *bytes > 0)
}
