//! The tokenizer o200k of `OpenAI`, ready as it lies in the program: nothing is built before the first text.
//!
//! `split` finds the words of a text, `merge` the tokens of a word, and `vocabulary` which tokens there are.

mod merge;
mod split;
#[cfg(test)]
mod tests;
mod vocabulary;

use merge::Merger;

/// The name of the tokenizer in [`count`].
pub(in crate::prompt) const TOKENIZER: &str = "o200k_base";
/// The most that is tokenized at once.
const PIECE_BYTES: usize = 8 * 1024;

/// The tokens of `text`, as data: nothing in it is taken for a control token.
pub(in crate::prompt) fn count(text: &str) -> usize {
    let mut merger = Merger::default();
    pieces(text).flat_map(split::words).map(|word| merger.tokens(word.as_bytes()).count()).sum()
}

/// `text` in pieces that end with a line where one ends.
///
/// A merge takes memory in proportion to the word, and a text may be one word of megabytes. A cut costs a token at most.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let window = rest.get(..rest.floor_char_boundary(PIECE_BYTES)).filter(|window| !window.is_empty())?;
        let line = window.rfind('\n').filter(|_| window.len() < rest.len());
        let (piece, after) = rest.split_at(line.map_or(window.len(), |end| end + 1));
        rest = after;
        Some(piece)
    })
}
