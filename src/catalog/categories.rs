//! A short summary of the categories of many skills: the largest by name, the others by number.

use std::collections::BTreeMap;

use crate::{limits::CATEGORIES_NAMED, skill::shown::Shown};

/// Letters by which two words are alike.
const BEGINNING: usize = 4;

/// The categories of some skills and the number of skills in each, the largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories<'a>(Vec<(&'a Shown, usize)>);

impl<'a> Categories<'a> {
    /// Counts the categories of skills, one for each skill. A skill at the top has an empty category, which does not
    /// count.
    #[must_use]
    pub fn of(skills: impl IntoIterator<Item = &'a Shown>) -> Self {
        let mut counts: BTreeMap<&str, (&Shown, usize)> = BTreeMap::new();
        for category in skills.into_iter().filter(|category| !category.is_empty()) {
            counts.entry(category.plain()).or_insert((category, 0)).1 += 1;
        }
        let mut counts: Vec<_> = counts.into_values().collect();
        // The sort is stable, so equal counts stay in the order of their names.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self(counts)
    }

    /// The same with those first that are near to a question: the categories in `nearest`, in that order, and then those of
    /// which a word begins like a word of `question`. The others stay in their order.
    #[must_use]
    pub fn nearest_first(mut self, nearest: &[String], question: &str) -> Self {
        let question = question.to_lowercase();
        let asked: Vec<&str> = beginnings(&question).collect();
        let distance = |category: &Shown| {
            let place = nearest.iter().position(|near| near == category.plain());
            let name = category.plain().to_lowercase();
            let is_alike = beginnings(&name).any(|beginning| asked.contains(&beginning));
            place.unwrap_or(if is_alike { nearest.len() } else { usize::MAX })
        };
        self.0.sort_by_cached_key(|(category, _)| distance(category));
        self
    }

    /// At most the first [`CATEGORIES_NAMED`], each as `write` writes it and as many as fit into `room` bytes, and the
    /// number of the others: `a, b and 3 more`. Returns only the number if none fits, and `None` if there are none.
    pub fn summary(&self, mut room: usize, write: impl Fn(&Shown, usize) -> String) -> Option<String> {
        let written = self.0.iter().take(CATEGORIES_NAMED).map(|(category, count)| write(category, *count));
        let named: Vec<_> = written
            .take_while(|name| {
                let left = room.checked_sub(name.len() + ", ".len());
                room = left.unwrap_or_default();
                left.is_some()
            })
            .collect();
        let list = named.join(", ");
        match (named.len(), self.0.len() - named.len()) {
            (0, 0) => None,
            (_, 0) => Some(list),
            (0, more) => Some(more.to_string()),
            (_, more) => Some(format!("{list} and {more} more")),
        }
    }
}

/// The first letters of each word of `text` that has so many.
fn beginnings(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric());
    words.filter_map(|word| {
        let (at, last) = word.char_indices().nth(BEGINNING - 1)?;
        word.get(..at + last.len_utf8())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::shown::one_line;

    fn summary(categories: &[&str], room: usize) -> Option<String> {
        let shown: Vec<_> = categories.iter().map(|category| one_line(category)).collect();
        Categories::of(&shown).summary(room, |category, count| format!("{} ({count})", category.plain()))
    }

    #[test]
    fn the_fullest_come_first_and_skills_at_the_top_have_none() {
        assert_eq!(summary(&["b", "", "c", "a", "c"], 100).as_deref(), Some("c (2), a (1), b (1)"));
        assert_eq!(summary(&["", ""], 100), None);
    }

    #[test]
    fn those_nearest_to_a_question_come_first() {
        let shown: Vec<_> = ["x", "x", "y", "y", "invoices", "z"].iter().map(|name| one_line(name)).collect();
        let sorted = |nearest: &[&str], question: &str| {
            let nearest: Vec<_> = nearest.iter().map(|name| (*name).to_owned()).collect();
            let categories = Categories::of(&shown).nearest_first(&nearest, question);
            categories.summary(100, |category, _| category.plain().to_owned()).unwrap()
        };
        assert_eq!(sorted(&[], "anything"), "x, y, invoices, z");
        assert_eq!(sorted(&["z", "y"], "anything"), "z, y, x, invoices");
        assert_eq!(sorted(&["z"], "Invoicing, please"), "z, invoices, x, y");
    }

    #[test]
    fn twenty_are_named_and_the_others_counted() {
        let names: Vec<_> = (10..40).map(|number| format!("c{number}")).collect();
        let categories = |many: usize| names[..many].iter().map(String::as_str).collect::<Vec<_>>();
        assert!(summary(&categories(20), 1000).unwrap().ends_with(", c29 (1)"));
        assert!(summary(&categories(21), 1000).unwrap().ends_with(", c29 (1) and 1 more"));
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        assert_eq!(summary(&["a", "b"], 14).as_deref(), Some("a (1), b (1)"));
        assert_eq!(summary(&["a", "b"], 13).as_deref(), Some("a (1) and 1 more"));
        assert_eq!(summary(&["a", "b"], 6).as_deref(), Some("2"));
    }
}
