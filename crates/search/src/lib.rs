//! Ranked search over skills: by words, and by meaning if an embedding model is configured.
//!
//! [`words`] ranks by the words of a question, in English and Spanish and by stems of more languages. [`encoder`] is the port to
//! embedding models. The feature `local` runs a model of a folder, and `remote` asks a server with OpenAI's API for embeddings.
//!
//! An application depends on the crate `skillmount`, which re-exports these modules.

pub mod encoder;
pub mod words;
