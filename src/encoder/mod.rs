//! Encoders for search by meaning: a model in a folder of this machine, or a server that speaks the API of OpenAI's
//! embeddings.
//!
//! Both are adapters of the port [`Encoder`](crate::catalog::Encoder). Nothing is downloaded: whoever wants a model brings its
//! files.

#[cfg(feature = "encoder")]
mod local;
mod place;
#[cfg(feature = "client")]
mod remote;

#[cfg(feature = "encoder")]
pub use local::LocalEncoder;
pub use place::EncoderPlace;
#[cfg(feature = "client")]
pub use remote::RemoteEncoder;
