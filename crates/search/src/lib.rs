//! Ranked search over skills: by words, and by meaning if an encoder is configured.

pub mod encoder;
pub mod words;
