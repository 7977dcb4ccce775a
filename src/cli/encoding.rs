//! The encoder that the settings name.

use std::sync::Arc;

use super::settings::{Setting, Settings};
use crate::{
    catalog::Encoder,
    encoder::{EncoderPlace, RemoteEncoder},
    error::{Code, Error, Result},
};

/// The encoder of the settings; `None` if they name none.
///
/// # Errors
/// `invalid_request` for one that cannot be opened. A server is not asked.
pub(super) fn encoder(settings: &Settings) -> Result<Option<Arc<dyn Encoder>>> {
    let Some(place) = settings.parsed(Setting::Encoder, EncoderPlace::parse)? else { return Ok(None) };
    Ok(Some(match place {
        EncoderPlace::Server(url) => {
            let model = settings.get(Setting::EncoderModel).unwrap_or_default();
            Arc::new(RemoteEncoder::new(&url, model, settings.get(Setting::EncoderKey).map(str::to_owned))?)
        }
        EncoderPlace::Folder(folder) => local(&folder)?,
    }))
}

#[cfg(feature = "encoder")]
fn local(folder: &std::path::Path) -> Result<Arc<dyn Encoder>> {
    let opened = crate::encoder::LocalEncoder::open(folder);
    Ok(Arc::new(opened.map_err(|error| Error::new(Code::InvalidRequest, error.chain()))?))
}

#[cfg(not(feature = "encoder"))]
fn local(_: &std::path::Path) -> Result<Arc<dyn Encoder>> {
    Err(Error::new(Code::InvalidRequest, "this program was built without encoders in folders; name one on a server"))
}
