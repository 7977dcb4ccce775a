//! The port to an encoder: from a text to a vector. Texts with the same meaning have vectors of nearly the same
//! direction.
//!
//! The catalog knows no encoder. The caller that starts a service may hand in an encoder, and without an encoder every
//! search is lexical.

use std::{error::Error, fmt, time::Duration};

use async_trait::async_trait;

use skillmount_base::error::with_causes;

/// Whether a text asks or answers. Some encoders treat the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextRole {
    /// A question of a user.
    Question,
    /// A skill, as a text.
    Skill,
}

/// Turns texts into vectors.
#[async_trait]
pub trait Encoder: fmt::Debug + Send + Sync {
    /// Which encoder it is. Vectors of encoders with different identities are never compared.
    fn identity(&self) -> &str;

    /// Encodes each of `texts`, in their order. All vectors of an encoder have the same number of dimensions. A text that
    /// is too long is cut.
    ///
    /// # Errors
    /// If it cannot encode now: the search goes on without it, and asks again after a while. If it
    /// [refuses](EncoderError::of_these_texts) these texts, it is asked about others at once.
    async fn encode(&self, texts: Vec<String>, role: TextRole) -> Result<Vec<Vec<f32>>, EncoderError>;
}

/// Why an encoder did not encode.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EncoderError {
    message: String,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
    is_refusal: bool,
    delay: Option<Duration>,
}

impl EncoderError {
    /// An encoder that is away, and says this.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None, is_refusal: false, delay: None }
    }

    /// The same with a cause.
    #[must_use]
    pub fn caused(message: impl Into<String>, cause: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { source: Some(cause.into()), ..Self::new(message) }
    }

    /// The same of an encoder that is there and does not take these texts.
    #[must_use]
    pub fn of_these_texts(self) -> Self {
        Self { is_refusal: true, ..self }
    }

    /// The same of an encoder that is busy and wants to be asked again after this `delay`.
    #[must_use]
    pub fn busy_for(self, delay: Duration) -> Self {
        Self { delay: Some(delay), ..self }
    }

    /// After how long an encoder that is busy wants to be asked again; `None` if it is not busy but away.
    #[must_use]
    pub fn delay(&self) -> Option<Duration> {
        self.delay
    }

    /// Whether only the texts are at fault, so that it may be asked about others.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        self.is_refusal
    }

    /// The message, with its causes.
    #[must_use]
    pub fn chain(&self) -> String {
        with_causes(self).map(ToString::to_string).collect::<Vec<_>>().join(": ")
    }
}
