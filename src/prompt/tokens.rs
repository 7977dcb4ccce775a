//! How many tokens a text is.
//!
//! Models differ in their tokenizers and few publish them; o200k stands for all of them, and a rendering says by what it
//! was counted. Without the feature `tiktoken` it is an estimate, and says that.

/// The most the tokenizer is given at once.
#[cfg(feature = "tiktoken")]
const PIECE_BYTES: usize = 8 * 1024;

/// What [`count`] counts with.
#[cfg(feature = "tiktoken")]
pub(super) const TOKENIZER: &str = "o200k_base";
/// What [`count`] counts with.
#[cfg(not(feature = "tiktoken"))]
pub(super) const TOKENIZER: &str = "estimate";

/// The tokens of `text`, as data: nothing in it is taken for a control token.
#[cfg(feature = "tiktoken")]
pub(super) fn count(text: &str) -> usize {
    let tokenizer = tiktoken_rs::o200k_base_singleton();
    pieces(text).map(|piece| tokenizer.encode_ordinary(piece).len()).sum()
}

/// A quarter of the bytes, rounded up.
#[cfg(not(feature = "tiktoken"))]
pub(super) fn count(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// `text` in pieces that end with a line where one ends.
///
/// The tokenizer splits words by a backtracking expression that overflows on a megabyte of spaces, and is quadratic in
/// the length of a word, so it is never given more than [`PIECE_BYTES`]. A cut inside a word costs a token at most.
#[cfg(feature = "tiktoken")]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_tokens_in_text_are_counted_as_text() {
        assert_eq!(count(""), 0);
        assert!(count("<|endoftext|>") > 1);
    }

    #[cfg(feature = "tiktoken")]
    #[test]
    fn long_runs_of_anything_are_counted_without_harm() {
        for run in [" ", "\n", "a", "é", "=", "\u{200d}"] {
            assert!(count(&run.repeat(200_000)) > 100, "{run:?}");
        }
    }

    #[cfg(feature = "tiktoken")]
    #[test]
    fn pieces_are_the_text_and_add_up_to_its_tokens() {
        let text = "A line of plain words, as in a listing.\n".repeat(1000);
        assert_eq!(pieces(&text).collect::<String>(), text);
        assert!(pieces(&text).count() > 1);
        assert_eq!(count(&text), tiktoken_rs::o200k_base_singleton().encode_ordinary(&text).len());
    }
}
