//! Encoders for search by meaning: a model in a folder of this machine, or a server that speaks the API of OpenAI's
//! embeddings.
//!
//! Both are adapters of the port [`Encoder`]. Nothing is downloaded: an operator who wants a model brings its files.

#[cfg(feature = "local")]
mod described;
mod folder;
#[cfg(feature = "local")]
mod library;
#[cfg(feature = "local")]
mod local;
#[cfg(feature = "local")]
mod model;
mod place;
mod port;
#[cfg(feature = "remote")]
mod remote;
mod trial;

pub use folder::{MODEL, POOLING, PROMPTS, TOKENIZER, is_library};
#[cfg(feature = "local")]
pub use local::LocalEncoder;
pub use place::EncoderPlace;
pub use port::{Encoder, EncoderError, TextRole};
#[cfg(feature = "remote")]
pub use remote::RemoteEncoder;
pub use trial::try_encoder;
