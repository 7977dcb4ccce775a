//! One segment of a glob: `*`, `?`, classes and plain characters.

use std::{iter::Peekable, ops::RangeInclusive, str::Chars};

/// A compiled segment.
#[derive(Clone, Debug)]
pub(super) struct Segment {
    elements: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq)]
enum Element {
    /// Exactly this character.
    Plain(char),
    /// `?`: any one character.
    One,
    /// `*`: any number of characters.
    Many,
    /// `[…]`.
    Class { negated: bool, ranges: Vec<RangeInclusive<char>> },
}

impl Segment {
    /// Compiles one segment; `None` if it is empty or malformed.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut elements = Vec::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let element = match c {
                '*' => Element::Many,
                '?' => Element::One,
                '[' => class(&mut chars)?,
                '\\' => Element::Plain(chars.next()?),
                plain => Element::Plain(plain),
            };
            // Stars in a row mean the same as one.
            if element != Element::Many || elements.last() != Some(&Element::Many) {
                elements.push(element);
            }
        }
        (!elements.is_empty()).then_some(Self { elements })
    }

    /// Whether it matches `name` and nothing else.
    pub(super) fn is_literally(&self, name: &str) -> bool {
        name.chars().map(Element::Plain).eq(self.elements.iter().cloned())
    }

    /// Whether it matches the whole of `name`. Only a plain dot matches a leading dot.
    pub(super) fn matches(&self, name: &str, steps: &mut u64) -> bool {
        if name.starts_with('.') && self.elements.first() != Some(&Element::Plain('.')) || !self.tail_fits(name) {
            return false;
        }
        // The last star: the elements behind it, and the text it has not matched yet. Only the last star needs to be
        // retried, so the cost is at most pattern times name.
        let mut retry: Option<(&[Element], &str)> = None;
        let (mut elements, mut text) = (self.elements.as_slice(), name);
        loop {
            *steps += 1;
            match (elements.split_first(), text.chars().next()) {
                (None, None) => return true,
                (Some((Element::Many, rest)), _) => {
                    retry = Some((rest, text));
                    elements = rest;
                }
                (Some((element, rest)), Some(c)) if element.accepts(c) => {
                    elements = rest;
                    text = text.strip_prefix(c).unwrap_or_default();
                }
                _ => {
                    let Some((behind, from)) = retry else { return false };
                    let Some(swallowed) = from.chars().next() else { return false };
                    let left = from.strip_prefix(swallowed).unwrap_or_default();
                    retry = Some((behind, left));
                    (elements, text) = (behind, left);
                }
            }
        }
    }

    /// Whether `name` ends with the characters that the segment ends with. Most names differ there, so the stars of
    /// most alternatives need not be tried.
    fn tail_fits(&self, name: &str) -> bool {
        let mut chars = name.chars().rev();
        let tail = self.elements.iter().rev().map_while(|element| match element {
            Element::Plain(plain) => Some(*plain),
            Element::One | Element::Many | Element::Class { .. } => None,
        });
        tail.into_iter().all(|plain| chars.next() == Some(plain))
    }
}

impl Element {
    fn accepts(&self, c: char) -> bool {
        match self {
            Self::Plain(plain) => *plain == c,
            Self::One => true,
            Self::Many => false,
            Self::Class { negated, ranges } => ranges.iter().any(|range| range.contains(&c)) != *negated,
        }
    }
}

/// Reads a class after its `[`; `None` if it is not closed or contains an invalid range or name.
fn class(chars: &mut Peekable<Chars<'_>>) -> Option<Element> {
    let negated = chars.next_if(|c| matches!(c, '!' | '^')).is_some();
    let mut ranges = Vec::new();
    let mut first = true;
    loop {
        let low = match chars.next()? {
            ']' if !first => return Some(Element::Class { negated, ranges }),
            '[' if chars.peek() == Some(&':') => {
                ranges.extend_from_slice(named(chars)?);
                first = false;
                continue;
            }
            '\\' => chars.next()?,
            c => c,
        };
        first = false;
        // A dash makes a range unless it is the last character of the class.
        let mut ahead = chars.clone();
        let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']');
        let high = if is_range { range_end(chars)? } else { low };
        if high < low {
            return None;
        }
        ranges.push(low..=high);
    }
}

fn range_end(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    chars.next();
    match chars.next()? {
        '\\' => chars.next(),
        c => Some(c),
    }
}

/// Reads a POSIX class such as `[:alpha:]` after its first `[`. The classes are those of ASCII, as in wcmatch.
fn named(chars: &mut Peekable<Chars<'_>>) -> Option<&'static [RangeInclusive<char>]> {
    chars.next();
    let name: String = std::iter::from_fn(|| chars.next_if(char::is_ascii_lowercase)).collect();
    (chars.next() == Some(':') && chars.next() == Some(']')).then_some(())?;
    Some(match name.as_str() {
        "alnum" => &['0'..='9', 'A'..='Z', 'a'..='z'],
        "alpha" => &['A'..='Z', 'a'..='z'],
        "ascii" => &['\0'..='\x7f'],
        "blank" => &[' '..=' ', '\t'..='\t'],
        "cntrl" => &['\0'..='\x1f', '\x7f'..='\x7f'],
        "digit" => &['0'..='9'],
        "graph" => &['!'..='~'],
        "lower" => &['a'..='z'],
        "print" => &[' '..='~'],
        "punct" => &['!'..='/', ':'..='@', '['..='`', '{'..='~'],
        "space" => &[' '..=' ', '\t'..='\r'],
        "upper" => &['A'..='Z'],
        "word" => &['0'..='9', 'A'..='Z', '_'..='_', 'a'..='z'],
        "xdigit" => &['0'..='9', 'A'..='F', 'a'..='f'],
        _ => return None,
    })
}
