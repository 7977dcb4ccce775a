//! Ranked search over skills: by their words, and by what they mean if an encoder is there.

pub mod encoder;
pub mod words;
