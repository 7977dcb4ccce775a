//! How much of each skill fits into a budget.
//!
//! Skills step down a ladder one at a time, least used first: ever shorter descriptions, then the name alone, then
//! nothing. Unused skills lose their descriptions while used skills keep [`USED`], and their names while used skills keep a
//! description.
//!
//! Counting tokens is the main cost of a prompt. A sum stops once it is over the budget, and each line is counted once.
//! So the budget decides how many lines are counted, and hardly the size of the catalog.

use std::{cmp::Reverse, collections::HashMap};

use super::{
    items::{Detail, Item},
    tokens,
    write::Writer,
};
use crate::skill::shown::SafeText;

/// The detail of used skills while unused skills have any description.
const USED: Detail = Detail::Full(200);

/// The details of unused and used skills, the longest first. Each rung is about three quarters of the rung above: steps small
/// enough to use a budget well, few enough to count.
const LADDER: [DetailPair; 18] = [
    DetailPair { unused: Detail::WHOLE, used: Detail::WHOLE },
    DetailPair { unused: Detail::Full(600), used: Detail::Full(600) },
    DetailPair { unused: Detail::Full(400), used: Detail::Full(400) },
    DetailPair { unused: Detail::Full(280), used: Detail::Full(280) },
    DetailPair { unused: Detail::Full(200), used: USED },
    DetailPair { unused: Detail::Full(150), used: USED },
    DetailPair { unused: Detail::Full(110), used: USED },
    DetailPair { unused: Detail::Full(80), used: USED },
    DetailPair { unused: Detail::Full(60), used: USED },
    DetailPair { unused: Detail::Full(40), used: USED },
    DetailPair { unused: Detail::Name, used: USED },
    DetailPair { unused: Detail::Name, used: Detail::Full(150) },
    DetailPair { unused: Detail::Name, used: Detail::Full(110) },
    DetailPair { unused: Detail::Name, used: Detail::Full(60) },
    DetailPair { unused: Detail::Name, used: Detail::Full(40) },
    DetailPair { unused: Detail::Hidden, used: Detail::Full(40) },
    DetailPair { unused: Detail::Hidden, used: Detail::Name },
    DetailPair { unused: Detail::Hidden, used: Detail::Hidden },
];

/// The details of skills, by use.
#[derive(Clone, Copy, Debug)]
struct DetailPair {
    unused: Detail,
    used: Detail,
}

/// A choice of details.
#[derive(Debug)]
pub(super) struct DetailChoice {
    /// Of each item.
    pub(super) details: Vec<Detail>,
    /// The tokens of their lines.
    pub(super) tokens: usize,
}

/// Fits the same items into one room or another.
pub(super) struct Fitting<'a> {
    items: &'a [Item],
    writer: Writer,
    /// When each item steps down: the first at 0.
    turns: Vec<usize>,
    /// How many items were never used. They step down first.
    unused: usize,
    /// The tokens of lines counted so far.
    lines: HashMap<(usize, Detail), usize>,
    /// The tokens of opening and closing a category.
    groups: HashMap<&'a str, usize>,
}

/// Two neighbouring rungs, and how many items are on the lower one.
#[derive(Clone, Copy)]
struct Stand {
    above: DetailPair,
    below: DetailPair,
    down: usize,
}

impl Stand {
    /// Of the item that steps down at `turn`, if the first `unused` items were never used.
    fn detail(self, turn: usize, unused: usize) -> Detail {
        let rung = if turn < self.down { self.below } else { self.above };
        if turn < unused { rung.unused } else { rung.used }
    }
}

impl<'a> Fitting<'a> {
    pub(super) fn new(items: &'a [Item], writer: Writer) -> Self {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|index| (items.get(*index).map(|item| item.rank), Reverse(*index)));
        let mut turns = vec![0; items.len()];
        for (turn, index) in order.into_iter().enumerate() {
            if let Some(place) = turns.get_mut(index) {
                *place = turn;
            }
        }
        let unused = items.iter().filter(|item| item.rank == 0).count();
        Self { items, writer, turns, unused, lines: HashMap::new(), groups: HashMap::new() }
    }

