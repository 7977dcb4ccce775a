//! Where an encoder is, as a setting says it.

use std::path::PathBuf;

use skillmount_base::error::{Code, Error, Result};

/// Where an encoder is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncoderPlace {
    /// A folder with a model.
    Folder(PathBuf),
    /// The address of a server's embeddings.
    Server(String),
}

impl EncoderPlace {
    /// Parses `dir:FOLDER` or the URL of an endpoint.
    ///
    /// # Errors
    /// `invalid_request` for anything else.
    ///
    /// ```
    /// use skillmount_search::encoder::EncoderPlace;
    ///
    /// assert_eq!(EncoderPlace::parse("dir:/models/minilm").unwrap(), EncoderPlace::Folder("/models/minilm".into()));
    /// assert!(EncoderPlace::parse("http://127.0.0.1:8080/v1/embeddings").is_ok());
    /// assert!(EncoderPlace::parse("minilm").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(folder) = text.strip_prefix("dir:").filter(|folder| !folder.is_empty()) {
            return Ok(Self::Folder(folder.into()));
        }
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Server(text.to_owned()));
        }
        let message = format!("{text:?} is no encoder; give dir:FOLDER or the URL of an endpoint for embeddings");
        Err(Error::new(Code::InvalidRequest, message))
    }
}
