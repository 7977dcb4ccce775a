//! A short summary of the categories of many skills: the largest by name, the others by number.

use std::collections::BTreeMap;

use crate::words::Likeness;
use crate::{limits::CATEGORIES_NAMED, skill::shown::SafeText};

/// The largest categories, which are named if none is near to a question.
const LARGEST: usize = 5;

/// The categories of some skills and the number of skills in each, the largest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Categories<'a> {
    all: Vec<(&'a SafeText, usize)>,
    /// How many of them a summary may name.
    named: usize,
}

impl<'a> Categories<'a> {
    /// Counts the categories of skills, one for each skill. A skill at the top has an empty category, which does not
    /// count.
    #[must_use]
    pub fn from_skills(skills: impl IntoIterator<Item = &'a SafeText>) -> Self {
        let mut counts: BTreeMap<&str, (&SafeText, usize)> = BTreeMap::new();
        for category in skills.into_iter().filter(|category| !category.is_empty()) {
            counts.entry(category.plain()).or_insert((category, 0)).1 += 1;
        }
        let mut counts: Vec<_> = counts.into_values().collect();
        // The sort is stable, so equal counts stay in the order of their names.
        counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        Self { all: counts, named: CATEGORIES_NAMED }
    }

    /// The same, with the categories first that are near to a question: first `nearest` in its order, then categories
    /// with a word like a word of `question`. The others stay in their order. If there are more than a summary names,
    /// it names only the near ones. If none is near, it names a few that are larger than all others, so no alphabet
    /// chooses among equals.
    #[must_use]
    pub fn nearest_first(mut self, nearest: &[String], question: &str) -> Self {
        let likeness = Likeness::to(question);
        let distance = |category: &SafeText| {
            let place = nearest.iter().position(|near| near == category.plain());
            place.or_else(|| Some(nearest.len() + likeness.distance(category.plain())?)).unwrap_or(usize::MAX)
        };
        let mut far: Vec<_> = self.all.drain(..).map(|one| (distance(one.0), one)).collect();
        far.sort_by_key(|(distance, _)| *distance);
        let near = far.iter().filter(|(distance, _)| *distance < usize::MAX).count();
        self.all = far.into_iter().map(|(_, one)| one).collect();
        if self.all.len() > CATEGORIES_NAMED {
            self.named = if near > 0 { near.min(CATEGORIES_NAMED) } else { self.outstanding() };
        }
        self
    }

    /// How many categories there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Whether a summary names none, because there are many of one size and none is near.
    #[must_use]
    pub fn are_all_alike(&self) -> bool {
        self.named == 0
    }

    /// How many of the first few are larger than those behind them.
    fn outstanding(&self) -> usize {
        let next = self.all.get(LARGEST).map_or(0, |(_, count)| *count);
        self.all.iter().take(LARGEST).take_while(|(_, count)| *count > next).count()
    }

    /// The first ones, at most [`CATEGORIES_NAMED`], each as `write` writes it and as many as fit into `room` bytes, and the
    /// number of the others: `a, b and 3 more`. Returns only the number if none fits, and `None` if there are none.
    pub fn summary(&self, mut room: usize, write: impl Fn(&SafeText, usize) -> String) -> Option<String> {
        let written = self.all.iter().take(self.named).map(|(category, count)| write(category, *count));
        let named: Vec<_> = written
            .take_while(|name| {
                let left = room.checked_sub(name.len() + ", ".len());
                room = left.unwrap_or_default();
                left.is_some()
            })
            .collect();
        let list = named.join(", ");
        match (named.len(), self.all.len() - named.len()) {
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
        Categories::from_skills(&shown).summary(room, |category, count| format!("{} ({count})", category.plain()))
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
            let categories = Categories::from_skills(&shown).nearest_first(&nearest, question);
            categories.summary(100, |category, _| category.plain().to_owned()).unwrap()
        };
        assert_eq!(sorted(&[], "anything"), "x, y, invoices, z");
        assert_eq!(sorted(&["z", "y"], "anything"), "z, y, x, invoices");
        assert_eq!(sorted(&["z"], "Invoicing, please"), "z, invoices, x, y");
    }

    // S-SEARCH-25: Of more than 20 categories the answer names only the near ones, or else a few that are larger than
    // all others.
    #[test]
    fn of_many_only_those_are_named_that_are_near_or_larger_than_all_others() {
        let tried = |names: &[String], question: &str| {
            let shown: Vec<_> = names.iter().map(|name| one_line(name)).collect();
            let categories = Categories::from_skills(&shown).nearest_first(&[], question);
            let summary = categories.summary(1000, |category, _| category.plain().to_owned()).unwrap();
            (!categories.are_all_alike()).then_some(summary)
        };
        let mut names: Vec<String> = (0..2564).map(|number| format!("k{number}")).collect();
        assert_eq!(tried(&names, "zzzqqq"), None, "an alphabet is no answer");
        names.extend(["large", "large", "invoices", "billing"].map(str::to_owned));
        assert_eq!(tried(&names, "zzzqqq").as_deref(), Some("large and 2566 more"));
        assert_eq!(tried(&names, "knvoices").as_deref(), Some("invoices and 2566 more"));
        assert_eq!(tried(&names, "envoices billling").as_deref(), Some("billing, invoices and 2565 more"));
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
