//! The parts of a long message that are encoded for a search by meaning.
//!
//! An encoder makes one vector of a text, whatever its length, and models read only its first few hundred words. A task
//! that stands amid chat or below a log would then have no part in the vector. Two short parts of a long message are
//! encoded instead: the beginning, and the part whose words have most information. The nearness of a skill is the
//! nearness to the nearer part.

use std::collections::HashSet;

use super::word_split::{fold, words};
pub(super) use skillmount_base::limits::SEARCH_PART_BYTES as PART;

/// How far parts that are compared begin from each other, in bytes.
const STEP: usize = PART / 8;

/// The beginning of a long text, and the part whose different words together have most information, if that is another
/// part. The first of equals counts.
pub(super) fn parts(text: &str, tells: impl Fn(&str) -> f32) -> Vec<&str> {
    let beginning = part(text, 0);
    let told = |part: &str| {
        let folded = fold(part);
        let mut counted = HashSet::new();
        words(&folded).filter(|word| counted.insert(*word)).map(&tells).sum::<f32>()
    };
    let last = text.len().saturating_sub(PART);
    let mut most = (told(beginning), beginning);
    for from in (STEP..last).step_by(STEP).chain([last]) {
        let part = part(text, from);
        let told = told(part);
        if told > most.0 {
            most = (told, part);
        }
    }
    if most.1 == beginning { vec![beginning] } else { vec![beginning, most.1] }
}

/// At most [`PART`] bytes of a text from there on, in whole words if it has spaces.
fn part(text: &str, from: usize) -> &str {
    let rest = text.get(text.ceil_char_boundary(from)..).unwrap_or_default();
    let start = if from == 0 { 0 } else { spaces(rest, STEP).next().unwrap_or_default() };
    let rest = rest.get(start..).unwrap_or_default();
    let part = rest.get(..rest.floor_char_boundary(PART)).unwrap_or_default();
    let is_cut = part.len() < rest.len();
    let end = part.rfind(char::is_whitespace).filter(|space| is_cut && *space >= PART - STEP);
    part.get(..end.unwrap_or(part.len())).unwrap_or_default().trim()
}

/// The places of spaces among the first bytes of a text.
fn spaces(text: &str, most: usize) -> impl Iterator<Item = usize> {
    text.char_indices().take_while(move |(at, _)| *at < most).filter(|(_, c)| c.is_whitespace()).map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::{super::index::VisibleSkills, *};
    use crate::words::SearchIndex;

    #[test]
    fn a_long_text_gives_its_beginning_and_the_part_that_tells_most() {
        let chat = "so and then we went on to talk of it ".repeat(40);
        let text = format!("{chat}please debug the broken kubernetes cluster {chat}");
        let tells = |word: &str| if ["debug", "broken", "kubernetes", "cluster"].contains(&word) { 3.0 } else { 0.1 };
        let [beginning, telling] = parts(&text, tells)[..] else { panic!("two parts") };
        assert!(text.starts_with(beginning) && beginning.len() <= PART && beginning.len() > PART - STEP);
        assert!(telling.contains("debug the broken kubernetes cluster") && telling.len() <= PART);
        assert_eq!(parts(&text, |_| 0.0), [beginning], "where nothing tells, its beginning says the most");
        let task_first = format!("debug the broken kubernetes cluster {chat}");
        assert_eq!(parts(&task_first, tells).len(), 1);
    }

    #[test]
    fn a_word_that_is_repeated_tells_once() {
        let text = format!("{} {} debug the cluster {}", "so ".repeat(300), "error ".repeat(150), "so ".repeat(300));
        let told = parts(&text, |word| f32::from(u8::from(["error", "debug", "cluster"].contains(&word))));
        assert!(told[1].contains("debug the cluster"), "{told:?}");
    }

    #[test]
    fn spaces_before_a_long_text_are_no_part_of_it() {
        let index = SearchIndex::build(std::iter::empty());
        let text = format!("{}{}", " ".repeat(PART), "debug the cluster ".repeat(PART));
        let found = index.telling_parts(&text, &VisibleSkills::ALL).unwrap();
        assert!(found.len() == 1 && found[0].starts_with("debug"), "{found:?}");
    }

    #[test]
    fn a_text_of_any_script_is_cut_between_characters() {
        for sign in ["界", "ñ", "e\u{301}", "👩‍👩‍👧", "กำ", "a"] {
            let text = sign.repeat(5000);
            assert!(parts(&text, |_| 1.0).iter().all(|part| part.len() <= PART && part.len() > PART / 2), "{sign}");
        }
        let spaces = " \n".repeat(2000);
        assert_eq!(parts(&spaces, |_| 1.0), [""]);
    }
}
