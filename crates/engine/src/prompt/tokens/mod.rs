//! How many tokens a text is.
//!
//! Models differ in their tokenizers and few publish them, so o200k stands for all of them. A rendering names the
//! tokenizer that counted. Without the feature `tiktoken` the count is an estimate, and the rendering says so.

#[cfg(feature = "tiktoken")]
mod o200k;

#[cfg(feature = "tiktoken")]
pub(super) use o200k::{TOKENIZER, count};

/// The name of the tokenizer in [`count`].
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