    /// As much of each item as fits into `room` tokens.
    pub(super) fn fit(&mut self, room: usize) -> DetailChoice {
        let hidden = DetailPair { unused: Detail::Hidden, used: Detail::Hidden };
        let mut found = (Stand { above: hidden, below: hidden, down: 0 }, 0);
        for above in LADDER.into_iter().rev().skip(1) {
            let stand = Stand { above, below: found.0.above, down: 0 };
            let Some(tokens) = self.tokens(stand, room) else {
                found = self.step_down(stand, found.1, room);
                break;
            };
            found = (stand, tokens);
        }
        let (stand, tokens) = found;
        DetailChoice { details: self.turns.iter().map(|turn| stand.detail(*turn, self.unused)).collect(), tokens }
    }

    /// Lets as many items step down as must for the rest to fit, by bisection: each step makes the listing shorter. With all
    /// of them down it has `fewest` tokens.
    fn step_down(&mut self, stand: Stand, fewest: usize, room: usize) -> (Stand, usize) {
        let mut found = (Stand { down: self.items.len(), ..stand }, fewest);
        let mut over = 0;
        while found.0.down - over > 1 {
            let middle = Stand { down: over.midpoint(found.0.down), ..stand };
            match self.tokens(middle, room) {
                Some(tokens) => found = (middle, tokens),
                None => over = middle.down,
            }
        }
        found
    }

    /// The tokens of the lines; `None` where they do not fit into `room`.
    fn tokens(&mut self, stand: Stand, room: usize) -> Option<usize> {
        let mut category = None;
        let mut sum = 0;
        for (index, item) in self.items.iter().enumerate() {
            let detail = stand.detail(self.turns.get(index).copied()?, self.unused);
            if detail == Detail::Hidden {
                continue;
            }
            if category != Some(item.category.plain()) {
                category = Some(item.category.plain());
                sum += self.group(&item.category);
            }
            sum += self.line(index, item, detail);
            if sum > room {
                return None;
            }
        }
        Some(sum)
    }

    fn line(&mut self, index: usize, item: &Item, detail: Detail) -> usize {
        let writer = self.writer;
        let detail = item.shown_at(detail);
        *self.lines.entry((index, detail)).or_insert_with(|| tokens::count(&writer.line(item, detail)))
    }

    fn group(&mut self, category: &'a SafeText) -> usize {
        let writer = self.writer;
        let count = || writer.group(category).map_or(0, |(open, close)| tokens::count(&open) + tokens::count(&close));
        *self.groups.entry(category.plain()).or_insert_with(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{skill::shown::one_line, wire::Format};

    fn items(many: usize) -> Vec<Item> {
        let item = |number: usize| Item {
            name: one_line(&format!("s{number}")),
            description: one_line(&"Does what it says. ".repeat(number % 12)),
            category: one_line(&format!("c{}", number / 100)),
            location: one_line(&format!("c{}/s{number}", number / 100)),
            rank: (number % 7) as u64,
        };
        (0..many).map(item).collect()
    }

    #[test]
    fn a_budget_decides_how_many_lines_are_counted_and_not_the_catalog() {
        let counted = |many: usize| {
            let items = items(many);
            let mut fitting = Fitting::new(&items, Writer(Format::Xml));
            let fitted = fitting.fit(2000);
            assert!(fitted.tokens <= 2000 && fitted.tokens > 1950, "{}", fitted.tokens);
            fitting.lines.len()
        };
        let (few, many) = (counted(400), counted(20_000));
        assert!(many < 20_000 / 10 && many < few * 4, "{few} and {many} lines");
    }

    #[test]
    fn a_line_is_counted_once_for_all_rungs_that_cut_nothing_of_it() {
        let items = [Item { description: one_line("Short."), ..items(1).remove(0) }];
        let mut fitting = Fitting::new(&items, Writer(Format::Xml));
        assert_eq!(fitting.fit(1000).details, [Detail::WHOLE]);
        assert_eq!(fitting.lines.len(), 2, "the name and the whole");
        fitting.fit(900);
        assert_eq!(fitting.lines.len(), 2);
    }
}
