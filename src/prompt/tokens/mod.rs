//! How many tokens a text is.
//!
//! Models differ in their tokenizers and few publish them; o200k stands for all of them, and a rendering says by what it
//! was counted. Without the feature `tiktoken` it is an estimate, and says that.

#[cfg(feature = "tiktoken")]
mod o200k;

#[cfg(feature = "tiktoken")]
pub(super) use o200k::{TOKENIZER, count};

/// What [`count`] counts with.
#[cfg(not(feature = "tiktoken"))]
pub(super) const TOKENIZER: &str = "estimate";

/// A quarter of the bytes, rounded up.
#[cfg(not(feature = "tiktoken"))]
pub(super) fn count(text: &str) -> usize {
    text.len().div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn control_tokens_in_text_are_counted_as_text() {
        assert_eq!(count(""), 0);
        assert!(count("<|endoftext|>") > 1);
    }
}
