//! Encoders for search by meaning: a model in a folder of this machine, or a server that speaks the API of OpenAI's
//! embeddings.
//!
//! Both are adapters of the port [`Encoder`](crate::catalog::Encoder). Nothing is downloaded: whoever wants a model brings its
//! files.

#[cfg(feature = "encoder")]
mod described;
#[cfg(any(feature = "encoder", feature = "cli"))]
mod folder;
#[cfg(feature = "encoder")]
mod library;
#[cfg(feature = "encoder")]
mod local;
#[cfg(feature = "encoder")]
mod model;
mod place;
#[cfg(feature = "client")]
mod remote;
mod trial;

#[cfg(feature = "cli")]
pub(crate) use folder::{MODEL, POOLING, PROMPTS, TOKENIZER, is_library};
#[cfg(feature = "encoder")]
pub use local::LocalEncoder;
pub use place::EncoderPlace;
#[cfg(feature = "client")]
pub use remote::RemoteEncoder;
pub use trial::try_encoder;
