//! How much of each skill fits into a budget.
//!
//! Skills step down a ladder one at a time, least used first: ever shorter descriptions, then the name alone, then
//! nothing. All of them reach a rung before any of them goes below it, so no skill loses its name while another keeps a
//! description.

use std::cmp::Reverse;

use super::{items::Item, tokens, write::Writer};
use crate::limits::SKILL_DESCRIPTION_CHARS;

/// How much of a skill a listing shows; smaller is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Detail {
    /// Everything, and at most so many characters of its description.
    Full(Reverse<usize>),
    /// What it is called.
    Name,
    /// Nothing.
    Hidden,
}

impl Detail {
    /// All there is to show.
    pub(super) const WHOLE: Self = Self::described(SKILL_DESCRIPTION_CHARS);

    const fn described(chars: usize) -> Self {
        Self::Full(Reverse(chars))
    }
}

/// The rungs, each about three quarters of the one above: steps small enough to use a budget well, few enough to count.
const LADDER: [Detail; 12] = [
    Detail::WHOLE,
    Detail::described(600),
    Detail::described(400),
    Detail::described(280),
    Detail::described(200),
    Detail::described(150),
    Detail::described(110),
    Detail::described(80),
    Detail::described(60),
    Detail::described(40),
    Detail::Name,
    Detail::Hidden,
];

/// What one rung costs: the tokens of each line, beside those of the category lines around them.
struct Costs<'a> {
    items: &'a [Item],
    /// Opening and closing the category of each item.
    groups: Vec<usize>,
    /// Items in the order they step down.
    order: Vec<usize>,
}

/// A choice of details.
#[derive(Debug)]
pub(super) struct Fitted {
    /// Of each item.
    pub(super) details: Vec<Detail>,
    /// What their lines cost.
    pub(super) tokens: usize,
}

/// As much of each item as fits into `room` tokens.
pub(super) fn fit(items: &[Item], room: usize, writer: Writer) -> Fitted {
    let costs = Costs::new(items, writer);
    let mut below = (Detail::Hidden, vec![0; items.len()]);
    for detail in LADDER.into_iter().rev().skip(1) {
        let rung: Vec<usize> = items.iter().map(|item| tokens::count(&writer.line(item, detail))).collect();
        let above = (detail, rung);
        if costs.total(&above, &below, 0) > room {
            let down = costs.steps(&above, &below, room);
            return Fitted {
                details: costs.details(above.0, below.0, down),
                tokens: costs.total(&above, &below, down),
            };
        }
        below = above;
    }
    Fitted { tokens: costs.total(&below, &below, 0), details: vec![below.0; items.len()] }
}

type Rung = (Detail, Vec<usize>);

impl<'a> Costs<'a> {
    fn new(items: &'a [Item], writer: Writer) -> Self {
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|index| (items.get(*index).map(|item| item.rank), Reverse(*index)));
        let groups = items.iter().map(|item| writer.group(&item.category));
        let groups = groups.map(|group| group.map_or(0, |(open, close)| tokens::count(&open) + tokens::count(&close)));
        Self { items, groups: groups.collect(), order }
    }

    /// Every item at `above` but for the first `down` in order, which are at `below`.
    fn details(&self, above: Detail, below: Detail, down: usize) -> Vec<Detail> {
        let mut details = vec![above; self.items.len()];
        for index in self.order.iter().take(down) {
            if let Some(detail) = details.get_mut(*index) {
                *detail = below;
            }
        }
        details
    }

    /// The tokens of the lines where the first `down` in order are at `below` and the rest at `above`.
    fn total(&self, above: &Rung, below: &Rung, down: usize) -> usize {
        let details = self.details(above.0, below.0, down);
        let mut category = None;
        let mut sum = 0;
        for (index, (item, detail)) in self.items.iter().zip(details).enumerate() {
            if detail == Detail::Hidden {
                continue;
            }
            if category != Some(&item.category) {
                category = Some(&item.category);
                sum += self.groups.get(index).copied().unwrap_or_default();
            }
            let rung = if detail == above.0 { &above.1 } else { &below.1 };
            sum += rung.get(index).copied().unwrap_or_default();
        }
        sum
    }

    /// How many items must step down for the rest to fit, by bisection: each step makes the listing shorter.
    fn steps(&self, above: &Rung, below: &Rung, room: usize) -> usize {
        let (mut over, mut fits) = (0, self.items.len());
        while fits - over > 1 {
            let middle = over.midpoint(fits);
            if self.total(above, below, middle) > room {
                over = middle;
            } else {
                fits = middle;
            }
        }
        fits
    }
}
