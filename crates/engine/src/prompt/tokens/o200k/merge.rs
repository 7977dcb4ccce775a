//! Byte pair encoding: the parts of a word are merged, the pair with the token of the lowest rank first.

use std::{cmp::Reverse, collections::BinaryHeap};

use super::vocabulary;

/// Merges words, one after the other, and reuses the same memory.
#[derive(Default)]
pub(super) struct Merger {
    /// Each where it starts in the word. A part that was merged into the part before stays as it was.
    parts: Vec<Part>,
    /// The rank and start of each merge that is possible, or was when it was found.
    merges: BinaryHeap<Reverse<(u32, usize)>>,
}

struct Part {
    /// The start of the part before; the part's own if it is the first.
    before: usize,
    end: usize,
    /// The rank of the token that this part makes with the next part.
    merged: Option<u32>,
}

impl Merger {
    /// The tokens of `word`, in order. A word that is a token stays whole, whatever its parts would make.
    ///
    /// Takes time in proportion to the length of the word and its logarithm.
    pub(super) fn tokens<'a>(&'a mut self, word: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.parts.clear();
        if vocabulary::rank(word).is_some() {
            self.parts.push(Part { before: 0, end: word.len(), merged: None });
        } else {
            self.merge_all(word);
        }
        let mut start = 0;
        std::iter::from_fn(move || {
            let end = self.parts.get(start)?.end;
            word.get(std::mem::replace(&mut start, end)..end)
        })
    }

    fn merge_all(&mut self, word: &[u8]) {
        let bytes = 0..word.len();
        let parts = bytes.clone().map(|start| Part { before: start.saturating_sub(1), end: start + 1, merged: None });
        self.parts.extend(parts);
        for start in bytes {
            self.find(word, start);
        }
        while let Some(Reverse((rank, start))) = self.merges.pop() {
            self.merge(word, rank, start);
        }
    }

    /// Finds the token that the part at `start` makes with the next part.
    fn find(&mut self, word: &[u8], start: usize) {
        let end = self.parts.get(start).and_then(|part| self.parts.get(part.end)).map(|next| next.end);
        let rank = end.and_then(|end| vocabulary::rank(word.get(start..end)?));
        if let Some(part) = self.parts.get_mut(start) {
            part.merged = rank;
        }
        self.merges.extend(rank.map(|rank| Reverse((rank, start))));
    }

    /// Merges the part at `start` with the next part, unless either of them has changed since the merge was found.
    fn merge(&mut self, word: &[u8], rank: u32, start: usize) {
        let Some(part) = self.parts.get(start).filter(|part| part.merged == Some(rank)) else { return };
        let (before, middle) = (part.before, part.end);
        let Some(next) = self.parts.get_mut(middle) else { return };
        next.merged = None;
        let end = next.end;
        if let Some(part) = self.parts.get_mut(start) {
            part.end = end;
        }
        if let Some(after) = self.parts.get_mut(end) {
            after.before = start;
        }
        self.find(word, start);
        if start > 0 {
            self.find(word, before);
        }
    }
}
