//! A short summary of the categories of many skills: the largest by name, the others by number.

use std::collections::BTreeMap;

use crate::{limits::CATEGORIES_NAMED, skill::shown::Shown};

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
