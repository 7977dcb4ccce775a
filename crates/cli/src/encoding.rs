//! The encoder that the settings name.

use std::sync::Arc;

use crate::{
    encoder::{Encoder, EncoderPlace, RemoteEncoder},
    error::Result,
    process::Process,
    settings::{Setting, Settings},
};

/// The encoder of the settings, whose folder may be relative to that of `process`; `None` if they name none.
///
/// # Errors
/// `invalid_request` if the encoder cannot be opened. A server is not asked.
pub(super) fn encoder(process: &Process, settings: &Settings) -> Result<Option<Arc<dyn Encoder>>> {
    let Some(place) = settings.parsed(Setting::EmbeddingUrl, EncoderPlace::parse)? else { return Ok(None) };
    Ok(Some(match place {
        EncoderPlace::Server(url) => {
            let model = settings.get(Setting::EmbeddingModel).unwrap_or_default();
            let encoder = RemoteEncoder::new(&url, model, settings.get(Setting::EmbeddingApiKey).map(str::to_owned))?;
            let encoder = match settings.get(Setting::EmbeddingDocumentModel) {
                Some(model) => encoder.with_skill_model(model),
                None => encoder,
            };
            let prefix = |setting| settings.get(setting).unwrap_or_default();
            Arc::new(
                encoder.with_prompts(prefix(Setting::EmbeddingQueryPrefix), prefix(Setting::EmbeddingDocumentPrefix)),
            )
        }
        EncoderPlace::Folder(folder) => local(&process.local(folder))?,
    }))
}

/// The encoder in `folder`.
///
/// # Errors
/// `invalid_request` if the encoder cannot be opened.
#[cfg(feature = "encoder")]
pub(super) fn local(folder: &std::path::Path) -> Result<Arc<dyn Encoder>> {
    let opened = crate::encoder::LocalEncoder::open(folder);
    Ok(Arc::new(opened.map_err(|error| invalid!("{}", error.chain()))?))
}

/// The error of a program that has none of this kind.
#[cfg(not(feature = "encoder"))]
pub(super) fn local(_: &std::path::Path) -> Result<Arc<dyn Encoder>> {
    Err(invalid!("this program was built without encoders in folders; name one on a server"))
}
